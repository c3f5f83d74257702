"""Protects from proofs about other networks than prior knowledge allows."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import sabna
from tests.certificate.runs import options_for, verdict, without_easy_ways_out
from tests.graphs import graph_of, optimum

DEFAULT_RUNS, SLOW_RUNS = 40, 1000


def random_lists(rng: random.Random, n: int) -> list[dict[int, int]]:
    """For every variable the cost of some sets (as bits), the empty one among them, dominated ones too."""
    lists = []
    for i in range(n):
        others = [v for v in range(n) if v != i]
        entries = {0: rng.randrange(60)}
        for _ in range(rng.randint(0, 14)):
            entries[sum(1 << v for v in rng.sample(others, rng.randint(0, min(3, len(others)))))] = rng.randrange(
                -9, 70
            )
        lists.append(entries)
    return lists


def write_jkl(lists: list[dict[int, int]], file: Path) -> None:
    lines = [str(len(lists))]
    for i, entries in enumerate(lists):
        lines.append(f"X{i} {len(entries)}")
        for bits, cost in entries.items():
            parents = [f"X{v}" for v in range(len(lists)) if bits >> v & 1]
            lines.append(" ".join([str(-cost), str(len(parents)), *parents]))
    file.write_text("\n".join(lines) + "\n")


def random_knowledge(rng: random.Random, n: int) -> dict[str, Any]:
    """Statements that forbid; those that require are refused for most files, and no more than this for the proof."""
    names = [f"X{v}" for v in range(n)]
    known: dict[str, Any] = {}
    if n > 1 and rng.random() < 0.7:
        known["forbidden"] = [rng.sample(names, 2) for _ in range(rng.randint(1, 4))]
    if n > 1 and rng.random() < 0.4:
        cut = rng.randint(1, n - 1)
        known["tiers"] = [names[:cut], names[cut:]]
    if rng.random() < 0.3:
        known["roots"] = [rng.choice(names)]
    if rng.random() < 0.3:
        known["max_parents"] = {rng.choice(names): rng.randint(0, 2)}
    return known


def obeys(known: dict[str, Any], child: int, bits: int) -> bool:
    """Whether a parent set obeys, by the words of the documentation."""
    name, parents = f"X{child}", [f"X{v}" for v in range(bits.bit_length()) if bits >> v & 1]
    if any([parent, name] in known.get("forbidden", []) for parent in parents):
        return False
    early, late = known.get("tiers", [[], []])
    if name in early and any(parent in late for parent in parents):
        return False
    if name in known.get("roots", []) and parents:
        return False
    return len(parents) <= known.get("max_parents", {}).get(name, len(parents))


def one_run(seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """A file of random lists under random knowledge; whether sets were left out."""
    rng = random.Random(seed)
    n = rng.randint(1, 7)
    lists, known = random_lists(rng, n), random_knowledge(rng, n)
    without_easy_ways_out(monkeypatch, rng)
    file, proof = folder / "graph.jkl", folder / "proof.cert"
    write_jkl(lists, file)
    options: dict[str, Any] = {**options_for(rng), "gap_tolerance": 0}
    result = sabna.search(file, certificate=proof, knowledge=known or None, **options)
    code, words = verdict(proof, file)
    assert code == 0, (seed, words)
    allowed = [{s: c for s, c in some.items() if obeys(known, i, s)} for i, some in enumerate(lists)]
    best = optimum(graph_of([{s: c << 30 for s, c in some.items()} for some in allowed]))
    assert result.certificate is not None
    assert result.certificate["lower_bound_quanta"] <= best <= result.cost_quanta, (seed, known)
    if "time_limit" not in options:
        assert result.certificate["lower_bound_quanta"] == best, (seed, known)
    forbidden = sum(len(some) for some in lists) - sum(len(some) for some in allowed)
    assert (f"the {forbidden} sets that prior knowledge forbids" in words) == (forbidden > 0), (seed, words)
    return forbidden > 0


def test_searches_under_knowledge_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The certificate is about the graph as its file has it, and names what knowledge leaves out."""
    left_out = sum(one_run(seed, tmp_path, monkeypatch) for seed in range(DEFAULT_RUNS))
    assert 0 < left_out < DEFAULT_RUNS


@pytest.mark.slow
def test_a_thousand_searches_under_knowledge_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    print(sum(one_run(seed, tmp_path, monkeypatch) for seed in range(1000, 1000 + SLOW_RUNS)), "left sets out")


def test_required_edges_are_certified(tmp_path: Path) -> None:
    """Of a file that lists every set, knowledge that requires edges leaves the sets without them out."""
    rng = random.Random(4)
    lists = [{bits: rng.randrange(100) for bits in range(16) if not bits >> i & 1} for i in range(4)]
    file, proof = tmp_path / "graph.jkl", tmp_path / "proof.cert"
    write_jkl(lists, file)
    result = sabna.search(file, certificate=proof, knowledge={"required": ["X3 -> X1"]}, n_jobs=1, gap_tolerance=0)
    code, words = verdict(proof, file)
    assert code == 0, words
    assert "the 4 sets that prior knowledge forbids" in words
    lists[1] = {bits: cost for bits, cost in lists[1].items() if bits >> 3 & 1}
    assert result.cost_quanta == optimum(graph_of([{s: c << 30 for s, c in some.items()} for some in lists]))

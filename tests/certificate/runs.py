"""Runs that end in a certificate, on small graphs, with the tools of large ones."""

from __future__ import annotations

import io
import random
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

import sabna
from sabna.certificate.checker import check_certificate as checker
from sabna.parents.graph import ParentGraph
from sabna.searching import decisions, ledger
from tests.graphs import random_graph


def verdict(certificate: Path, graph: Path, *options: str) -> tuple[int, str]:
    """Exit code and words of the checker."""
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        code = checker.main([str(certificate), str(graph), *options])
    return code, told.getvalue()


def without_easy_ways_out(monkeypatch: pytest.MonkeyPatch, rng: random.Random) -> None:
    """Small parts are not solved by tables at once, here or by the checker; groups are small; A* comes early."""
    monkeypatch.setattr(decisions, "DENSE_AT_ONCE", rng.choice((0, 0, 3)))
    monkeypatch.setattr(decisions, "DENSE_SECONDS", 0.0)
    monkeypatch.setattr(decisions, "MANY_SETS", 10**9)
    sizes = tuple(sorted(rng.choice((2, 3, 4, 6)) for _ in range(3)))
    monkeypatch.setattr(decisions, "GROUP_SIZES", sizes)
    monkeypatch.setattr(decisions, "SMALL_GROUP", rng.choice((2, 3)))
    monkeypatch.setattr(decisions, "GROUPS_FROM", rng.choice((0, 40)))
    monkeypatch.setattr(decisions, "MOST_ROUNDS", rng.choice((1, 2, 40)))
    monkeypatch.setattr(decisions, "ASCENT_WORK", rng.choice((1, 1000, 10**7)))
    monkeypatch.setattr(decisions, "RESTARTS", rng.choice((0, 1, 24)))
    monkeypatch.setattr(decisions, "FIRST_WORK", rng.choice((1, 10**6)))
    monkeypatch.setattr(ledger, "SOLVED_BY_CHECKER", rng.choice((0, 0, 0, 4)))


def searched_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small parts go through all the steps of large ones."""
    monkeypatch.setattr(decisions, "DENSE_AT_ONCE", 0)
    monkeypatch.setattr(decisions, "DENSE_SECONDS", 0.0)
    monkeypatch.setattr(decisions, "MANY_SETS", 10**9)
    monkeypatch.setattr(decisions, "GROUP_SIZES", (2,))
    monkeypatch.setattr(decisions, "MOST_ROUNDS", 1)
    monkeypatch.setattr(decisions, "TRIAL_FROM", 99)
    monkeypatch.setattr(ledger, "SOLVED_BY_CHECKER", 0)


def graph_for(rng: random.Random, largest: int = 9) -> ParentGraph:
    """Small graphs of all kinds: ties, negative costs, no empty sets, hard ones."""
    return random_graph(
        rng.randrange(10**9),
        rng.randint(1, largest),
        sets=rng.choice((2, 6, 14, 25)),
        largest=rng.randint(1, 4),
        costs=rng.choice((1, 3, 10, 10**6, 10**15)),
        empty_sets=rng.random() < 0.7,
        hard=rng.random() < 0.5,
    )


def options_for(rng: random.Random) -> dict[str, object]:
    """A strategy with some of its options."""
    strategy = rng.choice(("auto", "auto", "auto", "astar", "bfs"))
    options: dict[str, object] = {"strategy": strategy, "n_jobs": 1, "seed": rng.randrange(100)}
    options["path_extension"] = rng.random() < 0.8
    options["gap_tolerance"] = rng.choice((0, 0, 1e-6, 1e-9, 0.5))
    if strategy != "auto":
        options["heuristic"] = rng.choice(("simple", "pattern", "cuts", "dual-pattern"))
        options |= {name: rng.random() < 0.5 for name in ("upper_bound", "components", "scc_branching")}
    if rng.random() < 0.15:
        options["time_limit"] = rng.choice((0, 0.001, 0.01))
    return options


def certified(graph: ParentGraph, folder: Path, options: dict[str, object]) -> tuple[sabna.Result, Path, Path]:
    """Search with a certificate; the result, the certificate, and the graph's file."""
    file, proof = folder / "graph.pg", folder / "proof.cert"
    graph.save(file)
    return sabna.search(graph, certificate=proof, **options), proof, file  # type: ignore[arg-type]

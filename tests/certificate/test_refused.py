"""Protects from a checker that believes: certificates of false claims are refused, whatever was changed in them."""

from __future__ import annotations

import base64
import random
import zlib
from pathlib import Path

import pytest

import sabna
from sabna.certificate.checker import check_certificate as checker
from tests.certificate.mutants import Case, mutant, parsed, widened, written
from tests.certificate.runs import certified, graph_for, options_for, verdict, with_cuts, without_easy_ways_out

DEFAULT_MUTANTS, SLOW_MUTANTS = 24, 12_000
WIDE = 0.03  # of the graphs have sets of several words
CUTS = 0.08  # are searched with local or derived cuts


def refuse_mutants(seed: int, wanted: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Make mutants until so many claims are false; none of these may be accepted."""
    rng = random.Random(seed)
    counts, kinds = {"false, refused": 0, "true, accepted": 0, "true, refused": 0}, set[str]()
    while counts["false, refused"] < wanted:
        with monkeypatch.context() as patched:
            without_easy_ways_out(patched, rng)
            graph = graph_for(rng, largest=6)
            if rng.random() < CUTS:
                graph = with_cuts(patched, rng)
            if rng.random() < WIDE:
                graph = widened(graph, rng.choice((70, 520)), rng)
            options = {**options_for(rng), "strategy": "auto", "time_limit": None}
            for name in ("heuristic", "upper_bound", "components", "scc_branching"):
                options.pop(name, None)
            if rng.random() < 0.15 and graph.n > 1:
                options["knowledge"] = {"forbidden": [rng.sample(graph.names, 2) for _ in range(rng.randint(1, 4))]}
            try:
                _, proof, file = certified(graph, folder, options)
            except sabna.SabnaError:  # not every graph has a network under every knowledge
                assert "knowledge" in options
                continue
        case = Case(parsed(proof.read_text()), graph)
        assert case.statement_is_true()
        kinds.update(word for word, _ in case.records)
        for _ in range(20):
            changed = mutant(case, rng)
            text, truth = written(changed.records), changed.statement_is_true()
            proof.write_text(text)
            changed.graph.save(file)
            code, words = verdict(proof, file)
            assert code in (0, 1), (words, text)
            assert truth or code == 1, f"a false claim was accepted:\n{text}"
            counts["false, refused" if not truth else "true, accepted" if code == 0 else "true, refused"] += 1
    return counts | {"kinds of lines": len(kinds)}


def test_false_claims_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = refuse_mutants(1, DEFAULT_MUTANTS, tmp_path, monkeypatch)
    assert counts["true, accepted"] > 0, "mutants that are still valid are told apart"


@pytest.mark.slow
def test_twelve_thousand_false_claims_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = refuse_mutants(2, SLOW_MUTANTS, tmp_path, monkeypatch)
    print(counts)
    rules = [name for name in dir(checker.Derivation) if name.startswith("_on_")]
    assert counts["kinds of lines"] == len(rules), "no kind of line escapes"


@pytest.fixture
def sound(tmp_path: Path) -> tuple[Path, Path]:
    graph = graph_for(random.Random(5), largest=8)
    _, proof, file = certified(graph, tmp_path, {"n_jobs": 1})
    assert verdict(proof, file)[0] == 0
    return proof, file


def test_a_certificate_that_was_cut_is_refused_and_says_what_is_proven(sound: tuple[Path, Path]) -> None:
    proof, file = sound
    whole = proof.read_bytes()
    for length in range(0, len(whole), 5):
        proof.write_bytes(whole[:length])
        code, words = verdict(proof, file)
        assert code in (1, 2), words
    proof.write_bytes(whole[: whole.rindex(b"end ")])
    code, words = verdict(proof, file)
    assert code == 1
    assert "no network costs less than" in words


def test_a_flipped_bit_is_never_accepted(sound: tuple[Path, Path]) -> None:
    proof, file = sound
    whole = proof.read_bytes()
    for at in range(0, len(whole), 2):
        changed = bytearray(whole)
        changed[at] ^= 1 << (at % 8)
        proof.write_bytes(bytes(changed))
        assert verdict(proof, file)[0] in (1, 2), at


def test_another_graph_is_refused(sound: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "other.pg"
    graph_for(random.Random(6), largest=8).save(other)
    code, words = verdict(sound[0], other)
    assert code == 1
    assert "another parent graph" in words


@pytest.mark.parametrize(
    "text", ["", "sabna-certificate 2", "sabna-certificate 1\n", "\0\xff", "sabna-certificate 2\nx\n"]
)
def test_what_is_no_certificate_is_not_a_crash(sound: tuple[Path, Path], text: str) -> None:
    sound[0].write_text(text)
    assert verdict(*sound)[0] in (1, 2)


@pytest.mark.parametrize("name", ["missing.pg", "bad.pg", "bad.jkl", "bad.pss"])
def test_what_is_no_graph_is_unreadable(sound: tuple[Path, Path], tmp_path: Path, name: str) -> None:
    if "bad" in name:
        (tmp_path / name).write_bytes(b"sabna-pg rubbish \xff\n1 2 3\n")
    assert verdict(sound[0], tmp_path / name)[0] == 2


def test_a_bomb_of_zeros_is_refused(sound: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    proof, file = sound
    monkeypatch.setattr(checker, "MOST_NUMBERS", 1 << 16)
    records = parsed(proof.read_text())
    bomb = "~" + base64.b64encode(zlib.compress(bytes(9 << 16), 9)).decode()
    records.insert(1, ("weights", {"id": "999", "rows": bomb, "y": bomb}))
    proof.write_text(written(records))
    code, words = verdict(proof, file)
    assert code == 1
    assert "too long" in words

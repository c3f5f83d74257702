"""Protects from proofs that do not hold up: every run, by any strategy and option, ends in a sound certificate."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.certificate.runs import (
    certified,
    graph_for,
    options_for,
    searched_to_the_end,
    verdict,
    without_easy_ways_out,
)
from tests.graphs import optimum, random_graph

DEFAULT_RUNS, SLOW_RUNS = 40, 10_000
PATIENCE = 20.0  # seconds; forced branches of a hard graph can take minutes, and are stopped then, with a certificate


def one_run(seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A random graph by a random strategy; returns the status, and fails if the certificate does."""
    rng = random.Random(seed)
    without_easy_ways_out(monkeypatch, rng)
    graph, options = graph_for(rng), options_for(rng)
    limit = options.setdefault("time_limit", PATIENCE)
    result, proof, file = certified(graph, folder, options)
    code, words = verdict(proof, file)
    assert code == 0, (seed, options, words)
    assert result.certificate is not None
    lower, best = result.certificate["lower_bound_quanta"], optimum(graph)
    assert lower <= best <= result.cost_quanta
    if result.status == "optimal" and limit == PATIENCE > 2 * result.seconds:  # a limit may leave no time for the proof
        assert result.certificate["proves"] == "optimal", (seed, options)
    return result.status


def test_random_graphs_by_every_strategy_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    statuses = [one_run(seed, tmp_path, monkeypatch) for seed in range(DEFAULT_RUNS)]
    assert statuses.count("optimal") > DEFAULT_RUNS // 2


@pytest.mark.slow
def test_ten_thousand_random_graphs_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    for seed in range(1000, 1000 + SLOW_RUNS):
        one_run(seed, tmp_path, monkeypatch)
        count += 1
    print(f"{count} certificates accepted")
    assert count == SLOW_RUNS


def test_a_part_whose_bound_has_passed_the_target_of_its_strikes_is_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first network came when the bound had passed its target: another proof began with sets already struck out."""
    assert one_run(3245, tmp_path, monkeypatch) == "optimal"


def test_a_search_that_expands_nothing_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty list of sets used to be refused as making no sense."""
    searched_to_the_end(monkeypatch)
    result, proof, file = certified(random_graph(16, 7, sets=14, costs=10**4, hard=True), tmp_path, {"n_jobs": 1})
    assert verdict(proof, file)[0] == 0, proof.read_text()
    assert result.is_optimal


def test_the_lines_of_a_killed_run_say_what_was_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate is flushed line by line: whatever prefix is there is read, and proves no more than is true."""
    searched_to_the_end(monkeypatch)
    graph = random_graph(3, 8, sets=14, costs=100)
    _, proof, file = certified(graph, tmp_path, {"n_jobs": 1})
    lines = proof.read_text().splitlines(keepends=True)
    for count in range(5, len(lines)):
        proof.write_text("".join(lines[:count]) + lines[count][:7])
        code, words = verdict(proof, file)
        assert code == 1
        if "no network costs less than" in words:
            assert int(words.split("(")[1].split()[0]) <= optimum(graph)


def test_a_search_kept_in_a_folder_is_certified_when_it_ends(tmp_path: Path) -> None:
    """What a resumed tree did before is not heard of: the proof is found again."""
    graph = random_graph(5, 9, sets=14, costs=1000, hard=True)
    result, proof, file = certified(graph, tmp_path, {"n_jobs": 1, "work": tmp_path / "work"})
    assert verdict(proof, file)[0] == 0
    assert result.certificate is not None
    assert result.certificate["proves"] == "optimal"

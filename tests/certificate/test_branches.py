"""Protects from proofs by cuts and branches that the search makes and the checker cannot follow."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from sabna.searching import decisions, ledger
from sabna.searching.choices import Choice, Order
from sabna.searching.steps import branching
from sabna.searching.strategies import STRATEGIES
from tests.certificate.runs import certified, verdict
from tests.graphs import optimum, random_graph
from tests.repeats import few_or_many
from tests.test_auto import some_graph
from tests.test_tree import Forced, side_by_side

CUTS, LOCAL, ARCS, ORDERS = "\ncut ", "\nlocal ", "kind=arc", "kind=order"


@few_or_many("seeds", (1, 2, 3, 4, 5, 7), range(8))
@pytest.mark.parametrize("cuts", [False, True])
def test_cuts_and_branches_are_accepted(
    cuts: bool, seeds: Iterable[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = runs_of(seeds, cuts, tmp_path, monkeypatch)
    assert seen[ARCS]
    assert min(seen[CUTS], seen[LOCAL]) if cuts else seen[ORDERS]


@pytest.mark.slow
@pytest.mark.parametrize("cuts", [False, True])
def test_a_thousand_runs_by_cuts_and_branches_are_accepted(
    cuts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs_of(range(100, 1100), cuts, tmp_path, monkeypatch)


def runs_of(seeds: Iterable[int], cuts: bool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How many of the certificates, all accepted, use each rule."""
    monkeypatch.setitem(STRATEGIES, "auto", Forced(cuts))
    monkeypatch.setattr(decisions, "SEARCHED_AT_WHOLE_POINTS", 0)
    monkeypatch.setattr(decisions, "MOST_CLUSTER_ROUNDS", 4)
    monkeypatch.setattr(ledger, "SOLVED_BY_CHECKER", 0)
    seen = dict.fromkeys((CUTS, LOCAL, ARCS, ORDERS), 0)
    candidates = branching._candidates
    for seed in seeds:
        orders_first = seed % 4 == 2

        def some(*given: Any, orders_first: bool = orders_first) -> list[Choice]:
            found = candidates(*given)
            return [c for c in found if isinstance(c, Order) == orders_first] or found

        monkeypatch.setattr(branching, "_candidates", some)
        graph = some_graph(seed, most=9) if seed % 2 else random_graph(seed, 10, sets=30, costs=1 << 34, hard=True)
        if seed % 8 == 7:
            graph = side_by_side([random_graph(10 * seed + k, 5, sets=14, costs=1 << 34, hard=True) for k in range(2)])
        for rounds in ("CUT_ROUNDS", "CUT_ROUNDS_OF_BRANCH"):
            allowed = decisions.RoundLimits(most=12 if seed % 3 else 1, local=seed % 2 == 0)
            monkeypatch.setattr(decisions, rounds, allowed)
        result, proof, file = certified(graph, folder, {"n_jobs": 1, "gap_tolerance": 0})
        code, words = verdict(proof, file)
        assert code == 0, (seed, words)
        assert result.certificate is not None
        assert result.certificate["proves"] == "optimal", seed
        assert result.certificate["lower_bound_quanta"] == optimum(graph), seed
        for rule in seen:
            seen[rule] += rule in proof.read_text()
    return seen

"""Protects from steps of the search that no certificate knows: a new one comes here by itself, and has to be proven."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabna.searching import decisions, ledger
from sabna.searching.part import Part
from sabna.searching.steps import STEPS
from sabna.searching.steps.context import Context, Step
from sabna.searching.strategies import STRATEGIES
from sabna.searching.strategies.auto import Auto
from tests.certificate.runs import certified, verdict
from tests.graphs import optimum, random_graph
from tests.repeats import few_or_many
from tests.test_tree import side_by_side


class Through(Auto):
    """Bounds, tables, then one step in particular, then A*; counts how often that step was made."""

    def __init__(self, step: str) -> None:
        self.step, self.made = step, 0
        way = [decisions.FIRST_NETWORK, decisions.DUAL_ASCENT, decisions.CLUSTER_PROGRAM, decisions.PATTERN_TABLES]
        anywhere = (decisions.COMPONENTS, decisions.ONLY_CHOICE, decisions.CLOSE)
        way += [decisions.SOURCE_PROGRAM] if step == decisions.SOURCE_BRANCHING else []
        way += [step] if step not in (*way, *anywhere) else []
        self.after = dict(zip(["", *way], [*way, decisions.ASTAR], strict=True))

    def next_step(self, part: Part, context: Context) -> Step:
        name, done = self.after.get(part.progress.step, decisions.BRANCH_AND_BOUND), part.progress.step
        if part.depth == 0 or (done not in ("", decisions.BRANCHING) and not part.progress.one_component):
            name = decisions.COMPONENTS
        elif part.lower >= part.target:
            name = decisions.CLOSE
        elif not done and decisions.has_one_choice(part):
            name = decisions.ONLY_CHOICE
        elif name == decisions.SOURCE_BRANCHING and not part.progress.sources:
            name = decisions.ASTAR
        self.made += name == self.step
        return STEPS[name]


@few_or_many("seeds", (2,), (0, 1, 2))
@pytest.mark.parametrize("step", sorted(STEPS))
def test_every_step_is_certified(
    step: str, seeds: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = Through(step)
    monkeypatch.setitem(STRATEGIES, "auto", way)
    monkeypatch.setattr(decisions, "GROUP_SIZES", (3,))
    monkeypatch.setattr(decisions, "SMALLEST_GROUP", 2)
    monkeypatch.setattr(decisions, "MOST_CLUSTER_ROUNDS", 1)  # so that something is left for the steps after it
    monkeypatch.setattr(decisions, "SOURCE_ROUNDS", decisions.SourceLimits(1, 0.03, most=1))
    monkeypatch.setattr(ledger, "SOLVED_BY_CHECKER", 0)
    for seed in seeds:
        graph = random_graph(2 * seed, 8, sets=30, costs=1 << 34, hard=True)
        graph = side_by_side([graph, random_graph(seed, 1), random_graph(seed, 2, sets=3)])
        result, proof, file = certified(graph, tmp_path, {"n_jobs": 1, "gap_tolerance": 0})
        code, words = verdict(proof, file)
        assert code == 0, words
        assert result.certificate is not None
        assert result.certificate["lower_bound_quanta"] == optimum(graph)
    assert way.made or step == decisions.CLOSE, "a part is closed by name only where a network found elsewhere does it"

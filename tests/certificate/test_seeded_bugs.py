"""Protects from a checker that would not notice: three bugs put into the solver, whose runs it must refuse.

Each is a patch of one call. Without the patch the same runs are accepted.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sabna._native import core
from sabna.searching.part import Part
from tests.certificate.runs import certified, searched_to_the_end, verdict
from tests.graphs import random_graph
from tests.repeats import few_or_many

Patch = Callable[[pytest.MonkeyPatch], None]


def fixing_off_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A set goes if a network with it costs the target minus one quantum."""
    right = core.fix_by_reduced_costs
    monkeypatch.setattr(core, "fix_by_reduced_costs", lambda *arguments: right(*arguments[:-1], arguments[-1] - 1))


def sets_lost_in_a_component(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong component: when it is cut out, the dearest set of a variable is lost, dominated or not."""
    right = Part._component

    def wrong(self: Part, *arguments: Any) -> Part:
        part = right(self, *arguments)
        keep = np.ones(len(part.graph), bool)
        keep[part.graph.offsets[1:] - 1] = np.diff(part.graph.offsets) == 1
        return part.keeping(keep) or part

    monkeypatch.setattr(Part, "_component", wrong)


def heuristic_too_high(monkeypatch: pytest.MonkeyPatch) -> None:
    """A heuristic that is not admissible: A* leaves out what costs up to a twentieth less than the target."""
    right = core.search_weighted

    def wrong(*arguments: Any, upper: int, **options: Any) -> Any:
        found = right(*arguments, upper=upper - abs(upper) // 20 - 1, **options)
        values = {name: getattr(found, name) for name in dir(found) if not name.startswith("_")}
        if not found.known:
            values |= {"cost": upper, "lower": upper}
        return SimpleNamespace(**values)

    monkeypatch.setattr(core, "search_weighted", wrong)


@few_or_many("enough", 1, 3)
@pytest.mark.parametrize("bug", [fixing_off_by_one, sets_lost_in_a_component, heuristic_too_high])
def test_runs_with_a_seeded_bug_are_refused(
    bug: Patch, enough: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched_to_the_end(monkeypatch)
    rng, refused = random.Random(1), 0
    for seed in range(60):
        hard = bug is heuristic_too_high
        graph = random_graph(seed, rng.randint(5, 8), sets=14, costs=10**4 if hard else 6, hard=hard)
        assert verdict(*certified(graph, tmp_path, {"n_jobs": 1, "gap_tolerance": 0})[1:])[0] == 0
        with monkeypatch.context() as patched:
            bug(patched)
            try:
                result, proof, file = certified(graph, tmp_path, {"n_jobs": 1, "gap_tolerance": 0})
            except AssertionError:  # the solver's own checks may see it first
                continue
        assert result.certificate is not None
        refused += verdict(proof, file)[0] == 1
        if refused == enough:
            return
    pytest.fail(f"{refused} runs with a bug were refused")

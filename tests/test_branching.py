"""Protects from branching, and the program that it asks, going on when the time is over: 11 s of 600 once."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from sabna.base.limits import Limits
from sabna.base.stop import Stopped
from sabna.bounds.cut_program import CutProgram
from sabna.bounds.cuts import Cuts
from sabna.bounds.weights import Clusters
from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Part
from sabna.searching.steps import branching
from sabna.searching.steps.context import Branch, Context, Effort
from tests.graphs import random_graph


def test_trials_end_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    part = replace(Part.whole(random_graph(5, 12, sets=40, costs=1 << 34, hard=True)), depth=1, target=1 << 50)
    over = threading.Event()
    context = Context(SearchOptions(), Limits(halt=over), Effort(improve=False))
    trials: list[int] = []
    tried = CutProgram.without

    def noted(program: CutProgram, struck: np.ndarray) -> float:
        trials.append(int(struck.sum()))
        return tried(program, struck)

    monkeypatch.setattr(CutProgram, "without", noted)
    assert isinstance(branching.run(part, context), Branch)
    assert len(trials) > 4
    trials.clear()
    monkeypatch.setattr(CutProgram, "without", lambda program, struck: (over.set(), noted(program, struck))[1])
    with pytest.raises(Stopped):
        branching.run(part, context)
    assert len(trials) == 2, "the two sides of one choice"


def test_the_solver_knows_how_much_time_is_left() -> None:
    graph = random_graph(5, 12, sets=40, costs=1 << 34, hard=True)
    program = CutProgram(graph, Cuts.of(graph.n, Clusters.none(1)))
    for seconds, most in ((50.0, 51.0), (None, np.inf)):
        assert program.solve(Limits(seconds=seconds)) is not None
        told = program.highs.getOptionValue("time_limit")[1]
        assert told <= most
        assert (told > 51) == (seconds is None)

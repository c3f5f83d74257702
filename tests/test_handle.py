"""A run as a handle: its bounds hold the optimum, it stops when told, errors arrive where the result is asked for."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import sabna
from sabna.base.errors import UsageError


def hard() -> np.ndarray:
    """Takes longer than anyone waits here, and has a network from the first moment on."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, (2000, 40))
    values[:, 20:] ^= values[:, :20] & rng.integers(0, 2, (2000, 20))
    return values


def test_a_run_ends_with_the_result_of_learn() -> None:
    reports = []
    run = sabna.start("example:greenhouse", progress=reports.append)
    result, direct = run.result(), sabna.learn("example:greenhouse")
    assert result.cost_quanta == direct.cost_quanta
    assert result.network == direct.network
    assert run.bounds == (result.lower_bound, result.upper_bound)
    assert run.bounds.gap == pytest.approx(result.gap)
    assert not run.running
    assert reports


def test_stop_keeps_the_network_and_the_bounds() -> None:
    told = threading.Event()
    run = sabna.start(hard(), progress=lambda report: told.set())
    assert run.running
    with pytest.raises(TimeoutError):
        run.result(timeout=0)
    assert told.wait(60)
    lower, upper = run.bounds
    assert lower is not None
    assert upper is not None
    assert lower <= upper
    run.stop()
    result = run.result(timeout=60)
    assert result.status == "interrupted"
    assert lower <= result.lower_bound <= result.upper_bound <= upper
    assert len(result.network.variables) == 40


def test_a_mistake_is_raised_where_the_result_is_asked_for() -> None:
    run = sabna.start("example:asia", score="nonsense")
    with pytest.raises(UsageError, match="unknown score"):
        run.result()
    assert run.bounds == (None, None)

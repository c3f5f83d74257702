"""What a progress callback is given: typed, about the whole, no number that stands for "unknown"."""

from __future__ import annotations

import json
from typing import Any

import pytest

import sabna
from sabna.base.cost import INFINITE, QUANTA_PER_NAT
from sabna.base.errors import Interrupted
from sabna.base.progress import COUNTS, OPTIONAL, ProgressReport

RUNS = {
    "learn": lambda hear: sabna.learn("example:greenhouse", progress=hear),
    "astar": lambda hear: sabna.learn("example:asia", strategy="astar", progress=hear),
    "build": lambda hear: sabna.build_parent_graph("example:greenhouse", progress=hear),
    "kbest": lambda hear: sabna.kbest("example:asia", 5, progress=hear),
    "bootstrap": lambda hear: sabna.bootstrap("example:asia", 3, progress=hear),
    "posterior": lambda hear: sabna.posterior("example:asia", progress=hear),
}


@pytest.mark.parametrize("name", list(RUNS))
def test_every_report_is_typed_and_has_no_sentinels(name: str) -> None:
    """Once a report could hold -4611686018427387904, or lack keys that others had."""
    reports: list[ProgressReport] = []
    RUNS[name](reports.append)
    assert reports
    for report in reports:
        assert isinstance(report, ProgressReport)
        assert set(report) == {"station", "seconds", *COUNTS, *OPTIONAL}
        assert report.station
        assert report.seconds >= 0
        assert all(isinstance(report[key], int) and 0 <= report[key] < INFINITE for key in COUNTS)
        assert report.total is None or 0 <= report.finished <= report.total
        assert report.share is None or 0 <= report.share <= 1
        for key in OPTIONAL:
            assert report[key] is None or abs(report[key]) < INFINITE
        for nats, quanta in ((report.lower_bound, report.lower), (report.upper_bound, report.upper)):
            assert (nats is None) == (quanta is None)
            assert nats is None or nats == quanta / QUANTA_PER_NAT
        json.dumps(report)
    if name in ("learn", "astar"):
        assert all(report.gap is not None and report.gap >= 0 for report in reports)


def test_the_best_network_so_far_never_gets_worse() -> None:
    seen: list[Any] = []
    result = sabna.learn(
        "example:greenhouse", progress=lambda report: seen.append(report.best_parents()), strategy="astar"
    )
    found = [parents for k, parents in enumerate(seen) if parents is not None and parents not in seen[:k]]
    assert found
    data = sabna.load_example("greenhouse")
    costs = [-sabna.Network(list(parents), parents).score(data, "bic") for parents in found]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] >= result.cost - 1e-9


def test_a_callback_may_end_the_run() -> None:
    def hear(report: ProgressReport) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        sabna.learn("example:greenhouse", progress=hear)
    assert caught.value.result is not None
    assert caught.value.result.status == "interrupted"

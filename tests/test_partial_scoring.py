"""A limit or Ctrl-C while scoring leaves a network that obeys and a bound that is right, under every score."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna.base.errors import Interrupted, LimitReached
from sabna.base.limits import Limits
from sabna.cli.app import run
from sabna.parents.build import build_parent_graph, build_partial_graph
from sabna.result.result import Result
from sabna.scores.registry import SCORES, score_type
from sabna.table import Table
from sabna.table.mixed import MixedTable, mixed_of
from sabna.table.numeric import NumericTable
from tests.repeats import few_or_many

from .slow_scorer import random_table
from .test_gaussian import linear_data

NUMBERS = [kind.id for kind in SCORES if kind.continuous or kind.mixed == "continuous"]
ALL = [kind.id for kind in SCORES]
KNOWN = {
    "nothing": {},
    "forbidden": {"forbidden": ["v0 -> v1", "v3 -> v2"], "tiers": [["v0", "v1", "v2"], ["v3", "v4", "v5"]]},
    "required": {"required": ["v0 -> v5", "v1 -> v5", "v5 -> v4"], "roots": ["v0"], "max_parents": {"v4": 2}},
}


@dataclass(frozen=True)
class Bytes(Limits):
    """So many bytes for the core, to the byte: a run on one thread always ends at the same place."""

    bytes: int = 0

    def bytes_left(self) -> int:
        return self.bytes


@cache
def table_for(score: str, seed: int = 1) -> Any:
    kinds = score_type(score).mixed
    categories = random_table(np.random.default_rng(seed), 6, 80, 3)
    if kinds == "mixed":
        numbers = linear_data(seed, rows=80, density=0.7).values
        columns = (*(np.ascontiguousarray(row) for row in categories.codes[:3]), *numbers[3:])
        return MixedTable(categories.names, columns, (*categories.states[:3], None, None, None))
    if score not in NUMBERS:
        return categories if kinds is None else mixed_of(categories)
    values = linear_data(seed, rows=40, density=0.7).values
    table = NumericTable(tuple(f"v{k}" for k in range(6)), values)
    return table if kinds is None else mixed_of(table)


@cache
def optimum(score: str, known: str) -> int:
    result = sabna.learn(table_for(score), score, knowledge=KNOWN[known], gap_tolerance=0)
    assert result.status == "optimal"
    return result.cost_quanta


def obeys(result: Result, known: str) -> bool:
    edges = set(result.network.edges)
    if known == "required":
        return {("v0", "v5"), ("v1", "v5"), ("v5", "v4")} <= edges and not result.network.parents["v0"]
    later = {"v3", "v4", "v5"}
    return known == "nothing" or not any(
        (a, b) in {("v0", "v1"), ("v3", "v2")} or (a in later and b not in later) for a, b in edges
    )


def check(result: Result, score: str, known: str) -> None:
    assert result.lower_bound_quanta <= optimum(score, known) <= result.cost_quanta
    assert (result.status == "optimal") == (result.cost_quanta == result.lower_bound_quanta)
    assert obeys(result, known)


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("score", ALL)
def test_no_time_at_all(score: str, known: str) -> None:
    result = sabna.learn(table_for(score), score, knowledge=KNOWN[known], time_limit=0.0, gap_tolerance=0)
    assert result.status == "time_limit"
    check(result, score, known)


@few_or_many("powers", (5, 7, 10), range(4, 11))
@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("score", ALL)
def test_memory_that_ends_anywhere(score: str, known: str, powers: Iterable[int]) -> None:
    """Where the run is cut moves from the required sets to the end of scoring."""
    seen = set()
    for size in [0, *(4**k for k in powers)]:
        result = sabna.learn(
            table_for(score), score, knowledge=KNOWN[known], limits=Bytes(bytes=size), n_jobs=1, gap_tolerance=0
        )
        check(result, score, known)
        seen.add(result.status)
    assert seen == {"memory_limit", "optimal"}


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("score", ALL)
def test_an_interruption_carries_the_network(score: str, known: str) -> None:
    def interrupt(report: dict[str, Any]) -> None:
        if report["station"] == "parent graph":
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        sabna.learn(table_for(score), score, knowledge=KNOWN[known], progress=interrupt, gap_tolerance=0)
    assert caught.value.result.status == "interrupted"
    check(caught.value.result, score, known)


@few_or_many("powers", (5, 7, 9, 11), range(4, 12))
@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("score", ALL)
def test_floors_hold_for_every_set_of_candidates(score: str, known: str, powers: Iterable[int]) -> None:
    """d(i, U) of the complete graph is never below the smaller of the partial one's and the floor."""
    rng = np.random.default_rng(3)
    table, knowledge = table_for(score), KNOWN[known]
    whole = build_parent_graph(table, score, knowledge=knowledge)
    for size in [0, *(3**k for k in powers)]:
        built = build_partial_graph(table, score, knowledge=knowledge, limits=Bytes(bytes=size), n_jobs=1)
        assert built.status != "complete" or (built.floor == 1 << 62).all()
        for i in range(table.n):
            assert built.graph.offsets[i + 1] > built.graph.offsets[i]
            for U in (range(6), rng.permutation(6)[:3].tolist(), rng.permutation(6)[:4].tolist()):
                exact, part = whole.d(i, U), built.graph.d(i, U)
                if exact is None:
                    assert part is None
                    continue
                assert exact[0] >= min(part[0] if part else 1 << 62, int(built.floor[i]))
                assert part is None or part[0] >= exact[0]


@pytest.mark.parametrize("score", ["fnml", "bge"])
def test_a_first_look_is_taken_at_every_variable(score: str) -> None:
    """Not some variables to their end and none of the others: the network would have edges to the first ones only."""
    rng = np.random.default_rng(2)
    if score == "bge":
        strongly_linked = rng.normal(size=(24, 3)) @ rng.normal(size=(3, 300)) + 0.7 * rng.normal(size=(24, 300))
        table: Any = NumericTable(tuple(f"v{k}" for k in range(24)), strongly_linked)
    else:
        codes = np.cumsum(rng.random((24, 500)) < 0.3, axis=0).astype(np.uint16) % 2
        table = Table(tuple(f"v{k}" for k in range(24)), codes, (("0", "1"),) * 24)
    built = build_partial_graph(table, score, limits=Bytes(bytes=400_000), n_jobs=1)
    assert built.status == "memory_limit"
    sizes = np.diff(built.graph.offsets)
    assert (sizes > 1).sum() > 18


def test_the_graph_alone_is_refused_when_a_limit_strikes() -> None:
    for score in ("fnml", "bge"):
        with pytest.raises(LimitReached, match="time limit struck while scoring"):
            build_parent_graph(table_for(score), score, time_limit=0.0)
        with pytest.raises(LimitReached, match="memory limit struck while scoring"):
            build_parent_graph(table_for(score), score, limits=Bytes(bytes=0))


@pytest.mark.parametrize("score", ["fnml", "bic-g", "bdeu"])
def test_the_command_line_answers_with_exit_code_10(
    score: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = table_for(score)
    rows = table.values if score == "bic-g" else table.codes
    data, known, out = tmp_path / "data.csv", tmp_path / "known.json", tmp_path / "network.json"
    lines = [",".join(map(str, row)) for row in rows.T.tolist()]
    data.write_text("\n".join([",".join(table.names), *lines]) + "\n")
    known.write_text(json.dumps(KNOWN["required"]))
    options = ["--score", score, "--knowledge", str(known), "--time-limit", "0", "--json", "-o", str(out)]
    assert run(["learn", str(data), *options]) == 10
    printed = json.loads(capsys.readouterr().out)
    assert printed["status"] == "time_limit"
    assert printed["lower_bound"] <= printed["cost"]
    assert set(printed["parents"]["v5"]) >= {"v0", "v1"}
    assert out.exists()

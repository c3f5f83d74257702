"""The table and the parent graph in a work directory: written when it is complete, mapped instead of made
again when the run goes on.

The graph is a .pg file like any other, `parents.pg`. What such a file does not hold stands in `scoring.work`: the
counts of its building and the bounds that were known when it was done.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sabna.base.atomic import atomic_write
from sabna.base.limits import Limits
from sabna.base.trace import Trace
from sabna.parents.files import pg
from sabna.parents.graph import ParentGraph
from sabna.table import MixedTable, NumericTable, Table
from sabna.table.fingerprint import table_hash
from sabna.workdir.folder import WorkDir
from sabna.workdir.manifest import claim
from sabna.workdir.record import Record, seconds_so_far

PARENTS, SCORING, TABLE = "parents", "scoring", "table"


@dataclass(frozen=True, eq=False)
class Scoring:
    """What is kept beside a finished graph."""

    checksum: str  # of the graph it belongs to
    trace: Trace
    seconds: float  # of all runs up to here
    statistics: dict[str, Any] = field(default_factory=dict)


def graph_hash(graph: ParentGraph) -> str:
    """SHA-256 of a parent graph: names and arrays."""
    digest = hashlib.sha256(repr(graph.names).encode("utf-8", "surrogatepass"))
    for array, kind in zip(graph.arrays, ("<i8", "<i8", "<u8"), strict=True):
        digest.update(np.ascontiguousarray(array, dtype=kind).data)
    return digest.hexdigest()


def save_graph(work: WorkDir, graph: ParentGraph, trace: Trace, limits: Limits, name: str = "") -> None:
    """Keep a finished graph; `name` tells several apart."""
    content = pg.write(graph)
    atomic_write(work.path / f"{PARENTS}{name}.pg", content)
    seconds = seconds_so_far(trace, limits)
    scoring = Scoring(content[-32:].hex(), replace(trace, points=list(trace.points)), seconds, graph.statistics)
    work.save(f"{SCORING}{name}", scoring)
    Record("parent graph done", "running", seconds, list(trace.points)).save(work)


def load_graph(work: WorkDir, trace: Trace, name: str = "") -> ParentGraph | None:
    """The graph that was kept, None if there is none; the bounds known then go to `trace`."""
    path = work.path / f"{PARENTS}{name}.pg"
    scoring = work.load(f"{SCORING}{name}", Scoring)
    if scoring is None or not path.exists():
        return None
    graph = work.reading(path.name, lambda: pg.read(path, keep_dominated=True))
    if graph is None or path.read_bytes()[-32:].hex() != scoring.checksum:
        return None
    trace.go_on(scoring.trace, scoring.seconds)
    return replace(graph, statistics=scoring.statistics)


def keep_input(work: WorkDir, graph: ParentGraph) -> None:
    """Keep the graph that a search was given, so that it can go on without the file it came from."""
    path = work.path / f"{PARENTS}.pg"
    if not path.exists() or work.reading(path.name, lambda: pg.read(path, keep_dominated=True)) is None:
        atomic_write(path, pg.write(graph))


def claim_for_table(
    work: WorkDir,
    command: str,
    table: Table | NumericTable | MixedTable,
    source: Any,
    settings: Mapping[str, Any],
    arguments: Mapping[str, Any] | None = None,
) -> None:
    """Claim a work directory for a run on this table, and keep the table: the run can go on without its source."""
    if work.claimed:
        return
    claim(work, command, "table", table_hash(table), source, settings, arguments)
    if kept_table(work) is None:
        work.save(TABLE, KeptTable(table))


@dataclass(frozen=True, eq=False)
class KeptTable:
    """The table of a run."""

    table: Table | NumericTable | MixedTable


def kept_table(work: WorkDir) -> Table | NumericTable | MixedTable | None:
    """The table that is kept, None if there is none or it is damaged."""
    kept = work.load(TABLE, KeptTable)
    return None if kept is None else kept.table

"""Parent graphs of tables with rows in which variables were set (sabna.table.interventions).

The family of a variable is scored on the rows in which the variable was not set: every local cost is the one that the
table of these rows gives, its number of rows in the penalty of bic included. So nothing about the builders changes:
within one variable all sets see the same rows, and every pruning rule that holds on a table holds on this one.
Variables that were set in the same rows share a table and are built together.

Equivalent networks still cost the same integer. Two networks of one interventional class (Hauser and Bühlmann 2012)
differ in edges between variables that no row sets apart; turning a covered edge between them changes two families
that are scored on the same rows.

bge and bcg take what was set into the core (core/mixed/), with one prior for all variables: that of the whole table,
as columns are standardised over all rows. For numbers alone bcg is bge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import INFINITE
from sabna.base.errors import DataError, quoted
from sabna.base.limits import Limits
from sabna.base.stop import Stop
from sabna.base.threads import threads_for
from sabna.engine.engine import Engine
from sabna.parents.builders.constrained import build_constrained_arrays
from sabna.parents.builders.gaussian import GaussianBuilder, check_columns, gaussian_costs
from sabna.parents.builders.groups import Keeping, build_in_groups
from sabna.parents.builders.mixed import build_partial_mixed, mixed_costs
from sabna.parents.built import BuiltGraph, Lists, spliced
from sabna.parents.knowledge import Constraints
from sabna.parents.scoring_bounds import ScoringBounds
from sabna.scores.local import local_costs
from sabna.scores.registry import ScoreType, core_parameter, score_parameters
from sabna.table.interventions import rows_apart
from sabna.table.mixed import mixed_of

# A parameter that bcg has and bge has not.
FOR_CATEGORIES = "equivalent_sample_size"


def build_intervened_arrays(
    table: Any,
    kind: ScoreType,
    parameters: Mapping[str, float],
    constraints: Constraints,
    slack: int,
    n_jobs: int,
    limits: Limits,
    bounds: ScoringBounds | None,
    keeping: Keeping | None = None,
    engine: Engine | None = None,
) -> Lists:
    """The lists of all variables, for the scores whose families are scored on tables of their own (bic, bdeu, bic-g).

    After a limit has struck, variables that come later get their required sets alone.
    """
    parts: list[Lists] = []
    which = np.zeros(table.n, dtype=np.int64)
    for members, rows in rows_apart(table):
        which[members] = len(parts)
        wanted = np.zeros(table.n, dtype=np.bool_)
        wanted[members] = True
        stopped = any(part.stop != Stop.none for part in parts)
        left = Limits(0.0, limits.memory) if stopped else limits
        kept = None if keeping is None else keeping.of(f"rows{len(parts)}")
        if rows is None:
            part = _without_rows(constraints, members, bounds)
        elif kind.continuous:
            part = _of_numbers(rows, kind, constraints, wanted, slack, n_jobs, left, bounds, kept, engine)
        else:
            parameter = core_parameter(parameters)
            part = build_constrained_arrays(
                rows, kind, parameter, constraints, slack, n_jobs, left, bounds, wanted, kept, engine
            )
        parts.append(part)
    return spliced(parts, which.tolist())


def _without_rows(constraints: Constraints, members: Sequence[int], bounds: ScoringBounds | None) -> Lists:
    """Of variables that are set in every row: the required parents, at no cost."""
    n = len(constraints.names)
    if bounds:
        for i in members:
            bounds.start(i, 0, constraints.required[i], least=0)
    settled = np.full(n, INFINITE, np.int64)
    offsets = np.arange(n + 1, dtype=np.int64)
    return Lists(offsets, np.zeros(n, np.int64), constraints.required.copy(), settled, 0, 0, 0, Stop.none)


def _of_numbers(
    rows: Any,
    kind: ScoreType,
    constraints: Constraints,
    wanted: NDArray[np.bool_],
    slack: int,
    n_jobs: int,
    limits: Limits,
    bounds: ScoringBounds | None,
    keeping: Keeping | None,
    engine: Engine | None,
) -> Lists:
    """The lists of some variables under bic-g, on the rows that count for them."""
    _check_rows(rows, kind.id, wanted)
    threads = threads_for(n_jobs)

    builder = GaussianBuilder(rows.values, kind.id, 0.0, 0.0, constraints, slack)
    return build_in_groups(builder, np.flatnonzero(wanted).tolist(), rows.n, threads, limits, bounds, keeping, engine)


def _check_rows(rows: Any, score: str, wanted: NDArray[np.bool_]) -> None:
    """Refuse numbers that bic-g has no value for, by the name of the variable whose rows they are."""
    try:
        check_columns(rows, score)
    except DataError as error:
        name = rows.names[int(np.flatnonzero(wanted)[0])]
        raise DataError(f"in the {rows.rows:,} rows in which {quoted(name)} was not set: {error}") from None


def build_intervened_bge(table: Any, **how: Any) -> BuiltGraph:
    """The graph of bge: that of bcg on columns of numbers alone; `how` as for `build_partial_mixed`."""
    built = build_partial_mixed(mixed_of(table), "bcg", **how)
    noted = {name: value for name, value in built.graph.parameters.items() if name != FOR_CATEGORIES}
    return replace(built, graph=replace(built.graph, score="bge", arities=None, parameters=noted))


def intervened_costs(
    table: Any, families: Sequence[tuple[int, Iterable[int]]], kind: ScoreType, **given: float | None
) -> NDArray[np.int64]:
    """Costs in quanta of families on a table with rows in which variables were set."""
    listed = [(child, list(parents)) for child, parents in families]
    parameters = score_parameters(kind, given)
    if kind.mixed is not None or kind.id == "bge":
        return mixed_costs(mixed_of(table), listed, "bcg" if kind.id == "bge" else kind.id, **parameters)
    costs = np.zeros(len(listed), dtype=np.int64)
    for members, rows in rows_apart(table):
        here = [k for k, (child, _) in enumerate(listed) if child in members]
        if rows is None or not here:
            continue
        some = [listed[k] for k in here]
        if kind.continuous:
            _check_rows(rows, kind.id, np.isin(np.arange(table.n), members))
            named = [(table.names[child], [table.names[p] for p in parents]) for child, parents in some]
            costs[here] = gaussian_costs(rows, named, kind.id)
        else:
            costs[here] = local_costs(rows, some, kind.id, **parameters)
    return costs

"""Tables with discrete and continuous columns, and tables with holes: bcg, bic-cg and pnal, and their parent graphs.

How they are computed, and why nothing is missed, stands in core/mixed/. A discrete variable has discrete parents only:
that is the model, and it is added to the prior knowledge here. Columns are checked first: bic-cg and pnal are maximised
densities, which have no maximum for a constant column; bcg has a prior and takes any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import DataError, KnowledgeError, UsageError, quoted
from sabna.base.limits import Limits
from sabna.base.progress import ProgressCallback
from sabna.base.threads import threads_for
from sabna.base.varsets import members, set_words
from sabna.engine.engine import Engine
from sabna.parents.builders.gaussian import MOST_PRIOR, linear_combination
from sabna.parents.builders.groups import Keeping, alone, build_in_groups
from sabna.parents.built import BuiltGraph, Lists, graph_of_lists
from sabna.parents.constraints import PLAIN_DOMINANCE, ParentLimits, constraints_of
from sabna.parents.knowledge import Constraints
from sabna.parents.scoring_bounds import Hear, ScoringBounds
from sabna.scores.registry import score_parameters, score_type
from sabna.table.mixed import MixedTable

# What the core says of a family without a value (Cost::infinite).
NO_VALUE = 1 << 62

# A column that varies by less than this share of its variance given others has no variance (core/mixed/mixed_score.h).
LEAST_VARIANCE = 1e-12

_SMALLER = {False: "use other units for the columns, or fewer rows", True: "use a smaller pnal_k"}


def mixed_parameters(table: MixedTable, score: str, given: Mapping[str, float | None]) -> dict[str, float]:
    """The parameters of the score with the defaults that depend on the table filled in, checked."""
    parameters = score_parameters(score_type(score), given)
    if score == "bcg":
        numbers = sum(states is None for states in table.states)
        mu = parameters["alpha_mu"]
        w = parameters.setdefault("alpha_w", numbers + mu + 1.0)
        if not w > numbers + 1:
            raise UsageError(
                f"alpha_w {w!r}: bcg needs more than the number of continuous columns plus 1, here {numbers + 1}"
            )
        if numbers * w > MOST_PRIOR:
            raise UsageError(f"alpha_w {w:g}: at most {MOST_PRIOR / numbers:g} with {numbers} continuous columns")
    elif "pnal" in score:
        parameters.setdefault("pnal_k", float(max(table.rows, 1) ** -0.25 / max(table.n, 1)))
    return parameters


def check_mixed(table: MixedTable, score: str) -> None:
    """Refuse what the score has no value for."""
    if not score_type(score).incomplete and not table.complete:
        gone = next(name for k, name in enumerate(table.names) if table.missing(k).any())
        raise DataError(f"column {gone!r} has missing values: {score} needs complete rows; use pnal-cg, or drop rows")
    for k, name in enumerate(table.names):
        column = table.columns[k]
        if table.states[k] is not None:
            continue
        shown = column[~np.isnan(column)]
        if not np.isfinite(shown).all():
            row = int(np.argmax(np.isinf(column))) + 1
            raise DataError(f"column {name!r}, row {row}: {column[row - 1]} is no number to compute with; correct it")
        if score != "bcg" and not (len(shown) > 1 and shown.min() < shown.max()):
            other = ", or use bcg" if table.complete else ""
            raise DataError(f"column {name!r} is constant: {score} has no value for it; leave the column out{other}")


def check_determined(table: MixedTable, score: str) -> None:
    """Refuse a quantity that others determine wholly: the family that says so has no value, and would not be listed.

    Looked at are exact linear combinations of complete columns, and columns constant in every state of another.
    """
    numbers = [k for k, states in enumerate(table.states) if states is None]
    whole = [k for k in numbers if not table.missing(k).any()]
    found = linear_combination(np.array([table.columns[k] for k in whole]), LEAST_VARIANCE) if len(whole) > 1 else None
    if found:
        child, parents = whole[found[0]], [whole[k] for k in found[1]]
        raise _determined(table, score, child, f"a linear combination of {', '.join(_name(table, k) for k in parents)}")
    for child in numbers:
        for other, states in enumerate(table.states):
            if states is not None and _constant_within(table, child, other):
                raise _determined(table, score, child, f"constant in every state of {_name(table, other)}")


def _constant_within(table: MixedTable, child: int, other: int) -> bool:
    """Whether a quantity has one value in each state of another column, which are fewer than the rows."""
    rows = ~(table.missing(child) | table.missing(other))
    codes, first, place = np.unique(table.columns[other][rows], return_index=True, return_inverse=True)
    values = table.columns[child][rows]
    return 0 < len(codes) < len(values) and bool((values == values[first][place]).all())


def _name(table: MixedTable, k: int) -> str:
    return quoted(table.names[k])


def _determined(table: MixedTable, score: str, child: int, how: str) -> DataError:
    other = ", or use bcg" if table.complete else ""
    return DataError(
        f"column {_name(table, child)} is {how}: {score} has no value for it given that; leave one of them out{other}"
    )


def core_columns(table: MixedTable) -> tuple[NDArray[np.int64], NDArray[np.uint16], NDArray[np.float64]]:
    """Arities, codes and numbers as the core takes them."""
    codes = [column for column, states in zip(table.columns, table.states, strict=True) if states is not None]
    values = [column for column, states in zip(table.columns, table.states, strict=True) if states is None]
    shape = (0, table.rows)
    return (
        np.array(table.arities, dtype=np.int64),
        np.ascontiguousarray(codes, dtype=np.uint16) if codes else np.empty(shape, dtype=np.uint16),
        np.ascontiguousarray(values, dtype=np.float64) if values else np.empty(shape, dtype=np.float64),
    )


def core_parameters(table: MixedTable, parameters: Mapping[str, float]) -> list[float]:
    """Equivalent sample size, alpha_mu, alpha_w, and nats per parameter, as the core takes them."""
    price = parameters.get("pnal_k", 0.0) / max(table.rows, 1)
    own = [parameters.get(name, 1.0) for name in ("equivalent_sample_size", "alpha_mu", "alpha_w")]
    return [*own, price]


def rows_set(table: MixedTable) -> NDArray[np.uint8]:
    """Of each variable and row whether it was set from outside there; without rows if none was."""
    return np.empty((0, table.rows), dtype=np.uint8) if table.was_set is None else table.was_set


def within_model(table: MixedTable, constraints: Constraints) -> Constraints:
    """The constraints, and that no discrete variable has a continuous parent, and one that was always set none at all.

    (None but those required: nothing is left to learn parents from, as in builders/intervened.py.)
    """
    numbers = [k for k, states in enumerate(table.states) if states is None]
    words = set_words([numbers], table.n)[0]
    allowed = constraints.allowed.copy()
    for k, states in enumerate(table.states):
        if states is None:
            continue
        clash = members(constraints.required[k] & words)
        if clash:
            raise KnowledgeError(
                f"required edge {table.names[clash[0]]} -> {table.names[k]}: a discrete variable cannot have a "
                "continuous parent in a conditional Gaussian network; turn the edge round, or discretize "
                f"{quoted(table.names[clash[0]])}"
            )
        allowed[k] &= ~words
    if table.was_set is not None:
        never_free = np.flatnonzero(table.was_set.all(axis=1))
        allowed[never_free] = constraints.required[never_free]
    return Constraints(constraints.names, constraints.required, allowed, constraints.limits)


@dataclass(frozen=True, eq=False)
class MixedBuilder:
    """Builds the lists of a mixed table (see Builder)."""

    data: tuple[NDArray[np.int64], NDArray[np.uint16], NDArray[np.float64], NDArray[np.uint8], int]
    score: str
    parameters: list[float]
    constraints: Constraints
    slack: int

    def __call__(
        self,
        children: list[int],
        threads: int,
        limits: core.Limits,
        report: ProgressCallback | None = None,
        hear: Hear | None = None,
    ) -> Lists:
        """By the core."""
        return Lists.of(
            core.build_mixed(
                *self.data,
                self.score,
                self.parameters,
                *alone(self.constraints, children).arrays,
                self.slack,
                threads,
                limits,
                report,
                hear=hear,
            )
        )


def build_partial_mixed(
    table: MixedTable,
    score: str,
    *,
    max_parents: ParentLimits = None,
    knowledge: Any = None,
    slack: int = PLAIN_DOMINANCE,
    n_jobs: int = -1,
    limits: Limits | None = None,
    bounds: ScoringBounds | None = None,
    keeping: Keeping | None = None,
    engine: Engine | None = None,
    **given: float | None,
) -> BuiltGraph:
    """The parent graph, or what a limit leaves of it; `slack` in quanta, `given` the parameters of the score."""
    limits = limits or Limits.of()
    check_mixed(table, score)
    if score != "bcg":
        check_determined(table, score)
    parameters = mixed_parameters(table, score, given)
    known, constraints = constraints_of(knowledge, table.names, max_parents)
    constraints = within_model(table, constraints)
    _check_required(table, score, constraints, parameters)
    threads = threads_for(n_jobs)
    began = limits.elapsed()
    data = (*core_columns(table), rows_set(table), table.rows)
    builder = MixedBuilder(data, score, core_parameters(table, parameters), constraints, slack)
    try:
        built = build_in_groups(builder, range(table.n), table.n, threads, limits, bounds, keeping, engine)
    except OverflowError as error:
        raise DataError(f"this table: {error}; {_SMALLER['pnal' in score]}") from None
    return graph_of_lists(
        built,
        table,
        score,
        parameters,
        max_parents=max_parents,
        known=known,
        slack=slack / QUANTA_PER_NAT if slack >= 0 else None,
        seconds=limits.elapsed() - began,
        threads=threads,
        arities=table.arities if all(table.arities) else None,
        smaller=_SMALLER["pnal" in score],
    )


def _check_required(table: MixedTable, score: str, constraints: Constraints, parameters: Mapping[str, float]) -> None:
    """DataError if a variable has no value under its required parents."""
    required = [(i, members(constraints.required[i])) for i in range(table.n)]
    for (child, parents), cost in zip(required, mixed_costs(table, required, score, **parameters), strict=True):
        if cost >= NO_VALUE:
            raise _no_value(table, score, child, [table.names[p] for p in parents])


def _no_value(table: MixedTable, score: str, child: int, parents: Sequence[str]) -> DataError:
    """Why a family has no value."""
    name = table.names[child]
    given = f" given {', '.join(map(repr, parents))}" if parents else ""
    if score_type(score).incomplete:
        return DataError(
            f"column {name!r}{given}: too few rows are complete, or some configuration of its discrete parents has too "
            f"few rows for a variance: {score} has no value; leave the column out, or ask for fewer parents"
        )
    return DataError(
        f"column {name!r}{given}: some configuration of its discrete parents has too few rows for a variance: {score} "
        "has no value; ask for fewer parents, or use bcg"
    )


def mixed_costs(
    table: MixedTable, families: Sequence[tuple[int, Iterable[int]]], score: str, **given: float | None
) -> NDArray[np.int64]:
    """Costs in quanta of families (child, parents), given by their positions in the table.

    NO_VALUE where a family has none; an edge that the model does not have raises UsageError.
    """
    check_mixed(table, score)
    parameters = mixed_parameters(table, score, given)
    listed = [(child, sorted(parents)) for child, parents in families]
    for child, parents in listed:
        wrong = [p for p in parents if table.states[p] is None] if table.states[child] is not None else []
        if wrong:
            raise UsageError(
                f"{table.names[wrong[0]]} -> {table.names[child]}: a discrete variable cannot have a continuous parent "
                f"under {score}"
            )
    try:
        return core.mixed_costs(
            *core_columns(table),
            rows_set(table),
            table.rows,
            score,
            core_parameters(table, parameters),
            np.array([child for child, _ in listed], dtype=np.int64),
            [parents for _, parents in listed],
        )
    except OverflowError as error:
        raise DataError(f"this table: {error}; {_SMALLER['pnal' in score]}") from None

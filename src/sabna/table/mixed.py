"""A table with columns of categories and columns of numbers side by side, and with holes if they are to stay.

Which kind a column is: text, truth values and declared states (a pandas Categorical, an ARFF nominal) are categories,
numbers are numbers, unless the column is named in `categorical` or discretised. Where the source has types (data
frames, parquet), a column of type text that holds whole numbers, at most 64 different ones ("0", "1"), is text. A table
that is to be all of one kind (`kinds`) is read by the rules of that kind. With `missing="available"` values that are
missing stay so: a code of `NO_CODE`, or NaN. Every other treatment leaves a complete table.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, UsageError, quoted, warn
from sabna.table.advice import Problems
from sabna.table.budget import NUMBER_BYTES
from sabna.table.columns import AnyColumn, NumberColumn, look_up
from sabna.table.discretize import Plan
from sabna.table.discretize import discretize as discretized
from sabna.table.missing import OF_QUANTITIES, check_treatment
from sabna.table.numbers import Numbers, numbers_of
from sabna.table.numeric import as_doubles, no_number
from sabna.table.options import HowToRead, reader, refuse_too_late
from sabna.table.preparation import Preparation
from sabna.table.reading import (
    AS_CATEGORIES,
    check_names,
    continuous_error,
    settled,
    warn_of_constants,
    warn_of_identifiers,
)
from sabna.table.recode import Coding
from sabna.table.sources import read_columns
from sabna.table.states import MAX_ARITY, code, is_code, looks_continuous
from sabna.table.survey import FEW_VALUES
from sabna.table.table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

# The code of a missing category: one more than a state can have.
NO_CODE = MAX_ARITY
# Treatments that leave missing values in the table.
STAYING = ("available", "em")
# Which kinds a table may have: both side by side, one only, or categories if no column looks continuous, else both.
KINDS = ("mixed", "discrete", "continuous", "any")

ColumnValues = NDArray[np.uint16] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MixedTable:
    """Columns of codes (`states[i]` are the states) and of numbers (`states[i]` is None); `columns[i]` has the values.

    `statistics`, `preparation` and `was_set` as in Table.

    >>> table = MixedTable(("a", "b"), (np.array([0, 1], np.uint16), np.array([0.5, 1.5])), (("no", "yes"), None))
    >>> table.names, table.kinds
    (('a', 'b'), {'a': 'discrete', 'b': 'continuous'})
    """

    names: tuple[str, ...]
    columns: tuple[ColumnValues, ...]
    states: tuple[tuple[str, ...] | None, ...]
    statistics: dict[str, Any] = field(default_factory=dict)
    preparation: Preparation | None = None
    was_set: NDArray[np.uint8] | None = None

    def __post_init__(self) -> None:
        """Refuse codes that stand for no state, and columns of different lengths."""
        if not len(self.names) == len(self.columns) == len(self.states):
            raise UsageError("a MixedTable needs one column and one entry of `states` for each of its names")
        for name, column, states in zip(self.names, self.columns, self.states, strict=True):
            wanted = np.float64 if states is None else np.uint16
            if column.ndim != 1 or column.dtype != wanted or len(column) != len(self.columns[0]):
                raise UsageError(f"column {name!r}: write one {np.dtype(wanted)} for every row")
            if states is not None and ((column >= len(states)) & (column != NO_CODE)).any():
                raise UsageError(f"column {name!r} has a code beyond its {len(states)} states; codes count from 0")

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0]) if self.columns else 0

    @property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each variable, 0 for a continuous one."""
        return tuple(0 if states is None else len(states) for states in self.states)

    @property
    def kinds(self) -> dict[str, str]:
        """`discrete` or `continuous`, by column."""
        return {
            name: "continuous" if states is None else "discrete"
            for name, states in zip(self.names, self.states, strict=True)
        }

    def missing(self, i: int) -> NDArray[np.bool_]:
        """Of each row whether variable i is missing."""
        column = self.columns[i]
        return np.isnan(column) if self.states[i] is None else np.equal(column, NO_CODE)

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return not any(self.missing(i).any() for i in range(self.n))

    def taken(self, columns: Iterable[int], rows: NDArray[np.int64]) -> MixedTable:
        """Some columns and some rows, in this order."""
        order = list(columns)
        taken: list[Any] = [np.ascontiguousarray(self.columns[k][rows]) for k in order]
        return MixedTable(
            tuple(self.names[k] for k in order),
            tuple(taken),
            tuple(self.states[k] for k in order),
            self.statistics,
            self.preparation,
            was_set=None if self.was_set is None else np.ascontiguousarray(self.was_set[order][:, rows]),
        )


def mixed_of(table: Any) -> MixedTable:
    """A Table or NumericTable as a MixedTable."""
    if isinstance(table, MixedTable):
        return table
    if isinstance(table, Table):
        codes = tuple(np.ascontiguousarray(row) for row in table.codes)
        states: tuple[tuple[str, ...] | None, ...] = tuple(table.states)
        return MixedTable(table.names, codes, states, table.statistics, table.preparation, table.was_set)
    values = tuple(np.ascontiguousarray(row) for row in table.values)
    nothing = (None,) * table.n
    return MixedTable(table.names, values, nothing, table.statistics, table.preparation, table.was_set)


@reader
def read_mixed(
    source: Any,
    categorical: Iterable[str] = (),
    discretize: str | Mapping[str, str] | Iterable[str] = "none",
    missing: str = "error",
    *,
    kinds: str = "mixed",
    **how: Unpack[HowToRead],
) -> MixedTable:
    """Read a table of categories and numbers from `source`; see `read_table` for what that is, options and `limits`.

    `kinds` is "mixed"; "discrete" or "continuous" refuse columns of the other kind, and read whole numbers as
    categories or numbers accordingly; "any" is "discrete" if no column looks continuous, otherwise "mixed".

    >>> table = read_mixed([["a", 0.5], ["b", 1.5]])
    >>> table.kinds, table.columns[1]
    ({'V1': 'discrete', 'V2': 'continuous'}, array([0.5, 1.5]))
    """
    if isinstance(source, MixedTable):
        refuse_too_late({"categorical": categorical, "discretize": discretize, "missing": missing, **how})
        return source
    check_treatment(missing, ("error", "drop", "category", "available", "em"))
    wanted = {categorical} if isinstance(categorical, str) else set(categorical)
    plan = Plan.of(discretize)
    started = time.perf_counter()
    read, budget = read_columns(source, how, NUMBER_BYTES)
    done = time.perf_counter()
    names = tuple(column.name for column in read.columns)
    check_names(read, wanted, plan)
    problems = Problems(read.where, read.columns, _refused_by(kinds), wanted, plan, missing, how.get("decimal"))
    account, sign = settled(read, problems, AS_CATEGORIES, OF_QUANTITIES)
    stays = missing in STAYING
    reader = _Reader(read.where, wanted, plan, sign, "available" if stays else missing, kinds)
    reader.settle_kinds(read.columns, problems)
    made: list[ColumnValues] = []
    states: list[tuple[str, ...] | None] = []
    read.columns.reverse()
    for _ in names:
        values, known = reader.values(read.columns.pop())  # given up at once: the table does not stand in memory twice
        made.append(values)
        states.append(known)
        budget.check_time(f"reading the columns of {read.where}", len(made) * len(values))
    preparation = Preparation({name: reader.codings.get(name) for name in names}, reader.missing, sign)
    table = MixedTable(names, tuple(made), tuple(states), preparation=preparation)
    table.statistics.update(
        read_seconds=done - started, code_seconds=time.perf_counter() - done, kinds=table.kinds, **account
    )
    warn_of_identifiers(read.where, table)
    if kinds in ("mixed", "any"):
        _warn_of_codes(read.where, table)
    if table.rows > 1:
        one_value = [bool((column == column[0]).all()) for column in made]
        warn_of_constants(read.where, [name for name, same in zip(names, one_value, strict=True) if same])
    return table


@dataclass
class _Reader:
    """Makes codes or numbers of columns."""

    where: str
    categorical: set[str]
    plan: Plan
    decimal: str
    missing: str
    kinds: str
    codings: dict[str, Coding] = field(default_factory=dict)  # of the categories made

    def settle_kinds(self, columns: list[AnyColumn], problems: Problems) -> None:
        """Decide "any"; refuse columns that a table of these kinds does not take, all in one message."""
        found = []
        for column in columns:
            try:
                numbers = self._numbers(column)
            except DataError as error:  # an infinite number
                raise problems.refusal(error, column.name) from None
            if column.missing().all():
                nothing = f"{self.where}: column {quoted(column.name)} has no value in any row; leave the column out"
                raise problems.refusal(DataError(nothing), column.name)
            if column.declared or self._is_discrete(column, numbers):
                continue
            reason = looks_continuous(column, numbers)
            if reason:
                found.append((column.name, reason, numbers is not None))
        if self.kinds == "any":
            self.kinds = "mixed" if found else "discrete"
        refused = found if self.kinds == "discrete" else [column for column in found if not column[2]]
        if refused and self.kinds != "continuous":
            instead = 'use the score of both kinds (score="pnal-cg", or missing="available" without a score)'
            raise problems.refusal(continuous_error(self.where, refused, instead), refused[0][0])
        for column in columns if self.kinds == "continuous" else []:
            if self._numbers(column) is None:
                raise problems.refusal(no_number(self.where, column, self.decimal, "pnal-cg"), column.name)

    def values(self, column: AnyColumn) -> tuple[ColumnValues, tuple[str, ...] | None]:
        """Codes and states of a column, or its numbers and None."""
        numbers = self._numbers(column)
        if self.kinds == "discrete" or numbers is None or self._is_discrete(column, numbers):
            if self.kinds == "continuous":
                raise no_number(self.where, column, self.decimal, "pnal-cg")
            return self._codes(column, numbers)
        return self._as_numbers(column, numbers), None

    def _numbers(self, column: AnyColumn) -> Numbers | None:
        return None if column.declared else numbers_of(column, self.where, self.decimal)

    def _is_discrete(self, column: AnyColumn, numbers: Numbers | None) -> bool:
        named = column.name in self.categorical
        coded = self.kinds != "continuous" and is_code(column, numbers)
        return named or coded or self.plan.method(column, numbers, named).kind != "none"

    def _codes(self, column: AnyColumn, numbers: Numbers | None) -> tuple[NDArray[np.uint16], tuple[str, ...]]:
        codes = np.empty(column.rows, dtype=np.uint16)
        method = self.plan.method(column, numbers, column.name in self.categorical)
        gone = column.missing()
        if method.kind != "none":
            cut, cutting = discretized(column, numbers, method, self.where)
            states = code(cut, None, self.where, codes, keep_order=True)
            coding = cutting.coding(states, bool(gone.any()) and self.missing != "available")
        else:
            states = code(column, numbers, self.where, codes)
            of = states[:-1] if self.missing == "available" and gone.any() else states
            coding = Coding.of_states(of, numbers is not None, bool(gone.any()) and of is states)
        if self.missing == "available" and gone.any():
            codes[gone] = NO_CODE
            states = states[:-1]  # the last one stood for the missing values
        self.codings[column.name] = replace(coding, states=states)
        return codes, states

    def _as_numbers(self, column: AnyColumn, numbers: Numbers) -> NDArray[np.float64]:
        gone = int(column.missing().sum())
        if self.missing == "category" and gone:
            raise DataError(
                f"{self.where}: column {quoted(column.name)} holds numbers, of which {gone:,} are missing; missing "
                'cannot be a state of numbers: use missing="drop", missing="available" without a score, or discretize '
                "the column"
            )
        if isinstance(column, NumberColumn):
            return np.array(column.numbers, dtype=np.float64)
        values = np.empty(column.rows, dtype=np.float64)
        look_up(np.append(as_doubles(numbers, column, self.where), np.nan), column.positions, values)
        return values


def _refused_by(kinds: str) -> str:
    """By the rules of which kind columns are refused; what may be of any kind takes quantities."""
    return "mixed" if kinds == "any" else kinds


def _warn_of_codes(where: str, table: MixedTable) -> None:
    """Name quantities that may be categories in a code: whole numbers, and few of them."""
    codes = []
    for name, column, states in zip(table.names, table.columns, table.states, strict=True):
        if states is None and table.rows >= 4 * FEW_VALUES:
            values = np.unique(column[~np.isnan(column)])
            if 2 <= len(values) <= FEW_VALUES and np.array_equal(values, np.floor(values)):
                codes.append(f"{quoted(name)} ({len(values)} values)")
    if codes:
        more = f" and {len(codes) - 5} more" if len(codes) > 5 else ""
        warn(
            f"{where}: taken as quantities, for they are numbers: {', '.join(codes[:5])}{more}; where the numbers are "
            "codes of categories, name the columns by `categorical`",
        )

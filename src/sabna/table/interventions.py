"""Rows in which variables were set from outside: who was set where, and the rows that count for each variable.

An experiment that sets a variable says nothing about what usually decides it, and all the more about what it decides
itself. So a row in which a variable was set does not count for that variable's own family, and counts for every other
one (Cooper and Yoo 1999). A table says so by `was_set`: of each variable and row whether it was set there.

What the user writes is a plan. A text names a column whose cells name the variables that were set: none if the cell is
empty or `none`, several separated by `;`. A mapping names columns of conditions, and of each condition the variables
that it sets; a condition that is not listed sets nothing. Columns of a plan are no variables of the network.

A variable that is set in every row has no row left: it gets no parents, and its family costs nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, UsageError, quoted, warn
from sabna.table.columns import AnyColumn, Column, NumberColumn
from sabna.table.mixed import MixedTable
from sabna.table.numeric import NumericTable
from sabna.table.sources import Read
from sabna.table.table import Table

Plan = str | Mapping[str, Mapping[str, Iterable[str]]]
Flags = NDArray[np.uint8]
AnyTable = Table | NumericTable | MixedTable

# What stands in a cell where nothing was set.
NOTHING = "none"
SEPARATOR = ";"
# Conditions that are so much alike, by difflib, may be one that is written in two ways.
CLOSE = 0.85


def plan_columns(plan: Plan) -> list[str]:
    """The columns that say what was set."""
    return [plan] if isinstance(plan, str) else list(plan)


def set_cells(read: Read, plan: Plan, names: Iterable[str]) -> Flags:
    """Of each of the variables `names` and each row of the source whether it was set."""
    columns = {column.name: column for column in read.columns}
    wanted = list(names)
    place = {name: k for k, name in enumerate(wanted)}
    rows = read.columns[0].rows
    flags = np.zeros((len(wanted), rows), dtype=np.uint8)
    for name in plan_columns(plan):
        if name not in columns:
            close = difflib.get_close_matches(name, list(columns), n=1)
            hint = f"did you mean {quoted(close[0])}?" if close else "check its name"
            raise UsageError(f"interventions: there is no column {quoted(name)} in {read.where}; {hint}")
        told = (
            _told_by_cells(columns[name], columns)
            if isinstance(plan, str)
            else _told_by_plan(columns[name], plan[name])
        )
        for targets, where in told:
            for target in targets:
                if target not in columns or target == name:
                    raise _unknown(read, columns[name], target, where, list(columns))
                if target in place:  # a column that is left out may have been set all the same
                    flags[place[target], where] = 1
    return flags


def told_by_rows(cells: Iterable[Any], names: list[str], rows: int) -> Flags:
    """What a column by itself, one cell for each row, says of the variables `names`."""
    texts = ["" if cell is None or cell != cell else str(cell) for cell in cells]
    if len(texts) != rows:
        raise UsageError(f"interventions: {len(texts)} entries for {rows} rows; give one for each row")
    values = list(dict.fromkeys(texts))
    place = {text: k for k, text in enumerate(values)}
    own = "interventions"
    while own in names:
        own += "_"
    positions = np.array([place[text] for text in texts], dtype=np.int32)
    read = Read("interventions", [Column(own, list(values), positions), *(Column(v, [], positions) for v in names)])
    return set_cells(read, own, names)


def _told_by_cells(column: AnyColumn, names: Iterable[str]) -> Iterator[tuple[list[str], NDArray[np.bool_]]]:
    for value, where in _values(column):
        whole = value.strip() in names  # a name may hold the separator
        targets = [value.strip()] if whole else [part.strip() for part in value.split(SEPARATOR)]
        yield [target for target in targets if target and target.lower() != NOTHING], where


def _told_by_plan(
    column: AnyColumn, conditions: Mapping[str, Iterable[str]]
) -> Iterator[tuple[list[str], NDArray[np.bool_]]]:
    found = dict(_values(column))
    _warn_of_typos(column, found, list(conditions))
    for condition, targets in conditions.items():
        if condition not in found:
            shown = ", ".join(map(quoted, list(found)[:5])) + (", ..." if len(found) > 5 else "")
            raise DataError(
                f"interventions: no row has the condition {quoted(condition)} in column {quoted(column.name)}, which "
                f"holds {shown}; correct the mapping"
            )
        yield list(targets), found[condition]


def _warn_of_typos(column: AnyColumn, found: Mapping[str, NDArray[np.bool_]], listed: list[str]) -> None:
    """Name conditions that set nothing, but are written nearly as one that does."""
    for condition in found:
        close = [known for known in listed if _alike(condition, known)]
        if condition not in listed and close:
            warn(
                f"interventions: column {quoted(column.name)} has the condition {quoted(condition)} in "
                f"{int(found[condition].sum()):,} rows, which is not in the mapping and sets nothing; is it "
                f"{quoted(close[0])}?",
            )


def _alike(one: str, other: str) -> bool:
    """Whether two conditions may be one in two spellings: not if they differ in a number, or in their last letter.

    >>> _alike("KO GeneA", "ko geneA "), _alike("inhibtor", "inhibitor"), _alike("dose 10", "dose 11")
    (True, True, False)
    """
    a, b = ("".join(filter(str.isalnum, text.casefold())) for text in (one, other))
    if not a or not b or a == b:
        return a == b
    ends = a[0] == b[0] and a[-1] == b[-1]
    numbers = [list(filter(str.isdigit, text)) for text in (a, b)]
    return ends and numbers[0] == numbers[1] and difflib.SequenceMatcher(None, a, b).ratio() >= CLOSE


def _values(column: AnyColumn) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The distinct values as text, and the rows that show them."""
    plain = column.distinct() if isinstance(column, NumberColumn) else column
    for k, value in enumerate(plain.values):
        text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
        yield text, plain.positions == k


def _unknown(read: Read, column: AnyColumn, target: str, where: NDArray[np.bool_], names: list[str]) -> DataError:
    plain = {name.casefold(): name for name in names}
    close = difflib.get_close_matches(target.casefold(), list(plain), n=1)
    if len(parts := target.replace("+", ",").split(",")) > 1 and all(part.strip() in names for part in parts):
        hint = f"separate several by `{SEPARATOR}`"
    elif close:
        hint = f"did you mean {quoted(plain[close[0]])}?"
    else:
        hint = "write the name of a column, or none; if the cells are conditions, give a file that says what each sets"
    row = int(np.argmax(where)) + 1
    return DataError(
        f"{read.where}: column {quoted(column.name)}, row {row}: {quoted(target)}, which was set there, is no column "
        f"that can be a variable; {hint}"
    )


def with_interventions(table: Any, flags: Flags, where: str) -> Any:
    """The table with what was set, and the account of it."""
    if not flags.any():
        warn(f"{where}: interventions: nothing was set in any row")
        account: dict[str, Any] = {"rows": {}, "untouched": table.rows}
        return replace(table, statistics={**table.statistics, "interventions": account})
    counts = flags.sum(axis=1).tolist()
    rows = {name: int(count) for name, count in zip(table.names, counts, strict=True) if count}
    always = [name for name, count in rows.items() if count == table.rows]
    if always:
        warn(
            f"{where}: {', '.join(map(quoted, always[:5]))}{', ...' if len(always) > 5 else ''} set in every row: "
            "nothing is left to learn parents from, so that there are none",
        )
    account = {"rows": rows, "untouched": int((~flags.any(axis=0)).sum())}
    return replace(table, was_set=flags, statistics={**table.statistics, "interventions": account})


def rows_apart(table: Any) -> Iterator[tuple[list[int], Any]]:
    """The variables that count in the same rows, together with the table of these rows; None if there is no row."""
    if table.was_set is None:
        yield list(range(table.n)), table
        return
    groups: dict[bytes, list[int]] = {}
    for i, flags in enumerate(table.was_set):
        groups.setdefault(np.packbits(flags).tobytes(), []).append(i)
    for members in groups.values():
        rows = np.flatnonzero(table.was_set[members[0]] == 0)
        yield members, some_rows(table, rows) if len(rows) else None


def some_rows(table: Any, rows: NDArray[np.int64]) -> Any:
    """Some rows of a table, without what was set in them."""
    if isinstance(table, MixedTable):
        return replace(table.taken(range(table.n), rows), was_set=None)
    if isinstance(table, NumericTable):
        return replace(table, values=np.ascontiguousarray(table.values[:, rows]), was_set=None)
    return replace(table, codes=np.ascontiguousarray(table.codes[:, rows]), was_set=None)


def targets_of(table: Any) -> list[list[str]] | None:
    """The different sets of variables that rows set, none of them empty; None if nothing was set."""
    if table.was_set is None:
        return None
    patterns = np.unique(table.was_set.T, axis=0)
    return [[table.names[i] for i in np.flatnonzero(pattern)] for pattern in patterns if pattern.any()]

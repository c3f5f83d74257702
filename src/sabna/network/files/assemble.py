"""A network while a file is being read: states, parents and tables as they come, checked as a whole at the end.

Files list the parents of a variable in an order of their own, while Network keeps them in the order of its variables;
the axes of the tables are turned accordingly here, once for all formats. A table is made only after the numbers in the
file were counted: thirty parents in a head of one line announce a thousand million cells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError
from sabna.base.texts import shown
from sabna.network import Network
from sabna.network.parameters import MAX_PARENTS

# Cells in all tables of a file that one `default` row may stand for: 8 MB, and some 20 MB as text. Tables whose numbers
# are written out have no limit but the file's length.
MAX_DEFAULT_CELLS = 1 << 20


class Draft:
    """What is known so far of the network in the file `path`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.states: dict[str, list[str]] = {}
        self.parents: dict[str, list[str]] = {}
        self.tables: dict[str, NDArray[np.float64]] = {}
        self.default_cells = 0
        self._place: dict[str, dict[str, int]] = {}

    def add_variable(self, name: str, states: Sequence[str]) -> None:
        """Note the states of a variable."""
        if name in self.states:
            raise DataError(f"{self.path}: {shown(name)} is declared twice; rename or remove one")
        self.states[name] = list(states)
        self._place[name] = {state: k for k, state in enumerate(states)}

    def add_table(self, name: str, parents: Sequence[str]) -> TableDraft:
        """Note the parents of a variable, whose states must be known by now."""
        for v in (name, *parents):
            if v not in self.states:
                raise DataError(f"{self.path}: {shown(v)} has a table or a child, but no declaration with its states")
        if name in self.parents:
            raise DataError(f"{self.path}: {shown(name)} has two tables; remove one")
        if len(set(parents)) != len(parents):
            raise DataError(f"{self.path}: {shown(name)} has the same parent twice; remove one")
        if len(parents) > MAX_PARENTS:
            raise DataError(
                f"{self.path}: {shown(name)} has {len(parents)} parents; a table can have at most {MAX_PARENTS}"
            )
        self.parents[name] = list(parents)
        return TableDraft(self, name, tuple(len(self.states[v]) for v in (*parents, name)))

    def place_by_name(self, name: str, configuration: Sequence[str]) -> tuple[int, ...]:
        """Where in the table of `name` the row for these states of its parents stands."""
        parents = self._parents_of_row(name, configuration)
        for parent, state in zip(parents, configuration, strict=True):
            if state not in self._place[parent]:
                raise DataError(
                    f"{self.path}: {shown(parent)} has no state {shown(state)}; the table of {shown(name)} uses it"
                )
        return tuple(self._place[p][s] for p, s in zip(parents, configuration, strict=True))

    def place_by_number(self, name: str, configuration: Sequence[str]) -> tuple[int, ...]:
        """The same where states are called by their numbers, counted from 0."""
        for parent, word in zip(self._parents_of_row(name, configuration), configuration, strict=True):
            arity = len(self.states[parent])
            if not (word.isascii() and word.isdigit() and len(word) < 10 and int(word) < arity):
                raise DataError(
                    f"{self.path}: {shown(parent)} has the states 0 to {arity - 1}, and no {shown(word)}; "
                    f"the table of {shown(name)} uses it"
                )
        return tuple(map(int, configuration))

    def _parents_of_row(self, name: str, configuration: Sequence[str]) -> list[str]:
        parents = self.parents[name]
        if len(configuration) != len(parents):
            raise DataError(
                f"{self.path}: a row of {shown(name)} names {len(configuration)} states for {len(parents)} parents"
            )
        return parents

    def network(self) -> Network:
        """The whole, checked."""
        if not self.states:
            raise DataError(f"{self.path}: no variable found")
        for name in self.states:
            if name not in self.tables:
                raise DataError(f"{self.path}: variable {shown(name)} has no table of probabilities")
        position = {name: k for k, name in enumerate(self.states)}
        tables = {}
        for name, table in self.tables.items():
            axes = sorted(range(len(self.parents[name])), key=lambda k: position[self.parents[name][k]])
            tables[name] = np.transpose(table, (*axes, len(axes)))
        return Network(self.states, self.parents, self.states, tables)


class TableDraft:
    """The numbers of one table as they come: whole, or row by row, perhaps with one row for all the others.

    The axes are the parents as in the file, then the variable itself.
    """

    def __init__(self, draft: Draft, name: str, shape: tuple[int, ...]) -> None:
        self.draft, self.name, self.shape = draft, name, shape
        self.whole: NDArray[np.float64] | None = None
        self.rows: dict[tuple[int, ...], Sequence[float]] = {}
        self.default: Sequence[float] | None = None

    def set_whole(self, values: Sequence[float], child_first: bool = False) -> None:
        """All numbers, the last axis running fastest; with `child_first` the variable itself runs slowest."""
        self._refuse_second(bool(self.rows) or self.default is not None)
        self._count(values, math.prod(self.shape))
        if child_first:
            first = np.array(values, dtype=np.float64).reshape(self.shape[-1:] + self.shape[:-1])
            self.whole = np.moveaxis(first, 0, -1)
        else:
            self.whole = np.array(values, dtype=np.float64).reshape(self.shape)

    def set_row(self, place: tuple[int, ...], values: Sequence[float]) -> None:
        """The row for one configuration of the parents."""
        self._refuse_second(place in self.rows)
        self._count(values, self.shape[-1])
        self.rows[place] = values

    def set_default(self, values: Sequence[float]) -> None:
        """The row for all configurations that have none of their own."""
        self._refuse_second(self.default is not None)
        self._count(values, self.shape[-1])
        self.default = values

    def finish(self) -> None:
        """Give the table to the draft."""
        self.draft.tables[self.name] = self._from_rows() if self.whole is None else self.whole

    def _from_rows(self) -> NDArray[np.float64]:
        cells, due = math.prod(self.shape), math.prod(self.shape[:-1])
        if self.default is None and len(self.rows) != due:
            self._fail(f"has {len(self.rows):,} rows where {due:,} are due")
        if self.default is not None:
            self.draft.default_cells += cells
            if self.draft.default_cells > MAX_DEFAULT_CELLS:
                self._fail(
                    f"has {cells:,} cells by its default row; {MAX_DEFAULT_CELLS:,} are possible in one file that way"
                )
        table = np.empty(self.shape)
        if self.default is not None:
            table[...] = self.default
        for place, row in self.rows.items():
            table[place] = row
        return table

    def _count(self, values: Sequence[float], due: int) -> None:
        if len(values) != due:
            self._fail(f"has {len(values):,} probabilities where {due:,} are due")

    def _refuse_second(self, known: bool) -> None:
        if known or self.whole is not None:
            self._fail("tells the same probabilities twice; remove one")

    def _fail(self, message: str) -> None:
        raise DataError(f"{self.draft.path}: {shown(self.name)} {message}")


def texts_of(value: Any) -> list[str]:
    """A list of texts out of JSON; ValueError if it is something else."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"a list of texts is due, not {shown(value)}")
    return value


def probabilities_of(value: Any) -> NDArray[np.float64]:
    """A table out of JSON, lists of lists of numbers; ValueError if it is something else."""
    array = np.array(value) if isinstance(value, list) else None
    if array is None or array.dtype.kind not in "iuf":
        raise ValueError(f"lists of numbers, all of the same length, are due, not {shown(value)}")
    return array.astype(np.float64)

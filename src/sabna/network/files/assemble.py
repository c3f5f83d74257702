"""A network while a file is being read: states, parents and tables as they come, checked as a whole at the end.

Files list the parents of a variable in an order of their own, while Network keeps them in the order of its variables;
the axes of the tables are turned accordingly here, once for all formats.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError
from sabna.network import Network


class Draft:
    """What is known so far of the network in the file `path`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.states: dict[str, list[str]] = {}
        self.parents: dict[str, list[str]] = {}
        self.tables: dict[str, NDArray[np.float64]] = {}

    def declare(self, name: str, parents: Sequence[str]) -> None:
        """Note the parents of a variable, whose states must be known by now."""
        for v in (name, *parents):
            if v not in self.states:
                raise DataError(f"{self.path}: {v!r} has a table or a child, but no declaration with its states")
        if name in self.parents:
            raise DataError(f"{self.path}: {name!r} has two tables")
        if len(set(parents)) != len(parents):
            raise DataError(f"{self.path}: {name!r} has the same parent twice")
        self.parents[name] = list(parents)

    def shape(self, name: str) -> tuple[int, ...]:
        """Of the table of a variable: its parents as in the file, then itself."""
        return tuple(len(self.states[v]) for v in (*self.parents[name], name))

    def reshaped(self, name: str, values: Sequence[float], shape: tuple[int, ...]) -> NDArray[np.float64]:
        """The numbers of a table or of one row of it."""
        if len(values) != int(np.prod(shape)):
            raise DataError(
                f"{self.path}: {name!r} has {len(values)} probabilities where {int(np.prod(shape))} are due"
            )
        return np.array(values, dtype=np.float64).reshape(shape)

    def place(self, name: str, configuration: Sequence[str]) -> tuple[int, ...]:
        """Where in the table the row for these states of the parents stands."""
        parents = self.parents[name]
        if len(configuration) != len(parents):
            raise DataError(
                f"{self.path}: a row of {name!r} names {len(configuration)} states for {len(parents)} parents"
            )
        for parent, state in zip(parents, configuration, strict=True):
            if state not in self.states[parent]:
                raise DataError(f"{self.path}: {parent!r} has no state {state!r}; it is used in the table of {name!r}")
        return tuple(self.states[p].index(s) for p, s in zip(parents, configuration, strict=True))

    def network(self) -> Network:
        """The whole, checked."""
        if not self.states:
            raise DataError(f"{self.path}: no variable found")
        for name in self.states:
            if name not in self.tables:
                raise DataError(f"{self.path}: variable {name!r} has no table of probabilities")
        position = {name: k for k, name in enumerate(self.states)}
        tables = {}
        for name, table in self.tables.items():
            if np.isnan(table).any():
                raise DataError(f"{self.path}: the table of {name!r} has rows missing")
            axes = sorted(range(len(self.parents[name])), key=lambda k: position[self.parents[name][k]])
            tables[name] = np.transpose(table, (*axes, len(axes)))
        return Network(self.states, self.parents, self.states, tables)

"""Rows that a network has not seen, as evidence: what each cell says about its variable, if anything.

Rows are prepared as the rows were that the network was learned from (table/preparation.py): the same cuts, the same
states, the same decimal sign. A cell is evidence if it holds a state of its variable, or a number where the variable is
a quantity. All other cells say nothing, and inference sums over what they might be:

- a missing cell, unless missing values are a state of their own (`missing="category"`);
- a column that the rows do not have;
- a value that the network does not know. A warning says which columns hold such values, and how many.

A network without a preparation (read from a file of another program) takes its states as the values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, UsageError, quoted, warn
from sabna.table import MixedTable, NumericTable, Table
from sabna.table.preparation import Preparation
from sabna.table.recode import Coding

if TYPE_CHECKING:
    from sabna.network.network import Network

# The code of a cell that says nothing.
UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class Evidence:
    """`values[name]`: codes with UNKNOWN, or numbers with NaN, of every variable of the network that the rows have."""

    rows: int
    values: dict[str, NDArray[Any]]

    def known(self, name: str) -> NDArray[np.bool_]:
        """Of each row whether it says something about a variable."""
        if name not in self.values:
            return np.zeros(self.rows, dtype=bool)
        column = self.values[name]
        return ~np.isnan(column) if column.dtype.kind == "f" else column >= 0

    def without(self, name: str) -> Evidence:
        """The rows without a column."""
        return Evidence(self.rows, {v: values for v, values in self.values.items() if v != name})

    def take(self, rows: NDArray[Any]) -> Evidence:
        """Some of the rows."""
        some = {v: values[rows] for v, values in self.values.items()}
        return Evidence(int(np.count_nonzero(rows)) if rows.dtype == bool else len(rows), some)


def preparation_of(network: Network) -> Preparation:
    """How the network's rows were prepared; for one that does not say, its states are the values."""
    if network.preparation is not None:
        return network.preparation
    states = states_of(network)
    return Preparation({v: Coding.of_states(states[v]) if v in states else None for v in network.variables})


def states_of(network: Network) -> Mapping[str, tuple[str, ...]]:
    """The states of the variables that are categories."""
    return network.mixed.states if network.mixed is not None else network.states or {}


def evidence_of(network: Network, data: Any, wanted: Iterable[str] | None = None) -> Evidence:
    """What rows say about the variables of a network."""
    if not network.is_fitted:
        raise UsageError("the network has no parameters yet; fit it first: network.fit(data)")
    names = tuple(network.variables if wanted is None else wanted)
    if isinstance(data, NumericTable):
        if network.gaussian is None:
            raise UsageError("the table holds numbers, and the network is one of categories; give the rows themselves")
        found: dict[str, NDArray[Any]] = {v: data.values[k] for k, v in enumerate(data.names) if v in names}
        return Evidence(data.rows, found)
    states = states_of(network)
    if isinstance(data, MixedTable):
        found = {v: _mixed_column(network, data, k) for k, v in enumerate(data.names) if v in names}
        rows = data.rows
    elif isinstance(data, Table):
        found = {v: _aligned(network, data, k) for k, v in enumerate(data.names) if v in names}
        rows = data.rows
    else:
        found = preparation_of(network).new_rows(data, names)
        rows = len(next(iter(found.values())))
    unseen = {}
    for name, column in found.items():
        if name not in states:
            continue
        strange = column >= len(states[name])
        if strange.any():
            unseen[name] = int(np.count_nonzero(strange))
            found[name] = np.where(strange, UNKNOWN, column)
    if unseen:
        shown = ", ".join(f"{quoted(name)} ({count:,})" for name, count in list(unseen.items())[:5])
        warn(
            f"values that the network does not know are taken as not known, in column{'s' * (len(unseen) > 1)} {shown}",
        )
    return Evidence(rows, found)


def complete_evidence(network: Network, data: Any) -> Evidence:
    """The same where every variable must have its column."""
    found = evidence_of(network, data)
    absent = [name for name in network.variables if name not in found.values]
    if absent:
        raise DataError(f"the data has no column {absent[0]!r}; the network needs one for each of its variables")
    return found


def _mixed_column(network: Network, table: MixedTable, k: int) -> NDArray[Any]:
    """A column of a table of both kinds: codes with UNKNOWN, or numbers with NaN."""
    if table.states[k] is not None:
        return np.where(table.missing(k), UNKNOWN, _aligned(network, table, k))
    if table.names[k] in states_of(network):
        raise UsageError(f"column {table.names[k]!r} holds numbers, and the network has categories there")
    return table.columns[k]


def _aligned(network: Network, table: Table | MixedTable, k: int) -> NDArray[np.int64]:
    """A column of a table, coded by the states of the network, which the table may have in another order."""
    if table.names[k] not in states_of(network):
        raise UsageError("the table holds categories, and the network is one of quantities; read it with read_numeric")
    states = states_of(network)[table.names[k]]
    shown, column = table.states[k] or (), table.columns[k] if isinstance(table, MixedTable) else table.codes[k]
    place = {state: code for code, state in enumerate(states)}
    codes = np.array([place.get(state, len(states)) for state in shown], dtype=np.int64)
    out: NDArray[np.int64] = codes[np.minimum(column, max(len(shown) - 1, 0))]
    return out

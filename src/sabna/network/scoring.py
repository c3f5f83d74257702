"""The score of a given network on a table, under any of our scores, in the integers that `learn` adds up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import DataError, UsageError
from sabna.base.limits import Limits
from sabna.parents.families import checked_costs
from sabna.parents.reading import check_reading, read_rows
from sabna.settings import checked, score_options
from sabna.table import MixedTable, NumericTable, Table

if TYPE_CHECKING:
    from sabna.network.network import Network


class NetworkScore(float):
    """A score in nats, higher is better; `cost_quanta` is the exact cost, `local_costs` that of each variable.

    >>> from sabna import Network
    >>> import numpy as np
    >>> found = Network(["V1", "V2"], {"V2": ["V1"]}).score(np.array([[0, 1], [1, 0], [1, 0]]))
    >>> isinstance(found, float), sorted(found.local_costs)
    (True, ['V1', 'V2'])
    """

    cost_quanta: int
    local_costs: dict[str, int]

    def __new__(cls, local_costs: dict[str, int]) -> NetworkScore:
        """From the cost of each variable, in quanta."""
        total = sum(local_costs.values())
        value = super().__new__(cls, 0.0 - total / QUANTA_PER_NAT)  # not -0.0 for a cost of 0
        value.cost_quanta, value.local_costs = total, dict(local_costs)
        return value


def _read(network: Network, data: Any, settings: dict[str, Any]) -> Any:
    """The table; of data to be read only the columns of the network, as the others need not fit the score."""
    read = isinstance(data, Table | NumericTable | MixedTable)
    if not read and settings["time"] is None and settings["columns"] is None and not settings["drop"]:
        try:
            return read_rows(data, {**settings, "columns": network.variables}, Limits())
        except UsageError:  # said again below, or that the data lack a column
            pass
    return read_rows(data, settings, Limits())


def score_network(network: Network, data: Any, score: str, options: dict[str, Any]) -> NetworkScore:
    """The score of `network` on `data`; `options` are those of reading, and the parameters of the score."""
    settings = checked("network score", {"score": score, **options})
    check_reading(data, settings)
    table = _read(network, data, settings)
    position = {name: k for k, name in enumerate(table.names)}
    lacking = [name for name in network.variables if name not in position]
    if lacking:
        raise DataError(f"the data has no column {lacking[0]!r}; the network needs one for each of its variables")
    families = [(position[v], [position[p] for p in parents]) for v, parents in network.parents.items()]
    costs = checked_costs(table, families, score, **score_options(settings))
    return NetworkScore(dict(zip(network.parents, costs, strict=True)))

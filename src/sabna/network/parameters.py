"""The tables of a network: estimated from data, used for likelihoods, sampled from.

A table counts how often each state was seen for each configuration of the parents. Maximum likelihood divides the
counts; a configuration that no row shows leaves nothing to divide, and its row becomes uniform. A Dirichlet prior adds
pseudo-counts first, either the same `count` in every cell (1 is Laplace's rule and the prior of K2) or an
`equivalent_sample_size` shared out over the cells of a table (the prior of BDeu); the result is the posterior mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, UsageError
from sabna.network.conditional import MixedParameters, fit_regression, sample_mixed
from sabna.network.gaussian import LinearGaussian, fit_gaussian, sample_gaussian
from sabna.settings.checks import argument, number, whole
from sabna.settings.groups.searching import LARGEST_SEED
from sabna.table import MixedTable, NumericTable, Table, read_table
from sabna.table.interventions import rows_apart
from sabna.table.prepared import prepared_table

if TYPE_CHECKING:
    from sabna.network.network import Network

# The cells of all tables together; 16 million take 128 MB. More is a mistake or a matter for another tool.
MAX_CELLS = 16_000_000
# A table has an axis for each parent and one for the variable itself; numpy before version 2 holds up to 32.
MAX_PARENTS = 31
# What a prior may weigh, in rows: beyond, sums of counts overflow or the prior is none.
LEAST_PRIOR, MOST_PRIOR = 1e-100, 1e100
# Rows drawn at once: more than any memory holds.
MOST_DRAWN = 10**12
# Rows counted at a time.
BLOCK = 1 << 16


@dataclass(frozen=True)
class Dirichlet:
    """Pseudo-counts: `count` in each cell, or `equivalent_sample_size` shared out over each table.

    >>> Dirichlet(equivalent_sample_size=8).pseudo_count(cells=4)
    2.0
    """

    count: float | None = None
    equivalent_sample_size: float | None = None

    def __post_init__(self) -> None:
        given = [x for x in (self.count, self.equivalent_sample_size) if x is not None]
        if len(given) != 1:
            raise UsageError("a Dirichlet prior takes either count or equivalent_sample_size")
        argument("the prior", given[0], number(LEAST_PRIOR, MOST_PRIOR))

    def pseudo_count(self, cells: int) -> float:
        """What each of the `cells` of a table is given before counting."""
        return self.count if self.count is not None else (self.equivalent_sample_size or 0.0) / cells


# What the parameters of a result are estimated under: no row that can be is impossible, and data soon outweigh it.
DEFAULT_PRIOR = Dirichlet(equivalent_sample_size=1.0)


def as_table(data: Any) -> Any:
    """`data` as it is, if it is coded already, or read as `sabna.learn` would."""
    return data if isinstance(data, Table | NumericTable | MixedTable) else read_table(data)


def training_table(network: Network, data: Any) -> Any:
    """`data` prepared as the rows were that the network was learned from; read plainly if it does not say how."""
    if isinstance(data, Table | NumericTable | MixedTable) or network.preparation is None:
        return as_table(data)
    return prepared_table(network.preparation, data, network.variables)


def fit(network: Network, data: Any, prior: Dirichlet | None) -> Network:
    """The network with tables, or regressions, estimated from `data`."""
    if prior is not None and not isinstance(prior, Dirichlet):
        raise UsageError(f"prior {repr(prior)[:40]}: write a sabna.network.Dirichlet")
    table = training_table(network, data)
    if isinstance(table, MixedTable):
        return _fit_mixed(network, table, prior)
    if table.was_set is not None:
        return _fit_apart(network, table, prior)
    if isinstance(table, NumericTable):
        return fit_gaussian(network, table, _prior_rows(prior))
    column = {name: k for k, name in enumerate(table.names)}
    missing = [name for name in network.variables if name not in column]
    if missing:
        raise DataError(f"the data has no column {missing[0]!r}; the network needs one for each of its variables")
    states = {name: table.states[column[name]] for name in network.variables}
    _check_cells(network, table)
    tables = {}
    for name in network.variables:
        family = (*network.parents[name], name)
        tables[name] = _probabilities(
            _counts([table.codes[column[v]] for v in family], [len(states[v]) for v in family]), prior
        )
    return network.with_parameters(states=states, tables=tables, preparation=table.preparation)


def _prior_rows(prior: Dirichlet | None) -> float:
    """The rows that a prior of quantities is worth."""
    if prior is not None and prior.equivalent_sample_size is None:
        raise UsageError("for quantities a prior takes equivalent_sample_size: the rows that it is worth")
    return 0.0 if prior is None else prior.equivalent_sample_size or 0.0


def _fit_mixed(network: Network, table: MixedTable, prior: Dirichlet | None) -> Network:
    """Every family from the rows in which it is complete and its child was not set.

    Categories alone become tables, and quantities alone regressions, as in networks of one kind.
    """
    place = {name: k for k, name in enumerate(table.names)}
    missing = [name for name in network.variables if name not in place]
    if missing:
        raise DataError(f"the data has no column {missing[0]!r}; the network needs one for each of its variables")
    kinds = {name: table.states[place[name]] for name in network.variables}
    states = {name: known for name, known in kinds.items() if known is not None}
    _check_cells(network, table)
    prior_rows = _prior_rows(prior) if len(states) < len(kinds) else 0.0
    tables, regressions = {}, {}
    for name, parents in network.parents.items():
        child, above = place[name], tuple(place[p] for p in parents)
        counts = ~np.logical_or.reduce([table.missing(v) for v in (child, *above)])
        if table.was_set is not None and not table.was_set[child].all():
            counts &= table.was_set[child] == 0
        rows = np.flatnonzero(counts)
        wrong = [p for p in parents if p not in states]
        if name in states and wrong:
            raise UsageError(f"{wrong[0]} -> {name}: a category cannot have a quantity as its parent in this model")
        if name in states:
            columns = [table.columns[v][rows].astype(np.uint16) for v in (*above, child)]
            tables[name] = _probabilities(_counts(columns, [len(states[v]) for v in (*parents, name)]), prior)
        else:
            regressions[name] = fit_regression(table, child, above, rows, prior_rows)
    if not regressions:
        return network.with_parameters(states=states, tables=tables, preparation=table.preparation)
    if not states:
        lines = {
            name: LinearGaussian(
                float(line.intercepts),
                dict(zip(line.continuous, line.coefficients.tolist(), strict=True)),
                float(line.variances),
            )
            for name, line in regressions.items()
        }
        return network.with_parameters(gaussian=lines, preparation=table.preparation)
    mixed = MixedParameters(states, tables, regressions)
    return network.with_parameters(mixed=mixed, preparation=table.preparation)


def _check_cells(network: Network, table: Any) -> None:
    """Refuse tables that are too large."""
    if cells(network, table) > MAX_CELLS:
        raise DataError(
            f"the tables of this network would have {cells(network, table):,} cells; limit the number of parents"
        )
    for name, parents in network.parents.items():
        if len(parents) > MAX_PARENTS:
            raise DataError(f"{name!r} has {len(parents)} parents; a table can have {MAX_PARENTS}")


def _fit_apart(network: Network, table: Any, prior: Dirichlet | None) -> Network:
    """Every variable from the rows in which it was not set; from all rows if it was set in every one."""
    parts: dict[str, Network] = {}
    for members, rows in rows_apart(table):
        fitted_there = fit(network, replace(table, was_set=None) if rows is None else rows, prior)
        parts |= {table.names[i]: fitted_there for i in members if table.names[i] in network.parents}
    one = parts[network.variables[0]]
    if one.gaussian is not None:
        regressions = {v: part.gaussian[v] for v, part in parts.items() if part.gaussian is not None}
        return network.with_parameters(gaussian=regressions, preparation=one.preparation)
    tables = {v: part.tables[v] for v, part in parts.items() if part.tables is not None}
    return network.with_parameters(states=one.states, tables=tables, preparation=one.preparation)


def cells(network: Network, data: Any) -> int:
    """How many cells the tables of the network have on this data; of quantities none.

    In a table of both kinds a quantity has a regression in every configuration of its discrete parents.
    """
    table = as_table(data)
    if isinstance(table, NumericTable):
        return 0
    arity = {name: max(r, 1) for name, r in zip(table.names, table.arities, strict=True)}
    return sum(math.prod(arity[v] for v in (name, *parents)) for name, parents in network.parents.items())


def _counts(columns: list[NDArray[np.uint16]], arities: list[int]) -> NDArray[np.float64]:
    size = int(np.prod(arities))
    counts = np.zeros(size, dtype=np.int64)
    for start in range(0, len(columns[0]), BLOCK):  # a cell's number takes eight bytes for every row
        part = [codes[start : start + BLOCK] for codes in columns]
        cell = np.zeros(len(part[0]), dtype=np.int64)
        for codes, arity in zip(part, arities, strict=True):
            cell = cell * arity + codes
        if size <= BLOCK:
            counts += np.bincount(cell, minlength=size)
        else:
            np.add.at(counts, cell, 1)
    return counts.reshape(arities).astype(np.float64)


def _probabilities(counts: NDArray[np.float64], prior: Dirichlet | None) -> NDArray[np.float64]:
    if prior is not None:
        counts = counts + prior.pseudo_count(counts.size)
    totals = counts.sum(axis=-1, keepdims=True)
    uniform = np.full_like(counts, 1 / counts.shape[-1])
    np.divide(counts, totals, out=uniform, where=totals > 0)
    return uniform


def fitted(network: Network) -> tuple[dict[str, tuple[str, ...]], dict[str, NDArray[np.float64]]]:
    """States and tables of a network, which must have them."""
    if network.gaussian is not None or network.mixed is not None:
        raise UsageError("this needs tables of categories; the network has quantities, with regressions")
    if network.states is None or network.tables is None:
        raise UsageError("the network has no parameters yet; fit it first: network.fit(data)")
    return network.states, network.tables


def sample(network: Network, rows: int, seed: int) -> Any:
    """Rows drawn parents first; the same seed draws the same rows."""
    import pyarrow as pa

    rows, seed = argument("rows", rows, whole(0, MOST_DRAWN)), argument("seed", seed, whole(0, LARGEST_SEED))
    if network.gaussian is not None:
        return sample_gaussian(network, rows, seed)
    if network.mixed is not None:
        return sample_mixed(network, rows, seed)
    states, tables = fitted(network)
    generator = np.random.default_rng(seed)
    codes: dict[str, NDArray[np.int64]] = {}
    for name in network.order:
        chances = tables[name][tuple(codes[p] for p in network.parents[name])]
        limits = np.cumsum(np.broadcast_to(chances, (rows, len(states[name]))), axis=1)
        draws = generator.random(rows)[:, None] * limits[:, -1:]
        codes[name] = (draws >= limits).sum(axis=1).clip(max=len(states[name]) - 1)
    columns = [pa.array(np.array(states[v], dtype=object)[codes[v]], type=pa.string()) for v in network.variables]
    return pa.table(columns, names=list(network.variables))

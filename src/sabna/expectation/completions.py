"""All completions of the rows of a table with holes, weighted by a network, and expected counts from them.

A row with holes stands for all rows that agree with it where it has values. Under a network with tables each of these
completions has a probability, and divided by their sum a weight: the probability of the completion given the row. A
table of all completions with such weights has, for every family, just the expected counts of the E-step of EM; no
inference is needed beyond multiplying tables. Its size is the product of the arities of a row's holes, summed over the
distinct rows, and does not depend on the network: it is made once, up to MOST_COMPLETIONS.

The cost of a family from weighted counts N is minus their log-likelihood: F(parents) - F(parents and child), with F(S)
the sum of N ln N over the cells of S. F is rounded once for each set S, to quanta, so that equivalent networks cost
the same integer, as in all of sabna.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import DataError
from sabna.table.mixed import NO_CODE, MixedTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Rows of the table of all completions: some seconds a round, and 16 bytes for each of its cells.
MOST_COMPLETIONS = 1_000_000
# Cells of one table of counts.
MOST_CELLS = 20_000_000


@dataclass(frozen=True, eq=False)
class Completions:
    """`codes[v, k]` of completion k, which belongs to the distinct row `owner[k]`; that occurs `times[owner[k]]` times.

    Completions of one row follow each other; `first` has where each row's begin.
    """

    names: tuple[str, ...]
    arities: tuple[int, ...]
    codes: Ints
    owner: Ints
    first: Ints
    times: Floats

    @staticmethod
    def of(table: MixedTable) -> Completions:
        """The completions of a table of categories."""
        rows = np.array(table.columns, dtype=np.int64)
        distinct, times = np.unique(rows, axis=1, return_counts=True)
        holes = distinct == NO_CODE
        sizes = [
            math.prod(arity for arity, gone in zip(table.arities, column, strict=True) if gone) for column in holes.T
        ]
        if sum(sizes) > MOST_COMPLETIONS:
            worst = int(np.argmax(sizes))
            raise DataError(
                f"the rows have {sum(sizes):,} completions, one alone {sizes[worst]:,} ({int(holes[:, worst].sum())} "
                f"holes); EM goes through at most {MOST_COMPLETIONS:,}: leave out columns with many holes, or use "
                'missing="available"'
            )
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        codes = np.repeat(distinct, sizes, axis=1)
        for k, size in enumerate(sizes):
            gone = np.flatnonzero(holes[:, k])
            if len(gone):
                filled = np.array(list(product(*(range(table.arities[v]) for v in gone)))).T
                codes[gone, first[k] : first[k] + size] = filled
        owner = np.repeat(np.arange(len(sizes)), sizes)
        return Completions(table.names, table.arities, codes, owner, first, times.astype(np.float64))

    @cached_property
    def _numbered(self) -> tuple[Ints, Ints]:
        if math.prod(self.arities) < 2**62:
            keys = np.zeros(len(self.owner), dtype=np.int64)
            for codes, arity in zip(self.codes, self.arities, strict=True):
                keys = keys * arity + codes
            _, first, number = np.unique(keys, return_index=True, return_inverse=True)
            return self.codes[:, first], number
        distinct, number = np.unique(self.codes, axis=1, return_inverse=True)
        return distinct, number.reshape(-1)

    @property
    def distinct(self) -> Ints:
        """The different completions: several rows may have one in common."""
        return self._numbered[0]

    @property
    def number(self) -> Ints:
        """Of each completion which of the distinct ones it is."""
        return self._numbered[1]

    def weighted(self, parents: Mapping[str, tuple[str, ...]], tables: Mapping[str, Floats]) -> tuple[Floats, float]:
        """Weights of the completions under a network, and the log-likelihood of what the rows show."""
        place = {name: k for k, name in enumerate(self.names)}
        logarithms = np.zeros(len(self.owner))
        with np.errstate(divide="ignore"):
            for name, above in parents.items():
                logarithms += np.log(tables[name][tuple(self.codes[place[v]] for v in (*above, name))])
        most = np.maximum.reduceat(logarithms, self.first)
        chances = np.exp(logarithms - most[self.owner])
        sums = np.add.reduceat(chances, self.first)
        observed = float((self.times * (most + np.log(sums))).sum())
        return chances / sums[self.owner] * self.times[self.owner], observed


@dataclass(eq=False)
class ExpectedCounts:
    """Counts of weighted completions, and the costs of families by bic; what was counted is kept."""

    completions: Completions
    weights: Floats
    _sums: dict[tuple[int, ...], int] = field(default_factory=dict)

    def counts(self, members: Iterable[int]) -> Floats:
        """The expected counts of some variables, one axis for each in this order."""
        order = list(members)
        shape = tuple(self.completions.arities[v] for v in order)
        if math.prod(shape) > MOST_CELLS:
            raise DataError(
                f"{len(order)} variables together have {math.prod(shape):,} configurations, more than EM counts; bound "
                "the parents (`max_parents`), or leave out columns of many states"
            )
        distinct, weights = self.completions.distinct, self._weights
        cell = np.zeros(len(weights), dtype=np.int64)
        for v, arity in zip(order, shape, strict=True):
            cell = cell * arity + distinct[v]
        counted = np.bincount(cell, weights, minlength=math.prod(shape)).astype(np.float64)
        return counted.reshape(shape)

    @cached_property
    def _weights(self) -> Floats:
        """Of each distinct completion."""
        size = self.completions.distinct.shape[1]
        return np.bincount(self.completions.number, self.weights, minlength=size).astype(np.float64)

    @cached_property
    def price(self) -> int:
        """What bic charges for a parameter, in quanta."""
        rows = float(self.completions.times.sum())
        return round(math.log(rows) / 2 * QUANTA_PER_NAT) if rows > 1 else 0

    def entropy(self, child: int, given: Iterable[int]) -> int:
        """The rows times the conditional entropy: minus the expected log-likelihood, in quanta."""
        above = tuple(sorted(given))
        return self._sum(above) - self._sum(tuple(sorted((*above, child))))

    def cost(self, child: int, parents: Iterable[int]) -> int:
        """Minus the expected log-likelihood plus bic's penalty, in quanta."""
        above, arities = tuple(parents), self.completions.arities
        q = math.prod(arities[p] for p in above)
        return self.entropy(child, above) + (arities[child] - 1) * q * self.price

    def _sum(self, members: tuple[int, ...]) -> int:
        if members not in self._sums:
            counts = self.counts(members).reshape(-1)
            counts = counts[counts > 0]
            self._sums[members] = round(float((counts * np.log(counts)).sum()) * QUANTA_PER_NAT)
        return self._sums[members]

    def tables(self, parents: Mapping[str, tuple[str, ...]], prior: float = 0.0) -> dict[str, Floats]:
        """Tables of a network by these counts; `prior` rows are shared out over the cells of each table."""
        place = {name: k for k, name in enumerate(self.completions.names)}
        out = {}
        for name, above in parents.items():
            counts = self.counts(place[v] for v in (*above, name))
            counts = counts + prior / counts.size
            totals = counts.sum(axis=-1, keepdims=True)
            table = np.full_like(counts, 1 / counts.shape[-1])
            np.divide(counts, totals, out=table, where=totals > 0)
            out[name] = table
        return out

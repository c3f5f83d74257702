"""Weighted cuts: clusters, local cuts, and cuts derived from clusters by halving and rounding up.

A row is an inequality over parent sets, sum of a(i,S) x(i,S) >= b with integers a and b, that every network satisfies.
Rows are

    cluster (C, k)      a(i,S) = 1 if i is in C and |S cap C| < k, else 0;  b = k        (core/bounds/cluster_bound.h)
    local cut           a(i,S) = the least coefficient that the cut lists for a subset of S, b by dynamic programming
                        over its group (local_cuts.py)
    derived cut         rows listed before it and equations "one parent set each", each times an integer (not negative
                        for rows, of either sign for equations), added up, halved and rounded up: a and b alike

A derived cut holds: the added-up row holds for every network; halved, its coefficients may be rounded up since x is not
negative; the left side is then an integer, so the right side may be rounded up. It is its list of rows, nothing else,
and whoever has that list can work out the same integers for any parent sets.

For any weights y >= 0 every network costs at least

    sum of y b + sum over i of min over S of [ s(i,S) - sum of y a(i,S) ]

and a set that raises the second sum to the target or more is in no network below it. As for clusters, the weights need
no trust, and all is exact in integers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.bounds.local_cuts import LocalCuts, local_coefficients
from sabna.bounds.weights import MOST_WEIGHT, Clusters, Reduced, to_quanta
from sabna.parents.graph import ParentGraph

Ints = NDArray[np.int64]
# Coefficients of rows, one column for each parent set. They are small: a row with larger ones is not made.
Coefficients = NDArray[np.int16]
MOST_COEFFICIENT = 1 << 12


@dataclass(frozen=True, eq=False)
class Cuts:
    """Rows with weights in quanta: the clusters (some perhaps of weight 0), local cuts, then derived cuts.

    Derived cut d is made of the entries start[d] to start[d + 1] of `source` and `times`. A source below n is the
    equation of that variable; n + r is row r, counted over all rows.
    """

    n: int
    clusters: Clusters
    local: LocalCuts
    start: Ints
    source: Ints
    times: Ints
    y: Ints

    @staticmethod
    def of(n: int, clusters: Clusters) -> Cuts:
        """Clusters alone."""
        return Cuts.made_of(n, clusters, LocalCuts.none(clusters.sets.shape[1]), [], np.zeros(0, np.int64))

    @staticmethod
    def made_of(n: int, clusters: Clusters, local: LocalCuts, made: list[tuple[Ints, Ints]], y: Ints) -> Cuts:
        """Clusters, local cuts, and derived cuts by their sources and factors."""
        none = np.zeros(0, np.int64)
        start = np.cumsum([0, *(len(source) for source, _ in made)]).astype(np.int64)
        source, times = (np.concatenate([none, *(m[part] for m in made)]) for part in (0, 1))
        return Cuts(n, clusters, local, start, source, times, y)

    def __len__(self) -> int:
        return self.listed + len(self.y)

    @property
    def listed(self) -> int:
        """How many rows are not derived."""
        return len(self.clusters) + len(self.local)

    @property
    def weights(self) -> Ints:
        """The weights of all rows."""
        return np.concatenate([self.clusters.y, self.local.y, self.y])

    def entries(self, d: int) -> tuple[Ints, Ints]:
        """The sources of derived cut d, and what each is multiplied by."""
        which = slice(self.start[d], self.start[d + 1])
        return self.source[which], self.times[which]


def cut_down(cuts: Cuts, members: Ints, clusters: Clusters, stay: NDArray[np.bool_], local: LocalCuts) -> Cuts:
    """Cuts for some variables: `clusters` are what is left of the clusters, `stay` marks those; `local` are left, too.

    Derived cuts that lose a row they are made of go; equations of other variables go. What is left is derived from
    rows that hold, so it holds. No cut is derived from a local one.
    """
    listed = len(clusters) + len(local)
    number = np.full(cuts.n + len(cuts), -1)
    number[members] = np.arange(len(members))
    number[cuts.n + np.flatnonzero(stay)] = len(members) + np.arange(len(clusters))
    made: list[tuple[Ints, Ints]] = []
    y = []
    for d in range(len(cuts.y)):
        source, times = cuts.entries(d)
        new = number[source]
        if (new[source >= cuts.n] >= 0).all():
            number[cuts.n + cuts.listed + d] = len(members) + listed + len(made)
            made.append((new[new >= 0], times[new >= 0]))
            y.append(cuts.y[d])
    return Cuts.made_of(len(members), clusters, local, made, np.array(y, np.int64))


def rows_of(graph: ParentGraph, cuts: Cuts) -> tuple[Coefficients, Ints]:
    """The coefficients [rows, parent sets] and right sides of all rows."""
    variable = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.offsets))
    a = np.zeros((len(cuts), len(graph)), np.int16)
    cluster_coefficients(graph, cuts.clusters.sets, cuts.clusters.k, variable, a[: len(cuts.clusters)])
    local_coefficients(graph, cuts.local, a[len(cuts.clusters) : cuts.listed])
    b = np.concatenate([cuts.clusters.k, cuts.local.right, np.zeros(len(cuts.y), np.int64)])
    for d in range(len(cuts.y)):
        row = cuts.listed + d
        a[row], b[row] = halved(a[:row], b[:row], *cuts.entries(d), variable, graph.n)
    return a, b


def cluster_coefficients(
    graph: ParentGraph, sets: NDArray[np.uint64], k: Ints, variable: NDArray[np.int32], a: Coefficients
) -> None:
    """Writes the coefficients [clusters, parent sets] into `a`, which holds 0."""
    rows = core.cluster_rows(variable, graph.sets, graph.n, sets, k)
    a[np.repeat(np.arange(len(k)), np.diff(rows.start)), rows.column] = 1


def halved(
    a: Coefficients, b: Ints, source: Ints, times: Ints, variable: NDArray[np.int32], n: int
) -> tuple[Coefficients, int]:
    """The cut derived from rows of `a` x >= `b` and equations; OverflowError if its coefficients are too large."""
    own = source < n
    equations = np.zeros(n, np.int64)
    np.add.at(equations, source[own], times[own])
    rows, factor = source[~own] - n, times[~own]
    assert (factor >= 0).all(), "an inequality times a negative number is none"
    total = equations[variable]
    for r, t in zip(rows, factor, strict=True):
        total += t * a[r]
    right = int(equations.sum()) + sum(int(t) * int(b[r]) for r, t in zip(rows, factor, strict=True))
    half = -(-total // 2)
    if len(half) and max(int(half.max()), -int(half.min())) > MOST_COEFFICIENT:
        raise OverflowError("the coefficients of a derived cut are too large")
    return half.astype(np.int16), -(-right // 2)


def row_sizes(a: Coefficients, b: Ints, offsets: Ints) -> Ints:
    """What every row can add at most, for each unit of its weight, to a bound or to the reduced costs of all variables.

    The sum of its variables' largest coefficients in size, and its right side; fewer parent sets only make it smaller.
    """
    largest = np.maximum(np.maximum.reduceat(a, offsets[:-1], axis=1), -np.minimum.reduceat(a, offsets[:-1], axis=1))
    sizes: Ints = largest.sum(axis=1, dtype=np.int64) + np.abs(b)
    return sizes


def weighted(y: NDArray[np.floating] | Ints, sizes: Ints) -> Ints:
    """Weights of rows in whole quanta, rounded down; all of them smaller where sums have no room (core/cost.h)."""
    weights = to_quanta(np.asarray(y), 0)
    total = float((weights.astype(np.float64) * sizes).sum())
    if total > MOST_WEIGHT:
        weights = np.floor(weights * (MOST_WEIGHT / total)).astype(np.int64)
    return weights


def reduced_by(graph: ParentGraph, a: Coefficients, b: Ints, y: Ints) -> Reduced:
    """The bound of rows with weights, and the reduced costs it is made of, in integers."""
    cost = graph.costs.copy()
    for r in np.flatnonzero(y):  # numpy has no fast product of integer matrices
        cost -= y[r] * a[r]
    least = np.minimum.reduceat(cost, graph.offsets[:-1])
    return Reduced(int(y @ b + least.sum()), cost, least)


def reduced_costs_of(graph: ParentGraph, cuts: Cuts) -> Reduced:
    """The same for cuts as they travel with a part."""
    a, b = rows_of(graph, cuts)
    return reduced_by(graph, a, b, weighted(cuts.weights, row_sizes(a, b, graph.offsets)))


def possible(graph: ParentGraph, reduced: Reduced, target: int) -> NDArray[np.bool_]:
    """Marks the parent sets that a network below the target may have."""
    variable = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    others: Ints = reduced.bound - reduced.least
    may: NDArray[np.bool_] = others[variable] + reduced.cost < target
    return may

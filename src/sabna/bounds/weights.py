"""Weighted clusters: the multipliers of the cluster bound (core/bounds/cluster_bound.h).

Whatever the weights are, the core evaluates the bound in integers. So they may come from a floating-point solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import LARGEST_TOTAL
from sabna.base.limits import Limits
from sabna.base.stop import Stop
from sabna.parents.graph import ParentGraph

# Weights are scaled down to this: LARGEST_TOTAL less what rounding of their floating-point sum can hide.
MOST_WEIGHT = LARGEST_TOTAL * (1 - 1e-9)


def to_quanta(values: NDArray[Any], least: int = -LARGEST_TOTAL) -> NDArray[np.int64]:
    """Numbers rounded down to integers between `least` and LARGEST_TOTAL."""
    whole = np.floor(np.nan_to_num(values)) if values.dtype.kind == "f" else values
    out: NDArray[np.int64] = np.clip(whole, least, LARGEST_TOTAL).astype(np.int64)
    return out


@dataclass(frozen=True, eq=False)
class Clusters:
    """Sets of variables (bits as in a parent graph), each with its k and its weight in quanta."""

    sets: NDArray[np.uint64]
    k: NDArray[np.int64]
    y: NDArray[np.int64]

    @staticmethod
    def of(sets: NDArray[np.uint64], k: NDArray[np.int64], y: NDArray[Any]) -> Clusters:
        """Clusters with the weights `y`, in quanta, rounded down; all of them smaller where sums would have no room.

        The core takes weights whose sum over clusters and members is at most LARGEST_TOTAL. Smaller weights are as
        valid; only costs near that limit, or a solver gone astray, have larger ones.
        """
        weights = to_quanta(y, 0)
        members = np.unpackbits(np.ascontiguousarray(sets).view(np.uint8), axis=1).sum(axis=1, dtype=np.int64)
        total = float((weights.astype(np.float64) * members).sum())
        if total > MOST_WEIGHT:
            weights = np.floor(weights * (MOST_WEIGHT / total)).astype(np.int64)
        return Clusters(sets, k, weights)

    @staticmethod
    def none(words: int) -> Clusters:
        """No cluster: the bound is the sum of every variable's best cost."""
        return Clusters(np.zeros((0, words), np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.k)

    @property
    def arrays(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
        """What the core takes."""
        return self.sets, self.k, self.y


@dataclass(frozen=True, eq=False)
class Reduced:
    """The bound of some weights, the reduced cost of every parent set, and the least of every variable."""

    bound: int
    cost: NDArray[np.int64]
    least: NDArray[np.int64]


def reduced_costs(graph: ParentGraph, clusters: Clusters) -> core.ReducedCosts:
    """The cluster bound at the root, in integers, and the reduced costs it is made of."""
    return core.cluster_reduced_costs(*graph.arrays, *clusters.arrays)


def dual_ascent(
    graph: ParentGraph, clusters: Clusters, target: int, limits: Limits, work: int = 50_000_000, seed: int = 1
) -> tuple[int, Clusters]:
    """Raise weights greedily from those given, until `target` or the budget of work; the bound and the weights."""
    return _taken(core.dual_ascent(*graph.arrays, *clusters.arrays, target, work, seed, limits.left()))


def volume_ascent(
    graph: ParentGraph, clusters: Clusters, target: int, limits: Limits, work: int, threads: int = 1
) -> tuple[int, Clusters]:
    """Raise weights by the volume algorithm (core/bounds/volume.h); the bound and the weights, those given at worst."""
    return _taken(core.volume_ascent(*graph.arrays, *clusters.arrays, target, work, threads, limits.left()))


def _taken(raised: core.Ascent) -> tuple[int, Clusters]:
    if raised.stop == Stop.interrupted:  # the core has taken the signal
        raise KeyboardInterrupt
    return raised.bound, Clusters.of(raised.sets, raised.k, raised.y)

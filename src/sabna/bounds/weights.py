"""Weighted clusters: the multipliers of the cluster bound (core/bounds/cluster_bound.h).

Whatever the weights are, the core evaluates the bound in integers. So they may come from a floating-point solver.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.limits import Limits
from sabna.base.stop import STOP_INTERRUPTED
from sabna.parents.graph import ParentGraph


@dataclass(frozen=True, eq=False)
class Clusters:
    """Sets of variables (bits as in a parent graph), each with its k and its weight in quanta."""

    sets: NDArray[np.uint64]
    k: NDArray[np.int64]
    y: NDArray[np.int64]

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
    """The bound of some weights at the root, and the reduced costs it is made of."""

    bound: int
    cost: NDArray[np.int64]
    least: NDArray[np.int64]


def reduced_costs(graph: ParentGraph, clusters: Clusters) -> Reduced:
    """The cluster bound at the root, in integers."""
    return Reduced(*core.cluster_reduced_costs(*graph.arrays, *clusters.arrays))


def dual_ascent(
    graph: ParentGraph, clusters: Clusters, target: int, limits: Limits, work: int = 50_000_000, seed: int = 1
) -> tuple[int, Clusters]:
    """Raise weights greedily from those given, until `target` or the budget of work; the bound and the weights."""
    bound, sets, k, y, _, stop = core.dual_ascent(
        *graph.arrays, *clusters.arrays, target, work, seed, limits.seconds_left(), limits.bytes_left(), None
    )
    if stop == STOP_INTERRUPTED:  # the core has taken the signal
        raise KeyboardInterrupt
    return bound, Clusters(sets, k, y)

"""Patterns: a partition of the variables, and the weights its tables are made with (core/bounds/dual_pattern_db.h)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.bounds.weights import Clusters


@dataclass(frozen=True, eq=False)
class Pattern:
    """Groups of variables (bits as in a parent graph), disjoint and covering all, and weighted clusters."""

    clusters: Clusters
    groups: NDArray[np.uint64]

    @property
    def arrays(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
        """What the core takes."""
        return (*self.clusters.arrays, self.groups)


def choose_patterns(n: int, clusters: Clusters, largest: int, partitions: int, seed: int) -> list[Pattern]:
    """Partitions of n variables into groups of at most `largest`, chosen so that few weighty clusters cross groups."""
    return [Pattern(clusters, groups) for groups in core.choose_groups(n, *clusters.arrays, largest, partitions, seed)]

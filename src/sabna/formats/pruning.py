"""Dominance pruning of sorted lists: a set goes if a subset of it stands earlier in its list."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def prune_dominated(
    offsets: NDArray[np.int64], costs: NDArray[np.int64], sets: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """The arrays without dominated sets. Ties stand by set as a number, so that subsets come first."""
    kept: list[NDArray[np.int64]] = []
    for begin, end in pairwise(offsets):
        mine = sets[begin:end]
        survivors = np.empty_like(mine)
        count = 0
        rows = []
        for k in range(len(mine)):
            if not ((survivors[:count] & ~mine[k]) == 0).all(axis=1).any():
                survivors[count] = mine[k]
                rows.append(begin + k)
                count += 1
        kept.append(np.array(rows, dtype=np.int64))
    rows_kept = np.concatenate(kept)
    new_offsets = np.cumsum([0] + [len(k) for k in kept], dtype=np.int64)
    return new_offsets, costs[rows_kept], sets[rows_kept]

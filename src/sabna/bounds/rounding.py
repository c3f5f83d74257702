"""Networks from fractional points: an order that agrees with the linear program as far as it can.

The program's point knows more about good networks than a random order does. Variables are placed one by one, always
the one whose share of parent sets among those placed is largest (the sink-finding heuristic of GOBNILP, turned around);
the best network of that order is a candidate for the upper bound. On graphs of hundreds of variables, where local
search from random orders ends short of the optimum, this is what finds it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def rounded_order(
    n: int, variable: NDArray[np.int32], sets: NDArray[np.uint64], share: NDArray[np.float64]
) -> list[int]:
    """An order for the point that gives parent set p of `variable[p]` the share `share[p]`; ties go by number."""
    missing = sets.copy()  # what each parent set still waits for
    waiting = np.ones(n, bool)
    weight = np.zeros(n)
    ready = ~missing.any(axis=1)
    np.add.at(weight, variable[ready], share[ready])
    order: list[int] = []
    for _ in range(n):
        i = int(np.argmax(np.where(waiting, weight, -1.0)))
        waiting[i] = False
        order.append(i)
        word, bit = i >> 6, np.uint64(1 << (i & 63))
        touched = np.flatnonzero(missing[:, word] & bit)
        missing[touched, word] &= ~bit
        done = touched[~missing[touched].any(axis=1)]
        np.add.at(weight, variable[done], share[done])
    return order

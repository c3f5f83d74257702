"""All directed acyclic graphs over a few variables, for tests that compare with trying everything."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

Parents = tuple[tuple[int, ...], ...]


def all_networks(n: int) -> Iterator[Parents]:
    """Every network over 0 .. n - 1 as the parents of each: 1, 3, 25, 543, 29281 for n = 1 .. 5."""
    choices = [
        [s for k in range(n) for s in itertools.combinations([v for v in range(n) if v != i], k)] for i in range(n)
    ]
    for parents in itertools.product(*choices):
        if acyclic(parents):
            yield parents


def acyclic(parents: Parents) -> bool:
    placed: set[int] = set()
    while True:
        ready = {i for i, ps in enumerate(parents) if i not in placed and placed.issuperset(ps)}
        if not ready:
            return len(placed) == len(parents)
        placed |= ready

"""Random problems as plain data: few and many sets, ties, missing empty sets, components, negative and huge costs.
Tables are made in tables.py."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from .model import Lists

QUANTA_PER_NAT = 1 << 30
# Sizes of a problem that the model solves in milliseconds.
MOST_VARIABLES = 8


@dataclass
class Problem:
    """What the calls work on: parent sets with costs, or a table by columns with its score; and prior knowledge.

    A value of a column is a code, or a number in those of `numbers`; None where it is missing. `was_set` tells of every
    cell whether it was set from outside; empty if none was.
    """

    lists: Lists = field(default_factory=list)
    columns: list[list[Any]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    was_set: list[list[int]] = field(default_factory=list)
    score: str = "bic"
    knowledge: dict[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return len(self.lists) or len(self.columns)

    @property
    def names(self) -> list[str]:
        return [f"X{i}" for i in range(self.n)]


def random_lists(rng: random.Random) -> Problem:
    """A problem of parent sets."""
    if rng.random() < 0.15:
        return _hard_lists(rng)
    n = rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, MOST_VARIABLES))
    cost = _costs(rng)
    block = rng.choice((n, n, n, max(1, n // 2), 3))  # sets stay inside blocks of this size: components
    lists = [_random_list(rng, i, n, block, cost) for i in range(n)]
    return Problem(lists, knowledge=random_knowledge(rng, n) if rng.random() < 0.3 else {})


def _hard_lists(rng: random.Random) -> Problem:
    """Every variable wants many others: bounds stay below the optimum, and branches are needed.

    Not by single quanta: linear programs do not see those, and would leave everything to the branches.
    """
    n, scale = rng.randint(6, MOST_VARIABLES), rng.choice((3, 40, 1000)) * QUANTA_PER_NAT
    lists: Lists = []
    for i in range(n):
        entries = {0: scale}
        for _ in range(30):
            chosen = rng.sample([v for v in range(n) if v != i], rng.randint(1, 3))
            entries[sum(1 << v for v in chosen)] = rng.randrange(scale) // 10 - len(chosen) * scale // 5
        lists.append(entries)
    return Problem(lists)


def _costs(rng: random.Random) -> Any:
    kind = rng.choice(("ties", "ties", "nats", "nats", "fine", "negative", "huge", "zero"))
    if kind == "ties":
        few = rng.choice((2, 5, 20))
        return lambda size: rng.randrange(few) * QUANTA_PER_NAT
    if kind == "fine":  # apart by single quanta
        return lambda size: 10**6 + rng.randrange(30)
    if kind == "negative":
        return lambda size: rng.randrange(-(10**12), 10**12)
    if kind == "huge":
        return lambda size: rng.choice((-1, 1)) * ((1 << 56) - rng.randrange(1 << 40))
    if kind == "zero":
        return lambda size: 0
    return lambda size: round((100 * rng.random() - 15 * size) * QUANTA_PER_NAT)


def _random_list(rng: random.Random, i: int, n: int, block: int, cost: Any) -> dict[int, int]:
    first = i // block * block
    others = [v for v in range(first, min(first + block, n)) if v != i]
    if i >= block and rng.random() < 0.3:  # an edge from an earlier block
        others.append(rng.randrange(first))
    entries = {0: cost(0)} if rng.random() < 0.85 else {}
    for _ in range(rng.choice((0, 1, 3, 6, 12, 25)) if others else 0):
        size = rng.randint(0 if entries else 1, min(len(others), 4))
        chosen = rng.sample(others, size)
        entries.setdefault(sum(1 << v for v in chosen), cost(size))
    return entries or {0: cost(0)}


def random_knowledge(rng: random.Random, n: int) -> dict[str, Any]:
    """Statements that only forbid: they can be applied to any list of sets."""
    names = [f"X{i}" for i in range(n)]
    pairs = [(a, b) for a in names for b in names if a != b]
    known: dict[str, Any] = {}
    if pairs and rng.random() < 0.6:
        known["forbidden"] = [list(e) for e in rng.sample(pairs, rng.randint(1, min(len(pairs), 4)))]
    if rng.random() < 0.3:
        shuffled = rng.sample(names, n)
        cut = rng.randint(0, n)
        known["tiers"] = [t for t in (shuffled[:cut], shuffled[cut:]) if t]
    if rng.random() < 0.2:
        known["roots"] = [rng.choice(names)]
    if rng.random() < 0.2:
        known["leaves"] = [rng.choice(names)]
    if rng.random() < 0.2:
        known["max_parents"] = {rng.choice(names): rng.randint(0, 2)}
    return known

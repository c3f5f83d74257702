"""The truth about a problem, in Python's integers: no numpy, nothing of the package.

A problem is, for every variable, a dictionary from parent sets (bits) to costs. The best network is found by dynamic
programming over the sets of variables that come first in an order; the cheapest networks by trying all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

Lists = list[dict[int, int]]


def not_beaten(entries: dict[int, int]) -> dict[int, int]:
    """The sets that no proper subset matches or beats."""
    return {
        bits: cost
        for bits, cost in entries.items()
        if not any(other != bits and other & ~bits == 0 and theirs <= cost for other, theirs in entries.items())
    }


def optimum(lists: Lists) -> int | None:
    """The least cost of a network; None if the sets allow none."""
    n = len(lists)
    everything = 1 << n
    cheapest = [_cheapest_inside(entries, n) for entries in lists]
    best: list[int | None] = [None] * everything
    best[0] = 0
    for placed in range(everything):
        so_far = best[placed]
        if so_far is None:
            continue
        for i in range(n):
            cost = cheapest[i][placed]
            if placed >> i & 1 or cost is None:
                continue
            after = placed | 1 << i
            known = best[after]
            if known is None or so_far + cost < known:
                best[after] = so_far + cost
    return best[-1]


def _cheapest_inside(entries: dict[int, int], n: int) -> list[int | None]:
    """For every set of variables the least cost of a parent set inside it."""
    out: list[int | None] = [entries.get(bits) for bits in range(1 << n)]
    for v in range(n):
        for bits in range(1 << n):
            if bits >> v & 1:
                inner, here = out[bits ^ 1 << v], out[bits]
                if inner is not None and (here is None or inner < here):
                    out[bits] = inner
    return out


def networks(lists: Lists) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every network with its cost, by trying every combination of parent sets."""
    for chosen in product(*lists):
        if acyclic(chosen):
            yield sum(entries[bits] for entries, bits in zip(lists, chosen, strict=True)), chosen


def acyclic(parents: tuple[int, ...]) -> bool:
    """Whether no variable is its own ancestor."""
    placed, waiting = 0, list(range(len(parents)))
    while waiting:
        ready = [i for i in waiting if parents[i] & ~placed == 0]
        if not ready:
            return False
        for i in ready:
            placed |= 1 << i
        waiting = [i for i in waiting if not placed >> i & 1]
    return True


def orders(parents: tuple[int, ...]) -> int:
    """The number of orders of the variables that a network agrees with."""
    n = len(parents)
    count = [0] * (1 << n)
    count[0] = 1
    for placed in range(1 << n):
        for i in range(n):
            if not placed >> i & 1 and parents[i] & ~placed == 0:
                count[placed | 1 << i] += count[placed]
    return count[-1]


def cost_of(lists: Lists, parents: tuple[int, ...]) -> int | None:
    """The cost of a network; None unless it is acyclic and made of listed sets."""
    if not acyclic(parents) or any(bits not in entries for entries, bits in zip(lists, parents, strict=True)):
        return None
    return sum(entries[bits] for entries, bits in zip(lists, parents, strict=True))


def obeying(lists: Lists, names: list[str], known: dict[str, object]) -> Lists:
    """The sets that obey `required`, `forbidden`, `tiers`, `roots`, `leaves` and `max_parents`, by their meaning."""
    tier = {v: k for k, group in enumerate(known.get("tiers", ())) for v in group}  # type: ignore[arg-type, var-annotated]
    required = {tuple(edge) for edge in known.get("required", ())}  # type: ignore[attr-defined]
    forbidden = {tuple(edge) for edge in known.get("forbidden", ())}  # type: ignore[attr-defined]
    limits: dict[str, int] = known.get("max_parents", {})  # type: ignore[assignment]

    def allowed(child: str, bits: int) -> bool:
        parents = [p for k, p in enumerate(names) if bits >> k & 1]
        if any(c == child and p not in parents for p, c in required):
            return False
        if len(parents) > limits.get(child, len(names)) or (parents and child in known.get("roots", ())):  # type: ignore[operator]
            return False
        for p in parents:
            if (p, child) in forbidden or p in known.get("leaves", ()):  # type: ignore[operator]
                return False
            if p in tier and child in tier and tier[p] > tier[child]:
                return False
        return True

    return [
        {bits: cost for bits, cost in entries.items() if allowed(child, bits)}
        for child, entries in zip(names, lists, strict=True)
    ]

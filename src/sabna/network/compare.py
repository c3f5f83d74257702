"""How two networks over the same variables differ.

The structural Hamming distance counts each pair of variables once: an edge too many, one missing, or one that points
the other way (Tsamardinos, Brown, Aliferis 2006 count on the CPDAGs; `shd_class` does that).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sabna.base.errors import UsageError

if TYPE_CHECKING:
    from sabna.network.network import Network

Edge = tuple[str, str]


@dataclass(frozen=True)
class Difference:
    """From one network to another: edges `added`, `missing` and `reversed` (as in the first network)."""

    added: tuple[Edge, ...]
    missing: tuple[Edge, ...]
    reversed: tuple[Edge, ...]
    shd_class: int
    same_class: bool

    @property
    def shd(self) -> int:
        """Structural Hamming distance of the networks themselves."""
        return len(self.added) + len(self.missing) + len(self.reversed)

    def __str__(self) -> str:
        if not self.shd:
            return "the same network"
        parts = [f"{len(self.added)} added, {len(self.missing)} missing, {len(self.reversed)} reversed"]
        parts += [
            "the same equivalence class" if self.same_class else f"{self.shd_class} apart as equivalence classes",
        ]
        return f"{self.shd} edges differ ({parts[0]}); {parts[1]}"


def compare(first: Network, second: Network) -> Difference:
    """What changes from `first` to `second`.

    >>> from sabna import Network
    >>> print(compare(Network("AB", {"B": "A"}), Network("AB", {"A": "B"})))
    1 edges differ (0 added, 0 missing, 1 reversed); the same equivalence class
    """
    if set(first.variables) != set(second.variables):
        odd = sorted(set(first.variables) ^ set(second.variables))[0]
        raise UsageError(f"only networks over the same variables can be compared; {odd!r} is in one of them alone")
    old, new = set(first.edges), set(second.edges)
    turned = {(a, b) for a, b in old if (b, a) in new}
    one, two = first.cpdag(), second.cpdag()
    return Difference(
        added=tuple(sorted(e for e in new - old if (e[1], e[0]) not in turned)),
        missing=tuple(sorted(old - new - turned)),
        reversed=tuple(sorted(turned)),
        shd_class=_class_distance(one.compelled, one.reversible, two.compelled, two.reversible),
        same_class=one == two,
    )


def _class_distance(
    compelled: frozenset[Edge], reversible: frozenset[Edge], compelled2: frozenset[Edge], reversible2: frozenset[Edge]
) -> int:
    """Pairs of variables that are joined differently in two CPDAGs."""

    def joints(arrows: frozenset[Edge], lines: frozenset[Edge]) -> dict[Edge, str]:
        kinds = {(min(e), max(e)): ">" if e[0] < e[1] else "<" for e in arrows}
        return kinds | dict.fromkeys(lines, "-")

    one, two = joints(compelled, reversible), joints(compelled2, reversible2)
    return sum(one.get(pair) != two.get(pair) for pair in one.keys() | two.keys())

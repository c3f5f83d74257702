"""A Bayesian network structure: variables and their parents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sabna.errors import UsageError


class Network:
    """A directed acyclic graph over named variables.

    >>> net = Network(["rain", "sprinkler", "wet"], {"wet": ["rain", "sprinkler"]})
    >>> net.edges
    (('rain', 'wet'), ('sprinkler', 'wet'))
    >>> net.order
    ('rain', 'sprinkler', 'wet')
    """

    def __init__(self, variables: Iterable[str], parents: Mapping[str, Iterable[str]]) -> None:
        self.variables = tuple(variables)
        position = {name: k for k, name in enumerate(self.variables)}
        if len(position) != len(self.variables):
            raise UsageError("a network's variables must have different names")
        unknown = [name for name in parents if name not in position]
        unknown += [p for ps in parents.values() for p in ps if p not in position]
        if unknown:
            raise UsageError(f"unknown variable {unknown[0]!r} in a network of {len(self.variables)} variables")
        self.parents = {
            name: tuple(sorted(set(parents.get(name, ())), key=position.__getitem__)) for name in self.variables
        }
        self.order = self._topological_order()

    def _topological_order(self) -> tuple[str, ...]:
        """Parents first; among those ready, in the order of `variables`."""
        order: list[str] = []
        placed: set[str] = set()
        waiting = list(self.variables)
        while waiting:
            ready = [v for v in waiting if placed.issuperset(self.parents[v])]
            if not ready:
                raise UsageError(f"a network must have no cycle; one runs through {waiting[0]!r}")
            order += ready
            placed.update(ready)
            waiting = [v for v in waiting if v not in placed]
        return tuple(order)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All (parent, child) pairs, by child."""
        return tuple((p, child) for child in self.variables for p in self.parents[child])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Network) and self.variables == other.variables and self.parents == other.parents

    def __hash__(self) -> int:
        return hash((self.variables, tuple(self.parents.values())))

    def __repr__(self) -> str:
        return f"Network({len(self.variables)} variables, {len(self.edges)} edges)"

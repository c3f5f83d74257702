"""What `posterior` returns: probabilities of edges, and networks to ask about anything else.

Exact answers are sums over all networks (core/posterior/); the networks are independent draws, so the share of the
draws that have some feature is an estimate with a known standard error. Beyond the sizes that allows, both come from
the k best networks: their weights relative to each other, of which nobody knows what share of the whole they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import UsageError
from sabna.base.varsets import members
from sabna.base.version import __version__
from sabna.network import Network
from sabna.table.missing import account_text

Edge = tuple[str, str]
Path = tuple[Edge, float, float | None]  # from and to, probability, standard error

# Printed text has so many lines of pairs, and none for pairs below this; the rest is in the JSON object.
MOST_LINES = 40
LEAST_SHOWN = 0.005

PRIORS = {
    "uniform": "uniform over networks: every network counts once",
    "order": "order-modular: a network counts once for every order of the variables that it agrees with",
}


@dataclass(frozen=True, eq=False)
class Posterior:
    """Posterior probabilities of edges. `edges[u, v]` is that of the edge from variable u to variable v, by position.

    `exact`: over all networks, as `prior` counts them; `log_total` is then the logarithm of the sum of exp(score) over
    them. Otherwise over the k best networks, relative to each other. `drawn` has the parents of the networks that
    features are asked of, bit sets [network, variable, word], and `weights` what each counts; together 1.
    """

    names: tuple[str, ...]
    edges: NDArray[np.float64]
    score: str
    prior: str
    exact: bool
    drawn: NDArray[np.uint64]
    weights: NDArray[np.float64]
    log_total: float | None = None
    rows: int | None = None
    statistics: dict[str, Any] = field(default_factory=dict)

    def probability(self, parent: str, child: str) -> float:
        """That of the edge from parent to child."""
        return float(self.edges[self._position(parent), self._position(child)])

    @cached_property
    def edge_probabilities(self) -> dict[Edge, float]:
        """By edge (parent, child), the most probable first; those of probability 0 are left out."""
        pairs = ((p, c, float(self.edges[u, v])) for u, p in enumerate(self.names) for v, c in enumerate(self.names))
        return {(p, c): x for p, c, x in sorted(pairs, key=lambda item: (-item[2], item[:2])) if x > 0}

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The networks drawn, or the k best."""
        return tuple(Network(self.names, parents) for parents in self._parents())

    def feature(self, holds: Callable[[Network], bool]) -> tuple[float, float | None]:
        """The probability that `holds(network)` is true, and its standard error (None if it is over the k best)."""
        return self._share(np.array([bool(holds(network)) for network in self.networks]))

    def path(self, start: str, end: str) -> tuple[float, float | None]:
        """The probability of a directed path from start to end, and its standard error, as `feature`."""
        self._position(start), self._position(end)
        if start == end:
            raise UsageError(f"path from {start!r} to itself: networks have no cycles; name two variables")
        return self._share(np.array([_leads(parents, start, end) for parents in self._parents()]))

    def to_dict(self, paths: list[Path] | None = None) -> dict[str, Any]:
        """The JSON object of `sabna posterior`."""
        return {
            "status": "done",
            "exact": self.exact,
            "prior": self.prior,
            "score_type": self.score,
            "n": len(self.names),
            "rows": self.rows,
            "log_total": self.log_total,
            "networks": len(self.weights),
            "pairs": [
                {"a": a, "b": b, "a_to_b": forth, "b_to_a": back, "none": none}
                for a, b, forth, back, none in self._pairs
            ],
            "paths": [
                {"from": a, "to": b, "probability": p, "standard_error": error} for (a, b), p, error in paths or ()
            ],
            **self.statistics,
            "version": __version__,
        }

    def __str__(self) -> str:
        if self.exact:
            head = [
                f"posterior probabilities over all networks of {len(self.names)} variables",
                f"prior {PRIORS[self.prior]}; score {self.score}",
            ]
        else:
            first, last = self.weights[0], self.weights[-1]
            head = [
                f"the {len(self.weights):,} best networks of {len(self.names)} variables, relative to each other",
                "not probabilities: what share of all networks' weight these have is not known",
                f"of their weight the best has {first:.2%}, the last {last:.2%}; score {self.score}",
            ]
        used = account_text(self.statistics)
        head += [used] if used else []
        shown = [pair for pair in self._pairs if 1 - pair[4] >= LEAST_SHOWN]
        width = max([len("pair"), *(len(f"{a} - {b}") for a, b, *_ in shown[:MOST_LINES])])
        lines = [f"  {'a - b':{width}}   a -> b   b -> a     none"]
        lines += [
            f"  {f'{a} - {b}':{width}}  {forth:7.1%}  {back:7.1%}  {none:7.1%}"
            for a, b, forth, back, none in shown[:MOST_LINES]
        ]
        left = len(shown) - MOST_LINES
        lines += [f"  and {left} more"] if left > 0 else []
        hidden = len(self._pairs) - len(shown)
        lines += [f"  pairs joined with less than {LEAST_SHOWN:.1%}: {hidden}"] if hidden else []
        return "\n".join([*head, *lines])

    @cached_property
    def _pairs(self) -> list[tuple[str, str, float, float, float]]:
        """a, b, the probabilities of a -> b, b -> a and neither; the pairs most probably joined first."""
        out = []
        for u, a in enumerate(self.names):
            for v, b in enumerate(self.names[:u]):
                forth, back = float(self.edges[v, u]), float(self.edges[u, v])
                out.append((b, a, forth, back, max(0.0, 1 - forth - back)))
        return sorted(out, key=lambda pair: (pair[4], pair[:2]))

    def _position(self, name: str) -> int:
        if name not in self.names:
            raise UsageError(f"there is no variable {name!r}; check its name")
        return self.names.index(name)

    def _parents(self) -> Iterator[dict[str, list[str]]]:
        for sets in self.drawn:
            yield {v: [self.names[p] for p in members(s)] for v, s in zip(self.names, sets, strict=True)}

    def _share(self, holds: NDArray[np.bool_]) -> tuple[float, float | None]:
        if not len(holds):
            raise UsageError("no networks were drawn to ask; call posterior with samples, such as samples=1000")
        share = min(1.0, float(self.weights[holds].sum()))
        return share, math.sqrt(share * (1 - share) / len(holds)) if self.exact else None


def _leads(parents: dict[str, list[str]], start: str, end: str) -> bool:
    """Whether a directed path leads from start to end."""
    above, waiting = set[str](), [end]
    while waiting:
        for parent in parents[waiting.pop()]:
            if parent == start:
                return True
            if parent not in above:
                above.add(parent)
                waiting.append(parent)
    return False

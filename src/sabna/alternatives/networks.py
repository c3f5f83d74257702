"""Networks near the best, as `kbest` returns them: their scores, weights, equivalence classes and edges.

A list of the k best may end inside a tie: networks as good as the last one are missing, and which of them are listed is
chance (the order of the columns decides). `cut_in_tie` says so. Frequencies of edges must not depend on that chance, so
they are over sets of networks that nothing is missing from: all networks that score as the last one listed or better,
listed or not, where these could be found; otherwise the networks at the head of the list up to where it is complete.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import UsageError
from sabna.base.varsets import members
from sabna.base.version import __version__
from sabna.network import Network
from sabna.parents.graph import ParentGraph
from sabna.result.views import view
from sabna.table.missing import account_text

Edge = tuple[str, str]

# Printed text has so many lines of edges; the rest is in `edge_frequencies` and in the JSON object.
MOST_LINES = 40


@dataclass(frozen=True)
class EquivalenceClass:
    """Networks among the alternatives that state the same independencies: their positions, and their joint weight."""

    networks: tuple[int, ...]
    weight: float


@dataclass(frozen=True, eq=False)
class Alternatives:
    """Networks near the best, cheapest first.

    `complete`: every network within `bayes_factor` of the best is here (of the k best: there are no others). `weights`
    are the scores as probabilities: proportional to exp(score), 1 in total over the networks listed.

    `complete_factor`: nothing within this Bayes factor of the best is missing; None if that is not known. `status` is
    "done", or what ended the run: "time_limit", "memory_limit", "interrupted". Then the first network is a best one and
    the others are within what was asked for, but of those beyond `complete_factor` some are missing.

    `cut_in_tie`: networks that score exactly as the last one are missing from the list. `within` is `complete_factor`
    in quanta, -1 if not known; `closure` has costs and choices of all networks that score as the last one or better,
    where the list is cut in a tie and they could be found.
    """

    graph: ParentGraph
    cost_quanta: NDArray[np.int64]
    choices: NDArray[np.int64]
    complete: bool
    bayes_factor: float | None = None
    statistics: dict[str, Any] = field(default_factory=dict)
    status: str = "done"
    complete_factor: float | None = None
    within: int = -1
    cut_in_tie: bool = False
    closure: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self.cost_quanta)

    @property
    def scores(self) -> NDArray[np.float64]:
        """Scores with their usual sign, best first."""
        return -self.cost_quanta / QUANTA_PER_NAT

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """exp(score), normalised."""
        return _weights(self.cost_quanta)

    @property
    def tied_not_listed(self) -> int | None:
        """How many networks that score exactly as the last one are missing from the list; None if not known."""
        if not self.cut_in_tie:
            return 0
        return None if self.closure is None else len(self.closure[0]) - len(self)

    @cached_property
    def _counted(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Costs and choices of what edges are counted over: no network as good as one of these is missing."""
        if self.closure is not None:
            return self.closure
        upto = np.searchsorted(self.cost_quanta, self.cost_quanta[0] + self.within, side="right")
        return self.cost_quanta[:upto], self.choices[:upto]

    @property
    def counted(self) -> int:
        """How many networks `edge_frequencies` are over; 0 if networks as good as the best are missing."""
        return len(self._counted[0])

    @cached_property
    def _members(self) -> dict[int, tuple[int, ...]]:
        """The parent sets that occur, by position: few, while networks are many."""
        used = np.union1d(self.choices, self._counted[1])
        return {int(at): members(self.graph.sets[at]) for at in used}

    @cached_property
    def _names(self) -> dict[int, list[str]]:
        return {at: [self.graph.names[p] for p in parents] for at, parents in self._members.items()}

    def _parents(self, k: int) -> dict[str, list[str]]:
        return {v: self._names[at] for v, at in zip(self.graph.names, self.choices[k].tolist(), strict=True)}

    def network(self, k: int) -> Network:
        """The k-th best network, from 0."""
        return Network(self.graph.names, self._parents(k))

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """All of them, best first."""
        return tuple(self.network(k) for k in range(len(self)))

    @cached_property
    def edge_frequencies(self) -> dict[Edge, float]:
        """For every edge (parent, child) the weight of the networks that have it; heaviest first.

        Over `counted` networks: all that score as the last one listed or better, whether they are listed or not; if
        these could not be found, those up to where the list is complete. So the order of the columns does not matter.
        """
        costs, choices = self._counted
        if not len(costs):
            return {}
        names, weights, out = self.graph.names, _weights(costs), dict[Edge, float]()
        for child, column in zip(names, choices.T, strict=True):
            used, where = np.unique(column, return_inverse=True)
            for at, weight in zip(used, np.bincount(where, weights), strict=True):
                for p in self._members[int(at)]:
                    out[names[p], child] = out.get((names[p], child), 0.0) + float(weight)
        shares = {edge: min(weight, 1.0) for edge, weight in out.items()}  # sums of shares end beside 1
        return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))

    @cached_property
    def classes(self) -> tuple[EquivalenceClass, ...]:
        """The Markov equivalence classes of the networks, in the order of their best."""
        found: dict[Any, list[int]] = {}
        for k in range(len(self)):
            found.setdefault(self._class_key(k), []).append(k)
        return tuple(EquivalenceClass(tuple(ks), min(float(self.weights[ks].sum()), 1.0)) for ks in found.values())

    def _class_key(self, k: int) -> tuple[frozenset[Any], frozenset[Any]]:
        """Skeleton and v-structures: equal for equivalent networks and for no others (Verma, Pearl 1990)."""
        parents = [self._members[at] for at in self.choices[k].tolist()]
        skeleton = frozenset((min(i, p), max(i, p)) for i, ps in enumerate(parents) for p in ps)
        colliders = frozenset(
            (a, i, b) for i, ps in enumerate(parents) for a in ps for b in ps if a < b and (a, b) not in skeleton
        )
        return skeleton, colliders

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `sabna kbest`."""
        best = int(self.cost_quanta[0])
        class_of = {k: c for c, group in enumerate(self.classes) for k in group.networks}
        return {
            "status": self.status,
            "complete": self.complete,
            "complete_factor": self.complete_factor,
            "bayes_factor": self.bayes_factor,
            "count": len(self),
            "cut_in_tie": self.cut_in_tie,
            "tied_not_listed": self.tied_not_listed,
            "score": -best / QUANTA_PER_NAT,
            "n": self.graph.n,
            "rows": self.graph.rows,
            "score_type": self.graph.score,
            "networks": [
                {
                    "score": -int(cost) / QUANTA_PER_NAT,
                    "weight": float(self.weights[k]),
                    "class": class_of[k],
                    "parents": self._parents(k),
                }
                for k, cost in enumerate(self.cost_quanta)
            ],
            "classes": [{"networks": list(c.networks), "weight": c.weight} for c in self.classes],
            "counted": self.counted,
            "edges": [{"parent": p, "child": c, "frequency": f} for (p, c), f in self.edge_frequencies.items()],
            **self.statistics,
            "version": __version__,
        }

    def plot(self, ax: Any = None, kind: str = "matrix") -> Any:
        """Draw the frequencies of edges with matplotlib (extra `plot`), as a `matrix` or on a `graph`; returns axes.

        On the graph stand the links that half of the networks have, wider where more have them.
        """
        if kind not in ("matrix", "graph"):
            raise UsageError(f"kind {kind!r}: write matrix or graph")
        return view("matrix" if kind == "matrix" else "frequencies")(self.graph.names, self.edge_frequencies, ax)

    def __str__(self) -> str:
        within = "" if self.bayes_factor is None else f" within a Bayes factor of {self.bayes_factor:g}"
        which = "all" if self.complete else "the best" if self.status == "done" else "some"
        classes = "1 equivalence class" if len(self.classes) == 1 else f"{len(self.classes):,} equivalence classes"
        head = f"{which} {len(self):,} networks{within}, in {classes}"
        if self.status != "done":
            upto = (
                "" if self.complete_factor is None else f"; all within a factor of {self.complete_factor:.3g} are here"
            )
            head = f"stopped ({self.status.replace('_', ' ')}): the best network, and others near it{upto}\n{head}"
        used = account_text(self.statistics)
        lines = [head, *([used] if used else []), f"scores {self.scores[0]:.4f} to {self.scores[-1]:.4f}"]
        if self.cut_in_tie:
            missing = "too many to count" if self.tied_not_listed is None else f"{self.tied_not_listed:,}"
            lines.append(
                f"the list is cut inside a tie; networks as good as its last one that it leaves out: {missing}"
            )
        lines.append(self._edges_title())
        lines += [f"  {f:6.1%}  {p} -> {c}" for (p, c), f in list(self.edge_frequencies.items())[:MOST_LINES]]
        left = len(self.edge_frequencies) - MOST_LINES
        return "\n".join([*lines, *([f"  and {left} more"] if left > 0 else [])])

    def _edges_title(self) -> str:
        if self.counted == 0:
            return "edges by weight: not given, as networks as good as the best are missing from the list"
        if self.counted == len(self):
            return "edges by weight:"
        upto = "as the last one listed" if self.closure is not None else "as the last complete ones"
        return f"edges by weight, over all {self.counted:,} networks that score {upto} or better:"


def _weights(costs: NDArray[np.int64]) -> NDArray[np.float64]:
    raw = np.exp((costs[0] - costs) / QUANTA_PER_NAT)
    out: NDArray[np.float64] = raw / raw.sum()
    return out

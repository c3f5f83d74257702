"""The k best networks, and all networks within a Bayes factor of the best: how much the data leaves open.

Exact, each network once; how, stands in core/alternatives/. The parent graph must list every set that such a network
can use, also sets that a subset beats by a little: it is built with slack (core/parents/slack.h). For a Bayes factor
the slack is its logarithm. For the k best it is guessed and enlarged until the k best lie within it, which proves that
no better network was missed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.alternatives.listing import list_networks
from sabna.alternatives.nearbest import NearBest
from sabna.base.cost import LARGEST_SLACK, QUANTA_PER_NAT
from sabna.base.errors import DataError, Interrupted, KnowledgeError, LimitReached, UsageError
from sabna.base.limits import Limits
from sabna.base.stop import STATUSES
from sabna.base.varsets import members
from sabna.base.version import __version__
from sabna.network import Network
from sabna.parents.build import build_parent_graph
from sabna.parents.checks import check_graph
from sabna.parents.graph import ParentGraph
from sabna.parents.knowledge import Knowledge
from sabna.result.result import Result
from sabna.scores.reading import read_for_score
from sabna.table import NumericTable, Table

# With a Bayes factor at most so many networks are listed; `complete` tells whether that was all.
AT_MOST = 100_000
# The first guess of the slack for the k best, in nats above ln k; doubled until it is enough.
FIRST_SLACK = 2.0
# While there are fewer than k networks within the slack and a larger one brings no further sets, it grows by this.
FASTER = 16

# Up to so many variables all sets within the slack are built at once; that takes no time.
SMALL = 8

# Factors beyond exp of this are not told apart.
LARGEST_EXPONENT = 700.0

# Options of `kbest` that a result knows: how its table was scored, and how it was read.
SCORING = ("score", "max_parents", "equivalent_sample_size", "alpha_mu", "alpha_w", "knowledge")
READING = ("categorical", "discretize", "missing")

Edge = tuple[str, str]


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
    """

    graph: ParentGraph
    cost_quanta: NDArray[np.int64]
    choices: NDArray[np.int64]
    complete: bool
    bayes_factor: float | None = None
    statistics: dict[str, Any] = field(default_factory=dict)
    status: str = "done"
    complete_factor: float | None = None

    def __len__(self) -> int:
        return len(self.cost_quanta)

    @property
    def scores(self) -> NDArray[np.float64]:
        """Scores with their usual sign, best first."""
        return -self.cost_quanta / QUANTA_PER_NAT

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """exp(score), normalised."""
        raw = np.exp((self.cost_quanta[0] - self.cost_quanta) / QUANTA_PER_NAT)
        out: NDArray[np.float64] = raw / raw.sum()
        return out

    @cached_property
    def _members(self) -> dict[int, tuple[int, ...]]:
        """The parent sets that occur, by position: few, while networks are many."""
        return {int(at): members(self.graph.sets[at]) for at in np.unique(self.choices)}

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
        """For every edge (parent, child) of some network the weight of the networks that have it; heaviest first."""
        names, out = self.graph.names, dict[Edge, float]()
        for child, column in zip(names, self.choices.T, strict=True):
            used, where = np.unique(column, return_inverse=True)
            for at, weight in zip(used, np.bincount(where, self.weights), strict=True):
                for p in self._members[int(at)]:
                    out[names[p], child] = out.get((names[p], child), 0.0) + float(weight)
        return dict(sorted(out.items(), key=lambda item: (-item[1], item[0])))

    @cached_property
    def classes(self) -> tuple[EquivalenceClass, ...]:
        """The Markov equivalence classes of the networks, in the order of their best."""
        found: dict[Any, list[int]] = {}
        for k in range(len(self)):
            found.setdefault(self._class_key(k), []).append(k)
        return tuple(EquivalenceClass(tuple(ks), float(self.weights[ks].sum())) for ks in found.values())

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
            "edges": [{"parent": p, "child": c, "frequency": f} for (p, c), f in self.edge_frequencies.items()],
            **self.statistics,
            "version": __version__,
        }

    def __str__(self) -> str:
        within = "" if self.bayes_factor is None else f" within a Bayes factor of {self.bayes_factor:g}"
        which = "all" if self.complete else "the best" if self.status == "done" else "some"
        head = f"{which} {len(self):,} networks{within}, in {len(self.classes):,} equivalence classes"
        if self.status != "done":
            upto = (
                "" if self.complete_factor is None else f"; all within a factor of {self.complete_factor:.3g} are here"
            )
            head = f"stopped ({self.status.replace('_', ' ')}): the best network, and others near it{upto}\n{head}"
        lines = [head, f"scores {self.scores[0]:.4f} to {self.scores[-1]:.4f}", "edges by weight:"]
        lines += [f"  {f:6.1%}  {p} -> {c}" for (p, c), f in list(self.edge_frequencies.items())[:40]]
        left = len(self.edge_frequencies) - 40
        return "\n".join([*lines, *([f"  and {left} more"] if left > 0 else [])])


def kbest(
    data: Any,
    k: int = 10,
    *,
    bayes_factor: float | None = None,
    score: str = "bic",
    max_parents: int | Mapping[str, int] | None = None,
    equivalent_sample_size: float | None = None,
    alpha_mu: float | None = None,
    alpha_w: float | None = None,
    knowledge: Any = None,
    categorical: Iterable[str] = (),
    discretize: str | Mapping[str, str] | Iterable[str] = "none",
    missing: str = "error",
    at_most: int = AT_MOST,
    time_limit: float | None = None,
    memory_limit: str | int | None = None,
    n_jobs: int = -1,
    progress: Callable[[dict[str, Any]], None] | None = None,
    limits: Limits | None = None,
) -> Alternatives:
    """The k best networks of a table, or with `bayes_factor` all networks within that factor of the best.

    `data` and the options to `missing` are those of `learn`. Given a ParentGraph, its parent sets are
    taken as the only ones there are.

    >>> found = kbest("example:asia", k=3)
    >>> len(found), bool(found.scores[0] >= found.scores[2])
    (3, True)
    """
    limits = limits or Limits.of(time_limit, memory_limit)
    if isinstance(data, ParentGraph):
        if knowledge is not None or max_parents is not None:
            raise UsageError("knowledge and max_parents: give them where the parent graph is built, not with the graph")
        check_graph(data)
        return alternatives_of(lambda slack: data, k, bayes_factor, at_most, limits, progress, n_jobs)

    table = read_for_score(data, score, categorical=categorical, discretize=discretize, missing=missing)

    options = {
        "max_parents": max_parents,
        "equivalent_sample_size": equivalent_sample_size,
        "knowledge": _constants_apart(table, knowledge),
    }
    options |= {name: value for name, value in {"alpha_mu": alpha_mu, "alpha_w": alpha_w}.items() if value is not None}
    if NearBest.fits(score) and table.n > SMALL:
        near = NearBest(table, score, options, limits, n_jobs, progress)
        try:
            return alternatives_of(near.graph, k, bayes_factor, at_most, limits, progress, n_jobs)
        except LimitReached as error:
            if near.plain is None or near.best is None:
                raise
            cost = near.plain.costs[near.best].sum(keepdims=True)
            seconds = {"seconds": limits.elapsed()}
            return Alternatives(near.plain, cost, near.best.reshape(1, -1), False, bayes_factor, seconds, error.status)

    def build_all(slack: float) -> ParentGraph:
        return build_parent_graph(table, score, **options, slack=slack, n_jobs=n_jobs, progress=progress, limits=limits)

    return alternatives_of(build_all, k, bayes_factor, at_most, limits, progress, n_jobs)


def alternatives_like(result: Result, data: Any, k: int = 10, **options: Any) -> Alternatives:
    """The alternatives of `data` under the options that `result` was learned with; see `Result.alternatives`."""
    if isinstance(data, ParentGraph):
        check_graph(data)
        limits = Limits.of(options.pop("time_limit", None), options.pop("memory_limit", None))
        bayes_factor, at_most = options.pop("bayes_factor", None), options.pop("at_most", AT_MOST)
        return alternatives_of(partial(listed_with_slack, data), k, bayes_factor, at_most, limits, **options)
    learned = result.run.get("options")
    if learned is None:
        raise UsageError(
            "this result came from a parent graph and does not know how the data was scored; use sabna.kbest with the "
            "data and its options, or give the parent graph, built with slack"
        )
    if isinstance(data, Table | NumericTable):  # read already
        learned = {name: value for name, value in learned.items() if name not in READING}
    return kbest(data, k, **{name: learned[name] for name in (*SCORING, *READING) if name in learned}, **options)


def listed_with_slack(graph: ParentGraph, slack: float) -> ParentGraph:
    """The graph, if it lists all that networks within `slack` nats of the best can use."""
    if graph.parameters.get("slack", -1.0) >= slack:
        return graph
    raise UsageError(
        "alternatives need parent sets that a subset beats by a little, which this parent graph does not list; use "
        "sabna.kbest with the data, or build the graph with slack"
    )


def _constants_apart(table: Any, knowledge: Any) -> Any:
    """The knowledge, and that columns with a single value are alone.

    Edges to and from them cost nothing under most scores: every network would be there 2^edges times.
    """
    known = Knowledge.of(knowledge)
    spoken_for = {v for edge in known.required for v in edge}
    arities = getattr(table, "arities", ())
    constant = [v for v, r in zip(table.names, arities, strict=False) if r == 1 and v not in spoken_for]
    if not constant:
        return knowledge
    roots, leaves = dict.fromkeys([*known.roots, *constant]), dict.fromkeys([*known.leaves, *constant])
    return Knowledge(**{**known.to_dict(), "roots": list(roots), "leaves": list(leaves)})


def alternatives_of(
    build: Callable[[float], ParentGraph],
    k: int,
    bayes_factor: float | None,
    at_most: int,
    limits: Limits,
    progress: Callable[[dict[str, Any]], None] | None = None,
    n_jobs: int = -1,
) -> Alternatives:
    """The alternatives of the parent graph that `build` makes for a slack in nats."""
    if bayes_factor is not None:
        if not 1 <= bayes_factor < math.inf:
            raise UsageError(f"Bayes factor {bayes_factor!r}: write a number, 1 or more")
        slack = math.log(bayes_factor)
        return _enumerate(build(slack), at_most, slack, bayes_factor, limits, progress, n_jobs)
    if k < 1:
        raise UsageError(f"k {k!r}: write a number of networks, 1 or more")
    slack, before, found = math.log(k) + FIRST_SLACK, -1, None
    while True:
        try:
            graph = build(slack)
        except DataError:  # sets so dear that their costs cannot be added up; what was found without them stands
            if found is None:
                raise
            return replace(found, complete=False)
        found = _enumerate(graph, k, slack, None, limits, progress, n_jobs)
        if len(found) >= k or found.status != "done" or slack * QUANTA_PER_NAT > LARGEST_SLACK:
            return found
        slack, before = slack * (FASTER if len(graph) == before else 2), len(graph)


def _enumerate(
    graph: ParentGraph,
    count: int,
    slack: float,
    bayes_factor: float | None,
    limits: Limits,
    progress: Callable[[dict[str, Any]], None] | None,
    n_jobs: int,
) -> Alternatives:
    began = limits.elapsed()
    quanta = min(round(slack * QUANTA_PER_NAT), LARGEST_SLACK)
    listed = list_networks(graph, count, quanta, limits, progress, n_jobs)
    status = "done" if listed.stop == 0 else STATUSES[listed.stop]
    if not len(listed.costs):
        if status == "interrupted":
            raise Interrupted("interrupted before there was a network")
        if status != "done":
            raise LimitReached(f"the {status.replace('_', ' ')} struck before there was a network; raise it", status)
        raise KnowledgeError("no network can be made of these parent sets")
    statistics = {
        "parent_graph": {"sets": len(graph), **graph.statistics},
        "alternatives": {"visited": listed.visited, "slack": slack, "seconds": limits.elapsed() - began},
        "seconds": limits.elapsed(),
    }
    factor = math.exp(min(listed.within / QUANTA_PER_NAT, LARGEST_EXPONENT)) if listed.within >= 0 else None
    factor = bayes_factor if listed.complete and bayes_factor is not None else factor
    found = Alternatives(graph, listed.costs, listed.choices, listed.complete, bayes_factor, statistics, status, factor)
    if status == "interrupted":
        raise Interrupted("interrupted; the networks listed so far are in `result`", found)
    return found

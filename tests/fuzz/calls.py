"""The calls of a sequence: what each asks of the package, and what it must answer.

A `Session` walks through a sequence. It holds the parent graph of the package beside the lists of the model; every
comparison of the two is counted. A `Mismatch`, or any exception that is not expected, is a failure.
"""

from __future__ import annotations

import math
import pickle
import random
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import sabna
from sabna.base.errors import KnowledgeError, LimitReached
from sabna.parents.graph import ParentGraph
from sabna.searching import decisions

from ..slow_scorer import ESS, slow_cost
from . import model
from .problems import QUANTA_PER_NAT, Problem

Call = tuple[str, dict[str, Any]]

# Combinations of parent sets up to which all networks are listed by the model.
MOST_COMBINATIONS = 3000
# The model's scorer works in floating point.
SCORER_ERROR = 1e-6
# Makes `auto` go the long way on small problems: no dense tables, small groups, the group program early.
LONG_WAY = {"DENSE_AT_ONCE": 0, "DENSE_MOST": 0, "GROUP_SIZES": (3, 4, 5), "SMALL_GROUP": 3, "GROUPS_FROM": 5}


class Mismatch(AssertionError):
    """The package and the model disagree."""


def random_calls(rng: random.Random, problem: Problem) -> list[Call]:
    """A sequence that fits the problem."""
    calls: list[Call] = []
    for _ in range(rng.randint(6, 16)):
        kind = rng.choices(("search", "limited", "kbest", "file", "pickle", "learn"), (20, 2, 2, 2, 1, 2))[0]
        if kind == "learn" and not problem.columns:
            kind = "search"
        if kind in ("search", "learn"):
            calls.append((kind, _random_options(rng)))
        elif kind == "limited":
            limit = rng.choice(({"time_limit": 0}, {"time_limit": 0.001}, {"memory_limit": "1MB"}))
            calls.append((kind, {**_random_options(rng), **limit}))
        elif kind == "kbest":
            asked = {"bayes_factor": rng.choice((1, 3.0, 1e6))} if rng.random() < 0.4 else {"k": rng.randint(1, 12)}
            calls.append((kind, asked))
        elif kind == "file":
            calls.append((kind, {"suffix": rng.choice((".pg", ".jkl", ".pss"))}))
        else:
            calls.append((kind, {}))
    return calls


def _random_options(rng: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {"strategy": rng.choice(("auto", "long way", "astar", "astar", "bfs"))}
    if options["strategy"] in ("astar", "bfs"):
        options["heuristic"] = rng.choice(("simple", "simple", "pattern", "cuts", "dual-pattern"))
        for switch in ("path_extension", "upper_bound"):
            if rng.random() < 0.4:
                options[switch] = False
        for switch in ("components", "scc_branching"):
            if rng.random() < 0.3:
                options[switch] = True
        if options["heuristic"] == "pattern" and rng.random() < 0.3:
            options["pattern_groups"] = rng.randint(1, 3)
            options["pattern_grouping"] = rng.choice(("affinity", "order", "interleave"))
    if rng.random() < 0.5:
        options["gap_tolerance"] = rng.choice((0, 0, 0.5))
    if rng.random() < 0.2:
        options["seed"] = rng.randrange(100)
    options["n_jobs"] = rng.choice((1, 1, 1, 2))
    return options


@contextmanager
def _way(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The options as the package takes them; `auto` forced to the long way where asked for."""
    if options.get("strategy") != "long way":
        yield options
        return
    before = {name: getattr(decisions, name) for name in LONG_WAY}
    try:
        for name, value in LONG_WAY.items():
            setattr(decisions, name, value)
        yield {**options, "strategy": "auto"}
    finally:
        for name, value in before.items():
            setattr(decisions, name, value)


def arrays_of(lists: model.Lists) -> ParentGraph:
    """A parent graph as a program would make it by hand: undominated sets, cheapest first."""
    offsets, costs, sets = [0], list[int](), list[int]()
    for entries in lists:
        kept = sorted(model.not_beaten(entries).items(), key=lambda item: (item[1], item[0]))
        costs += [cost for _, cost in kept]
        sets += [bits for bits, _ in kept]
        offsets.append(len(costs))
    names = tuple(f"X{i}" for i in range(len(lists)))
    words = np.array(sets, np.uint64).reshape(-1, 1)
    return ParentGraph(names, np.array(offsets, np.int64), np.array(costs, np.int64), words)


class Session:
    """A problem in the package and in the model, side by side."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.answers, self.comparisons = problem, 0, 0
        self.known = problem.knowledge
        self.from_text = False  # whether the graph was read from a file that does not record what it was built under
        self.graph: ParentGraph | None = None
        self.table: sabna.Table | None = None
        if problem.columns:
            self.score_table()
        else:
            self.graph = arrays_of(problem.lists)
            self.lists = [model.not_beaten(entries) for entries in problem.lists]
        self.allowed = model.obeying(self.lists, problem.names, self.known)
        self.best = model.optimum(self.allowed)

    def run(self, calls: list[Call]) -> None:
        """All calls, one after the other."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, options in calls:
                if self.graph is None:  # the knowledge contradicts itself, which was told while scoring
                    return
                getattr(self, f"call_{name}")(**options)
                self.answers += 1

    def equal(self, what: str, got: Any, want: Any) -> None:
        """Compare, and count."""
        self.comparisons += 1
        if got != want:
            raise Mismatch(f"{what}: {got!r}, the model says {want!r}")

    def holds(self, what: str, condition: bool) -> None:
        """Compare, and count."""
        self.comparisons += 1
        if not condition:
            raise Mismatch(what)

    # Scoring.

    def score_table(self) -> None:
        """The parent graph of the table; every listed cost and every set left out, against the model's scorer."""
        problem = self.problem
        codes = np.array(problem.columns, dtype=np.uint16)
        states = tuple(tuple(str(s) for s in range(max(column) + 1)) for column in problem.columns)
        self.table = sabna.Table(tuple(problem.names), codes, states)
        self.size = {"equivalent_sample_size": ESS} if problem.score == "bdeu" else {}
        exact: model.Lists = []
        for i in range(problem.n):
            sets = [bits for bits in range(1 << problem.n) if not bits >> i & 1]
            exact.append({bits: self.slow(i, bits) for bits in sets})
        allowed = model.obeying(exact, problem.names, self.known)
        try:
            self.graph = sabna.build_parent_graph(
                self.table, problem.score, knowledge=self.known or None, n_jobs=1, **self.size
            )
        except KnowledgeError:
            self.holds("a network obeys the knowledge", model.optimum(allowed) is None)
            self.lists = [{} for _ in range(problem.n)]
            return
        self.lists = []
        for i in range(problem.n):
            listed = {sum(1 << p for p in parents): cost for cost, parents in self.graph.parent_sets(i)}
            self.compare_list(i, listed, allowed[i])
            self.lists.append(listed)

    def slow(self, i: int, bits: int) -> int:
        assert self.table is not None
        parents = tuple(p for p in range(self.problem.n) if bits >> p & 1)
        return round(slow_cost(self.table, i, parents, self.problem.score) * QUANTA_PER_NAT)

    def compare_list(self, i: int, listed: dict[int, int], exact: dict[int, int]) -> None:
        error = round(SCORER_ERROR * QUANTA_PER_NAT)
        for bits, cost in listed.items():
            near = bits in exact and abs(cost - exact[bits]) <= error
            self.holds(f"X{i}: the set {bits:b} costs {cost}, the model says {exact.get(bits)}", near)
        for bits, cost in exact.items():
            beaten = any(other & ~bits == 0 and theirs <= cost + error for other, theirs in listed.items())
            self.holds(f"X{i}: the set {bits:b} of cost {cost} is missing", beaten)

    # Calls.

    def call_search(self, **options: Any) -> None:
        """The best network, by any strategy."""
        with _way(options) as given:
            try:
                result = sabna.search(self.graph, knowledge=self.known or None, **given)
            except KnowledgeError:
                self.check_refusal()
                return
        self.check_result(result, options, finished=True)

    def call_learn(self, **options: Any) -> None:
        """From the table in one step."""
        with _way(options) as given:
            try:
                result = sabna.learn(self.table, self.problem.score, knowledge=self.known or None, **self.size, **given)
            except KnowledgeError:
                self.equal("no network", None, self.best)
                return
        self.check_result(result, options, finished=True)

    def call_limited(self, **options: Any) -> None:
        """A run that is stopped: a network and bounds all the same."""
        with _way(options) as given:
            try:
                result = sabna.search(self.graph, knowledge=self.known or None, **given)
            except KnowledgeError:
                self.check_refusal()
                return
        self.check_result(result, options, finished=False)

    def check_refusal(self) -> None:
        """Refused: no network obeys, or sets with the required parents may be missing from a file of pruned lists."""
        if not (self.from_text and self.known.get("required")):
            self.equal("no network", None, self.best)

    def check_result(self, result: Any, options: dict[str, Any], finished: bool) -> None:
        best = self.best
        self.holds(f"{options}: a network of cost {result.cost_quanta} where none exists", best is not None)
        assert best is not None
        place = {name: i for i, name in enumerate(self.problem.names)}
        parents = tuple(sum(1 << place[p] for p in result.network.parents[v]) for v in self.problem.names)
        self.equal(f"{options}: cost of the network", result.cost_quanta, model.cost_of(self.allowed, parents))
        tolerance = math.floor(options.get("gap_tolerance", 1e-6) * QUANTA_PER_NAT)
        if finished:
            self.equal(f"{options}: status", result.status, "optimal")
        if result.status == "optimal":
            gap = result.cost_quanta - best
            self.holds(f"{options}: cost {result.cost_quanta}, the optimum is {best}", 0 <= gap <= tolerance)
        lower = result.lower_bound_quanta
        self.holds(f"{options}: lower bound {lower} above the optimum {best}", lower <= best)
        self.check_trace(result.statistics["trace"], best)
        again = sabna.Result.from_dict(result.to_dict())
        self.equal("cost from JSON", again.cost_quanta, result.cost_quanta)

    def check_trace(self, points: list[dict[str, Any]], best: int) -> None:
        truth, low, high = best / QUANTA_PER_NAT, -math.inf, math.inf
        for point in points:
            lower, upper = point["lower_bound"], point["upper_bound"]
            if lower is not None:
                self.holds(f"trace: lower bound {lower} after {low}, optimum {truth}", low <= lower <= truth)
                low = lower
            if upper is not None:
                self.holds(f"trace: upper bound {upper} after {high}, optimum {truth}", truth <= upper <= high)
                high = upper

    def call_kbest(self, **asked: Any) -> None:
        """The cheapest networks, against all of them."""
        lists = self.lists
        if math.prod(len(entries) for entries in lists) > MOST_COMBINATIONS:
            return
        costs = sorted(cost for cost, _ in model.networks(lists))
        try:
            found = sabna.kbest(self.graph, n_jobs=1, **asked)
        except KnowledgeError:
            self.equal("networks", [], costs)
            return
        if "bayes_factor" in asked:
            within = round(math.log(asked["bayes_factor"]) * QUANTA_PER_NAT)
            wanted = [cost for cost in costs if cost - costs[0] <= within]
        else:
            wanted = costs[: asked["k"]]
        self.equal(f"{asked}: costs", found.cost_quanta.tolist(), wanted)
        distinct = {tuple(sorted(n.edges)) for n in found.networks}
        self.equal(f"{asked}: different networks", len(distinct), len(wanted))
        if "k" in asked:
            self.holds(f"{asked}: complete", not found.complete or len(costs) <= asked["k"])

    def call_file(self, suffix: str) -> None:
        """The graph written and read again."""
        if self.best is None and model.optimum(self.lists) is None:
            return  # a file without a network is refused, as it should be
        assert self.graph is not None
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"graph{suffix}"
            self.graph.save(path)
            graph = sabna.read_parent_graph(path)
        for i, entries in enumerate(self.lists):
            listed = {sum(1 << p for p in parents): cost for cost, parents in graph.parent_sets(i)}
            self.equal(f"{suffix}: sets of X{i}", listed, entries)
        self.graph = graph
        self.from_text |= suffix != ".pg"

    def call_pickle(self) -> None:
        """The graph as another process gets it."""
        self.graph = pickle.loads(pickle.dumps(self.graph))


def failure_of(problem: Problem, calls: list[Call]) -> tuple[str, int, int]:
    """What went wrong ("" if nothing), how many calls were answered, and how many comparisons that took."""
    session = None
    failure = ""
    try:
        session = Session(problem)
        session.run(calls)
    except (Mismatch, LimitReached) as error:
        failure = str(error)
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
    return failure, session.answers if session else 0, session.comparisons if session else 0

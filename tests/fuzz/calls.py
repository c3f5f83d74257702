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
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

import sabna
from sabna.averaging.posterior import MARGINAL
from sabna.base.errors import DataError, KnowledgeError, LimitReached
from sabna.parents.graph import ParentGraph

from ..certificate.runs import verdict
from ..slow_scorer import ESS
from . import model
from .frequencies import MOST_RESAMPLED, same, shares, told_of_a_list, told_of_edges
from .problems import QUANTA_PER_NAT, Problem
from .sequences import Call
from .tables import AnyTable, explained, slow_cost, table_of
from .ways import killed, way

# Combinations of parent sets up to which all networks are listed by the model; variables up to which they are summed.
MOST_COMBINATIONS = 3000
MOST_SUMMED = 4
# The model's scorer works in floating point.
SCORER_ERROR = 1e-6
SUM_ERROR = 1e-5
EDGE_ERROR = round(4 * SCORER_ERROR * QUANTA_PER_NAT)  # four families


class Mismatch(AssertionError):
    """The package and the model disagree."""


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
        self.table: AnyTable | None = None
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
        """The parent graph of the table; every listed cost and every set left out, against other formulas."""
        problem = self.problem
        self.table = table_of(problem)
        self.size = {"equivalent_sample_size": ESS} if problem.score in ("bdeu", "bcg") else {}
        self.exact: model.Lists = []
        for i in range(problem.n):
            costs = {bits: self.slow(i, bits) for bits in range(1 << problem.n) if not bits >> i & 1}
            self.exact.append({bits: cost for bits, cost in costs.items() if cost is not None})
        allowed = model.obeying(self.exact, problem.names, self.known)
        try:
            self.graph = sabna.build_parent_graph(
                self.table, problem.score, knowledge=self.known or None, n_jobs=1, **self.size
            )
        except (KnowledgeError, DataError) as error:
            no_value = all(allowed) if isinstance(error, KnowledgeError) else not all(allowed) or explained(problem)
            self.holds(f"refused ({error}): no network, or no value", no_value or model.optimum(allowed) is None)
            self.lists = [{} for _ in range(problem.n)]
            return
        self.lists = []
        for i in range(problem.n):
            listed = {sum(1 << p for p in parents): cost for cost, parents in self.graph.parent_sets(i)}
            self.compare_list(i, listed, allowed[i])
            self.lists.append(listed)

    def slow(self, i: int, bits: int) -> int | None:
        assert self.table is not None
        cost = slow_cost(self.problem, self.table, i, tuple(p for p in range(self.problem.n) if bits >> p & 1))
        return None if cost is None else round(cost * QUANTA_PER_NAT)

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
        with way(options) as given:
            try:
                result = sabna.search(self.graph, knowledge=self.known or None, **given)
            except KnowledgeError:
                self.check_refusal()
                return
        self.check_result(result, options, finished=True)

    def call_learn(self, **options: Any) -> None:
        """From the table in one step."""
        with way(options) as given:
            try:
                result = sabna.learn(self.table, self.problem.score, knowledge=self.known or None, **self.size, **given)
            except KnowledgeError:
                self.equal("no network", None, self.best)
                return
        self.check_result(result, options, finished=True)
        for what, got, want in told_of_edges(result, self.exact):
            near = (got is None) == (want is None) and (want is None or abs(got - want) <= EDGE_ERROR)
            self.holds(f"{what}: {got}, the model says {want}", near)

    def call_kept(self, at: int, after: bool, from_table: bool, **options: Any) -> None:
        """A run with a work directory, killed at one of its writes, goes on to the answer; asked again, it tells it."""
        with way(options) as given, tempfile.TemporaryDirectory() as folder:
            given |= {"work": Path(folder) / "work", "knowledge": self.known or None}
            if from_table and self.table is not None:
                run = partial(sabna.learn, self.table, self.problem.score, **self.size, **given)
            else:
                run = partial(sabna.search, self.graph, **given)
            try:
                results = [killed(run, at, after), run(), run()]
            except KnowledgeError:
                self.check_refusal()
                return
        for result in results:
            if result is not None:
                self.check_result(result, options, finished=True)

    def call_certified(self, **options: Any) -> None:
        """A run that writes its proof, which the checker follows."""
        assert self.graph is not None
        if model.optimum(self.lists) is None:
            return  # no file of it
        with way(options) as given, tempfile.TemporaryDirectory() as folder:
            file, proof = Path(folder) / "graph.pg", Path(folder) / "proof.cert"
            self.graph.save(file)
            try:
                result = sabna.search(file, knowledge=self.known or None, certificate=proof, **given)
            except KnowledgeError:
                self.check_refusal()
                return
            code, words = verdict(proof, file)
        self.check_result(result, options, finished=True)
        self.holds(f"{options}: the checker says {words}", code == 0)
        claim = result.certificate
        assert claim is not None
        assert self.best is not None
        self.holds(f"{options}: {claim}, the optimum is {self.best}", claim["lower_bound_quanta"] <= self.best)

    def call_limited(self, **options: Any) -> None:
        """A run that is stopped: a network and bounds all the same."""
        with way(options) as given:
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
        every = list(model.networks(lists))
        costs = sorted(cost for cost, _ in every)
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
        for what, got, want in told_of_a_list(found, every):
            self.holds(f"{asked}: {what} {got}, the model says {want}", same(got, want))

    def call_bootstrap(self, replicates: int, seed: int) -> None:
        """Shares of edges among replicates, against all best networks of each."""
        if self.problem.n > MOST_RESAMPLED:
            return
        known = self.known or None
        score = self.problem.score
        try:
            found = sabna.bootstrap(self.table, replicates, score, knowledge=known, seed=seed, n_jobs=1, **self.size)
        except DataError:  # a replicate with too few different rows for the score
            return
        except KnowledgeError:
            self.equal("no network", None, self.best)
            return
        wanted = shares(self.table, replicates, seed, score, known, self.size)
        if wanted is not None:
            self.holds(f"links {found.links}, all networks say {wanted[0]}", same(found.links, wanted[0]))
            self.holds(f"edges {found.edges}, all networks say {wanted[1]}", same(found.edges, wanted[1]))

    def call_scored(self) -> None:
        """A network scored by itself, against the model; `learn` finds no better one."""
        rng = random.Random(f"{self.problem}")
        order = rng.sample(range(self.problem.n), self.problem.n)
        chosen = [0] * self.problem.n
        for k, i in enumerate(order):
            inside = [bits for bits in self.exact[i] if bits & ~sum(1 << p for p in order[:k]) == 0]
            if not inside:
                return
            chosen[i] = rng.choice(inside)
        names = self.problem.names
        parents = {names[i]: [names[p] for p in range(len(names)) if bits >> p & 1] for i, bits in enumerate(chosen)}
        found = sabna.Network(names, parents).score(self.table, self.problem.score, **self.size).cost_quanta
        want = sum(self.exact[i][bits] for i, bits in enumerate(chosen))
        error = round(SCORER_ERROR * QUANTA_PER_NAT) * len(names)
        self.holds(f"{parents}: costs {found}, the model says {want}", abs(found - want) <= error)

    def call_posterior(self, prior: str) -> None:
        """Probabilities of edges, against the sum over all networks."""
        problem = self.problem
        if problem.score not in MARGINAL or problem.n > MOST_SUMMED:
            return
        allowed = model.obeying(self.exact, problem.names, self.known)
        weights, probable = 0.0, np.zeros((problem.n, problem.n))
        assert self.best is not None
        for cost, chosen in model.networks(allowed):
            orders = 1 if prior == "uniform" else model.orders(chosen)
            weight = orders * math.exp((self.best - cost) / QUANTA_PER_NAT)
            weights += weight
            for i, bits in enumerate(chosen):
                probable[[p for p in range(problem.n) if bits >> p & 1], i] += weight
        found = sabna.posterior(
            self.table, problem.score, prior=prior, knowledge=self.known or None, n_jobs=1, **self.size
        )
        for (a, v), (b, w) in permutations(enumerate(problem.names), 2):
            got, want = found.probability(v, w), probable[a, b] / weights
            self.holds(f"{prior}: {v} -> {w} {got}, the model says {want}", abs(got - want) < SUM_ERROR)

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

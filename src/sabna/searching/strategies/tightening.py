"""One component: bounds and fixing in rounds, then the search of what is left."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import INFINITE, QUANTA_PER_NAT
from sabna.base.stop import STOP_MEMORY, STOP_NONE
from sabna.bounds.group_program import Raised, raise_best
from sabna.bounds.patterns import Pattern, choose_patterns
from sabna.bounds.rounding import network_of_order
from sabna.bounds.tighten import tighten
from sabna.bounds.weights import Clusters, dual_ascent
from sabna.searching.part import Ints, Part
from sabna.searching.strategies import decisions
from sabna.searching.strategies.scope import Scope, Solved

if TYPE_CHECKING:
    from sabna.searching.strategies.auto import Auto

# Budget of dual ascent in parent sets looked at: some 0.1 s, and as much again for every 50 variables.
ASCENT_WORK = 30_000_000
ASCENT_WORK_PER_VARIABLE = 600_000
# A further round pays if the last one struck out this share of the sets or closed this share of the gap.
ROUND_PAYS = 0.1
# From this round on A* is tried after the pattern databases, with memory for some 200,000 nodes.
TRIAL_FROM = 2
TRIAL_BYTES = 8_000_000
MOST_ROUNDS = 40


class Tightening:
    """Bounds and fixing for one component, again and again, and the search of what is left."""

    def __init__(
        self,
        auto: Auto,
        part: Part,
        target: int,
        scope: Scope,
        best: Solved,
        clusters: Clusters | None,
        kept: Pattern | None,
    ) -> None:
        self.auto, self.part, self.target, self.scope, self.best = auto, part, target, scope, best
        self.clusters = clusters if clusters is not None else Clusters.none(part.graph.sets.shape[1])
        self.lower = -INFINITE
        self.patterns: list[Pattern] = []
        self.kept, self.kept_bound = kept, -INFINITE
        self.order: list[int] = []  # the last order rounded from the linear program
        self.groups_from = 0  # the round from which on the group program is tried
        self.keep: NDArray[Any] = np.ones(len(part.graph), np.uint8)
        self.solved: Solved | None = None

    def run(self) -> Solved:
        """Until closed, split, or left to the search."""
        idle = 0  # rounds in a row that brought little
        for number in range(MOST_ROUNDS):
            sets, gap = len(self.part.graph), self.target - self.lower
            if self.ascent() or self.program(number) or self.groups(number) or self.tables(number):
                assert self.solved is not None
                return self.solved
            fewer = 1 - len(self.part.graph) / sets
            closer = 1 - (self.target - self.lower) / gap
            idle = idle + 1 if max(fewer, closer) < ROUND_PAYS else 0
            patience = decisions.patience(self.part.n)
            if number >= TRIAL_FROM and idle >= patience - 1 and self.trial(number):
                assert self.solved is not None
                return self.solved
            if number >= decisions.last_tables(self.part.n) and idle >= patience:
                break
        return self.search()

    @contextmanager
    def improving(self, number: int) -> Iterator[None]:
        """Local search beside what is done meanwhile, if there is a second thread; its network is offered at the end.

        Among the sets that are left it is quick, and it looks where better networks must be. What it starts from is
        settled beforehand, so that the outcome does not depend on who is faster.
        """
        part, seed, order = self.part, self.auto.options.seed + number, self.order
        work = decisions.local_search_work(part.n)

        def look() -> Solved | None:
            return self.auto.local_search(part, seed, work, start=order)

        if self.auto.options.threads > 1:
            with ThreadPoolExecutor(1) as worker:
                pending = worker.submit(look)
                yield
            found = pending.result()
        else:
            yield
            found = look()
        if found is not None and found.choice is not None:
            self.offer(found.cost, found.choice, "local search")

    def polish(self) -> None:
        """Local search from the order that the linear program ended with."""
        if self.order:
            work = decisions.local_search_work(self.part.n)
            found = self.auto.local_search(self.part, self.auto.options.seed, work, restarts=1, start=self.order)
            if found is not None and found.choice is not None:
                self.offer(found.cost, found.choice, "local search from the program's order")

    def offer_order(self, order: list[int]) -> int:
        """The network of an order rounded from the linear program; the target from then on."""
        self.order = order
        found = network_of_order(self.part.graph, order)
        if found is not None:
            self.offer(found[0], self.part.origin[found[1]], "rounding")
        return self.target

    def offer(self, cost: int, choice: Ints, source: str) -> None:
        """A network of this component; `choice` by positions in the whole graph."""
        if cost < self.target:
            self.best = Solved(0, cost, choice)
            self.target = cost - self.auto.slack(self.scope.level, self.part.n)
            self.explain(f"{source} finds a better network")
            self.auto.better(self.part, cost, choice)

    # Each step returns True when the component is done.

    def ascent(self) -> bool:
        """Dual ascent from the weights at hand."""
        work = ASCENT_WORK + ASCENT_WORK_PER_VARIABLE * self.part.n
        bound, self.clusters = dual_ascent(
            self.part.graph, self.clusters, self.target, self.auto.run.limits, work=work, seed=1
        )
        self.raised(bound)
        self.explain(f"dual ascent: {len(self.clusters)} clusters")
        return self.fix(
            np.asarray(core.fix_by_reduced_costs(*self.part.graph.arrays, *self.clusters.arrays, self.target))
        )

    def program(self, number: int) -> bool:
        """The linear program, unless tables are the better tool."""
        limits = self.auto.run.limits
        if number == 0 and decisions.dense_soon(self.part) and self.auto.dense_fits(self.part):
            return self.dense()
        with self.improving(number) if number else nullcontext():
            found = tighten(self.part.graph, self.clusters, self.target, limits, self.watch, self.offer_order)
        self.auto.statistics["pivots"] += found.pivots
        self.auto.statistics["program_rounds"] += found.rounds
        self.clusters = found.clusters
        self.raised(found.bound)
        self.explain(f"cluster program: {found.rounds} rounds, {found.pivots} pivots, {len(found.clusters)} clusters")
        self.auto.check(self.auto.stop_of_limits())
        if self.lower < self.target:
            self.polish()
        return self.fix(found.alive)

    def watch(self, bound: int) -> bool:
        """Between rounds of the program: bounds out, limits in."""
        self.raised(bound)
        return self.auto.stop_of_limits() != STOP_NONE

    def groups(self, number: int) -> bool:
        """Weights made for patterns of small groups, and fixing by them: tried with several partitions."""
        n, memory = self.part.n, self.auto.run.limits.bytes_left()
        if self.target >= INFINITE or number < self.groups_from or not decisions.groups_pay(n, number, memory):
            return False
        for attempt in range(decisions.ATTEMPTS):
            sets, gap = len(self.part.graph), self.target - self.lower
            found = self.raise_one(decisions.ATTEMPTS * number + attempt)
            if found.bound >= self.kept_bound:
                self.kept, self.kept_bound = found.pattern, found.bound
            self.fill([found.pattern])
            if self.fix(self.keep):
                return True
            fewer, closer = 1 - len(self.part.graph) / sets, 1 - (self.target - self.lower) / gap
            if max(fewer, closer) < decisions.ATTEMPT_PAYS:
                if attempt == 0:
                    self.groups_from = number + decisions.GROUPS_LATER
                break
        return False

    def raise_one(self, seed: int) -> Raised:
        """The best of some partitions, its weights raised."""
        limits, threads, size = self.auto.run.limits, self.auto.options.threads, decisions.SMALL_GROUP
        candidates: list[Pattern] = []
        for k in range(decisions.CANDIDATE_SEEDS):
            seed_k = self.auto.options.seed + decisions.CANDIDATE_SEEDS * seed + k
            candidates += choose_patterns(self.part.n, self.clusters, size, decisions.PARTITIONS, seed_k)
        found = raise_best(self.part.graph, candidates, self.target, limits, threads, decisions.MOST_PROGRAM_ROUNDS)
        if found.stop != STOP_MEMORY:
            self.auto.check(found.stop)
        self.raised(found.bound)
        self.auto.statistics["group_rounds"] += found.rounds
        gap = (self.target - found.bound) / QUANTA_PER_NAT
        self.explain(f"group program: {found.rounds} rounds, groups up to {size}, gap {gap:.6g} by this partition")
        return found

    def tables(self, number: int) -> bool:
        """Pattern databases on reduced costs, and fixing by them."""
        plan = decisions.table_plan(self.part.n, number, self.auto.run.limits.bytes_left())
        self.patterns = []
        if plan is None:
            return False
        seed = self.auto.options.seed
        self.patterns = choose_patterns(self.part.n, self.clusters, plan.largest, plan.partitions, seed)
        if self.kept is not None:
            self.patterns.append(self.kept)
        bounds = self.fill(self.patterns)
        if self.kept is not None:
            self.kept_bound = bounds[-1]
        self.explain(f"pattern databases: {len(bounds)} partitions of groups up to {plan.largest}")
        return self.fix(self.keep)

    def fill(self, patterns: list[Pattern]) -> list[int]:
        """Fill the tables of patterns: their bounds; what they fix is noted in `keep`."""
        bounds, keep, stop = core.fix_sets(
            *self.part.graph.arrays,
            patterns=[pattern.arrays for pattern in patterns],
            target=self.target,
            threads=self.auto.options.threads,
            **self.auto.run.core(),
        )
        if stop != STOP_MEMORY:
            self.auto.check(stop)
        self.keep = np.asarray(keep)
        self.raised(max(bounds))
        return list(bounds)

    def fix(self, keep: NDArray[Any]) -> bool:
        """Keep the marked sets; see whether that closes or splits the component, or makes it small."""
        before = len(self.part.graph)
        left = self.part.keeping(keep.astype(bool)) if self.lower < self.target else None
        if left is None:
            self.solved = self.closed()
            return True
        self.auto.statistics["fixed_sets"] += before - len(left.graph)
        parts = left.components()
        if len(left.graph) < before:
            self.explain(f"fixing: {before - len(left.graph)} sets go, {len(left.graph)} stay")
        if len(parts) > 1:
            self.solved = self.split(left, parts)
            return True
        self.part = left
        return decisions.dense_at_once(self.part) and self.auto.dense_fits(self.part) and self.dense()

    def split(self, left: Part, parts: list[Part]) -> Solved:
        """The component has fallen apart."""
        self.explain(f"splits into {sorted((p.n for p in parts), reverse=True)[:10]}")
        found = self.auto.split(left, parts, self.target, self.scope, self.clusters, self.kept)
        self.raised(found.lower)
        if found.choice is None:
            return Solved(self.lower, self.best.cost, self.best.choice)
        return Solved(max(self.lower, found.lower), found.cost, found.choice)

    def dense(self) -> bool:
        """What is left is small enough for one table."""
        found = self.auto.dense(self.part, self.target)
        self.raised(found.lower)
        better = found.choice is not None
        self.solved = found if better else Solved(self.lower, self.best.cost, self.best.choice)
        return True

    def trial(self, number: int) -> bool:
        """A* with little memory: often what is left needs a few thousand nodes, and another round would cost more."""
        memory = self.auto.run.limits.bytes_left()
        plan = decisions.table_plan(self.part.n, number, memory)
        if plan is None or not self.patterns:
            return False
        tables = decisions.table_bytes(self.part.n, plan, self.auto.options.threads)
        stop = self.lattice("astar", min(memory, tables + TRIAL_BYTES))
        if stop == STOP_MEMORY:
            return False
        self.auto.check(stop)
        self.solved = self.proven()
        return True

    def search(self) -> Solved:
        """A* over pattern databases; where its memory ends, branch and bound."""
        stop = self.lattice("astar", self.auto.run.limits.bytes_left())
        if stop == STOP_MEMORY:
            stop = self.lattice("branch-and-bound", self.auto.run.limits.bytes_left())
        self.auto.check(stop)
        return self.proven()

    def lattice(self, strategy: str, memory: int) -> int:
        """Search the order lattice of what is left, and take in what comes out; why it stopped."""
        found = core.search_weighted(
            *self.part.graph.arrays,
            *self.clusters.arrays,
            patterns=[pattern.arrays for pattern in self.patterns],
            strategy=strategy,
            path_extension=self.auto.options.path_extension,
            scc_branching=True,
            prune=True,
            upper=self.target,
            tolerance=0,
            known_order=[],
            threads=self.auto.options.threads,
            **{**self.auto.run.core(), "bytes": memory, "progress": self.progress},
        )
        for key in self.auto.counts:
            self.auto.counts[key] += found[key]
        self.auto.bytes_per_node = found["bytes_per_node"]
        self.raised(found["lower"])
        self.explain(f"{strategy}: {found['expanded']} nodes expanded, {found['stored']} stored")
        if found["cost"] < self.target:
            self.best = Solved(found["lower"], found["cost"], self.part.origin[found["choice"]])
            self.target = found["cost"]
        return int(found["stop"])

    def progress(self, report: dict[str, Any]) -> None:
        """Pass on what a search reports of this component as bounds of the whole."""
        lower = report["lower"]
        if abs(lower) < INFINITE:
            self.raised(lower)
        self.auto.report(report)

    def proven(self) -> Solved:
        """What is known when the search has run to its end."""
        return Solved(self.lower, self.best.cost, self.best.choice)

    # Bookkeeping.

    def raised(self, bound: int) -> None:
        """A lower bound of the part."""
        self.lower = max(self.lower, min(bound, self.target))
        self.auto.raise_lower(self.scope.whole(self.lower))

    def closed(self) -> Solved:
        """Nothing below the target is left."""

        self.raised(self.target)
        self.explain("closed")
        return self.proven()

    def explain(self, line: str) -> None:
        """Note what was done to this component and what it brought."""
        gap = (self.target - self.lower) / QUANTA_PER_NAT
        self.auto.explain(f"n={self.part.n} sets={len(self.part.graph)} gap={gap:.6g}  {line}")

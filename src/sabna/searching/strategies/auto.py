"""The default strategy: bounds first, search last.

    components -> upper bound by local search
    few variables: dense tables, done
    repeat: dual ascent -> cluster program -> fixing -> pattern databases on reduced costs -> fixing -> components
    what is left: A* over these databases, and depth-first branch and bound when memory runs short

The target is what a network must cost less than to be of interest: the best cost known, less the tolerance. Fixing
strikes out parent sets that no network below the target uses. So from then on a part of the graph need not contain the
best network known; that one is kept aside, and "no network below the target is left" proves that it is optimal.

Components: whoever solves one of them is given the target less the lower bounds of the others. Tolerance is
dealt out by halves from level to level and by size within a level, so that all together it is never exceeded.

Every decision is by measured sizes and is noted in `statistics["explain"]`, which `--explain` prints.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from sabna._native import core
from sabna.base.cost import INFINITE, QUANTA_PER_NAT
from sabna.base.stop import STOP_INTERRUPTED, STOP_NONE, STOP_TIME
from sabna.bounds.patterns import Pattern
from sabna.bounds.weights import Clusters
from sabna.parents.graph import ParentGraph
from sabna.searching.outcome import Outcome, Run, SearchOptions
from sabna.searching.part import Ints, Part, carry, carry_pattern, topological_order
from sabna.searching.strategies import decisions
from sabna.searching.strategies.lattice import FALLBACK_WORK, UPPER_BOUND_WORK
from sabna.searching.strategies.scope import Scope, Solved, Stopped
from sabna.searching.strategies.tightening import Tightening

# What the first networks may take even if the time limit is over: limits are kept within a second.
FIRST_SECONDS = 0.4


def solve(graph: ParentGraph, options: SearchOptions, run: Run) -> Outcome:
    """Solve by bounds, fixing and, where still needed, search."""
    return Auto(graph, options, run).solve()


class Auto:
    """One run of the strategy."""

    def __init__(self, graph: ParentGraph, options: SearchOptions, run: Run) -> None:
        self.graph, self.options, self.run = graph, options, run
        run.in_parts = True
        self.choice: Ints | None = None
        self.cost = INFINITE
        self.lower = int(graph.costs[graph.offsets[:-1]].sum())
        self.explained: list[str] = []
        self.cpu = time.process_time()
        self.grace = self.run.limits.elapsed() + FIRST_SECONDS
        self.counts = {"expanded": 0, "generated": 0, "stored": 0, "pruned": 0}
        self.bytes_per_node = 0.0
        self.statistics: dict[str, int] = {
            "pivots": 0,
            "program_rounds": 0,
            "group_rounds": 0,
            "fixed_sets": 0,
            "dense_components": 0,
        }

    # The frame: from the whole graph to the outcome.

    def solve(self) -> Outcome:
        """Run to the end or to a limit."""
        stop = STOP_NONE
        try:
            whole = Part.whole(self.graph)
            scope = Scope(None, 0, INFINITE)
            parts = whole.components()
            self.explain(f"{self.graph.n} variables, {len(self.graph)} parent sets, components {_sizes(parts)}")
            solved = self.split(whole, parts, INFINITE, scope, None, None)
            if solved.choice is not None:
                self.offer(solved.cost, solved.choice, whole)
            self.raise_lower(solved.lower)
        except Stopped as stopped:
            stop = stopped.stop
        except KeyboardInterrupt:
            stop = STOP_INTERRUPTED
        return self.outcome(stop)

    def outcome(self, stop: int) -> Outcome:
        """The best network and bound, whatever ended the run."""
        lower = min(self.lower, self.cost)
        if self.cost - lower <= self.options.tolerance:
            stop = STOP_NONE
        self.explain(f"ended with gap {_nats(self.cost - lower)}" if self.choice is not None else "no network found")
        order = () if self.choice is None else topological_order(self.graph, self.choice)
        return Outcome(
            stop,
            self.choice,
            self.cost,
            lower,
            order,
            {
                **self.counts,
                **self.statistics,
                "bytes_per_node": self.bytes_per_node,
                "heuristic": "dual-pattern",
                "cpu_seconds": time.process_time() - self.cpu,
                "explain": self.explained,
            },
        )

    def explain(self, line: str) -> None:
        """Note a decision, and why."""
        self.explained.append(f"{self.run.limits.elapsed():8.2f} s  {line}")

    def offer(self, cost: int, choice: Ints, part: Part) -> None:
        """A network of the whole graph."""
        if part.n == self.graph.n and cost < self.cost:
            self.cost, self.choice = cost, choice.copy()
            self.run.note(min(self.lower, self.cost), self.cost)

    def better(self, part: Part, cost: int, choice: Ints) -> None:
        """A better network of a part: put into the best of the whole, unless that makes a cycle or costs more."""
        if self.choice is None:
            return
        whole = self.choice.copy()
        whole[part.members] = choice
        total = int(self.graph.costs[whole].sum())
        if total < self.cost and topological_order(self.graph, whole):
            self.offer(total, whole, Part.whole(self.graph))

    def raise_lower(self, lower: int) -> None:
        """A lower bound of the whole graph."""
        if lower > self.lower:
            self.lower = lower
            self.run.note(min(self.lower, self.cost), None if self.choice is None else self.cost)

    def report(self, report: dict[str, Any]) -> None:
        """Pass a report of the core on, about the whole."""
        if self.run.progress is not None:
            whole = dict(report)
            for key in ("expanded", "generated", "stored"):
                whole[key] = report[key] + self.counts[key]
            self.run.progress(self.run.trace.report(whole, self.run.limits.elapsed()))

    def stop_of_limits(self) -> int:
        """What the clock says; the core is asked for the rest."""
        return STOP_TIME if self.run.limits.seconds_left() == 0 else STOP_NONE

    def check(self, stop: int) -> None:
        """Leave if a call of the core was stopped."""
        if stop != STOP_NONE:
            raise Stopped(stop)

    def slack(self, level: int, n: int) -> int:
        """The share of the tolerance for a part of n variables on a level of splitting."""
        return int(self.options.tolerance * 0.5**level * n / self.graph.n)

    # Components.

    def split(
        self,
        source: Part,
        parts: list[Part],
        target: int,
        scope: Scope,
        clusters: Clusters | None,
        pattern: Pattern | None,
    ) -> Solved:
        """Solve components one after the other, small ones first: they tell the large ones what is left."""
        lowers = [int(p.graph.costs[p.graph.offsets[:-1]].sum()) for p in parts]
        starts = [self.start_network(p) if scope.parent is None else None for p in parts]
        self.offer_all(source, parts, starts)
        solved: list[Solved | None] = [None] * len(parts)
        for k in sorted(range(len(parts)), key=lambda k: (parts[k].n, len(parts[k].graph), k)):
            others = sum(lowers) - lowers[k]
            inner = Scope(scope, others, target)
            start = carry(clusters, source, parts[k]) if clusters is not None and parts[k].n > 1 else None
            kept = carry_pattern(pattern, source, parts[k]) if pattern is not None and parts[k].n > 1 else None
            room = target - others if target < INFINITE else INFINITE
            done = self.settle(parts[k], room, inner, start, kept, starts[k])
            lowers[k], solved[k] = max(lowers[k], done.lower), done
            self.raise_lower(scope.whole(sum(lowers)))
            if done.choice is None:  # no network of this component leaves room for the others
                return Solved(min(sum(lowers), target))
        choice = np.zeros(source.n, np.int64)
        place = {int(v): i for i, v in enumerate(source.members)}
        cost = 0
        for part, done_part in zip(parts, solved, strict=True):
            assert done_part is not None
            assert done_part.choice is not None
            cost += done_part.cost
            for v, p in zip(part.members, done_part.choice, strict=True):
                choice[place[int(v)]] = p
        if cost >= target:
            return Solved(min(sum(lowers), target))
        return Solved(min(sum(lowers), cost), cost, choice)

    def start_network(self, part: Part) -> Solved | None:
        """A network by local search; None if the part has none, or none is needed."""
        if part.n == 1 or len(part.graph) == part.n:
            return Solved(0, int(part.graph.costs[part.graph.offsets[:-1]].sum()), part.origin[part.graph.offsets[:-1]])
        work = FALLBACK_WORK if decisions.dense_at_once(part) else UPPER_BOUND_WORK
        return self.local_search(part, self.options.seed, work, restarts=decisions.RESTARTS)

    def local_search(
        self, part: Part, seed: int, work: int, restarts: int = 8, start: list[int] | None = None
    ) -> Solved | None:
        """A good network, looked for from the order `start` first; None if local search finds none at all."""
        settings: dict[str, Any] = {"seed": seed, "restarts": restarts, "kicks": 60, "work": work, "start": start or []}
        settings |= self.run.core()
        if settings["seconds"] >= 0:  # reading may have taken all the time: a little is always left for a good network
            settings["seconds"] = max(settings["seconds"], self.grace - self.run.limits.elapsed(), 0.0)
        found = core.local_search(*part.graph.arrays, **settings)
        if found["stop"] == STOP_INTERRUPTED:  # the core has taken the signal: nobody else will hear of it
            raise Stopped(STOP_INTERRUPTED)
        return Solved(0, found["cost"], part.origin[found["choice"]]) if found["known"] else None

    def offer_all(self, source: Part, parts: list[Part], starts: list[Solved | None]) -> None:
        """Networks of all components together are one of the whole."""
        if source.n != self.graph.n or any(s is None for s in starts):
            return
        choice = np.zeros(source.n, np.int64)
        for part, start in zip(parts, starts, strict=True):
            assert start is not None
            assert start.choice is not None
            choice[part.members] = start.choice
        self.offer(int(self.graph.costs[choice].sum()), choice, source)

    # One component.

    def settle(
        self,
        part: Part,
        target: int,
        scope: Scope,
        start: Clusters | None,
        kept: Pattern | None,
        known: Solved | None,
    ) -> Solved:
        """The best network of the part below the target, or the proof that there is none."""
        if part.n == 1 or len(part.graph) == part.n:
            return self.only_choice(part, target)
        if decisions.dense_at_once(part) and self.dense_fits(part):
            return self.dense(part, target)
        if known is None:
            known = self.start_network(part)
        best = Solved(0)
        if known is not None and known.cost < target:
            best = known
            target = known.cost - self.slack(scope.level, part.n)

        return Tightening(self, part, target, scope, best, start, kept).run()

    def only_choice(self, part: Part, target: int) -> Solved:
        """One set each, or one variable: the cheapest sets, provided they have no cycle."""
        first = part.graph.offsets[:-1]
        cost = int(part.graph.costs[first].sum())
        if part.n > 1 and not topological_order(part.graph, first):
            return Solved(target)
        return Solved(cost, cost, part.origin[first]) if cost < target else Solved(cost)

    def dense_fits(self, part: Part) -> bool:
        """Whether there is memory for dense tables."""
        return decisions.dense_fits(part, self.run.limits.bytes_left(), self.options.threads)

    def dense(self, part: Part, target: int) -> Solved:
        """All subsets in one table."""
        stop, cost, choice, subsets = core.dense_search(
            *part.graph.arrays, threads=self.options.threads, **self.run.core()
        )
        self.check(stop)
        self.statistics["dense_components"] += 1
        if part.n > 10:
            self.explain(f"dense tables: {part.n} variables, {len(part.graph)} sets, {subsets} subsets")
        if cost >= target:
            return Solved(min(cost, INFINITE))
        return Solved(cost, cost, part.origin[choice])


def _sizes(parts: list[Part]) -> str:
    sizes = sorted((p.n for p in parts), reverse=True)
    large = [str(s) for s in sizes if s > 1]
    return (
        f"{' + '.join(large[:8])}{' + ...' if len(large) > 8 else ''} and {sizes.count(1)} single"
        if large
        else "single"
    )


def _nats(quanta: int) -> str:
    return f"{quanta / QUANTA_PER_NAT:.6g}"

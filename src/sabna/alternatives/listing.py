"""Networks near the best of a parent graph: narrow what they can be made of, split, list, combine.

Small components go to core/alternatives/ as they are, which has tables over all their subsets. A larger one goes
through these steps, each of which loses no network that costs at most the target, its best cost plus the slack:

1. The best network, by `search` among the sets that no subset beats: dominated ones cannot improve it. Components are
   independent, so the share of a component in its cost is the best cost of that component.
2. Fixing, as in the default strategy (core/bounds/fixing.h), with another target: there a set goes if no network better
   than the best one known has it, here if none within the target has it. In integers: none below target + 1.
   What fixing says is a lower bound on every network with the set, and does not care how many networks there are.
3. Splitting. With fewer sets, components fall apart; one solution of each makes a network, and every network within the
   slack is made of solutions that are each within the slack of their component's best.
4. Listing: by branching on parent sets (core/alternatives/branching.h), with the cluster weights that fixing used;
   tables take over where a component is small enough for them and branching is not done soon.

When a limit strikes during the listing, what was listed by then is returned, with the best network for components not
reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.errors import LimitReached
from sabna.base.limits import Limits
from sabna.base.stop import Stop, Stopped
from sabna.base.threads import threads_for
from sabna.bounds.patterns import choose_patterns
from sabna.bounds.weights import reduced_costs
from sabna.parents.graph import ParentGraph
from sabna.parents.orders import network_of_order
from sabna.searching import decisions
from sabna.searching.events import Event, Reported
from sabna.searching.outcome import Run, SearchOptions
from sabna.searching.part import Part
from sabna.searching.search import search
from sabna.searching.steps import cluster_program, dual_ascent
from sabna.searching.steps.context import Context, Effort, Narrowed, Step
from sabna.searching.steps.group_program import raised_pattern
from sabna.searching.steps.pattern_tables import fill

Ints = NDArray[np.int64]
Progress = Callable[[dict[str, Any]], None]

# Components up to this size have their tables in a few hundredths of a second.
TABLES_AT_ONCE = 14
# Nodes of the branching before tables take over, where these fit: as long as tables of 2^n entries take.
NODES_PER_ENTRY = 0.5
# A further round of fixing pays if the last one struck out this share of the sets, or while bound and best cost are
# further apart than this share of the slack.
ROUND_PAYS = 0.1
GAP_LEFT = 0.1
# Quanta that the linear program may be short of its value by rounding: a millionth of a nat.
ROUNDING = 1 << 10


@dataclass(frozen=True, eq=False)
class Listed:
    """Networks, cheapest first: costs in quanta, and for each network and variable the position of its parent set.

    `complete`: nothing within the slack is missing. `within`: nothing within so many quanta of the best is missing;
    below 0 nothing is known. `stop` says why the listing ended early.
    """

    costs: Ints
    choices: Ints
    complete: bool
    within: int
    stop: Stop
    visited: int


@dataclass(frozen=True, eq=False)
class Solutions:
    """Solutions of one part; `choices[k, i]` is a position in the whole graph."""

    part: Part
    costs: Ints
    choices: Ints
    complete: bool
    within: int


@dataclass(eq=False)
class Listing:
    """One run."""

    graph: ParentGraph
    count: int
    slack: int
    limits: Limits
    progress: Progress | None = None
    threads: int = 1
    tables: bool = True
    best: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    solved: list[Solutions] = field(default_factory=list)
    visited: int = 0
    stop: Stop = Stop.none

    def __post_init__(self) -> None:
        self.of_run = Run(self.limits, self.progress)
        self.context = Context(SearchOptions(threads=self.threads), self.limits, Effort(), self.hear)

    def run(self) -> Listed:
        """List the networks of the graph."""
        parts = split(Part.whole(self.graph))
        if self.tables and all(part.n <= TABLES_AT_ONCE for part in parts):
            found = core.alternatives(*self.graph.arrays, self.count, self.slack, **self.core())
            choices = found.choices.reshape(-1, self.graph.n)
            within = self.within(found.costs, found.complete)
            return Listed(found.costs, choices, found.complete, within, found.stop, found.visited)
        if not len(self.best):
            self.best = self.best_network()
        for part in sorted(parts, key=lambda p: p.n):
            self.list_part(part)
        return self.combined()

    def best_network(self) -> Ints:
        """The best network, as positions."""
        kept = ParentGraph.of(self.graph.names, core.prune_dominated(*self.graph.arrays))
        run = self.of_run
        result = search(
            kept, gap_tolerance=0, n_jobs=self.threads, limits=run.limits, progress=run.progress, trace=run.trace
        )
        if result.status != "optimal":
            raise LimitReached(
                f"the {result.status.replace('_', ' ')} struck before the best network was proven; raise it",
                result.status,
            )
        place = {name: i for i, name in enumerate(self.graph.names)}
        found = network_of_order(self.graph, [place[v] for v in result.network.order])
        assert found is not None
        assert found[0] == result.cost_quanta
        return found[1]

    def list_part(self, part: Part) -> None:
        """Narrow, split and list; the solutions join `solved`."""
        if self.stop != Stop.none:
            return self.only_best(part)
        try:
            if part.n == 1 or (self.tables and part.n <= TABLES_AT_ONCE):
                return self.list_by_tables(part)
            part = self.narrow(part)
            parts = split(part)
            if len(parts) == 1:
                return self.list_by_branching(part)
        except Stopped as stopped:
            self.stop = stopped.stop
            return self.only_best(part)
        except KeyboardInterrupt:
            self.stop = Stop.interrupted
            return self.only_best(part)
        for inner in sorted(parts, key=lambda p: p.n):
            self.list_part(inner)
        return None

    def rooms(self) -> Ints:
        """For every parent set: how much a network within the slack that has it may still cost; below 0 none has it.

        A part that is narrowed as far as it goes bounds every network with the set from below (core/bounds/fixing.h).
        """
        self.best = self.best_network()
        rooms = np.full(len(self.graph), -1, np.int64)
        waiting = split(Part.whole(self.graph))
        while waiting:
            part = waiting.pop()
            if part.n > 1:
                part = self.narrow(part)
                parts = split(part)
                if len(parts) > 1:
                    waiting += parts
                    continue
            reduced = reduced_costs(part.graph, part.clusters)
            variable = np.repeat(np.arange(part.n), np.diff(part.graph.offsets))
            least = (reduced.bound - reduced.least)[variable] + reduced.cost
            rooms[part.origin] = np.minimum(self.best_cost(part) + self.slack - least, self.slack)
        return rooms

    def only_best(self, part: Part) -> None:
        """The best network stands for a part that was not listed."""
        choice = self.best[part.members]
        cost = np.array([self.graph.costs[choice].sum()])
        self.solved.append(Solutions(part, cost, choice.reshape(1, -1), False, -1))

    def best_cost(self, part: Part) -> int:
        """What the best network pays for a part."""
        return int(self.graph.costs[self.best[part.members]].sum())

    # Narrowing, by the steps of the search.

    def narrow(self, part: Part) -> Part:
        """Fix sets in rounds, until the part falls apart or rounds do not pay."""
        best = self.best_cost(part)
        part = replace(part, target=best + self.slack + 1, goal=best)
        enough = max(int(GAP_LEFT * self.slack), ROUNDING)
        for number in range(decisions.last_tables(part.n) + 1):
            before = len(part.graph)
            part = replace(part, lower=-INFINITE)
            part = self.after(cluster_program.STEP, self.after(dual_ascent.STEP, part))
            gap = best - part.lower
            if number == 0 or gap > enough:
                part, gap = self.by_tables_of_groups(part, number, program=gap > enough)
            if len(split(part)) > 1 or (gap <= enough and len(part.graph) > (1 - ROUND_PAYS) * before):
                break
        return part

    def after(self, step: Step, part: Part) -> Part:
        """What a step leaves of a part; the sets of the best network are always among them."""
        result = step.run(part, self.context)
        assert isinstance(result, Narrowed)
        return result.part

    def by_tables_of_groups(self, part: Part, number: int, program: bool) -> tuple[Part, int]:
        """What tables over groups of variables leave; with `program` also small groups with weights made for them.

        And the gap that their bound leaves.
        """
        plan = decisions.table_plan(part.n, number, self.limits.bytes_left())
        if plan is None:
            return part, 0
        patterns = choose_patterns(part.n, part.clusters, plan.largest, plan.partitions, seed=0)
        if program and decisions.groups_pay(part.n, number, self.limits.bytes_left()):
            patterns.append(raised_pattern(part, self.context, number).pattern)
        filled = fill(part, tuple(patterns), self.context)
        left = part.keeping(filled.keep.astype(bool))
        assert left is not None
        return left, part.raise_to - max(filled.bounds)

    def hear(self, event: Event) -> None:
        """Pass progress reports on."""
        if isinstance(event, Reported):
            self.of_run.report(dict(event.report))

    # Listing.

    def list_by_branching(self, part: Part) -> None:
        """Branch on parent sets; on small parts not for longer than tables would take."""
        small = self.tables and part.n <= core.largest_dense_component
        found = core.branch_networks(
            *part.graph.arrays,
            *part.clusters.arrays,
            best=self.best_cost(part),
            count=self.count,
            slack=self.slack,
            most_visited=int(NODES_PER_ENTRY * 2**part.n) if small else -1,
            **self.core(),
        )
        self.visited += found.visited
        if found.gave_up:
            return self.list_by_tables(part)
        if found.stop != Stop.none:
            self.stop = found.stop
            if not len(found.costs):
                return self.only_best(part)
        choices = part.origin[found.choices.reshape(-1, part.n)]
        self.solved.append(Solutions(part, found.costs, choices, found.complete, found.within))
        return None

    def list_by_tables(self, part: Part) -> None:
        """Tables over all subsets (core/alternatives/lattice_tables.h)."""
        found = core.alternatives(*part.graph.arrays, self.count, self.slack, **self.core())
        self.visited += found.visited
        self.context.check(found.stop)
        choices = part.origin[found.choices.reshape(-1, part.n)]
        within = self.within(found.costs, found.complete)
        self.solved.append(Solutions(part, found.costs, choices, found.complete, within))

    def within(self, costs: Ints, complete: bool) -> int:
        """Up to where the list of the cheapest has all: the last of its costs may be that of others too."""
        return self.slack if complete else int(costs[-1] - costs[0]) - 1 if len(costs) else -1

    def core(self) -> dict[str, Any]:
        """What the core is given: what is left of the limits, and the progress callback."""
        share = self.limits.bytes_left() * 3 // 4  # the rest is for combining what was listed
        return {"limits": self.limits.left(memory=share), "progress": self.of_run.report}

    def combined(self) -> Listed:
        """One solution of every part makes a network; the cheapest sums."""
        # After a stop there is little time left, and memory only for what is there.
        limits = self.limits if self.stop == Stop.none else self.limits.memory_alone()
        sums = core.combine_costs([s.costs for s in self.solved], self.count, self.slack, limits.left())
        stop = self.stop if self.stop != Stop.none else sums.stop
        if not len(sums.costs):
            return Listed(np.array([self.graph.costs[self.best].sum()]), self.best.reshape(1, -1), False, -1, stop, 0)
        positions = sums.positions.reshape(-1, len(self.solved))
        choices = np.zeros((len(positions), self.graph.n), np.int64)
        for column, s in zip(positions.T, self.solved, strict=True):
            choices[:, s.part.members] = s.choices[column]
        complete = not sums.cut and stop == Stop.none and all(s.complete for s in self.solved)
        within = min([s.within for s in self.solved] + [self.within(sums.costs, not sums.cut)])
        return Listed(sums.costs, choices, complete, within, stop, self.visited)


def split(part: Part) -> list[Part]:
    """The strongly connected components. Sets that fall together stay apart: they make different networks."""
    return part.components(merge=False)


def list_networks(
    graph: ParentGraph,
    count: int,
    slack: int,
    limits: Limits | None = None,
    progress: Progress | None = None,
    n_jobs: int = -1,
    tables: bool = True,
    best: Ints | None = None,
) -> Listed:
    """The `count` best networks within `slack` quanta of the best; none if the graph allows none.

    Without `tables` all is done by branching, however small. `best` is a best network, if one is known already.
    """
    listing = Listing(graph, count, slack, limits or Limits(), progress, threads_for(n_jobs), tables)
    if best is not None:
        listing.best = best
    return listing.run()

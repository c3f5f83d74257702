"""What a search did and why, in one line for each event: a listener, whose lines `--explain` prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sabna.base.cost import INFINITE, QUANTA_PER_NAT
from sabna.base.limits import Limits
from sabna.searching import events
from sabna.searching.decisions import (
    ASTAR,
    BFS,
    BRANCH_AND_BOUND,
    BRANCHING,
    CLOSE,
    CLUSTER_PROGRAM,
    CUT_PROGRAM,
    DENSE_TABLES,
    DUAL_ASCENT,
    FIRST_NETWORK,
    GROUP_PROGRAM,
    PATTERN_TABLES,
    SOURCE_BRANCHING,
    SOURCE_PROGRAM,
)
from sabna.searching.part import Part
from sabna.searching.tree import ON_THE_WAY

# Steps that close a part by its bound, or since some variable has no set left.
BY_BOUNDS = (DUAL_ASCENT, CLUSTER_PROGRAM, CUT_PROGRAM, GROUP_PROGRAM, PATTERN_TABLES, SOURCE_PROGRAM, CLOSE)
# Dense tables of fewer variables are not worth a line.
FEW = 10

Counts = Mapping[str, float]


def _lattice(name: str) -> Callable[[Part, Counts], str]:
    return lambda part, c: f"{name}: {c['expanded']:.0f} nodes expanded, {c['stored']:.0f} stored"


# Step -> what to say of it.
SENTENCES: dict[str, Callable[[Part, Counts], str]] = {
    DUAL_ASCENT: lambda part, c: f"dual ascent: {c['clusters']:.0f} clusters",
    CLUSTER_PROGRAM: lambda part, c: (
        f"cluster program: {c['program_rounds']:.0f} rounds, {c['pivots']:.0f} pivots, {c['clusters']:.0f} clusters"
    ),
    SOURCE_PROGRAM: lambda part, c: (
        f"source program: {c['program_rounds']:.0f} rounds, {c['pivots']:.0f} pivots, {c['clusters']:.0f} clusters"
    ),
    CUT_PROGRAM: lambda part, c: (
        f"cut program: {c['cut_rounds']:.0f} rounds, {c['pivots']:.0f} pivots, {c['cuts']:.0f} cuts"
    ),
    GROUP_PROGRAM: lambda part, c: (
        f"group program: {c['group_rounds']:.0f} rounds, groups up to {c['largest']:.0f}, "
        f"gap {_nats(c['partition_gap'])} by this partition"
    ),
    PATTERN_TABLES: lambda part, c: (
        f"pattern databases: {c['partitions']:.0f} partitions of groups up to {c['largest']:.0f}"
    ),
    DENSE_TABLES: lambda part, c: f"dense tables: {c['subsets']:.0f} subsets",
    ASTAR: _lattice(ASTAR),
    BFS: _lattice(BFS),
    BRANCH_AND_BOUND: _lattice(BRANCH_AND_BOUND),
}
# What they do shows in other events. A step without a sentence of its own is told with what it counted.
SILENT = (FIRST_NETWORK, BRANCHING, SOURCE_BRANCHING)


class Explanation:
    """The lines so far, each with the seconds of the run."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.lines: list[str] = []

    def __call__(self, event: events.Event) -> None:
        """Listen."""
        line = _line_of(event)
        if line:
            self.lines.append(f"{self.limits.elapsed():8.2f} s  {line}")


def _line_of(event: events.Event) -> str:
    """What to say of an event; "" if it is not worth a line."""
    if isinstance(event, events.StepDone):
        small = event.step == DENSE_TABLES and event.part.n <= FEW
        if small or event.step in SILENT:
            return ""
        sentence = SENTENCES.get(event.step)
        words = _counted(event) if sentence is None else sentence(event.part, event.counts)
        return _about(event.part, words)
    if isinstance(event, events.Narrower):
        after = len(event.after.graph)
        return _about(event.before, f"fixing: {len(event.before.graph) - after} sets go, {after} stay", event.after)
    if isinstance(event, events.PartImproved) and event.source in ON_THE_WAY:
        return _about(event.part, f"{event.source} finds a better network")
    if isinstance(event, events.SplitInto):
        if event.part.depth == 0:
            graph = event.part.graph
            return f"{graph.n} variables, {len(graph)} parent sets, components {_sizes(event.parts)}"
        return _about(event.part, f"splits into {sorted((p.n for p in event.parts), reverse=True)[:10]}")
    if isinstance(event, events.BranchedInto):
        return _about(event.part, f"branches: {' | '.join(part.path[-1] for part in event.parts)}")
    if isinstance(event, events.PartClosed) and event.how in BY_BOUNDS:
        return _about(event.part, "closed")
    if isinstance(event, events.Ended):
        return f"ended with gap {_nats(event.cost - event.lower)}"
    return ""


def _counted(event: events.StepDone) -> str:
    counts = ", ".join(f"{value:g} {name.replace('_', ' ')}" for name, value in event.counts.items())
    return f"{event.step}: {counts}" if counts else event.step


def _about(part: Part, sentence: str, now: Part | None = None) -> str:
    """A sentence about a part, with its size and the gap."""
    about = now or part
    gap = _nats(about.gap) if about.lower > -INFINITE else "not known yet"
    return f"n={part.n} sets={len(part.graph)} gap={gap}  {sentence}"


def _sizes(parts: tuple[Part, ...]) -> str:
    sizes = sorted((p.n for p in parts), reverse=True)
    large = [str(s) for s in sizes if s > 1]
    if not large:
        return "single"
    return f"{' + '.join(large[:8])}{' + ...' if len(large) > 8 else ''} and {sizes.count(1)} single"


def _nats(quanta: float) -> str:
    return f"{quanta / QUANTA_PER_NAT:.6g}"

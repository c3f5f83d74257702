"""The tree of parts: which are worked on, what is proven and known of the whole, and what to do next.

`step()` takes the result of one step on one open part, so that whoever calls it can look, stop, or save `state` in
between.

Bounds go up: a node's bound is the sum or the least of those below it, but at most its own target, for sets struck out
at that target are in no network below it and may be in others. The bound of the root is that of the whole. Targets
come down (choosing.py). Tolerance is shared by level: the components on level L of splitting have tolerance / 2^L
between them, by size, so that all levels together never exceed it; an alternative has the tolerance of its part.

Up to `WINDOW` parts are worked on at a time, however many threads or workers there are. Parts enter this window with
the target they have then; their results are taken in the order they entered, and only then is another part chosen. So
what is chosen depends on the results before it and on nothing else: the same steps are made, and the same is told, by
one thread (which makes a step when its turn comes), by several, and by the workers of any engine. Bounds that rise and
networks that are found while a part is in the window cost it strength, never truth: what it proves for the higher
target holds for the lower one. A part that they close, or whose sibling leaves no room for it, is dropped.
What takes no time is done when it is chosen; what needs all memory is done when nothing else is under way.

Networks: a network of a part is put into the best network of the whole if that is cheaper and has no cycle. There are
two such records. `found` takes what local search and rounding find on the way; `best` also takes what proofs come with
(tables, lattice search), and is what a run that is stopped returns. A run that ends by itself returns `found` if
nothing is cheaper: so the network does not depend on which tool happened to close a part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any

from sabna.base.limits import Limits
from sabna.base.progress import NOTHING
from sabna.base.stop import Stop, Stopped
from sabna.bounds.weights import reduced_costs
from sabna.engine.engine import Engine
from sabna.searching import decisions, events
from sabna.searching.choices import Choice
from sabna.searching.choosing import candidates, left_now, without_network
from sabna.searching.decisions import CLOSE, FIRST_NETWORK, ONLY_CHOICE
from sabna.searching.incumbent import together
from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Known, Part, simple_bound
from sabna.searching.state import BRANCH, DONE, OPEN, SPLIT, Node, State
from sabna.searching.steps.context import Closed, Context, Narrowed, SearchFiles, Solved, Split, Step, StepResult
from sabna.searching.steps.local_search import quick_network
from sabna.searching.strategy import Strategy
from sabna.searching.working import Manner, Team, comfortable_threads, team_of_threads

# Parts that are worked on at a time. Larger, and targets are old when they are used; smaller, and workers wait.
WINDOW = 16
# In a tree with so many times as many open parts as this, as many are chosen at a time.
LARGE_TREE = 40
# What the first networks may take even if the time limit is over: limits are kept within a second.
FIRST_SECONDS = 0.4
# Networks found on the way, not by a proof.
ON_THE_WAY = ("rounding", "local search", "local search from the program's order")


class Tree:
    """A search under way: its state, the strategy that decides on steps, and those who listen."""

    def __init__(
        self,
        state: State,
        strategy: Strategy,
        options: SearchOptions,
        limits: Limits,
        listeners: Iterable[events.Listener] = (),
        ledger: bool = False,
        engine: Engine | None = None,
        files: SearchFiles | None = None,
    ) -> None:
        self.state, self.strategy, self.listeners = state, strategy, tuple(listeners)
        grace = limits.elapsed() + FIRST_SECONDS if strategy.networks_first else 0.0
        self.context = Context(options, limits, strategy.effort, self._hear, ledger, grace, files)
        self.engine, self.used = engine, ExitStack()
        self.team: Team | None = None  # once there is more than one part to work on
        self.started = False

    # What callers use.

    def step(self) -> bool:
        """Take the result of one step on one part; whether anything is left to do."""
        state = self.state
        if not self.started:
            self.started = True
            self._tell(events.Started(state.graph, state.tolerance, state.lower, state.best.network.cost))
        self._fill_window()
        if state.window:
            self._take_first(state.nodes[state.window[0]])
            state.window.pop(0)
        return state.nodes[0].kind != DONE

    def close(self) -> None:
        """End what was started to make steps side by side."""
        self.used.close()
        self.team = None

    def network(self) -> Known:
        """The network to return: the best known, or an equally cheap one that was found on the way."""
        state = self.state
        best = state.best.network
        root = state.nodes[0]
        for known in (state.found.known, root.part.known if root.kind == DONE else None):
            if known is not None and known.cost <= best.cost:
                return known
        return best

    def end(self, stop: Stop) -> None:
        """Say that the search ends. One that was stopped gets a quick network for every component without one."""
        root = self.state.nodes[0]
        if stop != Stop.none:
            for node in [root, *(self.state.nodes[c] for c in root.children)]:
                if node.kind == OPEN and node.part.known is None:
                    known = quick_network(node.part, self.context.options.seed)
                    if known is not None:
                        self._improve(node.part, known, FIRST_NETWORK)
        self._tell(events.Ended(stop, self.state.lower, self.network().cost))

    # What is next.

    def _fill_window(self) -> None:
        """Choose parts until the window is full; what takes no time is done at once."""
        window = self.state.window
        while len(window) < WINDOW:
            node = self._next_open()
            if node is None:
                return
            step = self.strategy.next_step(node.part, self.context)
            if decisions.takes_no_time(step.name, node.part):
                self._make(node, step)
                if node.part.branches:
                    self._go_on_at_once(node)
            else:
                window.append(node.part.id)

    def _go_on_at_once(self, node: Node) -> None:
        """Make what takes no time of the parts made of an alternative: looking for those in all of the tree does."""
        state, made = self.state, [node]
        while made:
            node = made.pop()
            for below in [node] if node.kind == OPEN else [state.nodes[c] for c in node.children]:
                left = left_now(state, below)
                if below.kind != OPEN or left is None or below.bound >= left:
                    continue
                below.part = replace(below.part, target=min(left, below.part.target))
                step = self.strategy.next_step(below.part, self.context)
                if decisions.takes_no_time(step.name, below.part):
                    self._make(below, step)
                    made.append(below)

    def _next_open(self) -> Node | None:
        """The open node whose turn it is, its part with the target as it is now; None if there is no other."""
        state = self.state
        while True:
            if not state.ranked:
                self._rank()
            if not state.ranked:
                return None
            node = state.nodes[state.ranked.pop()]
            left = left_now(state, node)
            if node.kind != OPEN or left is None or node.part.id in state.window:
                continue
            if node.bound >= left:
                self._finish(node, CLOSE, left, None)
                continue
            if left < node.part.target:
                node.part = replace(node.part, target=left)
            return node

    def _rank(self) -> None:
        """Note the open nodes whose turn is next, and finish those that what is above them closes.

        The next one alone, but in large trees a share of all: looking through the tree would take most of the time.
        """
        state = self.state
        while True:
            self._note_first_networks(state.nodes[0])
            found = candidates(state, self.strategy)
            closed = [c.node for c in found if c.closed]
            if not closed:
                break
            for node in closed:
                left = left_now(state, node)
                if left is not None and node.bound >= left:
                    self._finish(node, CLOSE, left, None)
        waiting = [c.node.part.id for c in found if c.node.part.id not in state.window]
        state.ranked = waiting[: 1 + len(found) // LARGE_TREE][::-1]

    def _note_first_networks(self, root: Node) -> None:
        """When every component has its first network, or needs none, they are put together."""
        if root.kind == SPLIT and not root.networks and not without_network(self.state, self.strategy, root):
            root.networks = True
            if self.strategy.networks_first:
                self._first_network(root)

    # Steps, made here or elsewhere.

    def _take_first(self, node: Node) -> None:
        """The first part of the window: make its step, or take what was made of it elsewhere."""
        self._send()
        left, sent = left_now(self.state, node), self.team is not None and self.team.sent(node.part.id)
        if left is None or node.bound >= left:
            if self.team is not None and sent:
                self.team.drop(node.part.id)
            if left is not None:
                self._finish(node, CLOSE, left, None)
        elif self.team is not None and sent:
            self._take_made(node, self.team)
        else:
            self._make(node, self.strategy.next_step(node.part, self.context))

    def _send(self) -> None:
        """Have the steps of the window made side by side, where that is more than one, up to one that works alone."""
        state, parts = self.state, []
        if self.engine is None and self.context.options.threads == 1:
            return
        for number in state.window:
            node = state.nodes[number]
            left = left_now(state, node)
            if left is None or node.bound >= left:
                continue
            if not (self.team is not None and self.team.sent(number)):
                step = self.strategy.next_step(node.part, self.context)
                if decisions.works_alone(step.name, node.part):
                    break
            parts.append(node.part)
        if len(parts) > 1:
            self.team = self.team or self._make_team()
        if len(parts) > 1 and self.team is not None:
            for part in parts:
                if not self.team.sent(part.id):
                    self.team.send(part)

    def _make_team(self) -> Team | None:
        """Who makes steps side by side: the engine, or threads if there is memory for several."""
        context = self.context
        manner = Manner(self.strategy, replace(context.options, threads=1), context.ledger)
        if self.engine is not None:
            return self.used.enter_context(closing(Team(self.engine, manner, context.limits, self._report_tasks)))
        threads = comfortable_threads(context.limits, context.options.threads)
        if threads == 1:
            return None
        manner = replace(manner, grace=context.grace)
        return self.used.enter_context(team_of_threads(manner, context.limits, threads, self._report_tasks))

    def _report_tasks(self, report: dict[str, Any]) -> None:
        """What the team says of itself, as a report about the whole."""
        self._tell(events.Reported(self.state.nodes[0].part, {**NOTHING, **report, "station": "search"}))

    def _take_made(self, node: Node, team: Team) -> None:
        """A step that was made elsewhere. One that had too little memory beside others is made again, alone."""
        made = team.take(node.part.id)
        if made.stop == Stop.memory_limit:
            team.wait()
            self._make(node, self.strategy.next_step(node.part, self.context))
            return
        before = node.part
        for event in made.told:
            self._hear(event)
        if made.result is None:
            raise Stopped(made.stop)
        self._take(node, before, made.step, made.result)

    def _make(self, node: Node, step: Step) -> None:
        """A step made here."""
        before = node.part
        self._take(node, before, step.name, step.run(before, self.context))

    # What came out of a step.

    def _take(self, node: Node, before: Part, step: str, result: StepResult) -> None:
        if isinstance(result, Narrowed):
            node.part = self.strategy.advance(step, before, result.part)
            if len(node.part.graph) < len(before.graph):
                self._count(before, {"fixed_sets": len(before.graph) - len(node.part.graph)})
                self._tell(events.Narrower(before, node.part))
        elif isinstance(result, Closed):
            self._finish(node, step, min(result.lower, node.part.target), node.part.known)
        elif isinstance(result, Solved):
            known = Known(result.cost, result.choice)
            self._improve(before, known, step)
            self._finish(node, step, result.lower, known)
        elif isinstance(result, Split):
            self._split(node, result.parts)
        else:
            self._branch(node, result.parts, result.how)

    def _split(self, node: Node, parts: tuple[Part, ...]) -> None:
        """Components: their share of the tolerance, and their turns."""
        state = self.state
        share = state.tolerance * 0.5 ** (node.part.depth + 1)
        self._add_children(node, SPLIT, parts, [int(share * part.n / state.graph.n) for part in parts])
        by_size = sorted(range(len(parts)), key=lambda k: (parts[k].n, len(parts[k].graph), k))
        node.turns = tuple(node.children[k] for k in by_size)
        node.total = sum(state.nodes[c].bound for c in node.children)
        for c in node.children:
            self._bound_by_inherited(state.nodes[c].part)
        self._raise(node, min(node.total, node.cap))

    def _bound_by_inherited(self, part: Part) -> None:
        """The weights that a component has inherited bound it: what it leaves to its siblings depends on that."""
        if part.n > 1 and len(part.clusters):
            bound = reduced_costs(part.graph, part.clusters).bound
            if bound > self.state.nodes[part.id].bound:
                self.state.nodes[part.id].part = part = part.raised(bound)
                self._hear(events.PartBounded(part, bound, part.clusters))

    def _branch(self, node: Node, parts: tuple[Part, ...], how: Choice | None) -> None:
        """Alternatives: bounds of the part hold for each, networks do not."""
        self._add_children(node, BRANCH, parts, [node.part.slack] * len(parts), how)
        for c in node.children:
            self.state.nodes[c].bound = max(self.state.nodes[c].bound, node.bound)
        self._raise(node, min(node.cap, *(self.state.nodes[c].bound for c in node.children)))

    def _add_children(
        self, node: Node, kind: str, parts: tuple[Part, ...], slacks: list[int], how: Choice | None = None
    ) -> None:
        first = len(self.state.nodes)
        children = [
            replace(part, id=first + k, slack=slack, known=None)
            for k, (part, slack) in enumerate(zip(parts, slacks, strict=True))
        ]
        self.state.nodes += [Node(part, node.part.id, simple_bound(part.graph)) for part in children]
        told = tuple(children)
        split = kind == SPLIT
        self._tell(events.SplitInto(node.part, told) if split else events.BranchedInto(node.part, told, how))
        node.kind, node.children, node.cap = kind, tuple(part.id for part in children), node.part.target
        node.part = node.part.without_sets(node.part.known)

    def _finish(self, node: Node, how: str, lower: int, known: Known | None) -> None:
        """A node is done; perhaps the one above it is, too. (In a loop: trees may be a thousand levels deep.)"""
        while True:
            self._raise(node, lower)
            self._tell(events.PartClosed(node.part, how, node.bound, None if known is None else known.cost))
            node.kind, node.part = DONE, node.part.without_sets(known)
            if node.parent is None:
                return
            child, node = node, self.state.nodes[node.parent]
            if node.kind == SPLIT:
                ended = self._end_of_split(node, child)
                if ended is None:
                    return
                how, (lower, known) = SPLIT, ended
            elif node.kind == BRANCH and all(self.state.nodes[c].kind == DONE for c in node.children):
                how, lower, known = BRANCH, node.bound, node.part.known
            else:
                return

    def _end_of_split(self, node: Node, child: Node) -> tuple[int, Known | None] | None:
        """A component is done: without a network it leaves no room for the others; the last one completes them all.

        The bound and the network that the split ends with; None if it goes on.
        """
        known = node.part.known
        lower = min(node.total, node.cap)
        if child.part.known is not None:
            node.done += 1
            if node.done < len(node.children):
                return None
            whole = together(node.part, [self.state.nodes[c].part for c in node.children])
            if whole.cost < node.part.target:
                self._improve(node.part, whole, SPLIT)
                known, lower = whole, min(lower, whole.cost)
        return lower, known

    # Bounds, networks and counts.

    def _raise(self, node: Node, bound: int) -> None:
        """A lower bound of a node's part, as far as its networks are below its target, and what follows above it."""
        while bound > node.bound:
            rise, node.bound = bound - node.bound, bound
            if node.parent is None:
                self._tell(events.BoundRaised(bound))
                return
            node = self.state.nodes[node.parent]
            if node.kind == SPLIT:
                node.total += rise
                bound = min(node.total, node.cap)
            elif node.kind == BRANCH:
                bound = min(node.cap, *(self.state.nodes[c].bound for c in node.children))
            else:
                return

    def _improve(self, part: Part, known: Known, source: str) -> None:
        """A network of a part: for the whole, and for the parts that it is an alternative of."""
        state = self.state
        if source in ON_THE_WAY and state.found.put_in(state.graph, part, known):
            self._offer(state.found.network)
        # A part of a part with one choice is done at once, and can wait for its siblings.
        wanted = source != ONLY_CHOICE or part.depth <= 1
        if wanted and state.best.put_in(state.graph, part, known):
            self._tell(events.NetworkFound(state.best.network.cost, state.best.network.choice))
        self._improve_above(state.nodes[part.id], known, source)

    def _improve_above(self, node: Node, known: Known, source: str) -> None:
        """A network of a part is one of what it is an alternative of, and with its siblings' of what they make up."""
        state = self.state
        while node.parent is not None:
            node = state.nodes[node.parent]
            if node.kind == SPLIT:
                parts = [state.nodes[c].part for c in node.children]
                if node.parent is None or any(part.known is None for part in parts):
                    return
                known = together(node.part, parts)
                if state.best.put_in(state.graph, node.part, known):
                    self._tell(events.NetworkFound(state.best.network.cost, state.best.network.choice))
                    if source in ON_THE_WAY:
                        state.found.offer(state.best.network)
            if known.cost >= node.part.target:
                return
            node.part = node.part.improved(known)

    def _first_network(self, root: Node) -> None:
        """The first networks of all components together are one of the whole."""
        parts = [self.state.nodes[c].part for c in root.children]
        if all(part.known is not None for part in parts):
            first = together(root.part, parts)
            self.state.found.offer(first)
            self._offer(first)

    def _offer(self, known: Known) -> None:
        """A network of the whole."""
        if self.state.best.offer(known):
            self._tell(events.NetworkFound(known.cost, known.choice))

    def _count(self, part: Part, counts: Mapping[str, float]) -> None:
        """Add up what a step counted; bytes a node are those of the largest part searched."""
        state = self.state
        for key, value in counts.items():
            if key != "bytes_per_node":
                state.counts[key] = state.counts.get(key, 0) + value
                self.context.limits.counted[key] += value  # of this run alone, where the state is one that was kept
            elif part.n > state.largest_searched[0] or part.id == state.largest_searched[1]:
                state.counts[key], state.largest_searched = value, (part.n, part.id)

    def _hear(self, event: events.Event) -> None:
        """Take in what a step tells, and pass it on."""
        if isinstance(event, events.PartBounded):
            self._raise(self.state.nodes[event.part.id], event.lower)
        elif isinstance(event, events.PartImproved):
            node = self.state.nodes[event.part.id]
            node.part = replace(node.part, known=event.part.known, target=event.part.target)
            self._improve(event.part, Known(event.cost, event.choice), event.source)
        elif isinstance(event, events.StepDone):
            self._count(event.part, event.counts)
        self._tell(event)

    def _tell(self, event: events.Event) -> None:
        for listener in self.listeners:
            listener(event)

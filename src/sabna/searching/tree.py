"""The tree of parts: which are open, what is proven and known of the whole, and what to do next.

A node is a part. An open node waits for its next step. A *split* node has components below it: its cost is the sum of
theirs. A *branch* node has alternatives below it: its cost is that of the cheapest. `step()` makes one step on one open
part and takes in what comes out, so that whoever calls it can look, stop, or save `state` in between.

Bounds go up: a node's bound is the sum or the least of those below it, but at most its own target, for sets struck out
at that target are in no network below it and may be in others. The bound of the root is that of the whole.

Targets come down: a component's target is the target of the part it belongs to minus the bounds of the other
components; an alternative has the target of the part it is an alternative of, which falls when one of them finds a
network. Tolerance is shared by level: the components on level L of splitting have tolerance / 2^L between them, by
size, so that all levels together never exceed it; an alternative has the tolerance of its part.

Order: the components of a split one after the other, small ones first, for they tell the large ones what is left; of
alternatives, the one with the least bound.

Networks: a network of a part is put into the best network of the whole if that is cheaper and has no cycle. There are
two such records. `found` takes what local search and rounding find on the way; `best` also takes what proofs come with
(tables, lattice search), and is what a run that is stopped returns. A run that ends by itself returns `found` if
nothing is cheaper: so the network does not depend on which tool happened to close a part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sabna.base.cost import INFINITE
from sabna.base.limits import Limits
from sabna.base.stop import Stop
from sabna.parents.graph import ParentGraph
from sabna.parents.orders import network_of_order
from sabna.searching import events
from sabna.searching.choices import Choice
from sabna.searching.decisions import CLOSE, FIRST_NETWORK, ONLY_CHOICE
from sabna.searching.incumbent import Incumbent, together
from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Known, Part, simple_bound
from sabna.searching.steps.context import Closed, Context, Narrowed, Solved, Split, StepResult
from sabna.searching.steps.local_search import quick_network
from sabna.searching.strategy import Strategy

# What the first networks may take even if the time limit is over: limits are kept within a second.
FIRST_SECONDS = 0.4
# Networks found on the way, not by a proof.
ON_THE_WAY = ("rounding", "local search", "local search from the program's order")

OPEN, SPLIT, BRANCH, DONE = "open", "split", "branch", "done"


@dataclass(eq=False)
class Node:
    """A part in the tree. Done: `part.known` is its best network below the target it was given, None if there is none.

    `bound` is a lower bound of the part's networks, as far as they are below its target.
    """

    part: Part
    parent: int | None
    bound: int
    kind: str = OPEN
    children: tuple[int, ...] = ()
    total: int = 0  # sum of the children's bounds
    cap: int = INFINITE  # the target when it was split or branched: networks that lost sets before cost no less
    turns: tuple[int, ...] = ()  # the children of a split in the order they are worked on ...
    turn: int = 0  # ... those before this one are done
    first_turn: int = 0  # the children before this one have had their first step
    done: int = 0  # components done, with a network


@dataclass(eq=False)
class State:
    """All that a search knows, as plain data: pickled between two steps and read again, it goes on as it would have."""

    graph: ParentGraph
    tolerance: int
    nodes: list[Node]
    best: Incumbent
    found: Incumbent = field(default_factory=Incumbent)
    counts: dict[str, float] = field(default_factory=dict)
    largest_searched: tuple[int, int] = (0, 0)  # size and number of a part

    @staticmethod
    def of(graph: ParentGraph, tolerance: int, order: list[int]) -> State:
        """Nothing done yet; `order` is any order of the variables that has a network."""
        first = network_of_order(graph, order)
        assert first is not None
        root = replace(Part.whole(graph), slack=tolerance)
        return State(graph, tolerance, [Node(root, None, simple_bound(graph))], Incumbent(Known(*first)))

    @property
    def lower(self) -> int:
        """The proven lower bound of the whole."""
        return self.nodes[0].bound


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
    ) -> None:
        self.state, self.strategy, self.listeners = state, strategy, tuple(listeners)
        grace = limits.elapsed() + FIRST_SECONDS if strategy.networks_first else 0.0
        self.context = Context(options, limits, strategy.effort, self._hear, ledger, grace)
        self.started = False

    # What callers use.

    def step(self) -> bool:
        """Make one step on one part; whether anything is left to do."""
        if not self.started:
            self.started, state = True, self.state
            self._tell(events.Started(state.graph, state.tolerance, state.lower, state.best.network.cost))
        node = self._next_open()
        if node is not None:
            before = node.part
            step = self.strategy.next_step(before, self.context)
            self._take(node, before, step.name, step.run(before, self.context))
        return self.state.nodes[0].kind != DONE

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

    def _next_open(self) -> Node | None:
        """The open node whose turn it is, its part with the target as it is now; None if that closes all."""
        node = self.state.nodes[0]
        target = node.part.target
        while node.kind != OPEN:
            if node.kind == DONE:
                return None
            if node.kind == SPLIT:
                child = self._next_of_split(node)
                left = target - (node.total - child.bound) if target < INFINITE else INFINITE
            else:
                child, left = self._next_of_branch(node), target
            if child.bound >= left:
                self._finish(child, CLOSE, left, None)
                return self._next_open()
            node, target = child, min(left, child.part.target)
        if target < node.part.target:
            node.part = replace(node.part, target=target)
        return node

    def _next_of_split(self, node: Node) -> Node:
        """First a network for each, if the strategy wants that; then small ones first."""
        nodes = self.state.nodes
        while node.first_turn < len(node.children):
            child = nodes[node.children[node.first_turn]]
            if child.kind == OPEN and self.strategy.network_first(child.part):
                return child
            node.first_turn += 1
            if node.first_turn == len(node.children) and node.parent is None and self.strategy.networks_first:
                self._first_network(node)
        while nodes[node.turns[node.turn]].kind == DONE:
            node.turn += 1
        return nodes[node.turns[node.turn]]

    def _next_of_branch(self, node: Node) -> Node:
        """The alternative with the least bound."""
        waiting = [self.state.nodes[c] for c in node.children if self.state.nodes[c].kind != DONE]
        return min(waiting, key=lambda child: child.bound)

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
        self._raise(node, min(node.total, node.cap))

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
        """A node is done; perhaps the one above it is, too."""
        self._raise(node, lower)
        self._tell(events.PartClosed(node.part, how, node.bound, None if known is None else known.cost))
        node.kind, node.part = DONE, node.part.without_sets(known)
        if node.parent is None:
            return
        above = self.state.nodes[node.parent]
        if above.kind == SPLIT:
            self._finish_split(above, node)
        elif above.kind == BRANCH and all(self.state.nodes[c].kind == DONE for c in above.children):
            self._finish(above, BRANCH, above.bound, above.part.known)

    def _finish_split(self, node: Node, child: Node) -> None:
        """A component is done: without a network it leaves no room for the others; the last one completes them all."""
        known = node.part.known
        lower = min(node.total, node.cap)
        if child.part.known is not None:
            node.done += 1
            if node.done < len(node.children):
                return
            whole = together(node.part, [self.state.nodes[c].part for c in node.children])
            if whole.cost < node.part.target:
                self._improve(node.part, whole, SPLIT)
                known, lower = whole, min(lower, whole.cost)
        self._finish(node, SPLIT, lower, known)

    # Bounds, networks and counts.

    def _raise(self, node: Node, bound: int) -> None:
        """A lower bound of a node's part, as far as its networks are below its target."""
        rise = bound - node.bound
        if rise <= 0:
            return
        node.bound = bound
        if node.parent is None:
            self._tell(events.BoundRaised(bound))
            return
        above = self.state.nodes[node.parent]
        if above.kind == SPLIT:
            above.total += rise
            self._raise(above, min(above.total, above.cap))
        elif above.kind == BRANCH:
            self._raise(above, min(above.cap, *(self.state.nodes[c].bound for c in above.children)))

    def _improve(self, part: Part, known: Known, source: str) -> None:
        """A network of a part: for the whole, and for the parts that it is an alternative of."""
        state = self.state
        if source in ON_THE_WAY and state.found.put_in(state.graph, part, known):
            self._offer(state.found.network)
        # A part of a part with one choice is done at once, and can wait for its siblings.
        wanted = source != ONLY_CHOICE or part.depth <= 1
        if wanted and state.best.put_in(state.graph, part, known):
            self._tell(events.NetworkFound(state.best.network.cost, state.best.network.choice))
        node = state.nodes[part.id]
        while node.parent is not None and state.nodes[node.parent].kind == BRANCH:
            node = state.nodes[node.parent]
            if known.cost < node.part.target:
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

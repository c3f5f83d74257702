"""Which open parts come next, and with what targets.

Targets come down the tree: a component's target is the target of the part it belongs to minus the bounds of the other
components; an alternative has the target of the part it is an alternative of, which falls when one of them finds a
network.

Several parts are worked on at a time. All alternatives have to be settled, so the order among them matters little:
those with most between their bound and their target come first, for they hold back the bound of the whole. The
components of the whole graph do not depend on each other. Those of a part do: a component that dense tables solve at
once is settled before the others, which are then told what is left to them; of the others all are worked on.
"""

from __future__ import annotations

from dataclasses import dataclass

from sabna.base.cost import INFINITE
from sabna.searching import decisions
from sabna.searching.state import BRANCH, DONE, OPEN, Node, State
from sabna.searching.strategy import Strategy


@dataclass(frozen=True, eq=False)
class Candidate:
    """A node with its target as it is now. Closed: what is left to it by the nodes above is not below its bound."""

    node: Node
    target: int
    closed: bool = False

    @property
    def gap(self) -> int:
        """What is between bound and target."""
        return self.target - self.node.bound


def candidates(state: State, strategy: Strategy) -> list[Candidate]:
    """The open parts in the order they are to be worked on, and what the nodes above them close."""
    root = state.nodes[0]
    return [] if root.kind == DONE else _below(state, strategy, root, root.part.target)


def _below(state: State, strategy: Strategy, node: Node, left: int) -> list[Candidate]:
    """The candidates at and below a node, where the nodes above leave it so much.

    By a list, not by calls, and sorted once: branching on sources makes trees that are hundreds of levels deep.
    """
    found: list[Candidate] = []
    # Nodes, what is left to them, and whether they are alternatives, or below some; or from where on to sort.
    waiting: list[tuple[Node, int, bool] | int] = [(node, left, False)]
    while waiting:
        item = waiting.pop()
        if isinstance(item, int):
            found[item:] = sorted(found[item:], key=lambda c: -c.gap)
            continue
        node, left, alternative = item
        if node.parent is not None and node.bound >= left:
            found.append(Candidate(node, left, closed=True))
        elif node.kind == OPEN:
            found.append(Candidate(node, min(left, node.part.target)))
        else:
            target, branch = min(left, node.part.target), node.kind == BRANCH
            if branch and not alternative:
                waiting.append(len(found))
            children = _alternatives(state, node) if branch else _components(state, strategy, node)
            waiting += [(c, _left_to(node, c, target), alternative or branch) for c in reversed(children)]
    return found


def _left_to(node: Node, child: Node, target: int) -> int:
    """What a node with this target leaves to a child."""
    if node.kind == BRANCH or target == INFINITE:
        return target
    return target - (node.total - child.bound)


def left_now(state: State, node: Node) -> int | None:
    """What the nodes above leave to a node; None if it, or one of them, is done."""
    way = [node]
    while way[-1].parent is not None:
        way.append(state.nodes[way[-1].parent])
    if any(one.kind == DONE for one in way):
        return None
    left = way[-1].part.target
    for above, below in zip(way[:0:-1], way[-2::-1], strict=True):
        left = _left_to(above, below, min(left, above.part.target))
    return left


def _alternatives(state: State, node: Node) -> list[Node]:
    return [state.nodes[c] for c in node.children if state.nodes[c].kind != DONE]


def _components(state: State, strategy: Strategy, node: Node) -> list[Node]:
    """First a network for each, if the strategy wants that; then small ones first."""
    if node.parent is None and not node.networks:
        return without_network(state, strategy, node)
    waiting = [state.nodes[c] for c in node.turns if state.nodes[c].kind != DONE]
    if not strategy.side_by_side:
        return waiting[:1]
    settled_first = node.parent is not None and decisions.dense_at_once(waiting[0].part)
    return waiting[:1] if settled_first else waiting


def without_network(state: State, strategy: Strategy, node: Node) -> list[Node]:
    """The components that are to have a first network before anything else."""
    children = [state.nodes[c] for c in node.children]
    return [child for child in children if child.kind == OPEN and strategy.network_first(child.part)]

"""The tree of parts: splits add, branches take the least, and a search can be saved between any two steps."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.limits import Limits
from sabna.base.stop import Stop
from sabna.bounds.cuts import reduced_costs_of
from sabna.bounds.weights import reduced_costs
from sabna.parents.graph import ParentGraph
from sabna.parents.orders import placing_order, topological_order
from sabna.searching import decisions, events
from sabna.searching.choices import gone_by
from sabna.searching.choosing import candidates, left_now
from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Part, Progress
from sabna.searching.state import BRANCH, DONE, Node, State
from sabna.searching.steps import STEPS
from sabna.searching.steps.context import Branch, Context, Step, StepResult
from sabna.searching.strategies import STRATEGIES
from sabna.searching.strategies.auto import Auto
from sabna.searching.strategy import Strategy
from sabna.searching.tree import Tree
from tests.graphs import equivalent_graph, graph_of, optimum, random_graph
from tests.repeats import few_or_many
from tests.test_auto import some_graph


@pytest.fixture
def without_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send small graphs the way of large ones."""
    for name, value in SMALL.items():
        monkeypatch.setattr(decisions, name, value)


SMALL = {"DENSE_AT_ONCE": 0, "DENSE_MOST": 0, "GROUP_SIZES": (3, 4, 5), "SMALL_GROUP": 3, "GROUPS_FROM": 5}


def tree_of(
    graph: ParentGraph, strategy: Strategy, tolerance: int = 0, listeners: Any = (), ledger: bool = False
) -> Tree:
    options = SearchOptions(tolerance=tolerance)
    state = State.of(graph, tolerance, placing_order(graph)[0])
    return Tree(state, strategy, options, Limits(), listeners, ledger)


def finished(tree: Tree, most: int = 100_000) -> Tree:
    """Step to the end; checks after every step that bounds of the whole close in."""
    lower, cost = tree.state.lower, tree.state.best.network.cost
    for _ in range(most):
        left = tree.step()
        assert lower <= tree.state.lower <= tree.state.best.network.cost <= cost
        lower, cost = tree.state.lower, tree.state.best.network.cost
        if not left:
            return tree
    raise AssertionError("the tree does not end")


def check(graph: ParentGraph, tree: Tree, tolerance: int = 0) -> None:
    known = tree.network()
    assert int(graph.costs[known.choice].sum()) == known.cost
    assert topological_order(graph, known.choice)
    best = optimum(graph)
    assert best <= known.cost <= best + tolerance
    assert known.cost - tolerance <= tree.state.lower <= best


# A toy strategy that branches.


def with_sets(part: Part, variable: int, wanted: Any, words: str) -> Part | None:
    """The part with some of one variable's sets; None if it has none of them."""
    keep = np.ones(len(part.graph), bool)
    own = slice(part.graph.offsets[variable], part.graph.offsets[variable + 1])
    keep[own] = wanted
    left = part.keeping(keep)
    return None if left is None else replace(left, path=(*part.path, words), progress=Progress())


def by_set(part: Part, variable: int) -> list[Part]:
    """One alternative for each of the cheapest two sets of a variable, and one for the others."""
    size = int(np.diff(part.graph.offsets)[variable])
    place = np.minimum(np.arange(size), 2)
    parts = [with_sets(part, variable, place == k, f"set {k} of {variable}") for k in range(3)]
    return [p for p in parts if p is not None]


def by_arc(part: Part, variable: int) -> list[Part]:
    """With some other variable among the parents, and without it."""
    own = slice(part.graph.offsets[variable], part.graph.offsets[variable + 1])
    sets = part.graph.sets[own]
    union = int(np.bitwise_or.reduce(sets[:, 0]))
    arc = np.uint64(union & -union)
    parts = [
        with_sets(part, variable, (sets[:, 0] & arc) != 0, f"arc into {variable}"),
        with_sets(part, variable, (sets[:, 0] & arc) == 0, f"no arc into {variable}"),
    ]
    return [p for p in parts if p is not None]


class Branching(Auto):
    """Splits, branches `deep` times on the variable with most sets, and leaves the rest to the default strategy."""

    def __init__(self, deep: int, arcs: bool, bounds_first: bool) -> None:
        self.deep, self.arcs, self.bounds_first = deep, arcs, bounds_first

    def next_step(self, part: Part, context: Context) -> Step:
        branches = sum("component" not in words for words in part.path)
        ready = part.progress.step == decisions.DUAL_ASCENT if self.bounds_first else not part.progress.step
        if part.depth > 0 and ready and part.progress.one_component and branches < self.deep:
            sizes = np.diff(part.graph.offsets)
            if sizes.max() > 1:
                return Step("toy", self.branch)
        if part.depth > 0 and not part.progress.one_component and ready:
            return STEPS[decisions.COMPONENTS]
        return super().next_step(part, context)

    def branch(self, part: Part, context: Context) -> StepResult:
        variable = int(np.argmax(np.diff(part.graph.offsets)))
        return Branch(tuple((by_arc if self.arcs else by_set)(part, variable)))


class Forced(Auto):
    """Dual ascent, the program with or without zero-half cuts, then branching; what cannot be branched is searched."""

    def __init__(self, cuts: bool) -> None:
        self.cuts = cuts

    def next_step(self, part: Part, context: Context) -> Step:
        done = part.progress.step
        if part.depth == 0 or (done and done != decisions.BRANCHING and not part.progress.one_component):
            return STEPS[decisions.COMPONENTS]
        if part.lower >= part.target:
            return STEPS[decisions.CLOSE]
        if not done and decisions.has_one_choice(part):
            return STEPS[decisions.ONLY_CHOICE]
        cuts = decisions.CUT_PROGRAM if self.cuts and part.target < INFINITE else decisions.CLUSTER_PROGRAM
        first = cuts if part.branches else decisions.FIRST_NETWORK
        steps = {"": first, decisions.FIRST_NETWORK: decisions.DUAL_ASCENT}
        steps |= {decisions.DUAL_ASCENT: cuts, cuts: decisions.BRANCHING}
        return STEPS[steps.get(done, decisions.ASTAR)]


class ForcedSources(Auto):
    """The source program, then branching on sources, from the first round on; what has no source to it is searched."""

    def next_step(self, part: Part, context: Context) -> Step:
        done = part.progress.step
        if part.depth == 0 or (done == decisions.SOURCE_PROGRAM and not part.progress.one_component):
            return STEPS[decisions.COMPONENTS]
        if part.lower >= part.target:
            return STEPS[decisions.CLOSE]
        if not done and decisions.has_one_choice(part):
            return STEPS[decisions.ONLY_CHOICE]
        if not done and decisions.network_first(part):
            return STEPS[decisions.FIRST_NETWORK]
        if done == decisions.SOURCE_PROGRAM and not part.progress.sources:
            return STEPS[decisions.ASTAR]
        return STEPS[decisions.SOURCE_BRANCHING if part.progress.sources else decisions.SOURCE_PROGRAM]


def graphs_to_branch_on(count: int) -> Iterator[tuple[int, ParentGraph]]:
    for seed in range(count):
        if seed % 3 == 0:  # several components, many ties
            parts = [random_graph(10 * seed + k, 2 + (seed + k) % 3, sets=6, costs=4) for k in range(3)]
            yield seed, side_by_side(parts)
        else:
            yield seed, some_graph(seed, most=7)


def side_by_side(graphs: list[ParentGraph]) -> ParentGraph:
    """Graphs without a set in common, as one."""
    lists: list[dict[int, int]] = []
    for graph in graphs:
        base = len(lists)
        lists += [
            {sum(1 << (base + v) for v in parents): cost for cost, parents in graph.parent_sets(i)}
            for i in range(graph.n)
        ]
    return graph_of(lists)


@few_or_many("graphs", 24, 30)
@pytest.mark.parametrize("bounds_first", [False, True])
@pytest.mark.parametrize("arcs", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_branches_take_the_least_and_splits_the_sum(
    arcs: bool, bounds_first: bool, graphs: int, request: pytest.FixtureRequest
) -> None:
    """Protects from a target, a bound or a network that is lost between levels: splits in branches in splits."""
    request.getfixturevalue("without_tables")
    kinds = set()
    for seed, graph in graphs_to_branch_on(graphs):
        tolerance = 0 if seed % 2 else 2
        strategy = Branching(deep=1 + seed % 4, arcs=arcs, bounds_first=bounds_first)
        tree = finished(tree_of(graph, strategy, tolerance))
        check(graph, tree, tolerance)
        kinds |= {nesting(tree.state, k) for k in range(len(tree.state.nodes))}
    assert ("split branch split" if bounds_first else "split branch split branch split") in kinds


def nesting(state: State, number: int | None) -> str:
    """The kinds of the nodes above a node, told by their children."""
    words = []
    while number is not None:
        parent = state.nodes[number].parent
        if parent is not None:
            words.append("split" if state.nodes[number].part.depth > state.nodes[parent].part.depth else "branch")
        number = parent
    return " ".join(reversed(words))


def test_the_least_bound_comes_first_and_its_network_lowers_the_target_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Protects from alternatives that are searched for what is no better than what is known."""
    monkeypatch.setattr("sabna.searching.tree.WINDOW", 1)
    # With 1 as its parent 0 looks cheaper (20, truly 25) than without (22): that alternative is tried first.
    graph = graph_of([{0: 12, 0b10: 10}, {0: 15, 0b01: 10}])
    targets: dict[str, list[int]] = {}

    class Watched(Branching):
        def next_step(self, part: Part, context: Context) -> Step:
            targets.setdefault(part.path[-1] if part.path else "", []).append(part.target)
            return super().next_step(part, context)

    tree = finished(tree_of(graph, Watched(deep=1, arcs=False, bounds_first=False)))
    check(graph, tree)
    assert [words for words in targets if words.startswith("set")] == ["set 0 of 0", "set 1 of 0"]
    assert max(targets["set 1 of 0"]) == 25


# Saving.

RESUME = """
import pickle, sys
from sabna.base.limits import Limits
from sabna.searching import decisions
from sabna.searching.outcome import SearchOptions
from sabna.searching.strategies import STRATEGIES
from sabna.searching.tree import Tree
for name, value in {small!r}.items():
    setattr(decisions, name, value)
ends = []
for strategy, options, saved in pickle.load(sys.stdin.buffer):
    tree = Tree(pickle.loads(saved), STRATEGIES[strategy], options, Limits())
    while tree.step():
        pass
    known = tree.network()
    ends.append((known.cost, known.choice.tolist(), tree.state.lower, tree.state.counts.get("expanded")))
sys.stdout.buffer.write(pickle.dumps(ends))
"""

WAYS: list[tuple[str, SearchOptions]] = [
    ("auto", SearchOptions()),
    ("auto", SearchOptions(tolerance=1 << 10)),
    ("astar", SearchOptions(heuristic="dual-pattern", components=True)),
    ("bfs", SearchOptions()),
]


@pytest.mark.usefixtures("without_tables")
def test_a_search_saved_between_any_two_steps_goes_on_in_another_process() -> None:
    """Protects from state outside the state: the same cost, network, bound and nodes, wherever it was cut."""
    saved, expected = [], []
    for (strategy, options), seed in product(WAYS, (1, 5, 8, 22)):
        graph = some_graph(seed, most=9)
        state = State.of(graph, options.tolerance, placing_order(graph)[0])
        tree = Tree(state, STRATEGIES[strategy], options, Limits())
        first = len(saved)
        saved.append((strategy, options, pickle.dumps(tree.state)))
        while tree.step():
            saved.append((strategy, options, pickle.dumps(tree.state)))
        known = tree.network()
        end = known.cost, known.choice.tolist(), tree.state.lower, tree.state.counts.get("expanded")
        expected += [end] * (len(saved) - first)
    assert len(saved) > 40
    code = RESUME.format(small=SMALL)
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(saved), capture_output=True, check=True)
    assert pickle.loads(done.stdout) == expected


@pytest.mark.usefixtures("without_tables")
def test_two_trees_advanced_in_turns_do_not_disturb_each_other() -> None:
    graphs = [some_graph(seed, most=8) for seed in (2, 7)]
    alone = [finished(tree_of(graph, STRATEGIES["auto"])).network().choice.tolist() for graph in graphs]
    trees = [tree_of(graph, STRATEGIES["auto"]) for graph in graphs]
    left = [True, True]
    while any(left):
        left = [tree.step() for tree in trees]
    assert [tree.network().choice.tolist() for tree in trees] == alone


# Events.


@pytest.mark.parametrize(
    "strategy", [STRATEGIES["auto"], Forced(cuts=True), ForcedSources()], ids=["auto", "branching", "sources"]
)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.usefixtures("without_tables")
def test_events_hold_all_that_the_proof_rests_on(seed: int, strategy: Strategy) -> None:
    """Every struck set is struck by the weights or patterns told with it, at the target told with it."""
    graph = equivalent_graph(seed, 8) if isinstance(strategy, ForcedSources) and seed % 2 else some_graph(seed, most=8)
    told: list[events.Event] = []
    tree = finished(tree_of(graph, strategy, listeners=[told.append], ledger=True))
    alive, proven = {0: set(range(len(graph)))}, {0: -INFINITE}
    for event in told:
        if isinstance(event, events.Fixed):
            left = left_of(event.part, alive)
            assert left is not None
            assert may_go(replace(event, part=left, struck=np.isin(left.origin, event.positions)))
            alive[event.part.id] -= set(event.positions.tolist())
        elif isinstance(event, events.Narrower):
            assert set(event.after.origin.tolist()) == alive[event.after.id]
        elif isinstance(event, events.PartBounded) and (event.clusters or event.cuts or event.patterns):
            assert min(bound_by(event), event.part.target) <= event.lower
            left, before = left_of(event.part, alive), proven[event.part.id]
            now = event.part.target if left is None else bound_by(replace(event, part=left))
            proven[event.part.id] = max(before, now)
            assert event.lower <= proven[event.part.id]
        elif isinstance(event, events.SplitInto | events.BranchedInto):
            if isinstance(event, events.BranchedInto):
                assert event.how is not None
                sides = [set(event.part.origin[~gone].tolist()) for gone in gone_by(event.how, event.part)]
                assert all(set(part.origin.tolist()) in sides for part in event.parts)
            for part in event.parts:
                assert set(part.origin.tolist()) <= alive[event.part.id]
                alive[part.id], proven[part.id] = set(part.origin.tolist()), part.lower
            together = sorted(v for part in event.parts for v in part.members.tolist())
            assert not isinstance(event, events.SplitInto) or together == event.part.members.tolist()
    closed = [event.part.id for event in told if isinstance(event, events.PartClosed)]
    assert sorted(closed) == sorted(set(closed))
    assert 0 in closed
    assert all(node.kind == DONE for node in tree.state.nodes if node.part.id in closed)
    lowers = [event.lower for event in told if isinstance(event, events.BoundRaised)]
    costs = [event.cost for event in told if isinstance(event, events.NetworkFound)]
    assert lowers == sorted(lowers)
    assert costs == sorted(costs, reverse=True)
    assert [lowers[-1:] or [tree.state.lower], costs[-1:] or [optimum(graph)]] == [[optimum(graph)], [optimum(graph)]]


def left_of(part: Part, alive: dict[int, set[int]]) -> Part | None:
    """A part with the sets that are not struck out by then; None if some variable has none."""
    return part.keeping(np.isin(part.origin, list(alive[part.id])))


def may_go(event: events.Fixed) -> bool:
    """Whether the weights and patterns that are told strike out at least the sets that are told."""
    part = event.part
    if event.clusters is not None or event.cuts is not None:
        reduced = reduced_by(event)
        variable = np.repeat(np.arange(part.n), np.diff(part.graph.offsets))
        through = (reduced.bound - reduced.least)[variable] + reduced.cost
        return bool((through[event.struck] >= event.target).all())
    patterns = [pattern.arrays for pattern in event.patterns]
    fixed = core.fix_sets(*part.graph.arrays, patterns, event.target, threads=1, limits=core.Limits())
    return fixed.stop == Stop.none and not fixed.keep[event.struck].any()


def reduced_by(event: events.Fixed | events.PartBounded) -> Any:
    """The bound and the reduced costs by the weights that are told."""
    if event.cuts is not None:
        return reduced_costs_of(event.part.graph, event.cuts)
    assert event.clusters is not None
    return reduced_costs(event.part.graph, event.clusters)


def bound_by(event: events.PartBounded) -> int:
    """The bound of the weights or patterns that are told."""
    part = event.part
    if event.clusters is not None or event.cuts is not None:
        return int(reduced_by(event).bound)
    patterns = [pattern.arrays for pattern in event.patterns]
    return max(core.fix_sets(*part.graph.arrays, patterns, part.target, threads=1, limits=core.Limits()).bounds)


@few_or_many("graphs", 15, 40)
def test_tolerance_is_shared_over_components(graphs: int) -> None:
    """Each component used to take all of it, and the run ended with an internal error: gaps beyond the tolerance."""
    for seed in range(graphs):
        parts = [random_graph(7 * seed + k, 4, sets=8, costs=1000) for k in range(4)]
        graph, best = side_by_side(parts), sum(optimum(part) for part in parts)
        for strategy, heuristic in product(("astar", "bfs"), ("simple", "cuts")):
            result = sabna.search(graph, strategy, heuristic, components=True, gap_tolerance=1e-6, n_jobs=1)
            assert result.status == "optimal"
            assert result.lower_bound_quanta <= best <= result.cost_quanta
            assert result.gap <= 1e-6


def test_what_is_saved_is_plain_data(tmp_path: Path) -> None:
    """No limits, callbacks or threads: a part of a search that nobody else could load would be of no use."""
    graph = some_graph(5, most=8)
    tree = tree_of(graph, STRATEGIES["auto"], listeners=[print], ledger=True)
    tree.listeners = (lambda event: None,)
    while tree.step():
        (tmp_path / "state").write_bytes(pickle.dumps(tree.state))
    again = pickle.loads((tmp_path / "state").read_bytes())
    assert [node.part.id for node in again.nodes] == list(range(len(again.nodes)))


def test_a_tree_may_be_a_thousand_levels_deep() -> None:
    """Chains of variables that are no source ended in a RecursionError, 480 levels down."""
    graph, strategy, deep = graph_of([{0: 12, 0b10: 10}, {0: 15, 0b01: 10}]), STRATEGIES["auto"], 1000
    state = State.of(graph, 0, placing_order(graph)[0])
    whole = replace(state.nodes[0].part, depth=1, target=25)
    state.nodes = [
        Node(replace(whole, id=k), k - 1 if k else None, 0, kind=BRANCH, children=(k + 1,)) for k in range(deep)
    ]
    state.nodes.append(Node(replace(whole, id=deep), deep - 1, 20))
    assert [(c.node.part.id, c.target, c.closed) for c in candidates(state, strategy)] == [(deep, 25, False)]
    assert left_now(state, state.nodes[deep]) == 25
    state.nodes[1].kind = DONE
    assert left_now(state, state.nodes[deep]) is None

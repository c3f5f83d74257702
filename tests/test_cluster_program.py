"""The cluster program: bounds that no network is below, and the average of its points, which cuts are looked for at."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import sabna
from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.limits import Limits
from sabna.base.stop import Stop, Stopped
from sabna.bounds.cluster_lp import ClusterProgram
from sabna.bounds.tighten import tighten
from sabna.bounds.weights import Clusters, reduced_costs
from sabna.parents.graph import ParentGraph
from sabna.searching import decisions
from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Part, Progress
from sabna.searching.steps import cluster_program, lattice, pattern_tables
from sabna.searching.steps.context import Context, Effort, Narrowed, Solved
from tests.graphs import graph_of, optimum, random_graph
from tests.test_auto import some_graph
from tests.test_tree import side_by_side


@pytest.mark.parametrize("seed", range(20))
def test_the_cluster_program_bounds_the_optimum_and_keeps_it(seed: int) -> None:
    """Protects from bounds above the optimum, and from striking out a set of every best network."""
    graph = some_graph(seed, most=9)
    best, none = optimum(graph), Clusters.none(graph.sets.shape[1])
    target = best + 1
    found = tighten(graph, none, target, Limits(), lambda bound, clusters: False, 400)
    left = Part.whole(graph).keeping(found.alive)
    assert left is not None
    assert reduced_costs(graph, found.clusters).bound <= found.bound <= reduced_costs(left.graph, found.clusters).bound
    assert found.bound <= best
    assert optimum(left.graph) == best


def test_the_cluster_program_sees_long_cycles() -> None:
    """Protects from a bound that knows small clusters only: on a ring nothing less than all of it makes a cycle."""
    n = 125
    rng = np.random.default_rng(1)
    dear = rng.integers(1_000_000, 2_000_000, n)
    sets = np.zeros((2 * n, 2), np.uint64)
    for i in range(n):  # the variable before it, for nothing, or no parents
        before = (i - 1) % n
        sets[2 * i, before >> 6] = np.uint64(1 << (before & 63))
    costs = np.stack([np.zeros(n, np.int64), dear], axis=1).ravel()
    graph = ParentGraph([f"V{i}" for i in range(n)], 2 * np.arange(n + 1), costs, sets)
    best = int(dear.min())  # whoever comes first has no parents, the others follow round the ring
    found = tighten(graph, Clusters.none(2), best + 1, Limits(), lambda bound, clusters: False, 400)
    assert found.bound == best


@pytest.mark.parametrize("seed", range(10))
def test_the_average_point_has_one_set_for_every_variable_after_fixing(seed: int) -> None:
    """Protects from an average that keeps shares of sets struck out: cuts would seem broken that are not."""
    rng = np.random.default_rng(seed)
    graph = random_graph(seed, 8)
    program = ClusterProgram(graph, Clusters.none(graph.sets.shape[1]), np.ones(len(graph), bool))
    for _ in range(6):
        solved = program.solve(Limits())
        assert solved is not None
        program.average.remember(program.columns, solved[0], program.alive)
        totals = np.add.reduceat(program.average.share, graph.offsets[:-1])
        assert np.allclose(totals, 1, atol=1e-6)
        assert program.average.share.min() > -1e-6
        cuts = program.broken_cuts(solved[0], 1)
        program.add_cuts(cuts, 1)
        assert len({row.tobytes() for row in program.sets}) == len(program.sets), "a cut entered twice"
        # Some set that the program can do without goes, whatever its share: every variable keeps its smallest one.
        sizes = np.unpackbits(graph.sets.view(np.uint8), axis=1).sum(axis=1)
        gone = int(rng.integers(len(graph)))
        if sizes[gone] > 0:
            program.alive[gone] = False
            program.drop_fixed_columns()


def test_many_weights_keep_group_and_cut_programs_out_while_astar_may_be_in_reach() -> None:
    """Protects from programs that would settle hundreds of weights anew on long lists, where A* would end soon."""
    graph = random_graph(1, 45)
    part = replace(Part.whole(graph), depth=1, target=1 << 50, progress=Progress(step=decisions.CLUSTER_PROGRAM))
    sets = np.ascontiguousarray(np.full((45 * decisions.MANY_WEIGHTS + 1, graph.sets.shape[1]), 3, np.uint64))
    ones = np.ones(len(sets), np.int64)
    many = replace(part, clusters=Clusters(sets, ones, ones))
    few = replace(part, clusters=Clusters(sets[:-1], ones[:-1], ones[:-1]))
    hopeless = replace(many, progress=replace(part.progress, nodes_expected=decisions.TOO_MANY_NODES))
    steps = [
        decisions.next_step(replace(p, progress=replace(p.progress, one_component=True)), Limits(), 1)
        for p in (many, few, hopeless)
    ]
    assert steps == [decisions.PATTERN_TABLES, decisions.CUT_PROGRAM, decisions.CUT_PROGRAM]


@pytest.mark.parametrize(
    ("many", "close", "step"),
    [
        (False, True, decisions.BRANCHING),
        (False, False, decisions.GROUP_PROGRAM),
        (True, True, decisions.PATTERN_TABLES),
        (True, False, decisions.PATTERN_TABLES),
    ],
)
def test_after_cuts_comes_branching_or_a_group_program_and_with_many_sets_tables(
    many: bool, close: bool, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once two group programs took 180 of 600 s of a search whose cuts had left less than half of their gaps."""
    graph = random_graph(1, n=45, sets=30, largest=2)
    monkeypatch.setattr(decisions, "MOST_SETS_TO_BRANCH", len(graph) - many)
    progress = Progress(step=decisions.CUT_PROGRAM, cuts_close=close, one_component=True)
    part = replace(Part.whole(graph), depth=1, target=1 << 50, progress=progress)
    assert decisions.next_step(part, Limits(), 1) == step


@pytest.mark.parametrize("many", [False, True])
def test_with_many_sets_tables_follow_a_limited_cluster_program(many: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects from a cluster program that takes all of the time, and from group programs of many sets."""
    graph = random_graph(1, n=45, sets=30, largest=2)
    monkeypatch.setattr(decisions, "MOST_SETS_TO_BRANCH", len(graph) - many)
    progress = Progress(step=decisions.CLUSTER_PROGRAM, one_component=True, round=1, cuts_from=2)
    part = replace(Part.whole(graph), depth=1, target=1 << 50, progress=progress)
    step = decisions.PATTERN_TABLES if many else decisions.GROUP_PROGRAM
    assert decisions.next_step(part, Limits(), 1) == step


@pytest.mark.parametrize(("long", "number", "rounds"), [(True, 0, 8), (True, 1, 8), (False, 0, 400), (False, 1, 400)])
def test_the_cluster_program_of_long_lists_is_limited(
    long: bool, number: int, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once 74 rounds took 20 of 31 s and struck out no more than the first 20."""
    graph = random_graph(1, n=45, sets=30, largest=2)
    monkeypatch.setattr(decisions, "LONG_LISTS", len(graph) + (not long))
    monkeypatch.setattr(decisions, "SETS_OF_LONG", 1)
    monkeypatch.setattr(decisions, "SETS_FOR_ASTAR", 1)
    assert decisions.program_rounds(replace(Part.whole(graph), progress=Progress(round=number))) == rounds


@pytest.mark.parametrize("few", [True, False])
def test_a_near_time_limit_has_tables_before_the_first_program(few: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects from programs that a limit ends before they bring anything, where tables would have halved the gap."""
    graph = random_graph(1, n=45, sets=30, largest=2)
    monkeypatch.setattr(decisions, "MOST_SETS_TO_CUT", len(graph) - (not few))
    monkeypatch.setattr(decisions, "LONG_LISTS", 1)
    monkeypatch.setattr(decisions, "SETS_OF_LONG", 1)
    monkeypatch.setattr(decisions, "SETS_FOR_ASTAR", 1)
    monkeypatch.setattr(decisions, "SECONDS_FOR_TABLES", (10.0, 10.0 / len(graph)))
    monkeypatch.setattr(decisions, "SECONDS_FOR_PROGRAM", (100.0, 100.0 / len(graph)))
    progress = Progress(step=decisions.DUAL_ASCENT, one_component=True)
    part = replace(Part.whole(graph), depth=1, target=1 << 50, progress=progress)
    later = replace(part, progress=replace(progress, round=1))
    near = [Limits(seconds) for seconds in (10.0, 100.0, 300.0)]
    steps = [decisions.next_step(part, limits, 1) for limits in (*near, Limits())]
    program, tables = decisions.CLUSTER_PROGRAM, decisions.PATTERN_TABLES
    assert steps == [program, tables, *2 * [tables if few else program]]
    assert decisions.next_step(later, near[1], 1) == program
    shares = [decisions.volume_limits(part, limits).seconds for limits in (*near, Limits())]
    assert shares == [10.0, pytest.approx(60, abs=5), pytest.approx(180, abs=5), None]


def test_tables_before_the_program_find_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects from a way through that no run without a near limit takes: cost, bound and network must be right."""
    for name in ("GROUPS_FROM", "LONG_LISTS", "SETS_OF_LONG", "SETS_FOR_ASTAR", "DENSE_AT_ONCE", "DENSE_MOST"):
        monkeypatch.setattr(decisions, name, 1)
    for name in ("VOLUME_WORK", "VOLUME_WORK_PER_SET"):  # weights that close nothing
        monkeypatch.setattr(decisions, name, 0)
    monkeypatch.setattr(decisions, "SECONDS_FOR_PROGRAM", (1e9, 0.0))
    monkeypatch.setattr(decisions, "SECONDS_FOR_TABLES", (0.0, 0.0))
    first = []
    for seed in range(30):
        graph = random_graph(seed, n=12, sets=20, largest=3)
        result = sabna.search(graph, gap_tolerance=0, time_limit=10_000, n_jobs=1)
        assert (result.status, result.cost_quanta, result.lower_bound_quanta) == ("optimal", *[optimum(graph)] * 2)
        told = " ".join(result.statistics["search"]["explain"])
        first += re.findall("pattern databases|cluster program", told)[:1]
    assert first.count("pattern databases") >= 10
    assert "cluster program" not in first


def test_out_of_time_the_program_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects from seconds past the limit: on a million sets a first look at the bound takes one."""

    def begun(*arguments: object, **options: object) -> None:
        raise AssertionError("begun")

    monkeypatch.setattr(cluster_program, "tighten", begun)
    part, context = Part.whole(some_graph(3)), Context(SearchOptions(), Limits())
    with pytest.raises(AssertionError, match="begun"):
        cluster_program.run(part, context)
    monkeypatch.setattr(Limits, "struck", lambda self: Stop.time_limit)
    with pytest.raises(Stopped):
        cluster_program.run(part, context)


def test_tables_of_very_many_sets_that_struck_nothing_are_left_to_astar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once filling them took a third of ten minutes, and struck out 25 of 593,858 sets."""
    graph = random_graph(1, n=45, sets=30, largest=2)
    monkeypatch.setattr(decisions, "MOST_SETS_TO_CUT", len(graph) - 1)
    part = replace(Part.whole(graph), depth=1, target=1 << 40, lower=(1 << 40) - 1000)
    assert decisions.tables_filled(part)
    after = decisions.advance(decisions.PATTERN_TABLES, part, part.raised(part.lower + 200))  # 800
    assert not decisions.tables_filled(after)
    assert not decisions.tables_filled(after.raised(part.target - 200))
    assert decisions.tables_filled(after.raised(part.target - 199))
    fewer = part.keeping(np.arange(len(graph)) % 40 > 0)  # tables that struck out much are filled again
    assert fewer is not None
    monkeypatch.setattr(decisions, "MOST_SETS_TO_CUT", 0)
    assert decisions.tables_filled(decisions.advance(decisions.PATTERN_TABLES, part, fewer))


@pytest.mark.parametrize("astar_brings", [False, True])
def test_rounds_go_on_while_astar_raises_the_bound_by_tables_it_fills(
    astar_brings: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Protects from rounds counted as idle since the tables by themselves say nothing."""
    graph = random_graph(1, n=45, sets=30, largest=2)
    monkeypatch.setattr(decisions, "MOST_SETS_TO_CUT", 0)
    progress = Progress(step=decisions.PATTERN_TABLES, round=2, sets=len(graph), gap=1000, idle=2, fill_below=1)
    part = replace(Part.whole(graph), depth=1, target=1 << 40, lower=(1 << 40) - 1000, progress=progress)
    tried = decisions.advance(decisions.TRIAL, part, part.raised(part.target - 800) if astar_brings else part)
    assert tried.progress.idle == (0 if astar_brings else 3)


@pytest.mark.parametrize("seed", range(20))
def test_astar_by_tables_that_it_fills_itself_finds_the_optimum(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = some_graph(seed, most=9)
    monkeypatch.setattr(decisions, "MOST_SETS_TO_CUT", 0)
    part = replace(
        Part.whole(graph), depth=1, target=optimum(graph) + 1, progress=Progress(round=2, fill_below=-INFINITE)
    )
    context = Context(SearchOptions(), Limits(), Effort())
    tabled = pattern_tables.run(part, context)
    assert isinstance(tabled, Narrowed)
    assert tabled.part.patterns
    assert tabled.part.lower == part.lower, "nothing was filled"
    solved = lattice.trial(tabled.part, context)
    assert isinstance(solved, Solved)
    assert solved.cost == optimum(graph)


@pytest.mark.parametrize("seed", range(40))
def test_components_of_a_part_branched_on_sources_lose_nothing_of_its_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = side_by_side([random_graph(10 * seed + k, 2 + k, sets=8, costs=1000) for k in range(3)])
    sets = rng.integers(1, 1 << graph.n, (12, 1)).astype(np.uint64)
    sizes = np.unpackbits(sets.view(np.uint8), axis=1).sum(axis=1)
    k = np.minimum(rng.integers(1, 3, 12), np.maximum(sizes - 1, 1))
    clusters = Clusters(sets[sizes > k], k[sizes > k], rng.integers(1, 2000, 12)[sizes > k])
    part = replace(Part.whole(_with_later_components(graph, rng)), clusters=clusters, by_sources=True)
    parts = part.components()
    assert len(parts) > 2
    together = sum(reduced_costs(one.graph, one.clusters).bound for one in parts)
    assert reduced_costs(part.graph, clusters).bound <= together <= optimum(part.graph)


def test_a_cluster_that_a_source_satisfies_is_none_of_the_others() -> None:
    """Cut down to the other two it would lower their bound by 98: either may be without the other as its parent."""
    graph = graph_of([{0: 0}, {0b001: 1, 0b100: 0}, {0b001: 1, 0b010: 0}])
    clusters = Clusters(np.array([[0b111]], np.uint64), np.array([1]), np.array([100]))
    parts = replace(Part.whole(graph), clusters=clusters, by_sources=True).components()
    assert [(one.n, len(one.clusters)) for one in parts] == [(1, 0), (2, 0)]
    assert reduced_costs(graph, clusters).bound == 0


def _with_later_components(graph: ParentGraph, rng: np.random.Generator) -> ParentGraph:
    """Variables before 2 may be parents of all others, at random."""
    sets = graph.sets.copy()
    later = np.repeat(np.arange(graph.n) >= 2, np.diff(graph.offsets))
    sets[later, 0] |= rng.integers(0, 4, int(later.sum())).astype(np.uint64)
    left = core.prune_dominated(graph.offsets, graph.costs, sets)
    return ParentGraph.of(graph.names, left)


@pytest.mark.parametrize("seed", range(12))
def test_a_bound_without_strikes_is_that_of_all_sets(seed: int) -> None:
    """Plain search strikes nothing out: its bound was that of the sets that are left, and its proof did not hold."""
    graph = some_graph(seed, most=9)
    none, target = Clusters.none(graph.sets.shape[1]), optimum(graph) + 1
    found = tighten(graph, none, target, Limits(), lambda bound, clusters: False, 400, all_sets=True)
    assert reduced_costs(graph, found.clusters).bound == found.bound

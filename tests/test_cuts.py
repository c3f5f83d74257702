"""Local cuts, and cuts derived from clusters: every network satisfies them, and what they bound and strike is right."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sabna
from sabna._native import core
from sabna.base.cost import LARGEST_TOTAL
from sabna.base.limits import Limits
from sabna.bounds.cut_program import LOCAL, CutProgram
from sabna.bounds.cut_rounds import GROUP_SIZES, RoundLimits, cut_rounds
from sabna.bounds.cuts import Cuts, possible, reduced_costs_of, rows_of
from sabna.bounds.deriving import Halving
from sabna.bounds.local_cuts import LocalCuts, broken_local_cuts, local_coefficients
from sabna.bounds.weights import Clusters
from sabna.parents.graph import ParentGraph
from sabna.parents.orders import topological_order
from sabna.searching import decisions
from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Known, Part
from sabna.searching.steps import cut_program
from sabna.searching.steps.context import Context, Effort, Narrowed
from sabna.searching.steps.local_search import look
from tests.graphs import optimum, random_graph
from tests.repeats import few_or_many
from tests.test_auto import some_graph
from tests.test_tree import Forced, check, finished, side_by_side, tree_of


def networks(graph: ParentGraph) -> Iterator[np.ndarray]:
    """Every network of a graph, by the positions of the sets."""
    lists = [range(graph.offsets[i], graph.offsets[i + 1]) for i in range(graph.n)]
    for choice in itertools.product(*lists):
        picked = np.array(choice)
        if topological_order(graph, picked):
            yield picked


def by_definition(graph: ParentGraph, cuts: Cuts) -> tuple[list[list[int]], list[int]]:
    """Coefficients and right sides in plain Python, from the lists of rows alone."""
    owners = [i for i in range(graph.n) for _ in range(graph.offsets[i], graph.offsets[i + 1])]
    sets = [int(words[0]) for words in graph.sets]
    a: list[list[int]] = []
    b: list[int] = []
    for cluster, k in zip(cuts.clusters.sets[:, 0].tolist(), cuts.clusters.k.tolist(), strict=True):
        inside = [bool(cluster >> i & 1) and (s & cluster).bit_count() < k for i, s in zip(owners, sets, strict=True)]
        a.append([int(x) for x in inside])
        b.append(k)
    for c in range(len(cuts.local)):
        listed = [*zip(*(x.tolist() for x in cuts.local.entries(c)), strict=True)]
        blocks = [int(words[0]) for words in cuts.local.blocks_of(c)]
        a.append([of_blocks(listed, blocks, i, s) for i, s in zip(owners, sets, strict=True)])
        b.append(min(cost_of(listed, order) for order in itertools.permutations(range(len(blocks)))))
    for d in range(len(cuts.y)):
        row, right = [0] * len(sets), 0
        for source, times in zip(*(x.tolist() for x in cuts.entries(d)), strict=True):
            own = [int(i == source) for i in owners] if source < cuts.n else a[source - cuts.n]
            row = [x + times * y for x, y in zip(row, own, strict=True)]
            right += times * (1 if source < cuts.n else b[source - cuts.n])
        a.append([-(-x // 2) for x in row])
        b.append(-(-right // 2))
    return a, b


def least(listed: list[tuple[int, int, int]], block: int, others: int) -> int:
    """The least coefficient that a local cut lists for a block and a subset of some others."""
    return min(x for i, t, x in listed if i == block and not t & ~others)


def of_blocks(listed: list[tuple[int, int, int]], blocks: list[int], variable: int, parents: int) -> int:
    """The coefficient of a parent set in a local cut."""
    own = [b for b, block in enumerate(blocks) if block >> variable & 1]
    met = sum(1 << b for b, block in enumerate(blocks) if block & parents)
    return 0 if not own or met >> own[0] & 1 else least(listed, own[0], met)


def cost_of(listed: list[tuple[int, int, int]], order: tuple[int, ...]) -> int:
    """The least sum of coefficients of a group in some order."""
    return sum(least(listed, i, sum(1 << j for j in order[:place])) for place, i in enumerate(order))


def cuts_of_random_blocks(graph: ParentGraph, rng: np.random.Generator) -> LocalCuts:
    """A local cut with blocks of any size, families and coefficients of all kinds."""
    of = rng.integers(0, 4, graph.n)  # the block of each variable; those of the last are in none
    blocks = [sum(1 << int(v) for v in np.flatnonzero(of == b)) for b in range(3)]
    blocks = [block for block in blocks if block] or [1]
    g = len(blocks)
    listed = [(b, 0, int(rng.integers(1, 9))) for b in range(g)]
    for b, t in itertools.product(range(g), range(1, 1 << g)):
        if not t >> b & 1 and rng.random() < 0.7:
            listed.append((b, t, int(rng.integers(0, 6))))
    right = min(cost_of(listed, order) for order in itertools.permutations(range(g)))
    member, family, coefficient = (np.array(x, np.int64) for x in zip(*listed, strict=True))
    starts = np.array([0, len(listed)], np.int64), np.array([0, g], np.int64)
    sets = np.array(blocks, np.uint64)[:, None]
    weightless = np.zeros(1, np.int64)
    return LocalCuts(starts[0], member, family, coefficient, starts[1], sets, np.array([right], np.int64), weightless)


def random_point(graph: ParentGraph, rng: np.random.Generator) -> np.ndarray:
    """Shares of all sets, which add up to 1 for every variable."""
    share = rng.random(len(graph)) ** 4
    return share / np.repeat(np.add.reduceat(share, graph.offsets[:-1]), np.diff(graph.offsets))


def all_cuts(graph: ParentGraph, rounds: int, seed: int = 0) -> Cuts:
    """Clusters and cuts that points break, local cuts that random points break, cuts derived from random rows."""
    rng = np.random.default_rng(seed)
    program = CutProgram(graph, Cuts.of(graph.n, Clusters.none(graph.sets.shape[1])))
    program.add_columns(np.flatnonzero(~program.inside))
    for number in range(rounds):
        solution = program.solve(Limits())
        assert solution is not None
        derived = program.derived_cuts(solution, 20, 3, number)
        local = broken_local_cuts(graph, random_point(graph, rng), 7, number, 1, Limits())
        support = program.support(solution)
        local = local.and_more(program.broken_local_cuts(support, 7, number, 1, Limits(), blocks=True))
        local = local.and_more(cuts_of_random_blocks(graph, rng))
        for _ in range(4 if len(program.b) else 0):
            rows = rng.permutation(np.flatnonzero(program.kind != LOCAL))[: rng.integers(1, 4)]
            derived.append(Halving(rows, rng.integers(-2, 3, graph.n)))
        program.add_clusters(program.broken_clusters(solution, 1), 1)
        program.add_clusters(program.broken_clusters(solution, 2), 2)
        program.add_derived(derived)
        program.add_local(local)
    return program.cuts(np.arange(1, len(program.b) + 1))


def small_graphs(count: int = 60) -> Iterator[ParentGraph]:
    for seed in range(count):
        hard = seed % 2 == 0
        yield random_graph(seed, 3 + seed % 3, sets=7, largest=2 if hard else 4, costs=(7, 1000)[seed % 2], hard=hard)


def test_every_network_satisfies_every_cut() -> None:
    """Protects from cuts that cut off networks: cuts of cuts, equations of either sign."""
    derived = deep = local = blocks = 0
    for graph in small_graphs():
        cuts = all_cuts(graph, 5, len(graph))
        a, b = rows_of(graph, cuts)
        assert (a.tolist(), b.tolist()) == by_definition(graph, cuts)
        derived += len(cuts.y)
        deep += int((cuts.source >= cuts.n + cuts.listed).sum())
        local += len(cuts.local)
        blocks += int((np.unpackbits(cuts.local.blocks.view(np.uint8), axis=1).sum(axis=1) > 1).sum())
        for choice in networks(graph):
            assert (a[:, choice].sum(axis=1) >= b).all()
    assert derived > 500
    assert deep > 100
    assert local > 100
    assert blocks > 100


@few_or_many("graphs", 30, 60)
def test_weights_of_cuts_give_a_bound_whatever_they_are(graphs: int) -> None:
    """Protects from bounds above the optimum, from overflow, and from fixing that strikes out the best network."""
    rng = np.random.default_rng(3)
    for graph in small_graphs(graphs):
        cuts = all_cuts(graph, 4)
        best = min(networks(graph), key=lambda choice: int(graph.costs[choice].sum()))
        cost = int(graph.costs[best].sum())
        for largest in (3, 300, LARGEST_TOTAL):
            y = rng.integers(0, largest, len(cuts))
            clusters, local, derived = np.split(y, [len(cuts.clusters), cuts.listed])
            weighted = replace(
                cuts, clusters=replace(cuts.clusters, y=clusters), local=cuts.local.with_weights(local), y=derived
            )
            reduced = reduced_costs_of(graph, weighted)
            assert reduced.bound <= cost
            assert possible(graph, reduced, cost + 1)[best].all()


def test_cuts_of_a_component_hold_for_it() -> None:
    """Protects from cuts that lose a row or a member, or change their meaning, when a part falls apart."""
    carried = local = 0
    for seed in range(20):
        parts = [random_graph(10 * seed + k, 4, sets=8, largest=2, hard=True) for k in range(2)]
        whole = Part.whole(side_by_side(parts))
        whole = replace(whole, cuts=all_cuts(whole.graph, 4))
        for part in whole.components():
            if part.cuts is not None:
                a, b = rows_of(part.graph, part.cuts)
                carried += len(part.cuts.y)
                local += len(part.cuts.local)
                for choice in networks(part.graph):
                    assert (a[:, choice].sum(axis=1) >= b).all()
    assert carried > 10
    assert local > 10


@few_or_many("graphs", 8, 16)
@pytest.mark.parametrize("block", range(3))
def test_cuts_and_branching_alone_find_the_optimum(block: int, graphs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects from cuts, fixing by them, or branches that lose the optimum."""
    monkeypatch.setattr(decisions, "SEARCHED_AT_WHOLE_POINTS", 0)
    monkeypatch.setattr(decisions, "MOST_CLUSTER_ROUNDS", 4)
    for name in ("CUT_ROUNDS", "CUT_ROUNDS_OF_BRANCH"):
        monkeypatch.setattr(decisions, name, decisions.RoundLimits(most=4 + 8 * (block == 0), local=block == 2))
    branched = 0
    for seed in range(16 * block, 16 * block + graphs):
        graph = some_graph(seed, most=9) if seed % 2 else random_graph(seed, 10, sets=30, costs=1 << 34, hard=True)
        tolerance = 0 if seed % 2 else 2
        tree = finished(tree_of(graph, Forced(cuts=block != 1), tolerance))
        check(graph, tree, tolerance)
        branched += int(tree.state.counts.get("branchings", 0))
    assert branched > 5 or block != 1


def test_alternatives_whose_sets_alone_reach_the_target_raise_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their bound counted only when it rose: the search ended with the optimum, and with a gap."""
    monkeypatch.setattr(decisions, "SEARCHED_AT_WHOLE_POINTS", 0)
    graph = some_graph(517, most=9)
    tree = finished(tree_of(graph, Forced(cuts=False)))
    assert tree.network().cost == tree.state.lower == optimum(graph)


@pytest.mark.slow
@pytest.mark.parametrize("cuts", [False, True])
@pytest.mark.parametrize("block", range(20))
def test_cuts_and_branching_agree_with_plain_search_on_a_thousand_graphs(
    block: int, cuts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same on more and larger graphs, against A* without any of these bounds; half of them without local cuts."""
    derived = []

    def noted(program: CutProgram, found: list[Halving]) -> None:
        derived.extend(found)
        add(program, found)

    add = CutProgram.add_derived
    rounds = {name: getattr(decisions, name) for name in ("CUT_ROUNDS", "CUT_ROUNDS_OF_BRANCH")}
    monkeypatch.setattr(CutProgram, "add_derived", noted)
    for seed in range(2000 + 50 * block, 2000 + 50 * block + 50):
        for name, limits in rounds.items():
            monkeypatch.setattr(decisions, name, replace(limits, local=seed % 2 == 0))
        graph = some_graph(seed, most=14)
        plain = sabna.search(graph, strategy="astar", gap_tolerance=0.0, n_jobs=1)
        tree = finished(tree_of(graph, Forced(cuts)))
        assert tree.network().cost == plain.cost_quanta == tree.state.lower
    assert bool(derived) == cuts


@pytest.mark.parametrize("blocks", [False, True])
def test_local_cuts_do_not_depend_on_threads(blocks: bool) -> None:
    """Protects from cuts that depend on who finds them first."""
    graph = random_graph(5, 30, sets=10, largest=3, hard=True)
    point = random_point(graph, np.random.default_rng(1))
    if blocks:
        graph, point = with_followers(graph, point)
    one, two = (broken_local_cuts(graph, point, 7, 1, threads, Limits(), blocks) for threads in (1, 2))
    assert len(one)
    sizes = np.unpackbits(one.blocks.view(np.uint8), axis=1).sum(axis=1)
    assert (sizes.max() > 1) == blocks
    for name in ("start", "member", "family", "coefficient", "block_start", "blocks", "right"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


def with_followers(graph: ParentGraph, point: np.ndarray) -> tuple[ParentGraph, np.ndarray]:
    """The same with one more variable behind each, which always has that one as its parent: two that are a block."""
    n = graph.n
    alone = np.array([[0, 1 << i] for i in range(n)], np.uint64).reshape(-1, 1)
    offsets = np.concatenate([graph.offsets, graph.offsets[-1] + 2 * np.arange(1, n + 1)])
    names = (*graph.names, *(f"after {name}" for name in graph.names))
    costs = np.concatenate([graph.costs, np.tile(np.array([0, 1]), n)])
    both = ParentGraph(names, offsets, costs, np.concatenate([graph.sets, alone]))
    return both, np.concatenate([point, np.tile([0.0, 1.0], n)])


def test_cuts_of_blocks_go_with_the_component_that_has_them_whole() -> None:
    """Protects from blocks that lose a variable on the way into a part."""
    rng = np.random.default_rng(2)
    graph = random_graph(1, 6, sets=5, largest=2)
    cuts = cuts_of_random_blocks(graph, rng)
    for _ in range(30):
        cuts = cuts.and_more(cuts_of_random_blocks(graph, rng))
    inside = np.uint64(0b011110)
    stay = cuts.inside(cuts.blocks & inside)
    whole = [c for c in range(len(cuts)) if not (cuts.blocks_of(c) & ~inside).any()]
    assert 0 < len(whole) < len(cuts)
    assert len(stay) == len(whole)
    for c, kept in enumerate(whole):
        assert np.array_equal(stay.blocks_of(c), cuts.blocks_of(kept))
        assert all(map(np.array_equal, stay.entries(c), cuts.entries(kept)))


def test_a_signal_while_local_cuts_are_looked_for_is_not_lost() -> None:
    """The core took it, and the search went on as if nothing had happened."""
    graph = random_graph(5, 60, sets=60, largest=3, hard=True)
    point = random_point(graph, np.random.default_rng(1))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        ended = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        ended.start()
        with pytest.raises(KeyboardInterrupt):
            _ = [broken_local_cuts(graph, point, 7, seed, 1, Limits()) for seed in range(500)]
    finally:
        ended.join()
        signal.signal(signal.SIGINT, before)


def test_optimum_of_the_tests_is_that_of_all_networks() -> None:
    """Protects the tests above from comparing with something else than they say."""
    for graph in itertools.islice(small_graphs(), 12):
        assert optimum(graph) == min(int(graph.costs[choice].sum()) for choice in networks(graph))


class Nobody:
    """Hears what rounds prove below a target that is far away."""

    def bounded(self, bound: int, cuts: Cuts) -> bool:
        return False

    def strike(self, cuts: Cuts, keep: np.ndarray) -> None:
        raise AssertionError("no set is beyond such a target")

    def offer_order(self, order: list[int]) -> int:
        return 1 << 50


@pytest.mark.parametrize(("share_of_many", "more"), [(1.0, False), (-1.0, True)])
def test_rounds_of_many_sets_have_a_share_of_their_own(share_of_many: float, more: bool) -> None:
    graph = random_graph(3, n=30, sets=40, largest=3, hard=True)
    start = Cuts.of(graph.n, Clusters.none(graph.sets.shape[1]))
    allowed = RoundLimits(stall=2, share=1.0, most=9, local=False, many=1, share_of_many=share_of_many)
    found = cut_rounds(graph, start, 1 << 50, Limits(), Nobody(), allowed, 1)
    assert (found.rounds > 3) == more


@pytest.mark.parametrize("many", [0, 1 << 62])
def test_rounds_do_not_depend_on_threads(many: int) -> None:
    """Protects from cuts that enter sooner or later by who is faster, where they are looked for beside the program."""
    graph = random_graph(3, n=30, sets=40, largest=3, hard=True)
    start = Cuts.of(graph.n, Clusters.none(graph.sets.shape[1]))
    allowed = RoundLimits(stall=3, share=0.05, most=20, many=many, share_of_many=0.05)
    one, two = (cut_rounds(graph, start, 1 << 50, Limits(), Nobody(), allowed, threads) for threads in (1, 2))
    assert one.rounds == two.rounds > 3
    assert one.bound == two.bound == reduced_costs_of(graph, two.cuts).bound
    assert one.program.pivots == two.program.pivots
    assert len(one.cuts.local)
    assert (one.cuts.weights == two.cuts.weights).all()
    assert (one.cuts.local.blocks == two.cuts.local.blocks).all()


def test_local_cuts_of_the_last_round_are_told_apart() -> None:
    graph = random_graph(5, 30, sets=10, largest=3, hard=True)
    cuts = broken_local_cuts(graph, random_point(graph, np.random.default_rng(1)), 7, 1, 1, Limits())
    some = cuts.chosen(np.arange(0, len(cuts), 2))
    left = cuts.without(some)
    assert (left.right == cuts.right[1::2]).all()
    assert len(left.without(left)) == 0
    assert len(left.without(some)) == len(left)


@pytest.mark.parametrize("many", [False, True])
def test_rounds_of_many_sets_go_on_with_larger_groups(many: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once cuts ended after a third of the time, and nothing that came after them raised the bound."""
    graph = random_graph(3, n=30, sets=40, largest=3, hard=True)
    start = Cuts.of(graph.n, Clusters.none(graph.sets.shape[1]))
    sizes: list[int] = []
    asked = CutProgram.broken_local_cuts

    def noted(program: CutProgram, support: Any, largest: int, *rest: Any) -> LocalCuts:
        sizes.append(largest)
        return asked(program, support, largest, *rest)

    monkeypatch.setattr(CutProgram, "broken_local_cuts", noted)
    allowed = RoundLimits(stall=1, share=1.0, most=40, many=0 if many else len(graph), share_of_many=1.0)
    found = cut_rounds(graph, start, 1 << 50, Limits(), Nobody(), allowed, 1)
    assert sizes == sorted(sizes)
    assert sorted(set(sizes)) == (list(GROUP_SIZES) if many else [GROUP_SIZES[0]])
    assert found.rounds == (6 if many else 2)


def test_the_core_refuses_local_cuts_that_are_none() -> None:
    """Protects from reading beyond the arrays where a caller is wrong."""
    graph = random_graph(5, 30, sets=10, largest=3, hard=True)
    share = random_point(graph, np.random.default_rng(1))
    with pytest.raises(ValueError, match="up to 12"):
        core.local_cuts(graph.offsets, graph.sets, share, 13, 6, 1, False, 1, Limits().left())
    with pytest.raises(ValueError, match="numbers"):
        core.local_cuts(graph.offsets, graph.sets, share * np.nan, 8, 6, 1, False, 1, Limits().left())
    cut = cuts_of_random_blocks(graph, np.random.default_rng(1))
    for wrong in (replace(cut, member=cut.member + 9), replace(cut, coefficient=cut.coefficient + (1 << 20))):
        with pytest.raises(ValueError, match="not there, or too large"):
            local_coefficients(graph, wrong, np.zeros((len(wrong), len(graph)), np.int16))
    with pytest.raises(ValueError, match="ascend"):
        core.local_rows(
            graph.offsets[::-1].copy(),
            graph.sets,
            *(cut.start, cut.member, cut.family, cut.coefficient, cut.block_start, cut.blocks),
            np.zeros((1, len(graph)), np.int16),
        )


@pytest.mark.parametrize(("rows", "columns"), [(0, 4), (1, 1), (3, 7), (40, 333)])
def test_columns_that_stay_move_together(rows: int, columns: int) -> None:
    random = np.random.default_rng(rows)
    for share in (0.0, 0.1, 0.9, 1.0):
        matrix = random.integers(-4096, 4097, (rows, columns)).astype(np.int16)
        which = np.flatnonzero(random.random(columns) < share)
        expected = matrix[:, which].ravel()
        core.keep_columns(matrix, which)
        assert (matrix.ravel()[: rows * len(which)] == expected).all()
    for wrong in ([columns], [-1], [0, 0]):
        with pytest.raises(ValueError, match="no such columns"):
            core.keep_columns(matrix, np.array(wrong))


@pytest.mark.parametrize("many", [False, True])
def test_local_search_looks_again_between_rounds_where_many_sets_are_left(
    many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search kept its first network for nine minutes of rounds, 0.04 % above one that a look of seconds finds."""
    graph = random_graph(5, 9, sets=30, costs=1 << 34, hard=True)
    part = replace(Part.whole(graph), depth=1, target=1 << 50)
    looks: list[int] = []

    def watched(part: Part, context: Context, seed: int, work: int, restarts: int) -> Known | None:
        looks.append(work)
        return look(part, context, seed, work, restarts)

    monkeypatch.setattr(cut_program, "look", watched)
    monkeypatch.setattr(decisions, "CUT_ROUNDS", RoundLimits(most=4, local=False, derived_up_to=0))
    monkeypatch.setattr(decisions, "ROUNDS_BEFORE_LOOKS", (1, 3))
    monkeypatch.setattr(decisions, "SETS_FOR_LOOKS", 0 if many else len(graph))
    monkeypatch.setattr(decisions, "SHORT_WORK", 1_000_000)
    result = cut_program.run(part, Context(SearchOptions(), Limits(), Effort(improve=True)))
    usual = decisions.local_search_work(graph.n)
    assert [work for work in looks if work != usual] == [usual // 2, 3 * usual // 2][: 2 * many]
    if many:
        known = result.part.target if isinstance(result, Narrowed) else result.lower
        assert known == optimum(graph)

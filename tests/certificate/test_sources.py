"""Protects from proofs by sources and turned arcs that the checker cannot follow, or that are none.

Turned arcs are the one rule whose reason is not in the part that it is applied to: so it is held to brute force, too.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sabna
from sabna.bounds import source_rounds
from sabna.bounds.source_rounds import SourceLimits
from sabna.certificate.checker import check_certificate as checker
from sabna.certificate.writing import CertificateFile, fingerprint, in_order
from sabna.parents.graph import ParentGraph
from sabna.searching import decisions, events, ledger
from sabna.searching.choices import Source, alternatives, gone_by, sets_apart
from sabna.searching.part import Part
from sabna.searching.strategies import STRATEGIES
from tests.certificate.mutants import parsed, written
from tests.certificate.runs import certified, verdict
from tests.certificate.test_rules import apply, claim, whole
from tests.graphs import equivalent_graph, graph_of, optimum, random_graph
from tests.repeats import few_or_many
from tests.test_tree import ForcedSources, side_by_side

Lines = list[tuple[str, dict[str, object]]]
SOURCES, TURNS, SPLITS, DROPS = "kind=source", "\nturn ", "\nsplit ", "\ndrop "
THREE = "turned with two premises"


@pytest.fixture
def by_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """All is branched on sources after two rounds, and nothing is left to the checker to solve."""
    monkeypatch.setitem(STRATEGIES, "auto", ForcedSources())
    monkeypatch.setattr(source_rounds, "ASCENT_WORK_PER_SET", 0)
    for rounds in ("SOURCE_ROUNDS", "SOURCE_ROUNDS_OF_BRANCH"):
        monkeypatch.setattr(decisions, rounds, SourceLimits(stall=1, share=1.0, most=2))
    monkeypatch.setattr(ledger, "SOLVED_BY_CHECKER", 0)


def some_graph(seed: int) -> ParentGraph:
    """Many ties, arcs that can be turned round at no cost or nearly none, several components."""
    kinds: tuple[Callable[[], ParentGraph], ...] = (
        lambda: random_graph(seed, 9, sets=30, costs=1 << 34, hard=True),
        lambda: equivalent_graph(seed, 5 + seed % 8),
        lambda: random_graph(seed, 8, sets=14, costs=3),
        lambda: equivalent_graph(seed, 4 + seed % 6, costs=4),
        lambda: side_by_side([equivalent_graph(10 * seed + k, 4 + k, costs=20) for k in range(2)]),
        lambda: of_a_table(seed, 5 + seed % 6),
    )
    return kinds[seed % len(kinds)]()


def of_a_table(seed: int, n: int) -> ParentGraph:
    """BIC of random rows in which neighbours depend on each other: rounding breaks some ties by a quantum.

    Half of the tables have letters that depend on each other, three columns for each: which one of four it is.
    """
    rng = np.random.default_rng(seed)
    if seed % 12 < 6:
        letters = rng.integers(0, 4, (100, -(-n // 3)))
        for v in range(1, letters.shape[1]):
            letters[:, v] = np.where(rng.random(100) < 0.6, letters[:, v - 1], letters[:, v])
        columns = (letters[:, :, None] == np.arange(3)).reshape(100, -1)[:, :n]
        return sabna.build_parent_graph(columns.astype(int), score="bic", max_parents=2)
    rows = rng.integers(0, 2, (60, n))
    for v in range(1, n):
        rows[:, v] = np.where(rng.random(60) < 0.7, rows[:, rng.integers(0, v)], rows[:, v])
    return sabna.build_parent_graph(rows, score="bic", max_parents=2)


@pytest.mark.usefixtures("by_sources")
def test_branchings_on_sources_are_accepted(tmp_path: Path) -> None:
    seen = runs_of(range(30), tmp_path)
    assert min(seen.values()) >= 5, seen


@pytest.mark.slow
@pytest.mark.usefixtures("by_sources")
def test_a_thousand_runs_by_sources_are_accepted(tmp_path: Path) -> None:
    seen = runs_of(range(100, 1100), tmp_path)
    assert seen[TURNS] > 300
    assert seen[THREE] > 50


def runs_of(seeds: Iterable[int], folder: Path) -> dict[str, int]:
    """How many of the certificates, all accepted, use each rule."""
    seen = dict.fromkeys((SOURCES, TURNS, SPLITS, DROPS, THREE), 0)
    for seed in seeds:
        graph = some_graph(seed)
        result, proof, file = certified(graph, folder, {"n_jobs": 1, "gap_tolerance": 0})
        code, words = verdict(proof, file)
        assert code == 0, (seed, words)
        assert result.certificate is not None
        assert result.certificate["proves"] == "optimal", seed
        assert result.certificate["lower_bound_quanta"] == result.cost_quanta == optimum(graph), seed
        for rule in seen:
            seen[rule] += rule in proof.read_text()
        seen[THREE] += three_turned(proof, file)
    return seen


def three_turned(proof: Path, file: Path) -> bool:
    """Whether the certificate would be refused if nothing were apart from two sets together."""
    with pytest.MonkeyPatch.context() as patch:
        turned = checker.Part.turned
        patch.setattr(checker.Part, "turned", lambda part, i: (rows := turned(part, i))[rows[:, 1] < 0])
        try:
            checker.check(str(proof), str(file))
        except checker.Refused:
            return True
    return False


@few_or_many("seeds", range(24), range(2000, 3000))
@pytest.mark.usefixtures("by_sources")
def test_branching_on_sources_finds_what_plain_astar_finds(seeds: Iterable[int]) -> None:
    """Protects from a best network that is lost with a turned arc: to the quantum, by another search."""
    for seed in seeds:
        graph = some_graph(seed)
        costs = [sabna.search(graph, way, gap_tolerance=0, n_jobs=1).cost_quanta for way in ("auto", "astar")]
        assert costs[0] == costs[1], seed


# The rule itself, by hand.


def pair_of_two() -> ParentGraph:
    """Two variables, sets 0 to 3: {1} and {} of variable 0, {0} and {} of variable 1. Either arc costs 30."""
    return graph_of([{0: 20, 0b10: 10}, {0: 20, 0b01: 10}])


def source(part: int, variable: int, first: int) -> tuple[str, dict[str, object]]:
    """A branching whose alternatives are the parts `first` and the one after it."""
    return "branch", {"part": part, "kind": "source", "variables": (variable,), "parts": (first, first + 1)}


def turn(part: int, *sets: int) -> tuple[str, dict[str, object]]:
    return "turn", {"part": part, "sets": sets}


def solved(*parts: int) -> Lines:
    return [("solve", {"part": part}) for part in parts]


# 0 is a source, or 1 is one (then the arc from 1 to 0 can be turned round), or nobody is.
TWICE = [source(0, 0, 1), source(2, 1, 3)]


def test_an_arc_is_turned_where_the_other_variable_was_a_source_before(tmp_path: Path) -> None:
    """0 has no set left in part 3 but {1}, and that one goes: only the first alternative has networks."""
    graph = pair_of_two()
    assert claim(tmp_path, graph, 30, [*TWICE, turn(3, 0), *solved(1, 3, 4)])[0] == 0
    told = verdict(tmp_path / "proof.cert", tmp_path / "graph.pg", "--explain")[1]
    assert "part 0 (variables: 2, sets: 4): becomes the parts 1 and 2: 'X0' has no parents here, or it has some" in told
    assert "part 3 (variables: 2, sets: 2): 1 can go: with arcs turned round" in told
    assert claim(tmp_path, graph, 30, [*TWICE, turn(3, 0), *solved(1)])[0] == 0, "without a set there is no network"


@pytest.mark.parametrize(
    "lines",
    [
        [turn(0, 0)],  # apart from nothing
        [source(0, 0, 1), turn(1, 3)],  # the first alternative has none
        [source(0, 0, 1), turn(1, 2)],
        [source(0, 0, 1), turn(2, 0)],  # variable 1 has another set yet
        [source(0, 0, 1), turn(2, 2)],
        [*TWICE, turn(3, 3)],
        [*TWICE, turn(3, 1)],  # it has gone already
        [*TWICE, turn(4, 0)],  # the premise has gone
        [*TWICE, turn(2, 0)],  # the part is no longer there
        [("branch", {**TWICE[0][1], "variables": (2,)})],
        [("branch", {**TWICE[0][1], "variables": (0, 1)})],
        [("branch", {**TWICE[0][1], "variables": ()})],
        [("branch", {**TWICE[0][1], "kind": "order"})],
        [source(0, 1, 1), source(2, 1, 3), turn(3, 0)],  # the other variable
    ],
)
def test_what_may_not_be_turned_is_refused(lines: Lines, tmp_path: Path) -> None:
    code, words = claim(tmp_path, pair_of_two(), 30, lines)
    assert code == 1
    assert words.startswith(f"REFUSED: line {len(lines) + 2} ")


def test_an_arc_whose_turning_costs_a_quantum_stays(tmp_path: Path) -> None:
    """The other way round it costs 31: the best network would be lost."""
    graph = graph_of([{0: 20, 0b10: 10}, {0: 20, 0b01: 11}])
    assert claim(tmp_path, graph, 30, [*TWICE, *solved(1, 3, 4)])[0] == 0
    code, words = claim(tmp_path, graph, 30, [*TWICE, turn(3, 0), *solved(1, 3, 4)])
    assert code == 1
    assert "is apart here from none" in words


def test_a_source_among_two_empty_sets_turns_nothing(tmp_path: Path) -> None:
    """Cut down to two variables, 1 has two sets without members, of 20 and 15: one costs more turned, and may be it."""
    graph = graph_of([{0: 20, 0b010: 10}, {0: 20, 0b001: 10, 0b100: 15}, {0: 0}])
    lines: Lines = [("split", {"part": 0, "to": (1, 1, 2)}), source(1, 0, 3), source(4, 1, 5)]
    assert [cost for cost, _ in graph.parent_sets(1)] == [10, 15, 20]
    assert claim(tmp_path, graph, optimum(graph), [*lines, turn(5, 0), *solved(2, 3, 5, 6)])[0] == 1
    assert claim(tmp_path, graph, optimum(graph), [*lines, *solved(2, 3, 5, 6)])[0] == 0


@pytest.mark.parametrize("proper", [True, False])
def test_what_is_apart_goes_through_proper_splits_only(proper: bool, tmp_path: Path) -> None:
    """Where 2 may want 1, and 0 may want 2, networks of the pieces are none of the whole: turned, one may have a cycle.

    The sets of variable 0 are {1}, {} and, where the split is not proper, {2}.
    """
    lists = [{0: 20, 0b010: 10}, {0: 20, 0b001: 10}, {0: 9, 0b010: 5}]
    if not proper:
        lists[0][0b100] = 19
    graph, first = graph_of(lists), [source(0, 0, 1), ("split", {"part": 2, "to": (3, 3, 4)}), source(3, 1, 5)]
    code, words = claim(tmp_path, graph, optimum(graph), [*first, turn(5, 0), *solved(1, 4, 5, 6)])
    assert (code, "is apart here from none" in words) == ((0, False) if proper else (1, True)), words


Costs = list[dict[int, int]]


def three() -> Costs:
    """Three variables whose arcs can be turned round at no cost; each parent saves 10."""
    return [{bits: 100 - 10 * bits.bit_count() for bits in range(8) if not bits >> i & 1} for i in range(3)]


def number(graph: ParentGraph, variable: int, *members: int) -> int:
    """Of a parent set in the certificate."""
    part = whole(graph)
    (p,) = np.flatnonzero(
        (part.child == variable) & (part.has == np.isin(np.arange(part.n), members)[:, None]).all(axis=0)
    )
    return int(p)


# 0 is no source, 1 is one (part 3), 1 is a parent of 2 (part 5), the only one (part 7).
LONE: Lines = [source(0, 0, 1), source(2, 1, 3)]
LONE += [("branch", {"part": 3, "kind": "arc", "variables": (2, 1), "parts": (5, 6)})]
LONE += [("branch", {"part": 5, "kind": "order", "variables": (2, 0), "parts": (7, 8)})]


@pytest.mark.parametrize("q", [(0, 1), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("less", [0, 1])
def test_three_variables_are_turned_at_once(q: tuple[int, ...], less: int, tmp_path: Path) -> None:
    """{1} of 0 needs that 1 is a source, no more. {2} and {1,2} need that 2 has {1}, too, and nothing else.

    With a set that is a quantum cheaper the others cost more: nothing can be turned.
    """
    costs = three()
    costs[0][sum(1 << v for v in q[1:])] -= less
    graph = graph_of(costs)
    gone = number(graph, *q)
    for lines, at, there in ((LONE[:1], 2, 0), (LONE[:2], 3, 1), (LONE[:3], 5, 1), (LONE, 7, 2)):
        code, words = claim(tmp_path, graph, optimum(graph), [*lines, turn(at, gone), *solved(*left_open(lines))])
        valid = not less and there >= (1 if q == (0, 1) else 2)
        assert (code, "is apart here from none" in words) == (int(not valid), not valid), words


def left_open(lines: Lines) -> list[int]:
    """The parts that branchings leave."""
    made, gone = [p for _, fields in lines for p in fields["parts"]], {fields["part"] for _, fields in lines}  # type: ignore[attr-defined]
    return [p for p in made if p not in gone]


@pytest.mark.parametrize(("other", "valid"), [(91, True), (89, False)])
def test_a_premise_holds_behind_a_split_as_the_set_that_it_was(other: int, valid: bool, tmp_path: Path) -> None:
    """1 and 3 are split off, {1} and {3} of 2 fall together. The cheaper one stays: {3} says nothing of 1."""
    costs = [*three(), {0: 0}]
    costs[2][0b1000] = other
    graph = graph_of(costs)
    goes = sorted([number(graph, 2), number(graph, 2, 3 if valid else 1)])
    lines: Lines = [*LONE[:2], ("split", {"part": 3, "to": (6, 5, 6, 9)}), ("drop", {"part": 6, "sets": goes})]
    lines += [source(6, 2, 7), turn(7, number(graph, 0, 1, 2)), *solved(1, 4, 5, 7, 8, 9)]
    code, words = claim(tmp_path, graph, optimum(graph), lines)
    assert (code, "is apart here from none" in words) == ((0, False) if valid else (1, True)), words


def test_a_proper_split_has_an_order() -> None:
    """Held to all orders of the pieces."""
    rng, counts = random.Random(4), {True: 0, False: 0}
    for seed in range(60):
        n = rng.randint(2, 6)
        part = whole(random_graph(seed, n, sets=rng.choice((1, 1, 2, 4)), largest=2))
        piece = np.unique([rng.randrange(3) for _ in range(n)], return_inverse=True)[1].reshape(-1)
        orders = itertools.permutations(range(int(piece.max()) + 1))
        met = [(piece[v], piece[c]) for v, c in ((v, part.child[p]) for v, p in np.argwhere(part.has).tolist())]
        expected = any(all(order[e] <= order[c] for e, c in met) for order in orders)
        assert part.proper(piece) == expected, seed
        counts[expected] += 1
    assert min(counts.values()) > 10


@pytest.mark.usefixtures("by_sources")
def test_forged_turns_are_refused(tmp_path: Path) -> None:
    """A turned set more, another variable, or a network a quantum dearer that is said to be the best."""
    graph = some_graph(13)
    _, proof, file = certified(graph, tmp_path, {"n_jobs": 1, "gap_tolerance": 0})
    records = parsed(proof.read_text())
    assert any(word == "turn" for word, _ in records)
    for k, (word, fields) in enumerate(records):
        if word == "turn":
            others = [p for p in range(len(graph)) if str(p) not in fields["sets"].split(",")]
            changes = [{**fields, "sets": str(p)} for p in others[:: max(1, len(others) // 9)]]
        elif fields.get("kind") == "source":
            changes = [{**fields, "variables": str(graph.n)}, {**fields, "variables": "-1"}]
        else:
            continue
        for change in changes:
            proof.write_text(written([*records[:k], (word, change), *records[k + 1 :]]))
            code, words = verdict(proof, file)
            assert code == 1 or word == "turn", words
            assert code == 1 or optimum(graph) == int(records[-2][1]["lower"])
    lower = int(records[-2][1]["lower"])
    targets = [(w, {**f, **({"target": str(int(f["target"]) + 1)} if "target" in f else {})}) for w, f in records]
    for lines in (records, targets):
        dearer = [*lines[:-2], ("claim", {**lines[-2][1], "lower": str(lower + 1), "cost": str(lower + 1)}), lines[-1]]
        proof.write_text(written(dearer))
        assert verdict(proof, file)[0] == 1


# Brute force.


def least(part: checker.Part, apart: Iterable[tuple[int, ...]] = ()) -> int:
    """The least cost of a network of a part in which no sets are together that are apart, by trying all."""
    lists = [np.flatnonzero(part.child == i).tolist() for i in range(part.n)]
    forbidden, found = [{*row} - {-1} for row in apart], checker.INFINITE
    for chosen in itertools.product(*lists):
        cost = int(part.cost[list(chosen)].sum())
        if cost < found and not any(row <= {*part.at[list(chosen)].tolist()} for row in forbidden):
            sets = part.has[:, list(chosen)]
            one = checker.Part(part.members, part.at[list(chosen)], np.arange(part.n), part.cost[list(chosen)], sets)
            found = min(found, one.cheapest())
    return found


def tiny_graph(rng: random.Random) -> ParentGraph:
    n = rng.randint(2, 5)
    if rng.random() < 0.6:
        return equivalent_graph(rng.randrange(10**9), n, 1 if n == 5 else rng.randint(1, 2), rng.choice((4, 20, 1000)))
    costs = rng.choice((1, 3, 50))
    return random_graph(rng.randrange(10**9), n, sets=6, largest=2, costs=costs, hard=rng.random() < 0.5)


@few_or_many("seeds", range(60), range(1000, 3000))
def test_networks_without_what_is_apart_are_enough(seeds: Iterable[int]) -> None:
    """The argument itself, without what the checker or the search make of it: three branchings, one inside the other.

    At the leaves no network counts that has all sets of a row. Still the least of all is that of the whole graph.
    """
    lost = {2: 0, 3: 0}
    for seed in seeds:
        rng = random.Random(seed)
        root = whole(tiny_graph(rng))
        leaves: list[tuple[checker.Part, list[tuple[int, ...]]]] = [(root, [])]
        for _ in range(3):
            below = []
            for part, apart in leaves:
                i, empty = rng.randrange(part.n), ~part.has.any(axis=0)
                first, second = (part.child == i) & empty, (part.child == i) & ~empty
                every = np.arange(part.n)
                new = apart_by_hand(part, i)
                below += [(part.only(every, ~second), apart), (part.only(every, ~first), apart + new)]
            leaves = below
        assert min(least(*leaf) for leaf in leaves) == least(root), seed
        for size in lost:
            of_size = [(part, [row for row in apart if len({*row} - {-1}) == size]) for part, apart in leaves]
            lost[size] += any(least(part, apart) > least(part) for part, apart in of_size)
    assert min(lost.values()) > len(list(seeds)) // 20, "what is apart counts, of both sizes"


def apart_by_hand(part: checker.Part, i: int) -> list[tuple[int, ...]]:
    """What a branching on i sets apart, by its definition: all networks of two or three variables, in both orders."""
    sets: dict[tuple[int, frozenset[int]], tuple[int, int]] = {}  # cost and position
    for p in range(len(part.at)):
        key = int(part.child[p]), frozenset(np.flatnonzero(part.has[:, p]).tolist())
        sets[key] = min(sets.get(key, (checker.INFINITE, -1)), (int(part.cost[p]), int(part.at[p])))

    def network(order: tuple[int, ...], parents: tuple[set[int], ...]) -> list[tuple[int, int]]:
        keys = [(v, frozenset(has)) for v, has in zip(order, parents, strict=True)]
        return [sets[key] for key in keys] if all(key in sets for key in keys) else []

    def cost(of: list[tuple[int, int]]) -> int:
        return sum(c for c, _ in of) if of else checker.INFINITE

    found = []
    others = [v for v in range(part.n) if v != i]
    for j in others:
        now, then = network((j, i), (set(), {j})), network((i, j), (set(), {i}))
        if now and cost(then) <= cost(now):
            found.append((now[0][1], -1, now[1][1]))
    for j, x in itertools.permutations(others, 2):
        chain, clique = (set(), {j}, {x}), (set(), {j}, {j, x})
        back = network((i, x, j), (set(), {i}, {x}))
        around = [network((i, v, w), (set(), {i}, {i, v})) for v, w in ((j, x), (x, j))]
        for now, then in ((network((j, x, i), chain), [back]), (network((j, x, i), clique), around)):
            if now and min(map(cost, then)) <= cost(now):
                found.append((now[0][1], now[1][1], now[2][1]))
    return found


def test_the_checker_and_the_search_find_what_is_apart() -> None:
    """Each of them all of it, and nothing else."""
    found = {2: 0, 3: 0}
    for seed in range(80):
        graph = tiny_graph(random.Random(seed))
        part, order = whole(graph), np.append(np.argsort(in_order(graph)), -1)
        for i in range(graph.n):
            expected = sorted(apart_by_hand(part, i))
            assert sorted(map(tuple, part.turned(i).tolist())) == expected, seed
            searched = order[sets_apart(Part.whole(graph), i)].reshape(-1, 3)
            assert sorted(map(tuple, searched.tolist())) == expected, seed
            for row in expected:
                found[len({*row} - {-1})] += 1
    assert min(found.values()) > 50


@few_or_many("seeds", range(200), range(10_000, 30_000))
def test_random_trees_with_all_arcs_turned_that_may_be_prove_the_optimum(seeds: Iterable[int]) -> None:
    """Branchings of all kinds and splits anywhere, proper or not; never more than the truth, without splits no less."""
    turned = 0
    for seed in seeds:
        rng = random.Random(seed)
        graph, number = tiny_graph(rng), 1
        made, left, splits = checker.Derivation(whole(graph)), [0], rng.random() < 0.5
        for _ in range(rng.randint(2, 14)):
            at = rng.choice(left)
            part = made.parts[at]
            turned += turn_all(made, at)
            if part.n < 2 or not len(part.at):
                continue
            kind = rng.choice(("source",) * 5 + ("arc", "order", "drop") + ("split",) * 3 * splits)
            if kind == "drop":
                each_of(made, "drop", at, part.at.tolist())
                continue
            if kind == "split":
                apply(made, "split", part=at, to=[number + rng.randrange(2) for _ in range(part.n)])
            else:
                who = rng.sample(part.members.tolist(), 1 if kind == "source" else 2)
                apply(made, "branch", part=at, kind=kind, parts=(number, number + 1), variables=who)
            left.remove(at)
            left += part.parts
            number += 2
        for at in left:
            turned += turn_all(made, at)
            apply(made, "solve", part=at)
        assert made.proven() <= optimum(graph), seed
        assert splits or made.proven() == optimum(graph), seed
    assert turned > len(list(seeds)) // 10


@few_or_many("seeds", range(150), range(40_000, 50_000))
def test_random_trees_that_split_sources_off_prove_the_optimum(seeds: Iterable[int]) -> None:
    """Premises that hold from above: what is made a source is split off, and all that falls together goes."""
    turned = from_above = 0
    for seed in seeds:
        rng = random.Random(seed)
        graph, number = equivalent_graph(seed, rng.randint(3, 5), costs=rng.choice((4, 20, 1000))), 1
        made, left = checker.Derivation(whole(graph)), [0]
        for _ in range(rng.randint(6, 24)):
            at = rng.choice(left[-3:])
            part = made.parts[at]
            turned += turn_all(made, at)
            if part.n < 2 or not len(part.at):
                continue
            sources = [v for v in range(part.n) if not part.has[:, part.child == v].any()]
            if sources:
                apply(made, "split", part=at, to=[number + (v != sources[0]) for v in range(part.n)])
                each_of(made, "drop", number + 1, made.parts[number + 1].at.tolist())
                without = copy(made.parts[number + 1])
                without.held = without.held[:0]
                from_above += may_go(made.parts[number + 1]) > may_go(without)
            else:
                kind = rng.choice(("source",) * 9 + ("arc",))
                who = rng.sample(part.members.tolist(), 1 if kind == "source" else 2)
                apply(made, "branch", part=at, kind=kind, parts=(number, number + 1), variables=who)
            left.remove(at)
            left += part.parts
            number += 2
        for at in left:
            turned += turn_all(made, at)
            apply(made, "solve", part=at)
        assert made.proven() == optimum(graph), seed
    assert turned > len(list(seeds)) // 2
    assert from_above > len(list(seeds)) // 50


def may_go(part: checker.Part) -> int:
    """How many sets of a part RULE turn lets go."""
    rows = np.concatenate([np.zeros((0, 3), np.int64), *part.apart])
    return int(np.isin(part.at, rows[np.isin(rows[:, :2], np.append(part.certain(), -1)).all(axis=1), 2]).sum())


def turn_all(made: checker.Derivation, number: int) -> int:
    """Turn what may be turned in a part; how many sets that are."""
    part = made.parts[number]
    named = {int(q) for rows in part.apart for q in rows[:, 2]}
    return each_of(made, "turn", number, sorted(named & set(part.at.tolist())))


def each_of(made: checker.Derivation, word: str, number: int, sets: list[int]) -> int:
    """Apply a line about each of these sets alone; how many are not refused."""
    count = 0
    for p in sets:
        try:
            apply(made, word, part=number, sets=(p,))
            count += 1
        except checker.Refused:
            pass
    return count


# The search's side of it.


def test_a_source_that_was_struck_out_since_sets_nothing_apart() -> None:
    """The last cost of the graph stood in for the empty set that had gone: premises were made up."""
    part = Part.whole(graph_of([{0: 20, 0b10: 10}, {0: 20, 0b01: 10}, {0: -1000}]))
    of_0 = part.keeping(np.array([True, False, True, True, True]))
    assert of_0 is not None
    assert len(sets_apart(part, 0)) == 1
    assert len(sets_apart(of_0, 0)) == 0
    assert len(alternatives(Source(0), of_0)) == 1


def test_an_alternative_that_turning_leaves_without_sets_is_written(tmp_path: Path) -> None:
    """Where all sets of a variable are turned, the checker has a part that the search does not have."""
    graph, proof, file = pair_of_two(), tmp_path / "proof.cert", tmp_path / "graph.pg"
    graph.save(file)
    certificate = CertificateFile(proof)
    certificate.line("graph", sha256=fingerprint(graph), variables=graph.n, sets=len(graph))
    listener, whole_part = ledger.Ledger(certificate, np.arange(2), np.arange(4)), Part.whole(graph)
    first, second = (replace(part, id=k) for k, part in enumerate(alternatives(Source(0), whole_part), start=1))
    assert gone_by(Source(1), second)[0].tolist() == [True, True, False], "{1} of 0 by turning, {0} of 1"
    (last,) = (replace(part, id=3) for part in alternatives(Source(1), second))
    listener(events.Started(graph, 0, 0, 30))
    listener(events.BranchedInto(whole_part, (first, second), Source(0)))
    listener(events.BranchedInto(second, (last,), Source(1)))
    listener(events.NetworkFound(30, np.array([1, 2])))
    certificate.end(30, 30, 0, "optimal")
    assert "branch part=2 kind=source variables=1 parts=3,4\nturn part=3 sets=0\n" in proof.read_text()
    assert verdict(proof, file)[0] == 0, "the cheapest sets say 30, or that there is no network"

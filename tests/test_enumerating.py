"""Networks near the best of large groups: branching on parent sets against tables, against trying everything, and
against numbers known in advance."""

from __future__ import annotations

import math
import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import sabna
from sabna.alternatives.kbest import Alternatives
from sabna.alternatives.listing import Listed, list_networks
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.limits import Limits
from sabna.base.stop import Stop
from sabna.base.varsets import members, words_for
from sabna.cli.app import run
from sabna.parents.graph import ParentGraph
from tests.all_networks import acyclic
from tests.repeats import first_of
from tests.test_alternatives import all_costs, positions
from tests.test_more_scores import random_table


def listed_graph(lists: list[list[tuple[int, int]]]) -> ParentGraph:
    """A parent graph from (cost, set as bits) for each variable; dominated sets and all."""
    n = len(lists)
    words = words_for(n)
    costs, sets, offsets = [], [], [0]
    for entries in lists:
        for cost, bits in sorted(entries):
            costs.append(cost)
            sets.append([bits >> (64 * w) & (2**64 - 1) for w in range(words)])
        offsets.append(len(costs))
    return ParentGraph(
        tuple(f"X{i}" for i in range(n)),
        np.array(offsets, np.int64),
        np.array(costs, np.int64),
        np.array(sets, np.uint64).reshape(-1, words),
    )


def random_lists(seed: int, n: int, sets: int = 6, costs: int = 40) -> ParentGraph:
    """Few different costs make many ties; sets that their subsets beat are in it."""
    rng = random.Random(seed)
    lists = []
    for i in range(n):
        entries = {0: rng.randrange(costs)}
        for _ in range(rng.randint(1, sets)):
            chosen = rng.sample([v for v in range(n) if v != i], min(n - 1, rng.randint(1, 3)))
            entries[sum(1 << v for v in chosen)] = rng.randrange(costs)
        lists.append([(cost, bits) for bits, cost in entries.items()])
    return listed_graph(lists)


def by_network(listed: Listed) -> dict[tuple[int, ...], int]:
    found = {tuple(map(int, c)): int(cost) for c, cost in zip(listed.choices, listed.costs, strict=True)}
    assert len(found) == len(listed.costs)  # each network once
    assert list(listed.costs) == sorted(listed.costs)
    return found


def chain(n: int) -> ParentGraph:
    """Each variable may follow a neighbour for nothing, or stand alone at a cost of 1.

    With r variables that stand alone there are C(n + r - 1, 2 r - 1) networks: choose these, and between two of them
    the place where one's followers end and the other's begin.
    """
    lists = []
    for i in range(n):
        entries = [(1, 0)]
        entries += [(0, 1 << j) for j in (i - 1, i + 1) if 0 <= j < n]
        lists.append(entries)
    return listed_graph(lists)


@pytest.mark.parametrize("seed", first_of(range(24), 8))
def test_branching_finds_all_networks_of_small_graphs(seed: int) -> None:
    graph = random_lists(seed, 2 + seed % 4, costs=4 if seed % 2 else 40)
    every = {}
    for choice in product(*(range(graph.offsets[i], graph.offsets[i + 1]) for i in range(graph.n))):
        if acyclic(tuple(members(graph.sets[p]) for p in choice)):
            every[tuple(map(int, choice))] = int(graph.costs[list(choice)].sum())
    best = min(every.values())
    for slack in (0, 2, 15, 1000):
        found = list_networks(graph, 10**6, slack, tables=False)
        assert found.complete
        assert by_network(found) == {c: cost for c, cost in every.items() if cost <= best + slack}
    for count in (1, 7, 60):
        found = list_networks(graph, count, 1000, tables=False)
        assert list(found.costs) == sorted(every.values())[:count]
        assert by_network(found).items() <= every.items()
        assert found.complete == (len(every) < count)
        limit = best + found.within
        assert {c: e for c, e in by_network(found).items() if e <= limit} == {
            c: e for c, e in every.items() if e <= limit
        }


@pytest.mark.parametrize("factor", [1.0, 20.0])
def test_branching_finds_all_networks_within_a_factor_of_data(factor: float) -> None:
    table = random_table(5, n=5, rows=60)
    every = all_costs(table)
    slack = round(math.log(factor) * QUANTA_PER_NAT)
    graph = sabna.build_parent_graph(table, slack=math.log(factor))
    found = list_networks(graph, 10**6, slack, tables=False)
    alternatives = Alternatives(graph, found.costs, found.choices, True)
    limit = min(every.values()) + slack
    wanted = {parents for parents, cost in every.items() if cost <= limit}
    assert {positions(n) for n in alternatives.networks} == wanted


@pytest.mark.parametrize("n", [6, 8, 9, 11, 14])
@pytest.mark.parametrize("seed", first_of(range(3), 2))
def test_branching_and_tables_list_the_same(n: int, seed: int) -> None:
    graph = random_lists(100 * n + seed, n, sets=8 if n < 10 else 5, costs=6 if seed % 2 else 1000)
    for slack in (0, 1, 60):
        tables, branching = (list_networks(graph, 5000, slack, tables=t) for t in (True, False))
        assert list(tables.costs) == list(branching.costs)
        assert tables.complete == branching.complete
        if tables.complete:
            assert by_network(tables) == by_network(branching)
    for count in (1, 20, 300):
        tables, branching = (list_networks(graph, count, 10**6, tables=t) for t in (True, False))
        assert list(tables.costs) == list(branching.costs)
        by_network(branching)


@pytest.mark.parametrize("n", first_of([30, 65, 40, 100], 2))
def test_the_number_of_networks_of_a_chain(n: int) -> None:
    graph = chain(n)
    best = list_networks(graph, 10**6, 0)
    assert best.complete
    assert len(best.costs) == n
    if n <= 40:
        more = list_networks(graph, 10**6, 1)
        assert more.complete
        assert len(more.costs) == n + math.comb(n + 1, 3)
    if n <= 30:
        assert len(by_network(more)) == len(more.costs)
    few = list_networks(graph, n + 50, 10)
    assert [int(c) for c in few.costs] == [1] * n + [2] * 50
    assert not few.complete


def test_independent_groups_multiply() -> None:
    """Ten chains of ten in one graph of 100 variables, and one chain of 30 beside three of 3."""
    for sizes in ([10] * 10, [30, 3, 3, 3]):
        lists, first = [], 0
        for size in sizes:
            for i in range(size):
                entries = [(1, 0)]
                entries += [(0, 1 << (first + j)) for j in (i - 1, i + 1) if 0 <= j < size]
                lists.append(entries)
            first += size
        found = list_networks(listed_graph(lists), 2000, 0)
        number = math.prod(sizes)
        assert len(by_network(found)) == min(number, 2000)
        assert found.complete == (number <= 2000)


class EachCall(Limits):
    """A limit of 0.3 s for every call of the core by itself, so that a busy machine reaches the listing too."""

    def seconds_left(self) -> float:
        return 0.3


def test_what_is_listed_when_time_runs_out_is_real() -> None:
    graph = chain(60)
    found = list_networks(graph, 10**9, 3, EachCall())
    assert found.stop == Stop.time_limit
    assert not found.complete
    assert len(by_network(found)) > 10
    assert found.costs[0] == 1
    assert found.costs[-1] <= 4
    # What is said to be all there is all there.
    for r in range(1, found.within + 2):
        assert (found.costs == r).sum() == math.comb(60 + r - 1, 2 * r - 1)
    for choice, cost in zip(found.choices[::1000], found.costs[::1000], strict=True):
        assert acyclic(tuple(members(graph.sets[p]) for p in choice))
        assert graph.costs[choice].sum() == cost


def test_the_command_says_that_a_limit_cut_the_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import json

    chain(30).save(tmp_path / "chain.pg")
    arguments = ["kbest", str(tmp_path / "chain.pg"), "--bayes-factor", "1", "--time-limit", "0", "--json"]
    assert run(arguments) == 10
    assert json.loads(capsys.readouterr().out)["status"] == "time_limit"
    # A factor that a billionth of a nat makes: one lonely variable more.
    assert run([*arguments[:3], "1.0000000009313", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["status"] == "done"
    assert printed["count"] == 30 + math.comb(31, 3)


@pytest.mark.slow
def test_networks_near_the_best_of_37_variables(benchmark_data: Path) -> None:
    graph = sabna.read_parent_graph(benchmark_data / "scores" / "alarm-5000.blip.jkl")
    found = sabna.kbest(graph, bayes_factor=20)
    assert found.complete
    assert found.status == "done"
    assert len(set(found.networks)) == len(found)
    assert found.scores[0] - found.scores[-1] <= math.log(20)
    assert found.scores[0] == sabna.search(graph, gap_tolerance=0).score
    assert len(found) == 48

"""Frequencies of edges among the best networks, against all networks; lists that end inside a tie say so."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna.alternatives.networks import Alternatives
from sabna.base.cost import QUANTA_PER_NAT
from sabna.cli.app import run
from sabna.parents.graph import ParentGraph
from sabna.parents.knowledge import Knowledge
from sabna.table import Table
from tests.all_networks import Parents
from tests.test_alternatives import all_costs
from tests.test_more_scores import random_table

Edge = tuple[str, str]


def frequencies(names: tuple[str, ...], every: dict[Parents, int], most: int) -> dict[Edge, float]:
    """Over all networks that cost at most `most`: the share of exp(score) that has the edge."""
    best = min(every.values())
    weight = {s: math.exp((best - c) / QUANTA_PER_NAT) for s, c in every.items() if c <= most}
    out = Counter[Edge]()
    for parents, w in weight.items():
        for i, ps in enumerate(parents):
            for p in ps:
                out[names[p], names[i]] += w  # type: ignore[assignment]
    return {edge: w / sum(weight.values()) for edge, w in out.items()}


def permuted(table: Table, order: tuple[int, ...]) -> Table:
    names, states = zip(*((table.names[k], table.states[k]) for k in order), strict=True)
    return replace(table, names=names, codes=np.ascontiguousarray(table.codes[list(order)]), states=states)


def with_copy(seed: int, rows: int) -> Table:
    """Four columns, the last a copy of the first: networks of several classes tie."""
    table = random_table(seed, n=4, rows=rows)
    return replace(
        table,
        codes=np.concatenate([table.codes[:3], table.codes[:1]]),
        states=(*table.states[:3], table.states[0]),
    )


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
@pytest.mark.parametrize("k", [1, 2, 3, 7, 20, 100])
@pytest.mark.parametrize("copy", [False, True])
def test_edges_count_all_networks_as_good_as_the_last(score: str, k: int, copy: bool) -> None:
    table = with_copy(3, 30) if copy else random_table(3, n=4, rows=30)
    every = all_costs(table, score)
    last = sorted(every.values())[k - 1]
    found = sabna.kbest(table, k, score=score)
    assert [int(c) for c in found.cost_quanta] == sorted(every.values())[:k]
    assert found.edge_frequencies == pytest.approx(frequencies(table.names, every, last))
    tied = sum(c <= last for c in every.values())
    assert found.counted == tied
    assert found.cut_in_tie is (tied > k)
    assert found.tied_not_listed == tied - k
    assert ("cut inside a tie" in str(found)) is (tied > k)


@pytest.mark.parametrize("k", [1, 4, 9])
@pytest.mark.parametrize("copy", [False, True])
def test_no_order_of_the_columns_changes_the_frequencies(k: int, copy: bool) -> None:
    table = with_copy(5, 40) if copy else random_table(5, n=4, rows=40)
    wanted = sabna.kbest(table, k)
    for order in itertools.permutations(range(4)):
        found = sabna.kbest(permuted(table, order), k)
        assert found.edge_frequencies == pytest.approx(wanted.edge_frequencies)
        assert (found.cut_in_tie, found.counted) == (wanted.cut_in_tie, wanted.counted)


def test_numbers_worked_out_by_hand() -> None:
    """B is a noisy copy of A: A -> B and B -> A tie, nothing else comes near."""
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2, 2000)
    frame = pd.DataFrame({"A": a, "B": np.where(rng.random(2000) < 0.8, a, 1 - a)})
    for columns in (["A", "B"], ["B", "A"]):
        one, two = sabna.kbest(frame[columns], 1), sabna.kbest(frame[columns], 2)
        assert one.edge_frequencies == two.edge_frequencies == {("A", "B"): 0.5, ("B", "A"): 0.5}
        assert (one.cut_in_tie, one.tied_not_listed, one.counted) == (True, 1, 2)
        assert (two.cut_in_tie, two.tied_not_listed, two.counted) == (False, 0, 2)
        text = str(one)
        assert "cut inside a tie; networks as good as its last one that it leaves out: 1\n" in text
        assert "over all 2 networks" in text


def test_a_tie_too_large_to_list_is_left_out_of_the_frequencies() -> None:
    table = random_table(3, n=4, rows=30)
    every = all_costs(table)
    costs = sorted(every.values())
    sizes = [len(list(group)) for _, group in itertools.groupby(costs)]
    first, second = sizes[0], sizes[1]
    assert first > 1
    assert second > 1
    inside = sabna.kbest(table, first + 1, at_most=first + 1)
    assert inside.cut_in_tie
    assert inside.tied_not_listed is None
    assert inside.counted == first
    assert "leaves out: too many to count" in str(inside)
    assert inside.edge_frequencies == pytest.approx(frequencies(table.names, every, costs[0]))
    assert "as the last complete ones or better" in str(inside)
    none = sabna.kbest(table, 1, at_most=1)
    assert none.counted == 0
    assert none.edge_frequencies == {}
    assert "not given" in str(none)
    factor = sabna.kbest(table, bayes_factor=1000, at_most=first + 1)
    assert factor.cut_in_tie
    assert factor.edge_frequencies == pytest.approx(inside.edge_frequencies)


def sixteen() -> Table:
    """A chain: one component, too many variables for tables of all subsets at once."""
    rng = np.random.default_rng(8)
    codes = np.empty((16, 150), np.uint16)
    for i in range(16):
        codes[i] = np.where(rng.random(150) < 0.7, codes[max(i - 1, 0)] if i else 0, rng.integers(0, 2, 150))
    return Table(tuple(f"v{i}" for i in range(16)), codes, (("0", "1"),) * 16)


def test_sixteen_variables_by_branching() -> None:
    """The closure of a cut list is what a Bayes factor that reaches just as far lists."""
    table = sixteen()
    found = sabna.kbest(table, 5)
    assert found.cut_in_tie
    factor = math.exp(float(found.scores[0] - found.scores[-1]))
    whole = sabna.kbest(table, bayes_factor=factor)
    assert whole.complete
    assert found.counted == len(whole)
    assert found.edge_frequencies == pytest.approx(whole.edge_frequencies)


def test_knowledge_holds_for_networks_that_are_counted_and_not_listed() -> None:
    table = random_table(5, n=4, rows=40)
    known = Knowledge(forbidden=["a -> b"])
    found = sabna.kbest(table, 1, knowledge=known)
    every = {
        s: c
        for s, c in all_costs(table).items()
        if not known.violations({table.names[i]: [table.names[p] for p in ps] for i, ps in enumerate(s)})
    }
    assert found.edge_frequencies == pytest.approx(frequencies(table.names, every, min(every.values())))


def far_apart() -> ParentGraph:
    """Networks that cost 3, 60,002, 90,002 and 150,001 nats."""
    lists = [{0: 1, 2: 60_000}, {0: 1, 4: 90_000}, {0: 1}]
    costs = [cost << 30 for entries in lists for cost in entries.values()]
    sets = [[bits] for entries in lists for bits in entries]
    return ParentGraph(tuple("ABC"), np.array([0, 2, 4, 5]), np.array(costs), np.array(sets, np.uint64))


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_the_k_best_were_called_all_though_others_were_far_away(k: int) -> None:
    """Networks beyond 10,000 nats of the best were neither listed nor missed."""
    found = sabna.kbest(far_apart(), k)
    assert found.scores.tolist() == [-3.0, -60_002.0, -90_002.0, -150_001.0][:k]
    assert found.complete is (k >= 4)


def test_the_command_says_that_the_list_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["kbest", "example:asia", "-k", "1", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["cut_in_tie"] is True
    assert printed["tied_not_listed"] == 2
    assert printed["counted"] == 3
    assert sorted({round(e["frequency"], 9) for e in printed["edges"]}) == pytest.approx([1 / 3, 2 / 3, 1])
    assert run(["kbest", "example:asia", "-k", "1"]) == 0
    assert "cut inside a tie; networks as good as its last one that it leaves out: 2" in capsys.readouterr().out


def test_a_list_without_its_costs_known_complete_has_no_frequencies() -> None:
    """As after a limit: of networks as good as the best some may be missing."""
    found = sabna.kbest(random_table(3, n=4, rows=30), 3)
    stopped = Alternatives(found.graph, found.cost_quanta, found.choices, False, status="time_limit")
    assert stopped.edge_frequencies == {}
    assert "not given" in str(stopped)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_nothing_within_the_complete_factor_is_missing(k: int) -> None:
    """Of two components the network after the last one listed was found and left out; the factor reached beyond it."""
    scores = {"A": {(): 0.0, ("B",): 0.5}, "B": {(): 0.0}, "C": {(): 0.0, ("D",): 0.75}, "D": {(): 0.0}}
    found = sabna.kbest(sabna.graph_from_scores("ABCD", scores), k)
    below = [0, 0.5, 0.75, 1.25, math.inf]  # the best
    assert len(found) == min(k, 4)
    assert found.complete == (k >= 4)
    assert found.complete_factor is not None
    assert math.log(found.complete_factor) < below[len(found)]
    assert math.log(found.complete_factor) == pytest.approx(min(below[len(found)], 700))


def test_no_share_is_above_one() -> None:
    """`sabna kbest example:asia -k 5` told edges of 1.0000000000000002."""
    for k in range(1, 30):
        document = sabna.kbest("example:asia", k).to_dict()
        shares = [edge["frequency"] for edge in document["edges"]] + [c["weight"] for c in document["classes"]]
        assert max(shares) <= 1

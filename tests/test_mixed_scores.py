"""bcg, bic-cg and pnal: against bnlearn's values, other formulas, all parent sets, and all networks."""

from __future__ import annotations

import csv
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna import Network
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import DataError, KnowledgeError, LimitReached, UsageError
from sabna.base.limits import Limits
from sabna.base.varsets import members
from sabna.bench.mixed import run_mixed
from sabna.bench.recovery import compared
from sabna.parents.build import build_parent_graph, build_partial_graph
from sabna.parents.builders.mixed import NO_VALUE, mixed_costs
from sabna.parents.families import allowed_by_model, family_costs
from sabna.scores.reading import read_for_score
from sabna.table.mixed import NO_CODE, MixedTable, mixed_of, read_mixed
from sabna.table.numeric import NumericTable
from sabna.table.table import Table
from tests.all_networks import all_networks
from tests.slow_mixed import slow_cost

SCORES = ("bcg", "bic-cg", "pnal-cg")


def mixed_table(seed: int, n: int = 6, rows: int = 60, gaps: float = 0.0, discrete: int | None = None) -> MixedTable:
    """Columns that depend on each other, of both kinds; ties and skewed states now and then."""
    rng = np.random.default_rng(seed)
    kinds = [k < (n // 2 if discrete is None else discrete) for k in range(n)]
    rng.shuffle(kinds)
    columns: list[Any] = []
    for k, is_discrete in enumerate(kinds):
        drive = sum((rng.normal() * (c - c.mean()) for c in columns if rng.random() < 0.5), rng.normal(size=rows))
        if is_discrete:
            columns.append(np.digitize(drive, np.sort(rng.normal(size=rng.integers(1, 3)))).astype(np.float64))
        else:
            columns.append(np.round(drive, 1) * rng.uniform(0.1, 20) + 100 * rng.normal())
        del k
    out, states = [], []
    for column, is_discrete in zip(columns, kinds, strict=True):
        gone = rng.random(rows) < gaps
        if is_discrete:
            codes = np.unique(column, return_inverse=True)[1].astype(np.uint16)
            states.append(tuple(f"s{k}" for k in range(int(codes.max()) + 1)))
            out.append(np.where(gone, NO_CODE, codes).astype(np.uint16))
        else:
            states.append(None)
            out.append(np.where(gone, np.nan, column))
    return MixedTable(tuple("abcdefgh"[:n]), tuple(out), tuple(states))


def families(table: MixedTable) -> list[tuple[int, tuple[int, ...]]]:
    return [
        (i, parents)
        for i in range(table.n)
        for size in range(table.n)
        for parents in itertools.combinations([v for v in range(table.n) if v != i], size)
        if allowed_by_model(table, i, parents)
    ]


def lists_by_hand(table: MixedTable, costs: dict[tuple[int, tuple[int, ...]], int], slack: int = -1) -> list[Any]:
    """Every set that no subset beats, cheapest first."""
    out = []
    for i in range(table.n):
        mine = {frozenset(parents): cost for (v, parents), cost in costs.items() if v == i}
        kept = [(cost, s) for s, cost in mine.items() if all(cost - c <= slack for t, c in mine.items() if t < s)]
        out.append(sorted((cost, sum(1 << v for v in s)) for cost, s in kept))
    return out


def lists_of(graph: Any) -> list[Any]:
    return [
        [
            (int(graph.costs[at]), sum(1 << v for v in members(graph.sets[at])))
            for at in range(graph.offsets[i], graph.offsets[i + 1])
        ]
        for i in range(graph.n)
    ]


# --- values ---------------------------------------------------------------------------------------------------------


def references(benchmark_data: Path) -> list[dict[str, str]]:
    with open(benchmark_data.parent / "reference/bnlearn-scores.csv", newline="") as file:
        return [row for row in csv.DictReader(file) if row["score"] != "mbde"]


def test_every_value_of_bnlearn(benchmark_data: Path) -> None:
    rows = references(benchmark_data)
    tables: dict[tuple[str, str], MixedTable] = {}
    for row in rows:
        ours = {"loglik-cg": "bic-cg"}.get(row["score"], row["score"])
        ours = "p" + ours if ours.startswith("nal") else ours
        key = row["data"], ours
        if key not in tables:
            tables[key] = read_for_score(benchmark_data / row["data"], ours)
        table, network = tables[key], Network.from_bnlearn(row["network"])
        options: dict[str, float] = {"pnal_k": 1e-300} if row["score"].startswith("nal") else {}
        if row["k"] not in ("", "NA"):
            options = {"pnal_k": float(row["k"])}
        found = float(network.score(table, ours, **options))
        if row["score"] == "loglik-cg":
            found += math.log(table.rows) / 2 * parameters(network, table)
        assert found == pytest.approx(float(row["value"]), rel=1e-6), row


def parameters(network: Network, table: MixedTable) -> int:
    states = dict(zip(table.names, table.states, strict=True))
    total = 0
    for v, parents in network.parents.items():
        q = math.prod(len(states[p] or ()) for p in parents if states[p] is not None)
        own = states[v]
        total += q * (len(own) - 1 if own is not None else 2 + sum(states[p] is None for p in parents))
    return total


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("seed", range(3))
def test_costs_are_those_of_other_formulas(score: str, seed: int) -> None:
    table = mixed_table(seed, gaps=0.1 if score == "pnal-cg" else 0.0)
    given = {"bcg": {"equivalent_sample_size": 3.0, "alpha_mu": 0.7, "alpha_w": 9.5}, "pnal-cg": {"pnal_k": 0.5}}
    options = given.get(score, {}) if seed else {}
    asked = families(table)
    for (child, parents), cost in zip(asked, mixed_costs(table, asked, score, **options).tolist(), strict=True):
        expected = slow_cost(table, child, parents, score, options)
        if expected is None:
            assert cost == NO_VALUE
        else:
            assert cost / QUANTA_PER_NAT == pytest.approx(expected, rel=1e-8, abs=1e-7), (child, parents)


def test_without_discrete_columns_bcg_is_bge() -> None:
    values = np.array([mixed_table(1, discrete=0).columns[k] for k in range(6)])
    numbers = NumericTable(tuple("abcdef"), values)
    asked = families(mixed_of(numbers))
    ours = family_costs(mixed_of(numbers), asked, "bcg", alpha_mu=0.5)
    theirs = family_costs(numbers, asked, "bge", alpha_mu=0.5)
    assert np.abs(ours - theirs).max() <= 2


@pytest.mark.parametrize(("mixed", "plain"), [("bcg", "bdeu"), ("bic-cg", "bic")])
def test_without_continuous_columns_the_integers_are_those_of_categories(mixed: str, plain: str) -> None:
    table = mixed_table(2, discrete=6)
    states = tuple(states for states in table.states if states is not None)
    categories = Table(table.names, np.array(table.columns, dtype=np.uint16), states)
    asked = families(table)
    assert family_costs(table, asked, mixed).tolist() == family_costs(categories, asked, plain).tolist()
    ours, theirs = build_parent_graph(table, mixed), build_parent_graph(categories, plain)
    assert lists_of(ours) == lists_of(theirs)


def test_pnal_of_a_complete_table_is_bic_over_the_rows() -> None:
    table = mixed_table(3, discrete=6)
    asked = families(table)
    per_row = family_costs(table, asked, "pnal", pnal_k=math.log(table.rows) / 2)
    whole = family_costs(table, asked, "bic-cg")
    assert np.abs(per_row * float(table.rows) - whole).max() <= table.rows


def test_a_configuration_without_a_variance_has_no_value_and_does_not_win() -> None:
    """The objection to bic-cg: one row in a cell fits perfectly, and its density has no maximum."""
    codes = np.array([0] * 10 + [1], dtype=np.uint16)
    values = np.random.default_rng(0).normal(size=(2, 11))
    table = MixedTable(("d", "x", "y"), (codes, *values), (("0", "1"), None, None))
    assert mixed_costs(table, [(1, [0])], "bic-cg")[0] == NO_VALUE
    assert mixed_costs(table, [(1, [0])], "bcg")[0] < NO_VALUE
    same = MixedTable(
        ("d", "x"), (np.array([0, 0, 0, 1, 1, 1], dtype=np.uint16), np.array([1.0, 1, 1, 2, 3, 5])), (("0", "1"), None)
    )
    assert mixed_costs(same, [(1, [0])], "bic-cg")[0] == NO_VALUE
    assert all(0 not in members(s) for s in build_parent_graph(table, "bic-cg").sets[1:])


@pytest.mark.parametrize("score", ["bcg", "bic-cg"])
def test_equivalent_networks_cost_the_same_integer(score: str) -> None:
    for seed in range(4):
        table = mixed_table(seed, n=4, rows=80)
        cost = dict(zip(families(table), family_costs(table, families(table), score).tolist(), strict=True))
        classes: dict[Any, set[int]] = {}
        for parents in all_networks(4):
            if not all(allowed_by_model(table, i, ps) for i, ps in enumerate(parents)):
                continue
            network = Network(
                table.names, {table.names[i]: [table.names[p] for p in ps] for i, ps in enumerate(parents)}
            )
            found = network.cpdag()
            total = [cost[i, ps] for i, ps in enumerate(parents)]
            if max(total) < NO_VALUE:
                classes.setdefault((found.compelled, found.reversible), set()).add(sum(total))
        assert all(len(costs) == 1 for costs in classes.values())


# --- parent graphs and networks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("seed", range(6))
def test_parent_graphs_are_those_of_scoring_every_subset(score: str, seed: int) -> None:
    table = mixed_table(seed, n=7, rows=40 + 30 * seed, gaps=0.15 if score == "pnal-cg" else 0.0, discrete=seed)
    asked = families(table)
    costs = {f: c for f, c in zip(asked, family_costs(table, asked, score).tolist(), strict=True) if c < NO_VALUE}
    assert lists_of(build_parent_graph(table, score)) == lists_by_hand(table, costs)
    slack = 3.0 if score != "pnal-cg" else 0.05
    near = build_parent_graph(table, score, slack=slack)
    assert lists_of(near) == lists_by_hand(table, costs, round(slack * QUANTA_PER_NAT))


@pytest.mark.parametrize("price", [None, 1.0, 9.0])
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_sets_left_out_for_their_penalty_are_of_no_use(price: float | None, gaps: float) -> None:
    """Of categories a set is held to its penalty before it is looked at, and to what became of its subsets."""
    table = mixed_table(11, n=7, rows=80, gaps=gaps, discrete=7)
    asked = families(table)
    costs = dict(zip(asked, family_costs(table, asked, "pnal", pnal_k=price).tolist(), strict=True))
    graph = build_parent_graph(table, "pnal", pnal_k=price)
    assert lists_of(graph) == lists_by_hand(table, costs)
    if price == 9.0:
        assert graph.statistics["evaluated"] < len(asked) / 2
    near = build_parent_graph(table, "pnal", pnal_k=price, slack=0.05)
    assert lists_of(near) == lists_by_hand(table, costs, round(0.05 * QUANTA_PER_NAT))


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("seed", range(3))
def test_parent_graphs_obey_knowledge_and_limits(score: str, seed: int) -> None:
    table = mixed_table(seed, n=6, rows=70, gaps=0.1 if score == "pnal-cg" else 0.0)
    numbers = [k for k, states in enumerate(table.states) if states is None]
    must, child = (table.names[k] for k in numbers[:2])
    known = {"required": [[must, child]], "forbidden": [[table.names[0], table.names[5]]]}
    asked = [
        (i, parents)
        for i, parents in families(table)
        if len(parents) <= 3 and not (i == 5 and 0 in parents) and (i != numbers[1] or numbers[0] in parents)
    ]
    costs = {f: c for f, c in zip(asked, family_costs(table, asked, score).tolist(), strict=True) if c < NO_VALUE}
    graph = build_parent_graph(table, score, knowledge=known, max_parents=3)
    assert lists_of(graph) == lists_by_hand(table, costs)


@pytest.mark.parametrize("score", [*SCORES, "pnal", "pnal-g"])
def test_the_optimal_network_is_the_best_of_all(score: str) -> None:
    for seed in range(2):
        discrete = {"pnal": 4, "pnal-g": 0}.get(score)
        table = mixed_table(seed, n=4, rows=50, gaps=0.2 if "pnal" in score else 0.0, discrete=discrete)
        asked = families(table)
        cost = dict(zip(asked, family_costs(table, asked, score).tolist(), strict=True))
        networks = [p for p in all_networks(4) if all((i, ps) in cost for i, ps in enumerate(p))]
        best = min(sum(cost[i, ps] for i, ps in enumerate(parents)) for parents in networks)
        result = sabna.learn(table, score, gap_tolerance=0)
        assert result.status == "optimal"
        assert result.cost_quanta == best
        found = result.network.score(table, score)
        assert found.cost_quanta == best
        assert float(found) == result.score
        assert result.local_costs == found.local_costs


def test_the_result_does_not_depend_on_threads() -> None:
    table = mixed_table(5, n=8, rows=100)
    one, two = (build_parent_graph(table, "bcg", n_jobs=k) for k in (1, 3))
    assert lists_of(one) == lists_of(two)


# --- what else works with them --------------------------------------------------------------------------------------


def test_alternatives_and_strengths_and_bootstrap_work_on_mixed_tables() -> None:
    table = mixed_table(4, n=5, rows=80)
    found = sabna.kbest(table, k=5, score="bcg")
    assert [round(s, 6) for s in found.scores] == sorted((round(s, 6) for s in found.scores), reverse=True)
    for network, score in zip(found.networks, found.scores, strict=True):
        assert float(network.score(table, "bcg")) == pytest.approx(score, abs=1e-9)
    result = sabna.learn(table, "bcg")
    for arc in result.arcs or ():
        parents = {v: [p for p in ps if (p, v) != (arc.parent, arc.child)] for v, ps in result.network.parents.items()}
        without = Network(table.names, parents).score(table, "bcg")
        assert arc.removal_quanta == without.cost_quanta - result.cost_quanta
    again = sabna.bootstrap(table, replicates=3, score="bcg", seed=1)
    assert again.replicates == 3


def test_an_edge_into_a_discrete_variable_cannot_be_turned_round() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, 100).astype(np.uint16)
    table = MixedTable(("d", "x"), (codes, codes * 3.0 + rng.normal(size=100)), (("0", "1"), None))
    result = sabna.learn(table, "bcg")
    assert result.network.edges == (("d", "x"),)
    assert result.arcs is not None
    assert result.arcs[0].reversal is None


# --- refusals and limits --------------------------------------------------------------------------------------------


def test_edges_against_the_model_are_refused_by_name() -> None:
    table = mixed_table(0, n=4)
    d = next(k for k, s in enumerate(table.states) if s is not None)
    x = next(k for k, s in enumerate(table.states) if s is None)
    with pytest.raises(KnowledgeError, match="cannot have a continuous parent"):
        build_parent_graph(table, "bcg", knowledge={"required": [[table.names[x], table.names[d]]]})
    with pytest.raises(UsageError, match="cannot have a continuous parent"):
        Network(table.names, {table.names[d]: [table.names[x]]}).score(table, "bcg")


def test_what_a_score_cannot_take_is_refused() -> None:
    holes = mixed_table(0, gaps=0.2)
    with pytest.raises(DataError, match="needs complete rows"):
        build_parent_graph(holes, "bcg")
    with pytest.raises(UsageError, match="needs complete rows; use pnal"):
        sabna.learn("example:asia", "bdeu", missing="available")
    with pytest.raises(UsageError, match="has no parameter `pnal_k`"):
        sabna.learn("example:asia", "bic", pnal_k=1.0)
    with pytest.raises(UsageError, match="alpha_w"):
        build_parent_graph(mixed_table(0), "bcg", alpha_w=2.0)
    constant = MixedTable(("x", "y"), (np.ones(5), np.arange(5.0)), (None, None))
    with pytest.raises(DataError, match="'x' is constant"):
        build_parent_graph(constant, "bic-cg")
    assert sabna.learn(constant, "bcg").status == "optimal"
    with pytest.raises(DataError, match="fit it under a prior"):
        Network(constant.names, {}).fit(constant)
    with pytest.raises(UsageError, match="for discrete columns only"):
        sabna.learn(mixed_table(0), "pnal")


def test_the_default_score_becomes_the_pnal_of_the_columns() -> None:
    for discrete, expected in ((4, "pnal"), (0, "pnal-g"), (2, "pnal-cg")):
        result = sabna.learn(mixed_table(1, n=4, gaps=0.1, discrete=discrete))
        assert result.score_type == expected


@pytest.mark.parametrize("score", SCORES)
def test_stopped_while_scoring_there_is_a_network_and_a_true_bound(score: str) -> None:
    table = mixed_table(3, n=8, rows=300, gaps=0.05 if score == "pnal-cg" else 0.0)
    best = sabna.learn(table, score)
    stopped = sabna.learn(table, score, time_limit=0)
    assert stopped.status == "time_limit"
    assert stopped.lower_bound_quanta <= best.cost_quanta <= stopped.cost_quanta
    partial = build_partial_graph(table, score, limits=Limits(seconds=0))
    whole = build_parent_graph(table, score)
    for i in range(table.n):
        assert partial.floor[i] <= whole.costs[whole.offsets[i]]
    with pytest.raises(LimitReached):
        build_parent_graph(table, score, time_limit=0)


def test_reading_a_file_of_both_kinds(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("d,x\n" + "".join(f"{'ab'[k % 2]},{k % 2 * 5 + k % 7 / 3}\n" for k in range(60)))
    result = sabna.learn(path, "bcg")
    assert result.network.edges == (("d", "x"),)
    assert read_mixed(path).kinds == {"d": "discrete", "x": "continuous"}


def test_the_benchmark_says_what_it_scored() -> None:
    lines: list[str] = []
    rows = run_mixed(5, 5, 60.0, lines.append, series=3)
    assert [row["status"] for row in rows] == [*["complete"] * 5, "optimal"]
    assert rows[4]["evaluated"] >= 5 * 2**4
    assert len(lines) == 6


def test_what_recovery_counts() -> None:
    truth = Network("abcd", {"b": ["a"], "c": ["a", "b"], "d": ["c"]})
    result = sabna.learn("example:asia")
    found = type(result)(Network("abcd", {"b": ["a", "d"], "c": ["b"]}), "optimal", 0, 0)
    # b - d is false, a - b and b - c are true links; the collider a -> b <- d makes the class direct both as they are.
    assert compared(found, truth) == (2 / 4, 2 / 4, 1)


@pytest.mark.parametrize(
    ("columns", "score", "how"),
    [
        ({"a": "qq", "b": "qq/4", "c": "noise"}, "bic-cg", "'[ab]' is a linear combination of '[ab]'"),
        ({"a": "qq", "b": "noise", "c": "qq-noise"}, "bic-cg", "is a linear combination of"),
        ({"a": "state", "b": "by state", "c": "noise"}, "bic-cg", "'b' is constant in every state of 'a'"),
        ({"a": "state", "b": "by state", "c": "noise"}, "pnal-cg", "'b' is constant in every state of 'a'"),
        ({"a": "qq", "b": "qq/4", "c": "noise"}, "pnal-g", "'[ab]' is a linear combination of '[ab]'"),
    ],
)
def test_copies_are_refused_and_not_called_independent(columns: dict[str, str], score: str, how: str) -> None:
    """Once bic-cg and pnal left out the family of a copy, which has no value, and proved the copies independent."""
    rng = np.random.default_rng(3)
    state, first, noise = rng.integers(0, 3, 40), rng.normal(size=40), rng.normal(size=40)
    values = {"qq": first, "qq/4": first / 4, "noise": noise, "qq-noise": first - noise}
    values |= {"state": np.array(["x", "y", "z"])[state], "by state": np.array([1.5, 2.25, 7.5])[state]}
    frame = pd.DataFrame({name: values[what] for name, what in columns.items()})
    with pytest.raises(DataError, match=how):
        sabna.learn(frame, score=score)
    if score == "bic-cg":
        edges = {frozenset(edge) for edge in sabna.learn(frame, score="bcg").network.edges}
        assert len(edges) == (1 if "noise" in columns["c"][:5] else 2)


def test_a_refusal_in_a_resample_is_not_told_of_the_table() -> None:
    """Four rows that are no linear combination; a resample of two different ones always is."""
    frame = pd.DataFrame({"c": [0.1, 0.7, 0.3, 0.9, 0.2], "d": [1.0, 0.2, 0.4, 0.6, 0.7]})
    with pytest.raises(
        DataError, match=r"replicate \d+, a resample of the rows: column '[cd]' is a linear combination"
    ):
        sabna.bootstrap(frame, replicates=400, score="bic-g", n_jobs=1)
    frame = pd.DataFrame({"a": list("xxy"), "c": [0.1, 0.5, 0.3], "d": [1.0, 0.5, 0.2]})
    with pytest.raises(DataError, match=r"the rows outside fold 1 of 3: 2 rows for 2 columns"):
        sabna.learn(frame, score="bic-g", columns=["c", "d"], target="d", folds=3)

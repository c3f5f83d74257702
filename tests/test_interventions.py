"""Rows in which variables were set: scores, parent graphs, networks and classes, against trying everything."""

from __future__ import annotations

import csv
import itertools
import json
import runpy
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna import Network
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import DataError, DataWarning, UsageError
from sabna.network.parameters import Dirichlet
from sabna.parents.build import build_parent_graph, build_partial_graph
from sabna.parents.builders.mixed import NO_VALUE
from sabna.parents.families import family_costs
from sabna.scores.reading import read_for_score
from sabna.table.interventions import some_rows, targets_of
from sabna.table.mixed import MixedTable, mixed_of
from sabna.table.numeric import NumericTable
from sabna.table.table import Table
from tests.all_networks import all_networks
from tests.slow_mixed import slow_cost
from tests.test_mixed_scores import families, lists_by_hand, lists_of, mixed_table

SCORES = ("bic", "bdeu", "bic-g", "bge", "bcg")


def set_table(score: str, seed: int, n: int = 5, rows: int = 70) -> Any:
    """A table for the score in which every third cell of some variables was set; some share their rows."""
    discrete = {"bic": n, "bdeu": n, "bic-g": 0, "bge": 0}.get(score)
    mixed = mixed_table(seed, n=n, rows=rows, discrete=discrete)
    rng = np.random.default_rng(seed)
    was_set = np.zeros((n, rows), dtype=np.uint8)
    was_set[0] = rng.random(rows) < 0.3
    was_set[1] = was_set[0]
    was_set[2] = rng.random(rows) < 0.5
    if score in ("bic", "bdeu"):
        states = tuple(states for states in mixed.states if states is not None)
        return Table(mixed.names, np.array(mixed.columns, dtype=np.uint16), states, was_set=was_set)
    if score in ("bic-g", "bge"):
        return NumericTable(mixed.names, np.array(mixed.columns), was_set=was_set)
    return replace(mixed, was_set=was_set)


def every_family(table: Any) -> list[tuple[int, tuple[int, ...]]]:
    if isinstance(table, MixedTable):
        return families(table)
    others = [[v for v in range(table.n) if v != i] for i in range(table.n)]
    return [(i, ps) for i in range(table.n) for k in range(table.n) for ps in itertools.combinations(others[i], k)]


def test_the_script_of_the_nine_conditions(
    benchmark_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = Path(__file__).parents[1] / "docs/users/conditions.py"
    monkeypatch.setattr(sys, "argv", [str(script), str(benchmark_data / "mixed/sachs-conditions.csv")])
    runpy.run_path(str(script), run_name="__main__")
    out = capsys.readouterr().out
    page = (script.parents[1] / "interventions.md").read_text()
    assert all(line in page for line in out.splitlines())
    assert out.count("proven optimal") == 3


def test_bdeu_is_the_mbde_of_bnlearn(benchmark_data: Path) -> None:
    with open(benchmark_data.parent / "reference/bnlearn-scores.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["score"] == "mbde"]
    assert len(rows) == 16
    for row in rows:
        network, size = Network.from_bnlearn(row["network"]), float(row["iss"])
        found = network.score(benchmark_data / row["data"], "bdeu", equivalent_sample_size=size, interventions="INT")
        assert float(found) == pytest.approx(float(row["value"]), rel=1e-9)


@pytest.mark.parametrize("score", SCORES)
def test_costs_are_those_of_the_rows_that_count(score: str) -> None:
    table = set_table(score, seed=3)
    asked = every_family(table)
    for (child, parents), cost in zip(asked, family_costs(table, asked, score).tolist(), strict=True):
        if score in ("bge", "bcg"):  # one prior for all variables: that of the whole table
            left_out = table.was_set[child].astype(bool)
            expected = slow_cost(mixed_of(table), child, parents, "bcg", {}, left_out)
            assert cost / QUANTA_PER_NAT == pytest.approx(expected, rel=1e-8, abs=1e-7)
        else:
            rows = some_rows(table, np.flatnonzero(table.was_set[child] == 0))
            assert cost == family_costs(rows, [(child, parents)], score)[0]


@pytest.mark.parametrize("score", SCORES)
def test_parent_graphs_are_those_of_scoring_every_subset(score: str) -> None:
    for seed in range(2):
        table = set_table(score, seed, n=7 if seed else 6, rows=90)
        asked = every_family(table)
        costs = dict(zip(asked, family_costs(table, asked, score).tolist(), strict=True))
        assert lists_of(build_parent_graph(table, score)) == lists_by_hand(table, costs)
        near = build_parent_graph(table, score, slack=3.0)
        assert lists_of(near) == lists_by_hand(table, costs, round(3.0 * QUANTA_PER_NAT))


@pytest.mark.parametrize("score", SCORES)
def test_parent_graphs_obey_knowledge_and_limits(score: str) -> None:
    table = set_table(score, seed=4, n=6, rows=90)
    free = [k for k in range(6) if not isinstance(table, MixedTable) or table.states[k] is None]
    must, child = free[:2]
    known = {"required": [[table.names[must], table.names[child]]], "forbidden": [[table.names[0], table.names[5]]]}
    asked = [
        (i, ps)
        for i, ps in every_family(table)
        if len(ps) <= 3 and not (i == 5 and 0 in ps) and (i != child or must in ps)
    ]
    costs = dict(zip(asked, family_costs(table, asked, score).tolist(), strict=True))
    graph = build_parent_graph(table, score, knowledge=known, max_parents=3)
    assert lists_of(graph) == lists_by_hand(table, costs)


@pytest.mark.parametrize("score", SCORES)
def test_the_optimal_network_is_the_best_of_all(score: str) -> None:
    table = set_table(score, seed=5, n=4, rows=60)
    asked = every_family(table)
    cost = dict(zip(asked, family_costs(table, asked, score).tolist(), strict=True))
    networks = [p for p in all_networks(4) if all((i, ps) in cost for i, ps in enumerate(p))]
    totals = [sum(cost[i, ps] for i, ps in enumerate(parents)) for parents in networks]
    result = sabna.learn(table, score, gap_tolerance=0)
    assert (result.status, result.cost_quanta) == ("optimal", min(totals))
    assert result.network.score(table, score).cost_quanta == result.cost_quanta
    best = sabna.kbest(table, k=4, score=score)
    assert best.cost_quanta.tolist() == sorted(totals)[:4]
    weights = np.exp(-(np.array(totals) - min(totals)) / QUANTA_PER_NAT)
    found = sabna.posterior(table, score)
    for i, p in itertools.permutations(range(4), 2):
        share = sum(w for w, parents in zip(weights, networks, strict=True) if p in parents[i]) / weights.sum()
        assert found.probability(table.names[p], table.names[i]) == pytest.approx(share, abs=1e-9)


@pytest.mark.slow
def test_the_optimal_network_is_the_best_of_all_over_five_variables() -> None:
    networks = list(all_networks(5))
    assert len(networks) == 29281
    for score in (*SCORES, "bic-cg", "pnal", "pnal-g", "pnal-cg"):
        discrete = {"pnal": 5, "pnal-g": 0}.get(score)
        table: Any = mixed_table(7, n=5, rows=70, gaps=0.2 if "pnal" in score else 0.0, discrete=discrete)
        if score in SCORES:
            table = set_table(score, seed=7)
        asked = every_family(table)
        cost = dict(zip(asked, family_costs(table, asked, score).tolist(), strict=True))
        best = min(
            sum(cost[i, ps] for i, ps in enumerate(parents))
            for parents in networks
            if all((i, ps) in cost for i, ps in enumerate(parents))
        )
        assert sabna.learn(table, score, gap_tolerance=0).cost_quanta == best, score


# --- the interventional class ---------------------------------------------------------------------------------------


def named(parents: Any) -> Network:
    return Network("abcd"[: len(parents)], {"abcd"[i]: ["abcd"[p] for p in ps] for i, ps in enumerate(parents)})


def signature(network: Network, targets: list[list[str]]) -> Any:
    """Skeleton and colliders of the network, and of the network that each experiment leaves (Hauser, Bühlmann 2012)."""

    def of(edges: set[tuple[str, str]]) -> Any:
        joined = {frozenset(edge) for edge in edges}
        into = {v: [p for p, c in edges if c == v] for v in network.variables}
        colliders = {
            (frozenset(pair), v)
            for v in into
            for pair in itertools.combinations(into[v], 2)
            if frozenset(pair) not in joined
        }
        return frozenset(joined), frozenset(colliders)

    edges = set(network.edges)
    return (of(edges), *(of({(p, c) for p, c in edges if c not in target}) for target in targets))


@pytest.mark.parametrize("targets", [[["a"]], [["a", "b"]], [["b"], ["c", "d"]], [["a", "b", "c", "d"]], [[]]])
def test_the_class_is_that_of_all_networks_which_no_experiment_tells_apart(targets: list[list[str]]) -> None:
    networks = [named(parents) for parents in all_networks(4)]
    classes: dict[Any, list[Network]] = {}
    for network in networks:
        classes.setdefault(signature(network, targets), []).append(network)
    for members in classes.values():
        common = set.intersection(*(set(network.edges) for network in members))
        for network in members:
            found = network.cpdag(targets=targets)
            assert found.compelled == common
            assert found.by_interventions == common - network.cpdag().compelled


@pytest.mark.parametrize("score", SCORES)
def test_networks_of_one_interventional_class_cost_the_same_integer(score: str) -> None:
    table = set_table(score, seed=6, n=4, rows=80)
    asked = every_family(table)
    cost = dict(zip(asked, family_costs(table, asked, score).tolist(), strict=True))
    totals: dict[Any, set[int]] = {}
    for parents in all_networks(4):
        if all((i, ps) in cost for i, ps in enumerate(parents)):
            key = signature(named(parents), targets_of(table) or [])
            totals.setdefault(key, set()).add(sum(cost[i, ps] for i, ps in enumerate(parents)))
    assert all(len(costs) == 1 for costs in totals.values())


# --- what is read ---------------------------------------------------------------------------------------------------

COLUMNS = {
    "A": ["0", "1", "1", "0", "1", "0"],
    "B": ["0", "1", "0", "0", "1", "1"],
    "C": ["1", "1", "0", "0", "0", "1"],
}


def test_cells_name_what_was_set() -> None:
    cells = ["none", "A", "A; B", None, "", "None"]
    table = read_for_score({**COLUMNS, "INT": cells}, "bic", interventions="INT")
    assert table.names == ("A", "B", "C")
    assert table.was_set.tolist() == [[0, 1, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0] * 6]
    assert table.statistics["interventions"] == {"rows": {"A": 2, "B": 1}, "untouched": 4}
    assert targets_of(table) == [["A"], ["A", "B"]]
    some = read_for_score({**COLUMNS, "INT": cells}, "bic", interventions="INT", columns=["B", "C"])
    assert some.was_set.tolist() == [[0, 0, 1, 0, 0, 0], [0] * 6]
    assert read_for_score({**COLUMNS, "INT": ["none"] * 6}, "bic", interventions="INT").was_set is None


def test_a_name_with_the_separator_was_taken_for_two() -> None:
    data = {**COLUMNS, "A;B": COLUMNS["C"], "INT": ["A;B", "A", "B;A", "none", None, ""]}
    table = read_for_score(data, "bic", interventions="INT")
    assert table.was_set.tolist() == [[0, 1, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0] * 6, [1, 0, 0, 0, 0, 0]]


def test_conditions_name_what_they_set_also_in_a_file(tmp_path: Path) -> None:
    data = {**COLUMNS, "day": [1, 1, 2, 2, 3, 3], "drug": ["x", "y", "y", "x", "x", "x"]}
    plan = {"day": {"2": ["A"]}, "drug": {"y": ["B", "C"]}}
    table = read_for_score(data, "bic", interventions=plan)
    assert table.was_set.tolist() == [[0, 0, 1, 1, 0, 0], [0, 1, 1, 0, 0, 0], [0, 1, 1, 0, 0, 0]]
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    (tmp_path / "plan.toml").write_text('[day]\n2 = ["A"]\n[drug]\ny = ["B", "C"]\n')
    for name in ("plan.json", "plan.toml"):
        result = sabna.learn(data, interventions=str(tmp_path / name))
        assert result.run["options"]["interventions"] == plan
        assert result.cost_quanta == sabna.learn(table).cost_quanta


def test_rows_that_are_dropped_take_their_interventions_along() -> None:
    data = {**COLUMNS, "B": ["0", None, "0", "0", "1", "1"], "INT": ["A", "B", "none", "A", "none", "C"]}
    table = read_for_score(data, "bic", interventions="INT", missing="drop")
    assert table.was_set.tolist() == [[1, 0, 1, 0, 0], [0] * 5, [0, 0, 0, 0, 1]]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("INTT", "no column 'INTT'"),
        ({"day": {"7": ["A"]}}, "no row has the condition '7'"),
        ({"day": {"1": ["AA"]}}, "'AA', which was set there"),
        ({"day": {"1": 5}}, "list of the variables"),
        ({}, "mapping such as"),
        ("nowhere.toml", "cannot be read"),
    ],
)
def test_plans_that_do_not_fit_are_refused_by_name(plan: Any, message: str) -> None:
    with pytest.raises((UsageError, DataError), match=message):
        sabna.learn({**COLUMNS, "day": [1, 1, 2, 2, 3, 3]}, interventions=plan)


def test_scores_and_options_that_do_not_go_together_are_refused() -> None:
    data = {**COLUMNS, "INT": ["A"] * 6}
    with pytest.raises(UsageError, match="the score aic does not take them"):
        sabna.learn(data, "aic", interventions="INT")
    with pytest.raises(UsageError, match="target"):
        sabna.learn(data, interventions="INT", target="A")
    with pytest.raises(UsageError, match="a coded table"):
        sabna.learn(read_for_score(COLUMNS, "bic"), interventions="INT")


@pytest.mark.parametrize("score", ["bic", "bdeu", "bcg"])
def test_a_variable_that_is_set_in_every_row_has_no_parents_and_no_cost(score: str) -> None:
    data = {**COLUMNS, "INT": ["A", "A;B", "A", "A", "A", "A"]}
    with pytest.warns(DataWarning, match="'A' set in every row"):
        result = sabna.learn(data, score, interventions="INT")
    assert result.network.parents["A"] == ()
    assert result.local_costs is not None
    assert result.local_costs["A"] == 0


@pytest.mark.parametrize("score", SCORES)
def test_alternatives_and_posteriors_gave_parents_to_a_variable_that_is_always_set(score: str) -> None:
    """Under bge and bcg every parent set of such a variable cost nothing, and half of the networks had each edge."""
    values = np.random.default_rng(3).normal(size=(3, 60))
    data: dict[str, Any] = {"INT": ["z"] * 60}
    for name, column in zip("xyz", values, strict=True):
        number = score in ("bic-g", "bge") or (score == "bcg" and name != "x")
        data[name] = column.tolist() if number else np.where(column > 0, "p", "q").tolist()
    how: dict[str, Any] = {"score": score, "interventions": "INT"}
    with pytest.warns(DataWarning, match="'z' set in every row"):
        found = sabna.posterior(data, **how)
    assert found.probability("x", "z") == found.probability("y", "z") == 0
    with pytest.warns(DataWarning, match="'z' set in every row"):
        listed = sabna.kbest(data, k=1000, **how)
    assert not any(network.parents["z"] for network in listed.networks)
    with pytest.warns(DataWarning, match="'z' set in every row"):
        must = sabna.posterior(data, **how, knowledge={"required": ["y -> z"]})
    assert (must.probability("y", "z"), must.probability("x", "z")) == (1, 0)


def test_what_is_left_of_a_column_may_be_constant() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=20), rng.normal(size=20)
    data = {"x": [5.0] * 10 + x[10:].tolist(), "y": y.tolist(), "INT": ["none"] * 10 + ["x;y"] * 10}
    with pytest.raises(DataError, match="in the 10 rows in which 'x' was not set: column 'x' is constant"):
        sabna.learn(data, "bic-g", interventions="INT")
    assert sabna.learn(data, "bge", interventions="INT").status == "optimal"


# --- whole runs -----------------------------------------------------------------------------------------------------


def chain(rows: int = 400) -> dict[str, Any]:
    """a -> b -> c, all binary; b is set by a coin in a third of the rows, and a row later c."""
    rng = np.random.default_rng(1)
    told = np.resize(["none", "b", "c"], rows)
    a = rng.integers(0, 2, rows)
    b = np.where(told == "b", rng.integers(0, 2, rows), np.where(rng.random(rows) < 0.85, a, 1 - a))
    c = np.where(told == "c", rng.integers(0, 2, rows), np.where(rng.random(rows) < 0.85, b, 1 - b))
    return {"a": a.tolist(), "b": b.tolist(), "c": c.tolist(), "INT": told.tolist()}


def test_interventions_settle_directions_and_every_command_knows(tmp_path: Path) -> None:
    data = chain()
    result = sabna.learn(data, interventions="INT")
    assert set(result.network.edges) == {("a", "b"), ("b", "c")}
    assert result.cpdag().by_interventions == {("a", "b"), ("b", "c")}
    assert all(arc.compelled and (arc.reversal or 0) > 0 for arc in result.arcs or ())
    again = sabna.Result.from_dict(json.loads(json.dumps(result.to_dict())))
    assert again.cpdag() == result.cpdag()
    assert "set in them: 'b' (133), 'c' (133); directions that they settle: a -> b, b -> c" in str(again)
    assert "  a ⇒ b " in str(again)
    assert "⇒ : interventions settle the direction" in str(again)
    again.save(tmp_path / "chain.html")
    assert (tmp_path / "chain.html").read_text().count("<td>compelled by interventions</td>") == 2
    without = sabna.learn({v: data[v] for v in "abc"})
    assert "⇒" not in str(without)
    assert not without.cpdag().compelled
    found = sabna.bootstrap(data, replicates=3, interventions="INT")
    assert found.compelled["a", "b"] == 1.0
    assert found.statistics["interventions"]["rows"] == {"b": 133, "c": 133}
    listed = result.alternatives(data, k=2)
    assert float(listed.scores[0]) == result.score
    assert listed.statistics["interventions"]["untouched"] == 134
    assert sabna.posterior(data, interventions="INT").probability("a", "b") > 0.9


def test_parameters_come_from_the_rows_in_which_a_variable_was_not_set() -> None:
    data = chain()
    result = sabna.learn(data, interventions="INT")
    keep = np.array(data["INT"]) != "c"
    b, c = np.array(data["b"])[keep], np.array(data["c"])[keep]
    assert result.network.tables is not None
    expected = [[((b == k) & (c == 1)).sum(), (b == k).sum()] for k in (0, 1)]
    for k, (ones, all_rows) in enumerate(expected):
        assert result.network.tables["c"][k, 1] == pytest.approx((ones + 0.25) / (all_rows + 0.5))
    plain = result.network.fit(read_for_score(data, "bic", interventions="INT"), Dirichlet(count=1))
    assert plain.tables is not None
    assert plain.tables["c"][0, 1] == pytest.approx((expected[0][0] + 1) / (expected[0][1] + 2))


def test_a_run_is_kept_with_what_was_set(tmp_path: Path) -> None:
    data = chain(90)
    first = sabna.learn(data, interventions="INT", work=tmp_path / "run")
    second = sabna.learn(data, interventions="INT", work=tmp_path / "run")
    assert first.cost_quanta == second.cost_quanta
    assert first.run["data_sha256"] != sabna.learn({v: data[v] for v in "abc"}).run["data_sha256"]
    with pytest.raises(UsageError):
        sabna.learn({v: data[v] for v in "abc"}, work=tmp_path / "run")


@pytest.mark.parametrize("score", ["bdeu", "bic-g"])
def test_stopped_while_scoring_there_is_a_network_and_a_true_bound(score: str) -> None:
    table = set_table(score, seed=8, n=6, rows=90)
    best = sabna.learn(table, score)
    stopped = sabna.learn(table, score, time_limit=0)
    assert stopped.lower_bound_quanta <= best.cost_quanta <= stopped.cost_quanta
    built = build_partial_graph(table, score)
    assert built.status == "complete"
    assert int(built.graph.costs.max()) < NO_VALUE


def test_repeated_measurements_take_what_was_set_along() -> None:
    data = chain(60)
    data |= {"t": list(range(60))}
    result = sabna.learn(data, time="t", interventions="INT")
    assert result.statistics["interventions"]["rows"] == {"b": 20, "c": 20}
    assert ["b", "c[t-1]"] not in (result.run["targets"] or [])  # none, b, c follow each other in this order
    assert ["b[t-1]", "c"] in result.run["targets"]


def test_the_estimator_takes_them_row_by_row() -> None:
    pytest.importorskip("sklearn")
    data = chain()
    X = np.array([data[v] for v in "abc"]).T
    told = [{"b": "x1", "c": "x2"}.get(cell) for cell in data["INT"]]
    found = sabna.ExactBayesianNetwork().fit(X, interventions=told)
    assert found.score_ == sabna.learn(data, interventions="INT").score
    rows = [[0, 0, 0], [1, 0, 1]]
    tables = found.network_.tables
    assert tables is not None
    by_hand = [np.log(tables["x0"][r[0]] * tables["x1"][r[0], r[1]] * tables["x2"][r[1], r[2]]) for r in rows]
    assert found.score_samples(rows) == pytest.approx(by_hand, abs=0.05)  # one more state for values not seen
    with pytest.raises(UsageError, match="one for each row"):
        sabna.ExactBayesianNetwork().fit(X, interventions=told[:-1])

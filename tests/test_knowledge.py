"""Prior knowledge: every contradiction has its message, and the best network that obeys is found by every strategy."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sabna
from sabna.base.errors import KnowledgeError
from sabna.cli.app import run
from sabna.network import Network
from sabna.parents.knowledge import Knowledge
from sabna.scores.local import local_costs
from sabna.table import Table
from tests.all_networks import all_networks
from tests.test_more_scores import random_table

NAMES = ("asia", "smoke", "lung", "bronc", "xray")


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"required": ["asia -> lnug"]}, "there is no variable 'lnug'; did you mean 'lung'?"),
        ({"tiers": [["smoke"], ["zebra"]]}, "tier 2: there is no variable 'zebra'"),
        ({"max_parents": {"lugn": 1}}, "max_parents: there is no variable 'lugn'; did you mean 'lung'?"),
        ({"required": ["asia -> asia"]}, "asia -> asia is required, but no variable can be its own parent"),
        (
            {"required": ["smoke -> lung"], "forbidden": ["smoke -> lung"]},
            "is required, but that edge is forbidden",
        ),
        ({"required": ["smoke -> lung"], "forbidden_pairs": [["lung", "smoke"]]}, "the pair smoke, lung is forbidden"),
        ({"required": ["lung -> smoke"], "tiers": [["smoke"], ["lung"]]}, "smoke is in tier 1, before lung in tier 2"),
        ({"required": ["smoke -> lung"], "roots": ["lung"]}, "lung is a root"),
        ({"required": ["smoke -> lung"], "leaves": ["smoke"]}, "smoke is a leaf"),
        ({"required": ["smoke -> lung"], "allowed": []}, "not among the allowed ones"),
        ({"tiers": [["smoke"], ["lung", "smoke"]]}, "smoke is in tiers 1 and 2"),
        (
            {"required": ["smoke -> lung", "asia -> lung"], "max_parents": {"lung": 1}},
            "lung has 2 required parents (smoke, asia), but at most 1 are allowed",
        ),
        (
            {"required": ["smoke -> lung", "lung -> xray", "xray -> smoke", "xray -> lung"]},
            "the required edges close a cycle: lung -> xray -> lung",
        ),
        ({"required": [["smoke", "lung", "xray"]]}, "is no edge"),
        ({"tires": [["smoke"]]}, "unknown statement 'tires'; did you mean 'tiers'?"),
        ({"max_parents": {"lung": -1}}, "-1 is no number of parents"),
    ],
)
def test_every_contradiction_is_named_and_ends_with_exit_code_5(
    known: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(KnowledgeError) as caught:
        Knowledge.of(known).check(NAMES)
    assert message in str(caught.value)
    data, file = tmp_path / "data.csv", tmp_path / "known.json"
    data.write_text(",".join(NAMES) + "\n" + "0,1,0,1,0\n1,0,1,0,1\n0,0,1,1,0\n")
    file.write_text(json.dumps(known))
    assert run(["learn", str(data), "--knowledge", str(file), "--json"]) == 5
    printed = json.loads(capsys.readouterr().out)
    assert printed["code"] == 5
    assert message in printed["message"]


def test_the_smallest_contradiction_comes_first() -> None:
    known = Knowledge(
        required=["smoke -> lung", "lung -> xray", "xray -> smoke", "asia -> bronc"], forbidden=["asia -> bronc"]
    )
    with pytest.raises(KnowledgeError, match=r"^asia -> bronc is required.*\(1 more contradiction"):
        known.check(NAMES)


def test_a_limit_for_all_counts_too() -> None:
    with pytest.raises(KnowledgeError, match="at most 1 are allowed"):
        Knowledge(required=["smoke -> lung", "asia -> lung"]).check(NAMES, 1)


def test_files_and_other_sources_say_the_same(tmp_path: Path) -> None:
    text = 'required = [["smoke", "lung"], "asia -> xray"]\ntiers = [["asia"], ["xray"]]\n[max_parents]\nlung = 2\n'
    (tmp_path / "known.toml").write_text(text)
    known = Knowledge.of(tmp_path / "known.toml")
    assert known == Knowledge(
        [("smoke", "lung"), ("asia", "xray")], tiers=[["asia"], ["xray"]], max_parents={"lung": 2}
    )
    (tmp_path / "known.json").write_text(json.dumps(known.to_dict()))
    assert Knowledge.of(str(tmp_path / "known.json")) == known


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text("required = [")
    with pytest.raises(KnowledgeError, match=r"known\.toml: not a valid \.toml file"):
        Knowledge.of(tmp_path / "known.toml")
    with pytest.raises(KnowledgeError, match="cannot read"):
        Knowledge.of(tmp_path / "none.toml")


def test_pgmpy_s_expert_knowledge_is_understood() -> None:
    expert = SimpleNamespace(
        required_edges={("smoke", "lung")},
        forbidden_edges={("lung", "asia")},
        temporal_order=[["asia", "smoke"], ["lung"]],
        search_space=set(),
    )
    known = Knowledge.of(expert)
    assert known.required == (("smoke", "lung"),)
    assert known.tiers == (("asia", "smoke"), ("lung",))
    assert known.allowed is None


# --- against all networks --------------------------------------------------------------------------------------------


@st.composite
def statements(draw: st.DrawFn, n: int) -> dict[str, Any]:
    names = "abcdefgh"[:n]
    pairs = st.lists(st.permutations(names).map(lambda p: (p[0], p[1])), max_size=3)
    known: dict[str, Any] = {
        "required": draw(pairs),
        "forbidden": draw(pairs),
        "forbidden_pairs": draw(st.lists(st.permutations(names).map(lambda p: (p[0], p[1])), max_size=1)),
        "roots": draw(st.lists(st.sampled_from(names), max_size=1)),
        "leaves": draw(st.lists(st.sampled_from(names), max_size=1)),
        "max_parents": draw(st.dictionaries(st.sampled_from(names), st.integers(0, 2), max_size=2)),
    }
    if draw(st.booleans()):
        order = draw(st.permutations(names))
        known["tiers"] = [list(order[:1]), list(order[1:3])]
    return known


def best_that_obeys(table: Table, known: Knowledge, score: str) -> int | None:
    """The least cost over all networks, by trying each."""
    n = table.n
    cost: dict[tuple[int, tuple[int, ...]], int] = {}
    best = None
    for parents in all_networks(n):
        named = {table.names[i]: [table.names[p] for p in ps] for i, ps in enumerate(parents)}
        if known.violations(named):
            continue
        families = [(i, ps) for i, ps in enumerate(parents) if (i, ps) not in cost]
        if families:
            cost.update(zip(families, map(int, local_costs(table, families, score)), strict=True))
        total = sum(cost[i, ps] for i, ps in enumerate(parents))
        best = total if best is None else min(best, total)
    return best


STRATEGIES: list[dict[str, Any]] = [
    {"strategy": "auto"},
    {"strategy": "astar"},
    {"strategy": "astar", "heuristic": "pattern", "components": True, "scc_branching": True},
    {"strategy": "bfs"},
    {"strategy": "bfs", "path_extension": False, "upper_bound": False},
]


@settings(max_examples=15, deadline=None)
@given(known=statements(4), seed=st.integers(0, 1000), score=st.sampled_from(["bic", "bdeu", "fnml", "qnml"]))
def test_the_best_network_that_obeys_is_found_by_every_strategy(known: dict[str, Any], seed: int, score: str) -> None:
    table = random_table(seed, n=4, rows=30)
    knowledge = Knowledge.of(known)
    wanted = best_that_obeys(table, knowledge, score)
    if wanted is None:
        with pytest.raises(KnowledgeError):
            sabna.learn(table, score, knowledge=known)
        return
    for options in STRATEGIES:
        result = sabna.learn(table, score, knowledge=known, gap_tolerance=0, **options)
        assert result.cost_quanta == wanted
        assert knowledge.violations(result.network.parents) == []


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(known=statements(5), seed=st.integers(0, 1000))
def test_five_variables_too(known: dict[str, Any], seed: int) -> None:
    table = random_table(seed, n=5, rows=50)
    wanted = best_that_obeys(table, Knowledge.of(known), "bic")
    if wanted is not None:
        for options in STRATEGIES:
            assert sabna.learn(table, knowledge=known, gap_tolerance=0, **options).cost_quanta == wanted


def test_a_complete_score_file_can_be_filtered(tmp_path: Path) -> None:
    table = random_table(5, n=4, rows=60)
    everything = sabna.build_parent_graph(table, slack=1e6)
    everything.save(tmp_path / "all.jkl")
    known = {"required": ["a -> d"], "forbidden": ["b -> c"]}
    graph = sabna.read_parent_graph(tmp_path / "all.jkl", keep_dominated=True)
    filtered = sabna.search(graph, knowledge=known, gap_tolerance=0)
    assert filtered.score == pytest.approx(sabna.learn(table, knowledge=known).score, abs=1e-4)
    assert filtered.network.parents == sabna.learn(table, knowledge=known).network.parents


def test_a_pruned_graph_is_refused_for_required_parents_and_taken_for_forbidden_ones() -> None:
    table = random_table(5, n=4, rows=60)
    pruned = sabna.build_parent_graph(table)
    forbidden = {"forbidden": ["a -> d", "b -> c"]}
    found = sabna.search(pruned, knowledge=forbidden, gap_tolerance=0)
    assert found.cost_quanta == best_that_obeys(table, Knowledge.of(forbidden), "bic")
    with pytest.raises(KnowledgeError, match=r"required parents of d \(a\)"):
        sabna.search(pruned, knowledge={"required": ["a -> d"]})


def test_a_graph_built_under_knowledge_needs_no_filter() -> None:
    table = random_table(5, n=4, rows=60)
    known = {"required": ["a -> d"]}
    graph = sabna.build_parent_graph(table, knowledge=known)
    assert sabna.search(graph, knowledge=known).network.parents["d"][0] == "a"


# --- the equivalence class ------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 542), statements(4))
def test_the_class_shows_what_all_obeying_members_share(which: int, known: dict[str, Any]) -> None:
    every = list(all_networks(4))
    knowledge = Knowledge.of({**known, "max_parents": {}})

    def named(parents: tuple[tuple[int, ...], ...]) -> Network:
        return Network("abcd", {"abcd"[i]: ["abcd"[p] for p in ps] for i, ps in enumerate(parents)})

    network = named(every[which])
    if knowledge.violations(network.parents):
        return
    members = [m for m in map(named, every) if m.equivalent_to(network) and not knowledge.violations(m.parents)]
    shared = set.intersection(*(set(m.edges) for m in members))
    found = network.cpdag(knowledge)
    assert found.compelled == shared
    assert found.by_knowledge == shared - network.cpdag().compelled


def test_a_result_shows_its_class_under_its_knowledge() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 300)
    codes = np.array([a, np.where(rng.random(300) < 0.9, a, 1 - a)], dtype=np.uint16)
    table = Table(("a", "b"), codes, (("0", "1"),) * 2)
    assert sabna.learn(table).cpdag().reversible == {("a", "b")}
    assert sabna.learn(table, knowledge={"roots": ["b"]}).cpdag().by_knowledge == {("b", "a")}


def test_files_of_a_result_mark_the_edges_that_knowledge_compels(tmp_path: Path) -> None:
    """A tier directs an edge that the data leave open: files must not show it as reversible."""
    codes = np.array([[0, 1] * 40, [0, 1] * 39 + [1, 0]], dtype=np.uint16)
    table = Table(("a", "b"), codes, (("0", "1"),) * 2)
    result = sabna.learn(table, knowledge={"tiers": [["a"], ["b"]]})
    free = sabna.learn(table)
    for kind, marked, open_ in [
        ("dot", "a -> b;", "style=dashed"),
        ("graphml", ">True<", ">False<"),
        ("gexf", 'value="true"', 'value="false"'),
    ]:
        result.save(tmp_path / f"known.{kind}")
        free.save(tmp_path / f"free.{kind}")
        known, unknown = ((tmp_path / f"{name}.{kind}").read_text() for name in ("known", "free"))
        assert marked in known
        assert open_ not in known
        assert open_ in unknown
        assert sabna.read_network(tmp_path / f"known.{kind}").edges == (("a", "b"),)

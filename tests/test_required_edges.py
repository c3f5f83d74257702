"""Required edges on ready parent graphs: every answer is that of trying all networks, and doubt is refused.

A pruned list may have dropped {A, B} for {B}, though with A required {A, B} is the best set left. What was wrong once:
a pruned list that happened to hold all sets up to its largest size was taken for complete.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna.base.errors import KnowledgeError
from sabna.cli.app import run
from sabna.parents.builders.own import graph_from_scores
from sabna.parents.files import pg
from sabna.parents.graph import ParentGraph
from sabna.parents.knowledge import Knowledge
from sabna.scores.local import local_costs
from sabna.table import NumericTable, Table
from tests.all_networks import all_networks
from tests.repeats import few_or_many

Scores = dict[tuple[int, tuple[int, ...]], int]  # (child, parents) -> cost in quanta

NETWORKS = {n: list(all_networks(n)) for n in (3, 4)}


def families(n: int, largest: int | None = None) -> list[tuple[int, tuple[int, ...]]]:
    most = n - 1 if largest is None else largest
    return [
        (i, parents)
        for i in range(n)
        for size in range(most + 1)
        for parents in itertools.combinations([v for v in range(n) if v != i], size)
    ]


def truth(names: tuple[str, ...], scores: Scores, *known: Knowledge) -> int | None:
    """The least cost of a network made of scored families that obeys; None if there is none."""
    best = None
    for network in NETWORKS[len(names)]:
        if any((i, parents) not in scores for i, parents in enumerate(network)):
            continue
        total = sum(scores[i, parents] for i, parents in enumerate(network))
        if best is not None and total >= best:
            continue  # before asking whether it obeys, which takes longer
        named = {names[i]: [names[p] for p in parents] for i, parents in enumerate(network)}
        if not any(k.violations(named) for k in known):
            best = total
    return best


def copied_table(rng: np.random.Generator, n: int) -> Table:
    """Noisy copies of one another: most sets of two parents are beaten by one of them."""
    rows = int(rng.integers(20, 120))
    columns = [rng.integers(0, 2, rows)]
    for _ in range(n - 1):
        source = columns[int(rng.integers(len(columns)))]
        columns.append(np.where(rng.random(rows) < rng.choice([0.7, 0.85, 0.95]), source, 1 - source))
    order = rng.permutation(n)
    return Table(tuple("abcd"[:n]), np.array([columns[k] for k in order], dtype=np.uint16), (("0", "1"),) * n)


def scores_of(table: Table, score: str = "bic") -> Scores:
    every = families(table.n)
    return dict(zip(every, map(int, local_costs(table, every, score)), strict=True))


def random_knowledge(rng: np.random.Generator, names: tuple[str, ...]) -> dict[str, Any]:
    pairs = list(itertools.permutations(names, 2))

    def pick(least: int) -> list[tuple[str, str]]:
        return [pairs[k] for k in rng.choice(len(pairs), int(rng.integers(least, 3)), replace=False)]

    known: dict[str, Any] = {"required": pick(1), "forbidden": pick(0)}
    if rng.random() < 0.3:
        known["leaves"] = [names[int(rng.integers(len(names)))]]
    if rng.random() < 0.3:
        known["max_parents"] = {names[int(rng.integers(len(names)))]: int(rng.integers(1, 3))}
    return known


def answer(graph: ParentGraph | Path, known: Any, wanted: int | None) -> bool:
    """Whether there is an answer; if so it must be the truth, and if no network obeys there must be none."""
    try:
        result = sabna.search(graph, knowledge=known, gap_tolerance=0, n_jobs=1)
    except KnowledgeError:
        return False
    assert result.status == "optimal"
    assert result.cost_quanta == wanted
    return True


def test_a_set_dropped_for_one_without_the_required_parent_is_not_forgotten() -> None:
    """The list of c is {}, {a}, {b}: all sets of up to one parent, and yet {a, b} is the best with a."""
    scores = {
        "a": {(): -10.0},
        "b": {(): -10.0},
        "c": {(): -10.0, ("a",): -9.0, ("b",): -5.0, ("a", "b"): -6.0},
    }
    pruned = graph_from_scores("abc", scores)
    assert [parents for _, parents in pruned.parent_sets(2)] == [(1,), (0,), ()]
    with pytest.raises(KnowledgeError, match=r"required parents of c \(a\).*build the graph from the data"):
        sabna.search(pruned, knowledge={"required": ["a -> c"]})
    limited = sabna.search(pruned, knowledge={"required": ["a -> c"], "max_parents": {"c": 1}})
    assert limited.score == -29.0
    assert sabna.search(graph_from_scores("abc", scores, knowledge={"required": ["a -> c"]})).score == -26.0


@pytest.mark.parametrize("n", [3, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", [{}, {"max_parents": 1}, {"max_parents": 2}, {"slack": 1e6}])
def test_a_built_graph_answers_as_trying_all_networks_or_not_at_all(n: int, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(n + 10 * len(str(options)))
    answered = refused = 0
    for _ in range(20):
        table = copied_table(rng, n)
        scores = {f: c for f, c in scores_of(table).items() if len(f[1]) <= options.get("max_parents", n)}
        graph = sabna.build_parent_graph(table, **options)
        for _ in range(4):
            known = random_knowledge(rng, table.names)
            wanted = truth(table.names, scores, Knowledge.of(known))
            done = answer(graph, known, wanted)
            answered, refused = answered + done, refused + (wanted is not None and not done)
    assert answered > 10
    assert refused == 0 if "slack" in options else refused > 5


@few_or_many("tables", 20, 40)
def test_a_graph_built_under_knowledge_takes_more_of_it(tables: int) -> None:
    """What it was built under holds on; the same required parents once more are no reason to refuse."""
    rng = np.random.default_rng(4)
    answered = 0
    for _ in range(tables):
        table = copied_table(rng, 4)
        first, then = (random_knowledge(rng, table.names) for _ in range(2))
        then["required"] = [*first["required"], *then["required"]][: int(rng.integers(1, 4))]
        scores = scores_of(table)
        try:
            graph = sabna.build_parent_graph(table, knowledge=first)
        except KnowledgeError:
            continue
        wanted = truth(table.names, scores, Knowledge.of(first), Knowledge.of(then))
        answered += answer(graph, then, wanted)
        again = {**first, "forbidden": [*first["forbidden"], ("a", "d")]}
        if ("a", "d") not in again["required"]:
            wanted = truth(table.names, scores, Knowledge.of(again))
            assert answer(graph, again, wanted)
    assert answered > 5


@few_or_many("tables", 40, 60)
def test_one_filter_after_another_is_as_good_as_both_at_once(tables: int) -> None:
    rng = np.random.default_rng(5)
    answered = 0
    for _ in range(tables):
        table = copied_table(rng, 4)
        graph = sabna.build_parent_graph(table, slack=1e6)
        first, then = (random_knowledge(rng, table.names) for _ in range(2))
        wanted = truth(table.names, scores_of(table), Knowledge.of(first), Knowledge.of(then))
        try:
            filtered = sabna.parents.filter.filter_graph(graph, first)
        except KnowledgeError:
            continue
        assert "slack" not in filtered.parameters
        answered += answer(filtered, then, wanted)
    assert answered > 5


# --- files -----------------------------------------------------------------------------------------------------------


def random_scores(rng: random.Random, n: int, largest: int) -> Scores:
    """Few different costs: many ties, many dominated sets."""
    return {family: rng.randrange(1, 12) << 30 for family in families(n, largest)}


def graph_of(names: tuple[str, ...], scores: Scores, **fields: Any) -> ParentGraph:
    offsets, costs, sets = [0], list[int](), list[int]()
    for i in range(len(names)):
        own = sorted((cost, sum(1 << p for p in parents)) for (child, parents), cost in scores.items() if child == i)
        costs += [cost for cost, _ in own]
        sets += [bits for _, bits in own]
        offsets.append(len(costs))
    words = np.array(sets, dtype=np.uint64).reshape(-1, 1)
    return ParentGraph(names, np.array(offsets), np.array(costs, dtype=np.int64), words, **fields)


@pytest.mark.parametrize("suffix", ["jkl", "pss", "pg"])
def test_a_file_that_lists_everything_is_answered_from_python_and_the_command_line(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`sabna.search("full.jkl", knowledge=...)` dropped dominated sets before it looked at the knowledge."""
    names, path = ("a", "b", "c"), tmp_path / f"full.{suffix}"
    rng, pick = random.Random(1), np.random.default_rng(1)
    answered = 0
    for _ in range(12):
        scores = random_scores(rng, 3, 2)
        graph_of(names, scores).save(path)
        known = random_knowledge(pick, names)
        wanted = truth(names, scores, Knowledge.of(known))
        done = answer(path, known, wanted)
        assert done == (wanted is not None)
        answered += done
        (tmp_path / "known.json").write_text(json.dumps(known))
        code = run(["search", str(path), "--knowledge", str(tmp_path / "known.json"), "--json"])
        printed = json.loads(capsys.readouterr().out)
        assert (code, printed.get("cost_quanta")) == ((0, wanted) if done else (5, None))
    assert answered > 5


@pytest.mark.parametrize("suffix", ["jkl", "pss"])
def test_of_a_file_with_all_sets_up_to_a_size_larger_ones_may_have_been_pruned(suffix: str, tmp_path: Path) -> None:
    """Only a limit that the user or the file states makes its lists complete."""
    names, path = ("a", "b", "c", "d"), tmp_path / f"limited.{suffix}"
    rng = random.Random(2)
    for _ in range(10):
        scores = random_scores(rng, 4, 2)
        graph_of(names, scores).save(path)
        known: dict[str, Any] = {"required": ["a -> d"]}
        with pytest.raises(KnowledgeError, match="max_parents d = 2"):
            sabna.search(path, knowledge=known)
        known["max_parents"] = {"d": 2}
        wanted = truth(names, scores, Knowledge.of(known))
        assert answer(path, known, wanted)
        answer(sabna.read_parent_graph(path), known, wanted)  # dominated sets are gone: right if there is an answer


def test_a_pss_file_that_states_its_limit_is_complete_up_to_it(tmp_path: Path) -> None:
    names, path, rng = ("a", "b", "c", "d"), tmp_path / "limited.pss", random.Random(3)
    for _ in range(10):
        scores = random_scores(rng, 4, 2)
        graph_of(names, scores, parameters={"max_parents": 2}).save(path)
        known = {"required": ["a -> d", "b -> c"]}
        wanted = truth(names, scores, Knowledge.of(known))
        assert answer(path, known, wanted)


@pytest.mark.parametrize("suffix", ["jkl", "pss", "pg"])
def test_a_file_of_a_pruned_graph_is_right_or_refused(suffix: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    answered = refused = 0
    for _ in range(60):
        table = copied_table(rng, 3)
        path = tmp_path / f"pruned.{suffix}"
        sabna.build_parent_graph(table).save(path)
        known = random_knowledge(rng, table.names)
        wanted = truth(table.names, scores_of(table), Knowledge.of(known))
        done = answer(path, known, wanted)
        answered, refused = answered + done, refused + (wanted is not None and not done)
    assert refused > 10
    assert answered > (5 if suffix == "pg" else 0)  # .pg files tell that what is missing is beaten


def without_record(graph: ParentGraph) -> bytes:
    """The .pg file that earlier versions wrote."""
    content = pg.write(graph)
    length = int.from_bytes(content[12:16], "little")
    header = json.loads(content[16 : 16 + length])
    del header["exhaustive"]
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    old, new = (pg._Layout.of(k, graph.n, len(graph)) for k in (length, len(text)))
    body = bytearray(new.checksum)
    head = content[:12] + len(text).to_bytes(4, "little") + text
    body[: len(head)] = head
    body[new.offsets :] = content[old.offsets : old.checksum]
    return bytes(body) + hashlib.sha256(body).digest()


def test_a_pg_file_of_an_earlier_version_is_taken_for_not_exhaustive(tmp_path: Path) -> None:
    scores = {"a": {(): -9.0}, "b": {(): -9.0}, "c": {(): -9.0, ("a",): -5.0, ("b",): -7.0, ("a", "b"): -6.0}}
    graph = graph_from_scores("abc", scores)  # {a, b} is beaten by {a}, which obeys
    known = {"required": ["a -> c"]}
    graph.save(tmp_path / "new.pg")
    assert sabna.read_parent_graph(tmp_path / "new.pg").exhaustive
    assert sabna.search(tmp_path / "new.pg", knowledge=known).score == -23.0
    (tmp_path / "old.pg").write_bytes(without_record(graph))
    old = sabna.read_parent_graph(tmp_path / "old.pg")
    assert not old.exhaustive
    assert old.costs.tolist() == graph.costs.tolist()
    with pytest.raises(KnowledgeError, match="required parents of c"):
        sabna.search(tmp_path / "old.pg", knowledge=known)


def test_an_unfinished_graph_is_not_exhaustive() -> None:
    table = copied_table(np.random.default_rng(0), 4)
    limits = sabna.base.limits.Limits.of(time_limit=0)
    assert not sabna.parents.build.build_partial_graph(table, limits=limits).graph.exhaustive
    assert sabna.build_parent_graph(table).exhaustive


# --- other builders --------------------------------------------------------------------------------------------------


def test_own_scores_are_right_or_refused() -> None:
    names, rng, pick = ("a", "b", "c"), random.Random(7), np.random.default_rng(7)
    answered = refused = 0
    for _ in range(80):
        scores = random_scores(rng, 3, 2)
        missing = [family for family in scores if len(family[1]) == 2 and rng.random() < 0.2]
        for family in missing:
            del scores[family]  # sets that a table of scores lacks do not exist

        def score(child: str, parents: tuple[str, ...], scores: Scores = scores) -> float:
            family = names.index(child), tuple(names.index(p) for p in parents)
            return -scores[family] / 2**30 if family in scores else -np.inf

        graph = graph_from_scores(names, score)
        known = random_knowledge(pick, names)
        wanted = truth(names, scores, Knowledge.of(known))
        done = answer(graph, known, wanted)
        answered, refused = answered + done, refused + (wanted is not None and not done)
    assert answered > 10
    assert refused > 10


def test_continuous_data_are_right_or_refused() -> None:
    rng = np.random.default_rng(8)
    answered = 0
    for _ in range(40):
        x = rng.normal(size=(3, 40))
        x[2] += x[1]
        x[0] += rng.choice([0.0, 0.5]) * x[2] + x[1]
        table = NumericTable(("a", "b", "c"), x)
        graph = sabna.build_parent_graph(table, "bge")
        known = random_knowledge(rng, table.names)
        try:
            wanted = sabna.learn(table, "bge", knowledge=known, gap_tolerance=0).cost_quanta
        except KnowledgeError:
            wanted = None
        answered += answer(graph, known, wanted)
    assert answered > 5


def test_a_graph_made_by_hand_is_known_to_be_complete_only_by_counting() -> None:
    scores = random_scores(random.Random(9), 3, 2)
    graph = graph_of(("a", "b", "c"), scores)
    known = {"required": ["a -> c"]}
    assert answer(graph, known, truth(graph.names, scores, Knowledge.of(known)))
    twice = replace(  # {b} of c stands there twice: as many entries as there are sets, but not all sets
        graph,
        sets=np.where(graph.sets == 3, np.uint64(2), graph.sets),
    )
    with pytest.raises(KnowledgeError):
        sabna.search(twice, knowledge=known)


def test_sets_of_several_words_are_counted_too() -> None:
    """70 variables, one parent each at most: every list is complete, so any required edge has its answer."""
    names = [f"v{i}" for i in range(70)]
    graph = graph_from_scores(names, lambda child, parents: -float(len(child + "".join(parents))), max_parents=1)
    assert len(graph) == 70  # the empty set beats all others
    with pytest.raises(KnowledgeError, match=r"required parents of v3 \(v69\)"):
        sabna.search(graph, knowledge={"required": ["v69 -> v3"]})
    every = graph_from_scores(
        names, lambda child, parents: -float(len(child + "".join(parents))), max_parents=1, slack=9
    )
    result = sabna.search(every, knowledge={"required": ["v69 -> v3"]}, n_jobs=1)
    assert result.network.edges == (("v69", "v3"),)
    assert result.score == -float(sum(map(len, names)) + 3)

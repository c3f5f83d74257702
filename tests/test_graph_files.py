"""Parent graph files: what is written is read back, byte for byte, and what other programs write is understood."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sabna
from sabna.base.varsets import words_for
from sabna.parents.files.names import cut_into_names, decode_name, encode_name
from sabna.parents.files.numbers import costs_of_scores, score_text
from sabna.parents.graph import ParentGraph
from sabna.parents.orders import without_network

SUFFIXES = ("jkl", "pss", "pg")
HELL = (
    "META",
    "VAR",
    "metastasis",
    "a b",
    "x,y",
    "#",
    "%20",
    "100%",
    "tab\there",
    "two\nlines",
    "ünï\xa0code",
    "-1.5",
    "3",
)


def make_graph(names: tuple[str, ...], lists: list[dict[frozenset[int], int]], **fields: object) -> ParentGraph:
    """A graph from {parents: cost} per variable, sorted as graphs are."""
    words = words_for(len(names))
    costs, sets, offsets = [], [], [0]
    for one in lists:
        entries = sorted((cost, sum(1 << v for v in parents)) for parents, cost in one.items())
        costs += [cost for cost, _ in entries]
        sets += [[bits >> (64 * k) & (2**64 - 1) for k in range(words)] for _, bits in entries]
        offsets.append(len(costs))
    arrays = np.array(offsets, np.int64), np.array(costs, np.int64), np.array(sets, np.uint64).reshape(-1, words)
    return ParentGraph(names, *arrays, **fields)  # type: ignore[arg-type]


def same(a: ParentGraph, b: ParentGraph) -> bool:
    return a.names == b.names and all(np.array_equal(x, y) for x, y in zip(a.arrays, b.arrays, strict=True))


@st.composite
def graphs(draw: st.DrawFn) -> ParentGraph:
    """Small graphs with names from hell, dominated sets and ties."""
    n = draw(st.sampled_from([1, 2, 5]))
    names = tuple(draw(st.permutations(HELL))[:n])
    cost = st.integers(-(2**40), 2**45) | st.integers(0, 3)
    lists = []
    for i in range(n):
        sets = st.frozensets(st.sampled_from([v for v in range(n) if v != i] or [0]), max_size=4 if n > 1 else 0)
        lists.append({frozenset(): draw(cost), **draw(st.dictionaries(sets, cost, max_size=6))})
    arities = draw(st.none() | st.just(tuple(range(2, n + 2))))
    score, rows = draw(st.sampled_from([(None, None), ("bic", 7), ("bdeu", None)]))
    return make_graph(names, lists, score=score, rows=rows, arities=arities)


def large_graph(n: int) -> ParentGraph:
    """A graph whose sets need several words."""
    rng = np.random.default_rng(n)
    lists = []
    for i in range(n):
        sets = [frozenset(int(v) for v in rng.integers(0, n, 3) if v != i) for _ in range(4)]
        lists.append({frozenset(): 1 << 40, **{parents: int(rng.integers(0, 1 << 41)) for parents in sets}})
    return make_graph(HELL + tuple(f"x{k}" for k in range(len(HELL), n)), lists)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("n", [65, 129, 513])
def test_write_read_write_of_large_graphs(tmp_path: Path, suffix: str, n: int) -> None:
    check_write_read_write(tmp_path / f"g.{suffix}", large_graph(n), keep=n != 129)


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=12)
@given(graph=graphs(), keep=st.booleans())
def test_write_read_write_is_byte_identical(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, graph: ParentGraph, keep: bool
) -> None:
    check_write_read_write(tmp_path_factory.mktemp("graph") / f"g.{suffix}", graph, keep)


def check_write_read_write(path: Path, graph: ParentGraph, keep: bool) -> None:
    graph.save(path)
    once = sabna.read_parent_graph(path, keep_dominated=keep)
    if keep:
        assert same(once, graph)
    once.save(path)
    content = path.read_bytes()
    twice = sabna.read_parent_graph(path, keep_dominated=keep)
    assert same(once, twice)
    twice.save(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=12)
@given(graph=graphs())
def test_dominated_sets_are_dropped_on_reading(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, graph: ParentGraph
) -> None:
    path = tmp_path_factory.mktemp("graph") / f"g.{suffix}"
    graph.save(path)
    read = sabna.read_parent_graph(path)
    for i in range(graph.n):
        entries = [(cost, frozenset(parents)) for cost, parents in graph.parent_sets(i)]
        best = [(c, s) for c, s in entries if not any(t < s and d <= c for d, t in entries)]
        assert [(cost, frozenset(parents)) for cost, parents in read.parent_sets(i)] == best


def test_what_is_known_travels_with_the_graph(tmp_path: Path) -> None:
    fields = {
        "score": "bdeu",
        "rows": 500,
        "arities": (2, 3),
        "parameters": {"equivalent_sample_size": 2.5, "max_parents": 1},
    }
    graph = make_graph(("a", "b"), [{frozenset(): 5}, {frozenset(): 7, frozenset([0]): 6}], **fields)
    for suffix in ("pss", "pg"):
        graph.save(tmp_path / f"g.{suffix}")
        read = sabna.read_parent_graph(tmp_path / f"g.{suffix}")
        assert {key: getattr(read, key) for key in fields} == fields


def test_a_graph_with_slack_keeps_its_dominated_sets(tmp_path: Path) -> None:
    """They are there for networks nearly as good as the best; dropping them would lose some without a word."""
    lists = [{frozenset(): 5}, {frozenset(): 6, frozenset([0]): 7}]
    make_graph(("a", "b"), lists, parameters={"slack": 1.0}).save(tmp_path / "g.pg")
    assert len(sabna.read_parent_graph(tmp_path / "g.pg")) == 3


def test_a_pg_file_is_mapped_and_not_copied(tmp_path: Path) -> None:
    make_graph(("a",), [{frozenset(): 5}]).save(tmp_path / "g.pg")
    graph = sabna.read_parent_graph(tmp_path / "g.pg")
    base: object = graph.costs
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    assert not graph.costs.flags.writeable


@pytest.mark.parametrize("largest", [400_000, pytest.param(10**9, marks=pytest.mark.slow)])
def test_files_of_other_programs(benchmark_data: Path, largest: int) -> None:
    """Sizes as in the README of the data; everything that is there is read, by default what is not too large."""
    files = sorted(f for f in (benchmark_data / "scores").iterdir() if f.suffix in (".jkl", ".pss"))
    assert len(files) == 20
    files = [file for file in files if file.stat().st_size <= largest]
    assert {file.suffix for file in files} == {".jkl", ".pss"}
    sizes = {
        "pigs-5000.blip.jkl": (441, 43521),
        "munin1-5000.blip.jkl": (186, 18756),
        "water_1000_1.bdeu.jkl": (32, 159744),
    }
    for file in files:
        graph = sabna.read_parent_graph(file, keep_dominated=True)
        assert sizes.get(file.name, (graph.n, len(graph))) == (graph.n, len(graph))
        if file.suffix == ".pss":
            assert graph.score == "bic"
            assert graph.rows is not None
            assert graph.arities is not None


def test_comments_blank_lines_carriage_returns_and_a_raw_blank_in_a_name(tmp_path: Path) -> None:
    path = tmp_path / "g.jkl"
    path.write_bytes(
        b"# by hand\r\n2\r\n\r\nblood pressure 1\r\n# again\r\n-1.5 0\r\nb 2\r\n-1 1 blood pressure\r\n-2 0\r\n"
    )
    graph = sabna.read_parent_graph(path)
    assert graph.names == ("blood pressure", "b")
    assert list(graph.parent_sets(1)) == [(1 << 30, (0,)), (2 << 30, ())]
    path = tmp_path / "g.pss"
    path.write_bytes(
        b"META pss_version = 0.1\nVAR META\n-1 VAR\n-2\n\nVAR VAR\n-1 x y, META\n-2 \n\nVAR x y\nMETA arity=2\n-3\n"
    )
    graph = sabna.read_parent_graph(path)
    assert graph.names == ("META", "VAR", "x y")
    assert list(graph.parent_sets(1)) == [(1 << 30, (0, 2)), (2 << 30, ())]


def test_names_that_cannot_be_told_apart_are_refused() -> None:
    known = {b"a": 0, b"b": 1, b"a b": 2}
    assert cut_into_names([b"a", b"b"], known) is None
    assert cut_into_names([b"a", b"b"], known, 1) == [2]
    assert cut_into_names([b"a", b"b"], known, 2) == [0, 1]
    assert cut_into_names([b"a,", b"b"], {b"a": 0, b"b": 1}) == [0, 1]
    assert cut_into_names([b"c"], known) is None


def test_a_missing_empty_set_is_legal_where_some_network_exists(tmp_path: Path) -> None:
    path = tmp_path / "g.jkl"
    path.write_text("3\na 1\n-1 0\nb 1\n-1 1 c\nc 1\n-1 1 a\n")
    assert without_network(sabna.read_parent_graph(path)) == []


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_every_name_is_one_word_and_comes_back(name: str) -> None:
    word = encode_name(name)
    assert word.split() == [word]
    assert b"," not in word
    assert not word.startswith(b"#")
    assert decode_name(word) == name


@given(st.lists(st.integers(-(2**60), 2**60) | st.integers(-(2**51), 2**51), min_size=1))
def test_every_cost_comes_back_from_its_text(costs: list[int]) -> None:
    words = [score_text(cost).encode() for cost in costs]
    assert costs_of_scores([float(word) for word in words], words).tolist() == costs

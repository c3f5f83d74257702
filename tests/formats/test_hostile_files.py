"""Broken and hostile files end in an error of sabna's own that names the file, within little memory; never in
"internal error, please report", and never in all the memory there is."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import sabna
from sabna.base.errors import DataError, KnowledgeError, OutputError, ScoreFileError, UsageError
from sabna.base.jsontext import load_json
from sabna.cli.app import run
from sabna.network.files import NETWORK_FORMATS
from sabna.parents.files import GRAPH_FORMATS
from sabna.parents.files.names import decode_name, encode_name
from sabna.parents.graph import ParentGraph
from sabna.result.result import Result, read_result
from tests.formats import hostile
from tests.graphs import graph_of
from tests.mutation.worker import capped


def refused(error: type[Exception], read: Any, path: Path, content: bytes, message: str) -> None:
    path.write_bytes(content)
    with capped(), pytest.raises(error) as caught:
        read(path)
    text = str(caught.value)
    assert path.name in text
    assert message in text
    assert len(text) < 1000
    assert caught.value.__context__ is None or not isinstance(caught.value.__context__, MemoryError)


@pytest.mark.parametrize("case", hostile.SIZES)
def test_a_tiny_network_file_does_not_take_all_memory(case: str, tmp_path: Path) -> None:
    suffix, content, message = hostile.SIZES[case]
    refused(DataError, sabna.read_network, tmp_path / f"tiny{suffix}", content, message)


@pytest.mark.parametrize("case", hostile.BROKEN)
def test_a_broken_network_file_is_no_internal_error(case: str, tmp_path: Path) -> None:
    suffix, content, message = hostile.BROKEN[case]
    refused(DataError, sabna.read_network, tmp_path / f"broken{suffix}", content, message)


@pytest.mark.parametrize("case", hostile.GRAPHS)
def test_a_broken_parent_graph_file_is_no_internal_error(case: str, tmp_path: Path) -> None:
    suffix, content, message = hostile.GRAPHS[case]
    refused(ScoreFileError, sabna.read_parent_graph, tmp_path / f"broken{suffix}", content, message)


@pytest.mark.parametrize("case", hostile.RESULTS)
def test_a_result_that_contradicts_itself_makes_no_report(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, message = hostile.RESULTS[case]
    refused(DataError, read_result, tmp_path / "broken.json", content, message)
    assert run(["report", str(tmp_path / "broken.json"), "-o", str(tmp_path / "page.html"), "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["code"] == 3
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("case", hostile.KNOWLEDGE)
def test_odd_values_in_knowledge_files_are_named(case: str, tmp_path: Path) -> None:
    suffix, content, message = hostile.KNOWLEDGE[case]
    refused(KnowledgeError, sabna.Knowledge.of, tmp_path / f"odd{suffix}", content, message)


def test_the_files_that_hostile_ones_were_made_from_are_fine(tmp_path: Path) -> None:
    """Else the tests above would show nothing."""
    for suffix, content in {
        ".bif": hostile.bif(parents=["p", "q"]),
        ".dsc": hostile.dsc(parents=["p", "q"]),
        ".net": hostile.net(parents=["p"], data="(0.5 0.5) (0.5 0.5)"),
        ".xml": hostile.xmlbif(b'<?xml version="1.0" encoding="iso-8859-15"?><!DOCTYPE BIF [<!ELEMENT BIF ANY>]>'),
        ".graphml": hostile.graphml(),
        ".gexf": hostile.gexf(),
        ".json": hostile.network_json(),
    }.items():
        (tmp_path / f"good{suffix}").write_bytes(content)
        assert sabna.read_network(tmp_path / f"good{suffix}").variables
    (tmp_path / "good.json").write_bytes(hostile.result_json())
    assert read_result(tmp_path / "good.json").is_optimal
    assert run(["report", str(tmp_path / "good.json")]) == 0
    (tmp_path / "good.pg").write_bytes(hostile.pg())
    assert list(sabna.read_parent_graph(tmp_path / "good.pg").parent_sets(1)) == [(5, (0,)), (9, ())]


def test_a_default_row_fills_tables_of_common_size(tmp_path: Path) -> None:
    (tmp_path / "x.bif").write_bytes(hostile.bif(parents=hostile.PARENTS[:10], body="default 0.25, 0.75;"))
    table = sabna.read_network(tmp_path / "x.bif").tables["x"]  # type: ignore[index]
    assert table.shape == (2,) * 11
    assert (table[..., 1] == 0.75).all()


# --- what was read quietly wrong -----------------------------------------------------------------------------------


def test_blanks_around_a_state_survive_xmlbif(tmp_path: Path) -> None:
    network = sabna.Network(["x"], {}, {"x": [" a", "a", "a "]}, {"x": [0.5, 0.25, 0.25]})
    network.save(tmp_path / "x.xml")
    assert sabna.read_network(tmp_path / "x.xml").states == network.states


@pytest.mark.parametrize("suffix", GRAPH_FORMATS)
def test_an_empty_name_survives_parent_graph_files(suffix: str, tmp_path: Path) -> None:
    plain = graph_of([{0: 5}, {0: 7, 1: 6}])
    graph = ParentGraph(("", "%22%22"), *plain.arrays)
    graph.save(tmp_path / f"g{suffix}")
    back = sabna.read_parent_graph(tmp_path / f"g{suffix}")
    assert back.names == graph.names
    assert list(back.parent_sets(1)) == list(graph.parent_sets(1))
    assert [decode_name(encode_name(name)) for name in graph.names] == list(graph.names)


@pytest.mark.parametrize(
    "options",
    [
        {"max_parents": 2},
        {"max_parents": {"lung": 1}},
        {"score": "bdeu", "equivalent_sample_size": 4},
        {"slack": 2.5},
        {"knowledge": {"roots": ["asia"], "max_parents": {"lung": 1}}},
    ],
)
def test_parameters_of_our_own_graphs_pass_the_checks(options: dict[str, Any], tmp_path: Path) -> None:
    graph = sabna.build_parent_graph(sabna.load_example("asia"), **options)
    graph.save(tmp_path / "g.pg")
    back = sabna.read_parent_graph(tmp_path / "g.pg")
    assert back.parameters == graph.parameters
    assert len(back) == len(graph)


def test_a_variable_without_a_name_can_be_known_about() -> None:
    known = sabna.Knowledge(required=[["", "a"]])
    known.check(["", "a"])
    assert known.violations({"a": [""]}) == []


def test_ties_of_a_graph_made_by_hand_are_written_in_order(tmp_path: Path) -> None:
    """The reader refuses another order, so that the writer must not leave it."""
    plain = graph_of([{0: 9, 2: 5, 4: 5}, {0: 1}, {0: 1}])
    ParentGraph(plain.names, plain.offsets, plain.costs, plain.sets[[1, 0, 2, 3, 4]]).save(tmp_path / "g.pg")
    back = sabna.read_parent_graph(tmp_path / "g.pg")
    assert list(back.parent_sets(0)) == [(5, (1,)), (5, (2,)), (9, ())]


@pytest.mark.parametrize("suffix", NETWORK_FORMATS)
def test_a_name_that_looks_like_a_coded_surrogate_is_taken_as_it_is(suffix: str, tmp_path: Path) -> None:
    names = ["_ud800_", "a_udfff_b"]
    network = sabna.Network(
        names, {names[1]: names[:1]}, dict.fromkeys(names, "01"), {names[0]: [0, 1], names[1]: [[0, 1]] * 2}
    )
    network.save(tmp_path / f"x{suffix}")
    if suffix != ".uai":
        assert sabna.read_network(tmp_path / f"x{suffix}") == network


def test_half_a_surrogate_pair_is_refused_where_it_comes_in(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="surrogate"):
        sabna.Network(["\ud800"], {})
    with pytest.raises(UsageError, match="surrogate"):
        sabna.Network(["a"], {}, {"a": ["\udfff"]})
    plain = graph_of([{0: 5}])
    for suffix in GRAPH_FORMATS:
        with pytest.raises(UsageError, match="surrogate"):
            ParentGraph(("\ud800",), *plain.arrays).save(tmp_path / f"g{suffix}")
    with pytest.raises(OutputError, match="surrogate"):
        sabna.base.atomic.atomic_write(tmp_path / "x.txt", "a\ud800")
    assert not list(tmp_path.iterdir())


def test_a_network_of_a_long_chain_is_ordered_in_no_time() -> None:
    """The order was found by passing over all variables once for every variable."""
    names = [f"v{k}" for k in range(30_000)]
    network = sabna.Network(names[::-1], {b: [a] for a, b in pairwise(names)})
    assert network.order == tuple(names)


def test_the_order_is_by_generation_and_then_as_given() -> None:
    network = sabna.Network("edcba", {"e": "d", "b": "c", "a": "cb"})
    assert network.order == ("d", "c", "e", "b", "a")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_are_understood(encoding: str, tmp_path: Path) -> None:
    for suffix, content in {".bif": hostile.bif(parents=["p"]), ".json": hostile.network_json()}.items():
        (tmp_path / f"x{suffix}").write_bytes(content.decode().encode(encoding))
        assert sabna.read_network(tmp_path / f"x{suffix}").edges


def test_byte_order_marks_are_understood_in_knowledge_and_graphs(tmp_path: Path) -> None:
    (tmp_path / "k.toml").write_bytes(b"\xef\xbb\xbfroots = ['a']")
    assert sabna.Knowledge.of(tmp_path / "k.toml").roots == ("a",)
    (tmp_path / "g.jkl").write_bytes(b"\xef\xbb\xbf1\na 1\n-1 0\n")
    assert sabna.read_parent_graph(tmp_path / "g.jkl").names == ("a",)


def test_a_result_that_was_saved_is_read_again(tmp_path: Path) -> None:
    """The checks let through whatever a run of ours writes."""
    for options in ({}, {"time_limit": 1e9}, {"knowledge": {"roots": ["asia"]}}, {"time_limit": 0}):
        result = sabna.learn("example:asia", **options)  # type: ignore[arg-type]
        result.save(tmp_path / "r.json")
        back = read_result(tmp_path / "r.json")
        assert back.to_dict() == json.loads((tmp_path / "r.json").read_text())
        assert isinstance(Result.from_dict(result.to_dict()), Result)


@pytest.mark.parametrize("text", ["[1, NaN]", "[-Infinity]", '{"a": 1, "a": 2}', '["\\ud800"]', "[1e400]", "1" * 401])
def test_json_beyond_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"finite|twice|surrogate|digits"):
        load_json(text)

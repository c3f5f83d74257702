"""States in BIF as their readers want them: the labels of the data wherever a reader takes them.

R is not at hand in the tests; `bnlearn_reads` does with a file what bnlearn's reader does, expression by expression
(R/foreign-read.R of bnlearn: bif.get.levels, bif.get.probabilities and those before them).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sabna
from sabna.base.errors import UsageError
from sabna.cli.app import run
from sabna.network.files import read_network
from sabna.network.files.bif import DIALECTS, write

AWKWARD = [
    "12+",
    ">=7",
    "<5",
    "not known",
    "50%",
    "a/b",
    "é",
    "日本",
    "a:b",
    "a=b",
    "3.5",
    "1e5",
    "table",
    "variable x",
]
AWKWARD += ["[0, 1)", "a;b", "a//b", 'say "x"', " x", "a  b", "_u41_", "{", "-1", "a-b", "1-2", "type discrete", "'"]


def network(states: list[str], names: tuple[str, str] = ("a", "b")) -> sabna.Network:
    """Two variables with these states, one the parent of the other, and tables that differ row by row."""
    rng = np.random.default_rng(len(states))
    count = len(states)
    parent, child = rng.dirichlet(np.ones(count)), rng.dirichlet(np.ones(count), count)
    one, two = names
    return sabna.Network(names, {two: [one]}, {one: states, two: states}, {one: parent, two: child})


def bnlearn_reads(text: str) -> dict[str, Any]:
    """Levels of every node and rows of conditional tables, as bnlearn takes them from the file."""
    lines = [re.sub(r"^\s+|\s+$", "", re.sub(r"//.*", "", line)) for line in text.split("\n")]
    lines = [re.sub(r"^\s*property[^;]*;", "", line) for line in lines if line.strip()]
    assert lines[0].startswith("network")
    heads = [line for line in lines if re.match(r"variable .+", line)]
    nodes = [re.sub(r"variable\s+(.+)\s+\{", r"\1", line) for line in heads]
    assert sum(bool(re.search(r"type\s+discrete", line)) for line in lines) == len(nodes)
    tables = [line for line in lines if line.startswith("probability")]
    assert {re.sub(r"probability\s*\(\s*(\w+).*", r"\1", line) for line in tables} == set(nodes)
    starts = [k for k, line in enumerate(lines) if re.search(rf"variable\s+({'|'.join(nodes)})", line)]
    assert len(starts) == len(nodes), "a state looks like the head of a variable"
    found: dict[str, Any] = {}
    for node, start in zip(nodes, starts, strict=True):
        block = "".join(lines[start : _closing(lines, start) + 1])
        listed = re.sub(
            r".+type\s+discrete\s*\[\s*\d+\s*\]\s+[=]*\s*\{\s+(.+)\s*\}.+", r"\1", block, count=1, flags=re.DOTALL
        )
        found[node] = [level.strip() for level in listed.split(",")]
    for start, line in enumerate(lines):
        if not line.startswith("probability") or "|" not in line:
            continue
        block = "".join(lines[start : _closing(lines, start) + 1])
        rows = re.sub(r".+\{[^(]*(\(.+?)\s*[;]*\s*\}.*", r"\1", block, count=1, flags=re.DOTALL).split(";")
        found["rows"] = [
            (
                [part.strip() for part in re.sub(r".*\((.+)\).+", r"\1", row).split(",")],
                [float(x) for x in re.sub(r".*\)\s*(.+)", r"\1", row).split(",")],
            )
            for row in rows
        ]
    return found


def _closing(lines: list[str], start: int) -> int:
    depth = 0
    for k in range(start, len(lines)):
        depth += lines[k].count("{") - lines[k].count("}")
        if depth == 0:
            return k
    raise AssertionError("a brace is not closed")


def test_awkward_states_reach_bnlearn_as_they_are() -> None:
    """Once `12+` became `12_u2b_`, and logLik(fit, data) failed in R: the data has no such level."""
    states = [
        "12+",
        ">=7",
        "<5",
        "not known",
        "50%",
        "a/b",
        "é",
        "日本",
        "a:b",
        "a=b",
        "3.5",
        "1e5",
        "table",
        "-1",
        "x'",
    ]
    net = network(states)
    found = bnlearn_reads(write(net))
    assert found["a"] == found["b"] == states
    assert net.tables is not None
    assert [row[0] for row in found["rows"]] == [[state] for state in states]
    assert np.allclose([row[1] for row in found["rows"]], net.tables["b"])


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_marks_of_the_format_are_encoded_in_every_dialect(dialect: str) -> None:
    found = bnlearn_reads(write(network(AWKWARD), dialect))
    assert len(set(found["a"])) == len(AWKWARD)
    assert len(found["rows"]) == len(AWKWARD)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(max_size=8), min_size=1, max_size=5, unique=True), st.sampled_from(list(DIALECTS)))
def test_what_is_written_is_read_back(states: list[str], dialect: str) -> None:
    try:
        net = network(states)
    except UsageError:  # no text that a file could hold
        return
    text = write(net, dialect)
    again = sabna.network.files.bif.read(text.encode(), "x.bif")
    assert again.states == net.states
    assert np.allclose(again.tables["b"], net.tables["b"])
    found = bnlearn_reads(text)
    assert len(found["a"]) == len(states)
    if all(
        re.fullmatch(r"[\w+<>=%.:' -]*[\w+<>=%.:'-]", state) and state == state.strip() and "  " not in state
        for state in states
    ):
        plain = not any(re.search(r"_u[0-9a-f]{1,6}_|\b(variable|type)\s", state, re.IGNORECASE) for state in states)
        if dialect == "bnlearn" and plain and len(states) > 1:
            assert found["a"] == states


@pytest.mark.docs
def test_pgmpy_reads_the_labels_of_the_data() -> None:
    readwrite = pytest.importorskip("pgmpy.readwrite")
    states = ["12+", ">=7", "not known", "50%", "a/b", "a:b", "3.5", "table", "no", "-1"]
    net = network(states)
    model = readwrite.BIFReader(string=write(net)).get_model()
    assert model.get_cpds("b").state_names == {"a": states, "b": states}
    assert np.allclose(model.get_cpds("b").get_values().T, net.tables["b"])
    encoded = readwrite.BIFReader(string=write(network(AWKWARD), "pyagrum")).get_model()
    assert len(set(encoded.get_cpds("b").state_names["a"])) == len(AWKWARD)


def test_pyagrum_reads_its_dialect_and_plain_states_in_both(tmp_path: Path) -> None:
    """`table` and `1e5` were written as they are, and pyAgrum refused the file."""
    gum = pytest.importorskip("pyagrum")
    path = tmp_path / "x.bif"
    for states, dialect in ((AWKWARD, "pyagrum"), (["no", "a-b", "-1", "a.b", "2b", "true"], None)):
        net = network(states)
        net.save(path, dialect=dialect)
        bn = gum.loadBN(str(path))
        labels = list(bn.variable("a").labels())
        assert len(labels) == len(states)
        if dialect is None:
            assert labels == states
        table = np.array([[bn.cpt("b")[{"a": i, "b": j}] for j in range(len(states))] for i in range(len(states))])
        assert np.allclose(table, net.tables["b"], atol=1e-6)  # pyAgrum keeps single precision here
        assert read_network(path).states == net.states


def test_lists_without_commas_are_words() -> None:
    """Other programs write states with blanks between them."""
    text = (
        "network x {\n}\nvariable a {\n type discrete [ 2 ] { yes no };\n}\n"
        'variable b {\n type discrete[2]{"u v" w};\n}\n'
        "variable c {\n type discrete [ 2 ] { x, y };\n}\nprobability ( a ) {\n table 0.5, 0.5;\n}\n"
        "probability ( b ) {\n table 0.5, 0.5;\n}\nprobability ( c | a b ) {\n"
        '(yes "u v") 0.1, 0.9;\n(no, "u v") 0.2, 0.8;\n(yes w) 0.3, 0.7;\n(no w) 0.4, 0.6;\n}\n'
    )
    net = sabna.network.files.bif.read(text.encode(), "x.bif")
    assert net.states == {"a": ("yes", "no"), "b": ("u v", "w"), "c": ("x", "y")}
    assert net.tables is not None
    assert net.tables["c"][1, 0].tolist() == [0.2, 0.8]


def test_the_command_line_says_where_a_file_is_not_for_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "n.json", tmp_path / "n.bif"
    network(["12+", "no"]).save(source)
    assert run(["convert", str(source), str(out)]) == 0
    assert "states such as '12+' are written for bnlearn and pgmpy" in capsys.readouterr().err
    assert "12+" in out.read_text()
    assert run(["convert", str(source), str(out), "--dialect", "pyagrum"]) == 0
    assert capsys.readouterr().err == ""
    assert "12_u2b_" in out.read_text()
    assert run(["convert", str(source), str(out), "--dialect", "hugin"]) == 2
    assert run(["convert", str(source), str(tmp_path / "n.net"), "--dialect", "pyagrum"]) == 2
    assert run(["learn", "example:asia", "-o", str(out), "--dialect", "pyagrum", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "optimal"
    with pytest.raises(UsageError, match=r"only \.bif has"):
        sabna.learn("example:asia").save(tmp_path / "x.html", dialect="pyagrum")


def test_the_refusal_of_a_suffix_names_what_a_result_can_be_written_as(tmp_path: Path) -> None:
    """Once `network.pkl` was told a list without .html, .pdf and .png."""
    with pytest.raises(UsageError, match=r"'.pkl' is no network format.*or of a result \.html, \.pdf, \.png"):
        sabna.learn("example:asia").save(tmp_path / "network.pkl")

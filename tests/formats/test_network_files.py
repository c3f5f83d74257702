"""Every network format, written by sabna and read by another program: nothing may be lost or broken on the way."""

from __future__ import annotations

import itertools
import re
import warnings
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import sabna
from sabna import Network
from sabna.base.errors import DataError, UsageError
from sabna.network.files import NETWORK_FORMATS, needs_parameters
from sabna.network.mangling import decode
from tests.network.networks import NETWORKS, random_dag, with_random_tables
from tests.repeats import first_of

WITH_TABLES = [".bif", ".xml", ".net", ".dsc", ".uai", ".graphml", ".gexf", ".json"]
STRUCTURE_ONLY = [".dot", ".csv"]


@pytest.fixture(scope="session")
def pgmpy() -> Any:
    """Loaded when the first test needs it: it takes seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("pgmpy.readwrite")


@pytest.fixture(scope="session")
def pyagrum() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("pyagrum")


@pytest.fixture(params=list(NETWORKS))
def network(request: pytest.FixtureRequest) -> Network:
    return NETWORKS[request.param]()


# pgmpy takes a second for each file: `make docs` tries the names that are hard to write, `make test-slow` all.
HARDEST_FIRST = sorted(NETWORKS, key=lambda name: name != "names from hell")
one_for_pgmpy = pytest.mark.parametrize("network", first_of(HARDEST_FIRST, 1), indirect=True)


def assert_same(ours: Network, theirs: Network, tables: bool = True, tolerance: float = 1e-12) -> None:
    assert theirs.variables == ours.variables
    assert theirs == ours
    if tables:
        assert theirs.states == ours.states
        for v in ours.variables:
            np.testing.assert_allclose(theirs.tables[v], ours.tables[v], rtol=0, atol=tolerance)  # type: ignore[index]


def from_pgmpy(model: Any, names: tuple[str, ...]) -> Network:
    parents = {decode(v): [decode(p) for p in model.get_parents(v)] for v in model.nodes}
    states, tables = {}, {}
    for cpd in model.get_cpds():
        family = [cpd.variable, *cpd.variables[1:]]
        states[decode(cpd.variable)] = [decode(s) for s in cpd.state_names[cpd.variable]]
        order = sorted(family[1:], key=lambda p: names.index(decode(p)))
        values = np.transpose(cpd.values, [*(family.index(p) for p in order), 0])
        tables[decode(cpd.variable)] = values
    assert {decode(v) for v in model.nodes} == set(names)
    return Network(names, parents, states, tables)


def from_pyagrum(bn: Any, names: tuple[str, ...]) -> Network:
    there = {decode(bn.variable(i).name()): i for i in bn.nodes()}
    assert set(there) == set(names)
    parents = {v: [decode(bn.variable(p).name()) for p in bn.parents(i)] for v, i in there.items()}
    states = {v: [decode(s) for s in bn.variable(i).labels()] for v, i in there.items()}
    net = Network(names, parents, states)
    tables = {}
    for v, i in there.items():
        cpt = bn.cpt(i)
        axes = [decode(name) for name in reversed(cpt.names)]
        array = cpt.toarray()
        tables[v] = np.transpose(array, [axes.index(u) for u in (*net.parents[v], v)])
    return Network(names, parents, states, tables)


@pytest.mark.parametrize("suffix", WITH_TABLES + STRUCTURE_ONLY)
def test_we_read_what_we_write(network: Network, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"net{suffix}"
    network.save(path)
    back = sabna.read_network(path)
    if suffix == ".uai":  # no names there
        assert back.adjacency_matrix.tolist() == network.adjacency_matrix.tolist()
        for a, b in zip(back.tables.values(), network.tables.values(), strict=True):  # type: ignore[union-attr]
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)
    else:
        assert_same(network, back, tables=suffix in WITH_TABLES)


@pytest.mark.parametrize("suffix", WITH_TABLES + STRUCTURE_ONLY)
def test_the_same_network_gives_the_same_bytes(network: Network, suffix: str, tmp_path: Path) -> None:
    network.save(tmp_path / f"a{suffix}")
    network.save(tmp_path / f"b{suffix}")
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


@pytest.mark.docs
@one_for_pgmpy
@pytest.mark.parametrize(
    ("suffix", "reader"),
    [
        (".bif", "BIFReader"),
        (".xml", "XMLBIFReader"),
        pytest.param(".net", "NETReader", marks=pytest.mark.slow),  # pyAgrum reads these too
    ],
)
def test_pgmpy_reads_it(network: Network, suffix: str, reader: str, tmp_path: Path, pgmpy: Any) -> None:
    path = tmp_path / f"net{suffix}"
    network.save(path)
    model = getattr(pgmpy, reader)(str(path)).get_model()
    assert_same(network, from_pgmpy(model, network.variables))


@pytest.mark.parametrize("suffix", [".bif", ".bifxml", ".net"])
def test_pyagrum_reads_it(network: Network, suffix: str, tmp_path: Path, pyagrum: Any) -> None:
    path = tmp_path / f"net{suffix}"
    network.save(path, dialect="pyagrum" if suffix == ".bif" else None)
    # pyAgrum's readers keep single precision.
    assert_same(network, from_pyagrum(pyagrum.loadBN(str(path)), network.variables), tolerance=1e-7)


@pytest.mark.docs
@one_for_pgmpy
def test_pgmpy_and_pyagrum_read_uai(network: Network, tmp_path: Path, pgmpy: Any, pyagrum: Any) -> None:
    """Structure, and the tables with at most one parent: beyond that, both order the rows otherwise than the format."""
    path = tmp_path / "net.uai"
    network.save(path)
    numbered = sabna.read_network(path)
    assert pgmpy.UAIReader(str(path)).get_edges() == set(numbered.edges)
    bn = pyagrum.loadBN(str(path))
    assert {(f"var_{bn.variable(a).name()}", f"var_{bn.variable(b).name()}") for a, b in bn.arcs()} == set(
        numbered.edges
    )
    for k, v in enumerate(numbered.variables):
        if len(numbered.parents[v]) < 2:
            np.testing.assert_allclose(bn.cpt(str(k)).toarray(), numbered.tables[v], atol=1e-7)  # type: ignore[index]


@pytest.mark.parametrize("seed", range(5))
def test_toulbar2_reads_the_tables_of_uai_in_the_order_we_wrote_them(seed: int, tmp_path: Path) -> None:
    pytoulbar2 = pytest.importorskip("pytoulbar2")
    names = [f"V{k}" for k in range(7)]
    parents = random_dag(7, seed)
    network = with_random_tables(names, parents, {v: [str(s) for s in range(2 + k % 3)] for k, v in enumerate(names)})
    network.save(tmp_path / "net.uai")
    problem = pytoulbar2.CFN()
    problem.Read(str(tmp_path / "net.uai"))
    most_probable = problem.Solve()[0]

    def probability(assignment: tuple[int, ...]) -> float:
        value = dict(zip(names, assignment, strict=True))
        rows = (network.tables[v][tuple(value[u] for u in (*network.parents[v], v))] for v in names)  # type: ignore[index]
        return float(np.prod(list(rows)))

    best = max(itertools.product(*(range(2 + k % 3) for k in range(7))), key=probability)
    assert tuple(most_probable) == best


def test_dsc_holds_to_its_grammar(network: Network, tmp_path: Path) -> None:
    """No program on PyPI reads DSC: a second, independent reading by regular expressions stands in."""
    network.save(tmp_path / "net.dsc")
    text = (tmp_path / "net.dsc").read_text(encoding="utf-8")
    states = {
        decode(m[1]): [decode(s) for s in re.findall('"([^"]*)"', m[2])]
        for m in re.finditer(r"^node (\w+) \{\n  type : discrete \[ \d+ \] = \{ (.*) \};\n\}", text, re.M)
    }
    assert states == {v: list(network.states[v]) for v in network.variables}  # type: ignore[index]
    for m in re.finditer(r"^probability \( (\w+)(?: \| (.*))? \) \{\n((?:  .*;\n)*)\}", text, re.M):
        name, parents = decode(m[1]), [decode(p) for p in (m[2] or "").split(", ") if p]
        assert tuple(parents) == network.parents[name]
        for row in m[3].strip().split("\n"):
            where, _, values = row.strip(" ;").rpartition(" : ")
            place = tuple(int(x) for x in where.strip("()").split(", ")) if where else ()
            given = [float(x) for x in values.split(", ")]
            np.testing.assert_allclose(given, network.tables[name][place], atol=1e-15)  # type: ignore[index]


@pytest.mark.parametrize("suffix", [".graphml", ".gexf"])
def test_networkx_reads_it(network: Network, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"net{suffix}"
    network.save(path)
    graph = nx.read_graphml(path) if suffix == ".graphml" else nx.read_gexf(path)
    assert [decode(v) for v in graph.nodes] == list(network.variables)
    assert {(decode(a), decode(b)) for a, b in graph.edges} == set(network.edges)


def test_pandas_reads_the_adjacency_matrix(network: Network, tmp_path: Path) -> None:
    import pandas as pd

    network.save(tmp_path / "net.csv")
    frame = pd.read_csv(tmp_path / "net.csv", index_col=0, keep_default_na=False)
    assert frame.to_numpy().tolist() == network.adjacency_matrix.tolist()
    assert list(frame.index) == list(network.variables)


def test_graphviz_reads_dot(network: Network, tmp_path: Path) -> None:
    pygraphviz = pytest.importorskip("pygraphviz")
    network.save(tmp_path / "net.dot")
    graph = pygraphviz.AGraph(str(tmp_path / "net.dot"))
    assert {decode(str(v)) for v in graph.nodes()} == set(network.variables)
    assert {(decode(str(a)), decode(str(b))) for a, b in graph.edges()} == set(network.edges)


@pytest.mark.docs
def test_we_read_what_pgmpy_and_pyagrum_write(tmp_path: Path, pgmpy: Any, pyagrum: Any) -> None:
    net = NETWORKS["15 variables"]()
    pgmpy.BIFWriter(net.to_pgmpy()).write(str(tmp_path / "p.bif"))
    pgmpy.XMLBIFWriter(net.to_pgmpy()).write(str(tmp_path / "p.xml"))
    for suffix in ("bif", "net", "bifxml", "uai"):
        pyagrum.saveBN(net.to_pyagrum(), str(tmp_path / f"a.{suffix}"))
    for path in tmp_path.iterdir():
        back = sabna.read_network(path)
        if path.suffix != ".uai":
            assert back == net, path.name
            for v in net.variables:
                order = [back.parents[v].index(p) for p in net.parents[v]]
                np.testing.assert_allclose(
                    np.transpose(back.tables[v], [*order, len(order)]), net.tables[v], atol=1e-5, err_msg=path.name
                )  # type: ignore[index]


def test_repository_networks_are_read(benchmark_data: Path) -> None:
    for path in sorted((benchmark_data / "networks").glob("*.bif")):
        network = sabna.read_network(path)
        assert network.is_fitted, path.name
    assert sabna.read_network(benchmark_data / "networks" / "asia.bif") == NETWORKS["asia"]()


@pytest.mark.parametrize("suffix", sorted(NETWORK_FORMATS))
@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b"{", b"network x { variable", b"<a><b/></a>", b"BAYES\n2\n2"]
)
def test_a_broken_file_is_named_and_not_a_traceback(suffix: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"broken{suffix}"
    path.write_bytes(content)
    with pytest.raises(DataError, match="broken"):
        sabna.read_network(path)


def test_formats_with_tables_refuse_a_bare_structure(tmp_path: Path) -> None:
    bare = Network("AB", {"B": "A"})
    for suffix in NETWORK_FORMATS:
        if needs_parameters(f"x{suffix}"):
            with pytest.raises(UsageError, match="fit"):
                bare.save(tmp_path / f"x{suffix}")
        else:
            bare.save(tmp_path / f"x{suffix}")
            assert sabna.read_network(tmp_path / f"x{suffix}") == bare


def test_an_unknown_suffix_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.bif"):
        Network("A", {}).save(tmp_path / "x.docx")

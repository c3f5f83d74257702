"""The network as an object: structure, parameters, and the objects of other libraries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabna import Network
from sabna.base.errors import DataError, DataWarning, UsageError
from sabna.network.mangling import RESERVED, decode, encode, identifier_character, state_character, xml_character
from sabna.network.parameters import Dirichlet
from sabna.table import Table
from tests.network.networks import HELL, NETWORKS, asia, large, random_dag


def random_table(n: int, rows: int, seed: int = 0, arity: int = 3) -> Table:
    codes = np.random.default_rng(seed).integers(0, arity, size=(n, rows)).astype(np.uint16)
    return Table(tuple(f"V{k}" for k in range(n)), codes, tuple(tuple("abcdef"[:arity]) for _ in range(n)))


@given(st.text(max_size=12), st.sampled_from([identifier_character, state_character, xml_character]))
def test_encoded_names_come_back_and_hold_to_the_alphabet(name: str, allowed: object) -> None:
    word = encode(name, allowed, RESERVED)  # type: ignore[arg-type]
    assert decode(word) == name
    assert word.lower() not in RESERVED
    assert all(allowed(1, c) for c in word)  # type: ignore[operator]


@given(st.text(alphabet="_u41af ", max_size=10), st.text(alphabet="_u41af ", max_size=10))
def test_no_two_names_are_encoded_alike(one: str, two: str) -> None:
    assert decode(encode(one)) == one
    assert (encode(one) == encode(two)) == (one == two)


@pytest.mark.parametrize(
    ("variables", "parents", "message"),
    [
        ("AA", {}, "different names"),
        ("AB", {"A": "C"}, "unknown variable 'C'"),
        ("AB", {"A": "B", "B": "A"}, "no cycle"),
        ("AB", {"A": "A"}, "no cycle"),
    ],
)
def test_what_is_no_network_is_refused(variables: str, parents: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Network(variables, parents)


def test_tables_must_fit_the_structure() -> None:
    states = {"A": "xy", "B": "xyz"}
    with pytest.raises(UsageError, match="shape"):
        Network("AB", {"B": "A"}, states, {"A": [0.5, 0.5], "B": [1, 0, 0]})
    with pytest.raises(UsageError, match="add up to 1"):
        Network("AB", {}, states, {"A": [0.5, 0.6], "B": [1, 0, 0]})
    with pytest.raises(UsageError, match="states of variable 'B'"):
        Network("AB", {}, {"A": "xy"})


def test_structure() -> None:
    net = asia()
    assert net.children("smoke") == ("lung", "bronc")
    assert net.markov_blanket("lung") == ("tub", "smoke", "either")
    assert net.adjacency_matrix.sum() == len(net.edges) == 8
    assert net.adjacency_matrix[net.variables.index("asia"), net.variables.index("tub")] == 1
    assert all(net.order.index(p) < net.order.index(c) for p, c in net.edges)
    assert net == Network(reversed(net.variables), net.parents)
    assert hash(net) == hash(Network(reversed(net.variables), net.parents))
    assert net != Network(net.variables, {})


def test_bnlearn_model_string_and_back() -> None:
    for make in NETWORKS.values():
        net = make()
        assert Network.from_bnlearn(net.to_bnlearn()) == net
    with pytest.raises(UsageError, match="model string"):
        Network.from_bnlearn("[A][B|A")


@pytest.mark.parametrize("make", NETWORKS.values(), ids=list(NETWORKS))
def test_networkx_and_back(make: object) -> None:
    net = make()  # type: ignore[operator]
    back = Network.from_networkx(net.to_networkx())
    assert back == net
    assert back.states == net.states
    assert all((back.tables[v] == net.tables[v]).all() for v in net.variables)


@pytest.mark.docs
def test_pgmpy_and_pyagrum_give_the_same_probabilities() -> None:
    pytest.importorskip("pgmpy")
    net = asia()
    model = net.to_pgmpy()
    model.check_model()
    bn = net.to_pyagrum()
    for v in net.variables:
        cpd = model.get_cpds(v)
        assert (np.moveaxis(cpd.values, 0, -1) == net.tables[v]).all()  # type: ignore[index]
    table = net.sample(50, seed=1)
    rows = table.to_pylist()
    theirs = sum(math.log(bn.cpt(v)[{u: row[u] for u in (v, *net.parents[v])}]) for row in rows for v in net.variables)
    assert net.log_likelihood(as_codes(net, rows)) == pytest.approx(theirs, rel=1e-9)


def as_codes(net: Network, rows: list[dict[str, str]]) -> Table:
    states = tuple(tuple(sorted({row[v] for row in rows})) for v in net.variables)
    codes = [[s.index(row[v]) for row in rows] for v, s in zip(net.variables, states, strict=True)]
    return Table(net.variables, np.array(codes, dtype=np.uint16), states)


def test_fit_counts() -> None:
    table = Table(("A", "B"), np.array([[0, 0, 0, 1], [0, 0, 1, 1]], dtype=np.uint16), (("n", "y"), ("n", "y", "?")))
    net = Network("AB", {"B": "A"})
    fitted = net.fit(table)
    assert not net.is_fitted
    assert fitted.tables["A"].tolist() == [0.75, 0.25]  # type: ignore[index]
    assert fitted.tables["B"].tolist() == [[2 / 3, 1 / 3, 0], [0, 1, 0]]  # type: ignore[index]
    smoothed = net.fit(table, prior=Dirichlet(count=1))
    assert smoothed.tables["B"].tolist() == [[3 / 6, 2 / 6, 1 / 6], [1 / 4, 2 / 4, 1 / 4]]  # type: ignore[index]
    bdeu = net.fit(table, prior=Dirichlet(equivalent_sample_size=6))
    assert bdeu.tables["B"].tolist() == smoothed.tables["B"].tolist()  # type: ignore[index]


def test_configurations_nobody_saw_get_a_uniform_row() -> None:
    table = Table(("A", "B"), np.array([[0, 0], [0, 1]], dtype=np.uint16), (("n", "y"), ("n", "y")))
    assert Network("AB", {"B": "A"}).fit(table).tables["B"].tolist() == [[0.5, 0.5], [0.5, 0.5]]  # type: ignore[index]


def test_the_fitted_network_maximises_the_likelihood() -> None:
    table = random_table(5, 400)
    net = Network(table.names, random_dag(5, seed=2))
    best = net.fit(table).log_likelihood(table)
    for seed in range(5):
        other = random_table(5, 400, seed=seed + 1)
        assert net.fit(other, prior=Dirichlet(count=1)).log_likelihood(table) < best


def test_sampling_is_repeatable_and_follows_the_tables() -> None:
    net = large()
    assert net.sample(20, seed=4).equals(net.sample(20, seed=4))
    assert not net.sample(20, seed=4).equals(net.sample(20, seed=5))
    rows = asia().sample(20000, seed=0).to_pylist()
    smokers = [row for row in rows if row["smoke"] == "yes"]
    assert sum(row["bronc"] == "yes" for row in smokers) / len(smokers) == pytest.approx(0.6, abs=0.02)
    assert asia().sample(0).num_rows == 0


def test_new_data_that_does_not_fit_is_named() -> None:
    table = random_table(2, 10)
    fitted = Network(table.names, {}).fit(table)
    with pytest.raises(DataError, match="no column 'V1'"):
        fitted.log_likelihood(random_table(1, 10))
    strange = Table(("V0", "V1"), np.zeros((2, 1), dtype=np.uint16), (("d",), ("b",)))
    with pytest.warns(DataWarning, match=r"not known, in column 'V0' \(1\)"):
        assert fitted.log_likelihood(strange) == pytest.approx(math.log(fitted.tables["V1"][1]))  # type: ignore[index]
    with pytest.raises(UsageError, match="fit"):
        Network("AB", {}).log_likelihood(table)
    with pytest.raises(UsageError, match="Dirichlet"):
        Dirichlet()


def test_an_impossible_row_has_no_likelihood() -> None:
    table = Table(("A",), np.array([[0, 0]], dtype=np.uint16), (("x", "y"),))
    unseen = Table(("A",), np.array([[1]], dtype=np.uint16), (("x", "y"),))
    assert Network("A", {}).fit(table).log_likelihood(unseen) == -math.inf


def test_hell_is_hell() -> None:
    assert len(set(HELL)) == len(HELL) > 10

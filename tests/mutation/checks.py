"""What must hold of a value that was read: it is consistent in itself, and comes back the same from a file of ours."""

from __future__ import annotations

import json
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np

import sabna
from sabna import Network, Result
from sabna.base.stop import STATUSES
from sabna.base.varsets import members
from sabna.network.files import NETWORK_FORMATS, needs_parameters
from sabna.parents.files import GRAPH_FORMATS
from sabna.parents.graph import ParentGraph
from sabna.parents.knowledge import Knowledge
from sabna.result.result import read_result
from sabna.settings.files import read_settings

# As in sabna.network: rows of other programs' tables add up to 1 within this.
SUM_TOLERANCE = 1e-3
# Larger tables are written in their own format only, for the sake of time.
MANY_CELLS = 20_000
TEXT_LENGTH = 20_000


class Refused(Exception):
    """Wraps the error of a reader, as opposed to one of what is done with the value afterwards."""


def read(function: Any, *arguments: Any, **options: Any) -> Any:
    """Call a reader; an error of our tree means that the file is refused."""
    try:
        return function(*arguments, **options)
    except sabna.SabnaError as error:
        raise Refused(str(error)) from error


def is_text(value: Any) -> bool:
    """Text that any file can hold."""
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


# --- networks ------------------------------------------------------------------------------------------------------


def network(path: Path) -> None:
    """Read a network; check it; write it again in its own format and in one other."""
    net = read(sabna.read_network, path)
    consistent_network(net)
    same_format = path.with_name(f"again{path.suffix}")
    if needs_parameters(path) <= net.is_fitted:
        back_from_file(net, same_format)
    cells = sum(table.size for table in (net.tables or {}).values())
    if cells < MANY_CELLS:
        others = [s for s in NETWORK_FORMATS if needs_parameters(f"x{s}") <= net.is_fitted]
        back_from_file(net, path.with_name(f"other{others[zlib.crc32(path.read_bytes()) % len(others)]}"))


def consistent_network(net: Network) -> None:
    """Names are texts, the order is one, every row of every table adds up to 1."""
    assert len(set(net.variables)) == len(net.variables) > 0
    assert all(map(is_text, net.variables))
    place = {v: k for k, v in enumerate(net.order)}
    assert set(place) == set(net.variables) == set(net.parents)
    for child, parents in net.parents.items():
        assert len(set(parents)) == len(parents)
        assert all(place[p] < place[child] for p in parents)
    if net.states is not None:
        for v in net.variables:
            assert all(map(is_text, net.states[v]))
            assert len(set(net.states[v])) == len(net.states[v]) > 0
    if net.tables is not None:
        assert net.states is not None
        for v in net.variables:
            table = net.tables[v]
            assert table.shape == tuple(len(net.states[u]) for u in (*net.parents[v], v))
            assert np.isfinite(table).all()
            assert (table >= 0).all()
            assert (np.abs(table.sum(axis=-1) - 1) <= SUM_TOLERANCE).all()


def back_from_file(net: Network, path: Path) -> None:
    """Written and read again, the network is the same as far as the format can tell."""
    net.save(path)
    back = sabna.read_network(path)
    if path.suffix == ".uai":  # no names there
        assert back.adjacency_matrix.tolist() == net.adjacency_matrix.tolist()
        states = None
    else:
        assert back.variables == net.variables, f"{net.variables} became {back.variables} in {path.suffix}"
        assert back.parents == net.parents, f"in {path.suffix}"
        states = net.states
    if path.suffix in (".dot", ".gv", ".csv"):
        return
    assert states is None or back.states == states, f"{states} became {back.states} in {path.suffix}"
    assert (back.tables is None) == (net.tables is None)
    for v, u in zip(net.variables, back.variables, strict=True):
        if net.tables is not None and back.tables is not None:
            np.testing.assert_allclose(back.tables[u], net.tables[v], rtol=0, atol=1e-12)


# --- parent graphs -------------------------------------------------------------------------------------------------


def graph(path: Path) -> None:
    """Read a parent graph, with and without dominated sets; check it; write it in every format."""
    whole = read(sabna.read_parent_graph, path, keep_dominated=True)
    consistent_graph(whole, pruned=False)
    slim = sabna.read_parent_graph(path)
    consistent_graph(slim, pruned="slack" not in slim.parameters)
    for suffix in GRAPH_FORMATS:
        again = path.with_name(f"again{suffix}")
        whole.save(again)
        back = sabna.read_parent_graph(again, keep_dominated=True)
        same_graph(whole, back, suffix)


def same_graph(graph: ParentGraph, back: ParentGraph, suffix: str) -> None:
    """What the format holds came back."""
    assert back.names == graph.names, f"{graph.names} became {back.names} in {suffix}"
    for one, two in zip(graph.arrays, back.arrays, strict=True):
        np.testing.assert_array_equal(one, two)
    if suffix != ".jkl":
        assert (back.rows, back.arities) == (graph.rows, graph.arities)
        score = graph.score if suffix == ".pg" else graph.score and graph.score.lower()
        assert back.score == score, f"{graph.score!r} became {back.score!r} in {suffix}"
    if suffix == ".pg":
        assert back.parameters == graph.parameters


def consistent_graph(graph: ParentGraph, pruned: bool) -> None:
    """Lists in order, sets of other variables only, none twice, and some network exists."""
    assert len(set(graph.names)) == graph.n > 0
    assert all(map(is_text, graph.names))
    assert graph.rows is None or (type(graph.rows) is int and 0 <= graph.rows < 2**63)
    assert graph.score is None or is_text(graph.score)
    assert graph.arities is None or all(type(a) is int and 0 <= a < 2**16 for a in graph.arities)
    json.dumps(graph.parameters, allow_nan=False)
    assert graph.offsets.tolist() == sorted(set(graph.offsets.tolist()))
    assert (graph.offsets[0], graph.offsets[-1], len(graph.offsets)) == (0, len(graph.costs), graph.n + 1)
    total = 0
    for i in range(graph.n):
        entries = [(cost, sum(1 << p for p in parents)) for cost, parents in graph.parent_sets(i)]
        bits = [b for _, b in entries]
        assert entries == sorted(entries), f"the sets of {graph.names[i]!r} are not in order"
        assert len(set(bits)) == len(bits)
        assert all(not b >> i & 1 and b >> graph.n == 0 for b in bits)
        total += max(abs(cost) for cost, _ in entries)
        if pruned and len(bits) < 200:
            assert not any(a & ~b == 0 for k, b in enumerate(bits) for a in bits[:k]), "a dominated set"
    assert total < 2**62
    placed, left = 0, set(range(graph.n))
    while ready := {i for i in left if any(not b & ~placed for b in map(as_bits, graph.parent_sets(i)))}:
        placed |= sum(1 << i for i in ready)
        left -= ready
    assert not left, "no network can be made of it"


def as_bits(entry: tuple[int, tuple[int, ...]]) -> int:
    """The parents of an entry."""
    return sum(1 << p for p in entry[1])


assert as_bits((0, members(np.array([5], dtype=np.uint64)))) == 5


# --- results and knowledge -----------------------------------------------------------------------------------------


def result(path: Path) -> None:
    """Read a result; check it; print it, write it again, and make the page of it."""
    found: Result = read(read_result, path)
    consistent_network(found.network)
    assert found.status in STATUSES
    assert found.lower_bound_quanta <= found.cost_quanta
    assert np.isfinite([found.cost, found.lower_bound, found.gap, found.gap_tolerance, found.seconds]).all()
    assert not found.is_optimal or found.gap <= found.gap_tolerance
    assert len(str(found)) + len(repr(found)) < TEXT_LENGTH + 10 * path.stat().st_size
    json.dumps(found.to_dict(), allow_nan=False)
    again = path.with_name("again.json")
    found.save(again)
    assert read_result(again).to_dict() == found.to_dict()
    found.save(path.with_name("again.html"))
    page, said = path.with_name("again.html").read_text(encoding="utf-8"), again.read_text(encoding="utf-8")
    for word in ("nan", "inf", "-inf"):
        assert f">{word}<" not in page or f'"{word}"' in said
    assert found._repr_html_()


def knowledge(path: Path) -> None:
    """Read knowledge; what it says must come back from its own dictionary, and be checked and compiled."""
    known: Knowledge = read(Knowledge.of, path)
    said = known.to_dict()
    assert Knowledge.of(json.loads(json.dumps(said, allow_nan=False))) == known
    used = {v for _, names in known._uses() for v in names}
    names = sorted(used) or ["a"]
    known.violations({names[0]: names[1:]})
    try:
        compiled = known.compile(names)
    except sabna.SabnaError:
        return
    assert not (compiled.required & ~compiled.allowed).any()
    assert (compiled.limits >= 0).all()


def settings(path: Path) -> None:
    """Read options of `learn`: what is read is checked already, and `learn` on a small table answers or refuses."""
    options = read(lambda name: read_settings(name, "learn"), path)
    options.pop("data", None)
    options |= {"time_limit": 1, "n_jobs": 1, "work": None, "engine": None, "certificate": None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = sabna.learn("example:asia", **options)
        except sabna.SabnaError:
            return
    assert result.lower_bound_quanta <= result.cost_quanta

"""Protects from local cuts that say more than every network satisfies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sabna.base.limits import Limits
from sabna.bounds.cuts import Cuts, rows_of
from sabna.bounds.local_cuts import LocalCuts, broken_local_cuts
from sabna.bounds.weights import Clusters
from sabna.certificate.checker import check_certificate as checker
from sabna.certificate.writing import CertificateFile
from sabna.parents.graph import ParentGraph
from sabna.searching.ledger import Ledger
from sabna.searching.part import Part
from tests.certificate.test_rules import claim, three_in_a_ring
from tests.graphs import graph_of, optimum, random_graph
from tests.test_cuts import cuts_of_random_blocks, networks, random_point, small_graphs

# Of a ring of three, each with one of the others or nobody: two of them cannot have what they want.
GROUP = {"id": 1, "group": [0, 1, 2]}
HALF = GROUP | {"member": [0, 0, 0, 1, 1, 1, 2, 2, 2], "before": [0, 2, 4, 0, 1, 4, 0, 1, 2], "a": [1, 0, 0] * 3}


def test_a_local_cut_by_hand_proves_what_it_says(tmp_path: Path) -> None:
    """Somebody comes first, and pays 8 more than the least."""
    steps = [("local", HALF), ("weights", {"id": 1, "rows": [1], "y": [8]}), ("bound", {"part": 0, "by": 1})]
    assert claim(tmp_path, three_in_a_ring(), 20, steps)[0] == 0
    assert claim(tmp_path, three_in_a_ring(), 21, steps)[0] == 1
    more = [steps[0], ("weights", {"id": 1, "rows": [1], "y": [9]}), steps[2]]
    assert claim(tmp_path, three_in_a_ring(), 21, more)[0] == 1


def test_a_cut_of_blocks_by_hand_proves_what_it_says(tmp_path: Path) -> None:
    """Of a ring of three, two are a block. Whoever of it comes first has no parent in it, or is first of all."""
    cut = {"id": 1, "group": [0, 1, 2], "of": [0, 0, 1], "member": [0, 0, 1, 1], "before": [0, 2, 0, 1]}
    steps = [("weights", {"id": 1, "rows": [1], "y": [8]}), ("bound", {"part": 0, "by": 1})]
    assert claim(tmp_path, three_in_a_ring(), 20, [("local", cut | {"a": [1, 0, 1, 0]}), *steps])[0] == 0
    assert claim(tmp_path, three_in_a_ring(), 21, [("local", cut | {"a": [1, 0, 1, 0]}), *steps])[0] == 1
    # With larger numbers the sets inside the block, which have none, would have to be counted too.
    assert claim(tmp_path, three_in_a_ring(), 28, [("local", cut | {"a": [2, 1, 1, 0]}), *steps])[0] == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"member": [0, 1, 1], "before": [0, 0, 4], "a": [1, 1, 0]},  # nothing for a third
        {"group": [0, 1, 1]},
        {"group": list(range(13))},
        {"group": [0, 1, 7]},  # not there
        {"member": [3] * 9},
        {"before": [8] * 9},
        {"a": [1 << 40] * 9},
        {"of": [0, 1]},  # a variable without a block
        {"of": [0, 1, 3]},
        {"of": [0, 0, 1]},  # families of a third block
    ],
)
def test_local_cuts_that_are_none_are_refused(wrong: dict[str, list[int]], tmp_path: Path) -> None:
    steps = [("local", HALF | wrong), ("weights", {"id": 1, "rows": [1], "y": [8]}), ("bound", {"part": 0, "by": 1})]
    assert claim(tmp_path, three_in_a_ring(), 20, steps)[0] in (1, 2)


def test_the_checker_works_out_the_same_cuts(tmp_path: Path) -> None:
    """Protects from a ledger and a checker that read a list of families differently."""
    seen = 0
    for number, graph in enumerate(small_graphs()):
        rng = np.random.default_rng(number)
        local = broken_local_cuts(graph, random_point(graph, rng), 7, number, 1, Limits())
        local = local.and_more(cuts_of_random_blocks(graph, rng)).and_more(cuts_of_random_blocks(graph, rng))
        a, b = compared(graph, local, tmp_path)
        seen += len(b)
        for choice in networks(graph):
            assert (a[:, choice].sum(axis=1) >= b).all()
    assert seen > 150


@pytest.mark.parametrize("largest", [9, 10])
def test_the_checker_works_out_the_same_cuts_of_large_groups(largest: int, tmp_path: Path) -> None:
    """Rounds of many parent sets come to groups of ten; their right sides are compared with a search over networks."""
    graph = random_graph(largest, 12, sets=30, largest=3, hard=True)
    point = random_point(graph, np.random.default_rng(1))
    local = broken_local_cuts(graph, point, largest, 1, 1, Limits())
    assert max(len(local.blocks_of(c)) for c in range(len(local))) == largest
    a, b = compared(graph, local, tmp_path)
    masks = graph.sets[:, 0].tolist()
    for row, right in zip(a, b, strict=True):
        lists: list[dict[int, int]] = [{} for _ in range(graph.n)]
        for i in range(graph.n):
            for p in range(graph.offsets[i], graph.offsets[i + 1]):
                lists[i][masks[p]] = int(row[p])
        assert optimum(graph_of(lists)) >= right
    assert (a @ point < b).all()


def compared(graph: ParentGraph, local: LocalCuts, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and right sides of cuts, after the checker has worked out the same from the ledger's lines."""
    none = Clusters.none(graph.sets.shape[1])
    a, b = rows_of(graph, Cuts.made_of(graph.n, none, local, [], np.zeros(0, np.int64)))
    ledger = Ledger(CertificateFile(folder / "proof.cert"), np.arange(graph.n), np.arange(len(graph)))
    ids = [ledger._local_cut(Part.whole(graph), local, c) for c in range(len(local))]
    ledger.file.close()
    derivation = checker.Derivation(as_checked(graph, folder))
    for line in (folder / "proof.cert").read_text().splitlines():
        word, *fields = line.split()
        if word == "local":
            derivation.apply(word, checker.Fields(field.split("=", 1) for field in fields))
    for c, row in enumerate(ids):
        found = derivation.rows[row]
        assert found.k == b[c]
        assert found.coefficients(derivation.parts[0], {}).tolist() == a[c].tolist()
    return a, b


def as_checked(graph: ParentGraph, folder: Path) -> checker.Graph:
    """The graph as the checker reads it."""
    graph.save(folder / "graph.pg")
    return checker.read_graph(str(folder / "graph.pg"))

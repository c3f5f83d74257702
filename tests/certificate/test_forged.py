"""Protects from forgers: certificates made by hand to have a worse network pass for the best, one trick for each rule.

Several of these were accepted once: sums of numpy's integers that wrapped around, and a network of sets left out.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from sabna.certificate.writing import CertificateFile, fingerprint
from sabna.parents.graph import ParentGraph
from tests.certificate.runs import verdict
from tests.graphs import graph_of, optimum

Lines = list[tuple[str, dict[str, object]]]
EDGE = 1 << 60  # what costs and weights may add up to
WORD = 1 << 63  # where 64-bit integers wrap around


def forged(folder: Path, graph: ParentGraph, lines: Lines, sets: list[int], **claim: int) -> tuple[int, str]:
    """The verdict on lines that are to prove that the network of these sets is the best."""
    file, proof = folder / "graph.pg", folder / "proof.cert"
    graph.save(file)
    certificate, cost = CertificateFile(proof), int(graph.costs[sets].sum())
    certificate.line("graph", sha256=fingerprint(graph), variables=graph.n, sets=len(graph))
    for word, fields in lines:
        certificate.line(word, **fields)  # type: ignore[arg-type]
    certificate.line("network", cost=cost, sets=sets)
    certificate.end(**{"lower": cost, "cost": cost, "tolerance": 0, "status": "optimal", **claim})  # type: ignore[arg-type]
    return verdict(proof, file)


def chain() -> ParentGraph:
    """Each of three is cheaper with the one before it: 3 in all. Places 1, 3, 4: no parents, 27."""
    return graph_of([{0: 1}, {0b001: 1, 0: 13}, {0b010: 1, 0: 13}])


EMPTY = [0, 2, 4]  # the network without parents
PAIR = ("cluster", {"id": 1, "k": 1, "members": (0, 1)})
BOUND = ("bound", {"part": 0, "by": 1})
NO_WEIGHTS = ("weights", {"id": 1, "rows": (), "y": ()})
ONE_GROUP = [NO_WEIGHTS, ("pattern", {"id": 2, "weights": 1, "groups": (0, 0, 0)})]
SINGLE = [NO_WEIGHTS, ("pattern", {"id": 2, "weights": 1, "groups": (0, 1, 2)})]
SOLVE = ("solve", {"part": 0})
BY_PATTERN = ("bound", {"part": 0, "by": 2})


def weighed(*y: int) -> Lines:
    return [PAIR, ("weights", {"id": 1, "rows": (1,) * len(y), "y": y}), BOUND]


def strike(target: int, sets: tuple[int, ...] = (1, 3), **by: int) -> tuple[str, dict[str, object]]:
    return ("strike", {"part": 0, "target": target, "sets": sets, **{"by": 1, **by}})


def halved(**fields: object) -> Lines:
    """A weight on a cut of one's own making."""
    cut = ("cut", {"id": 9, "rows": (1,), "times": (1,), "divisor": 2, **fields})
    singles = [("cluster", {"id": 2 + v, "k": 1, "members": (v,)}) for v in (0, 1)]
    return [PAIR, *singles, cut, ("weights", {"id": 1, "rows": (9,), "y": (24,)}), BOUND]


def searched(placed: tuple[int, ...] = (), lower: int = 27) -> tuple[str, dict[str, object]]:
    return ("search", {"part": 0, "lower": lower, "by": (2,), "placed": placed})


def branched(kind: str = "arc", **fields: object) -> tuple[str, dict[str, object]]:
    return ("branch", {"part": 0, "kind": kind, "variables": (1, 0), "parts": (1, 2), **fields})


TRICKS: dict[str, Lines] = {
    "nothing at all": [],
    "a cluster whose k is negative": [("cluster", {"id": 1, "k": -1, "members": (0, 1)}), *weighed(24)[1:]],
    "a cluster with k = 0": [("cluster", {"id": 1, "k": 0, "members": (0, 1)}), *weighed(24)[1:]],
    "a cluster of which all must count": [("cluster", {"id": 1, "k": 2, "members": (0, 1)}), *weighed(24)[1:]],
    "a cluster with a member twice": [("cluster", {"id": 1, "k": 2, "members": (0, 1, 1)}), *weighed(24)[1:]],
    "a negative weight": weighed(-24),
    "a weight that wraps to a small one": weighed(WORD - 1),
    "weights that wrap together": weighed(*[EDGE - 1] * 16),
    "weights that wrap, and come back": weighed(*[EDGE - 1] * 16, 24),
    "a number beyond 64 bits": [PAIR, ("weights", {"id": 1, "rows": (1,), "y": (2 * WORD + 24,)}), BOUND],
    "weights of other rows than there are": [("weights", {"id": 1, "rows": (1,), "y": (24,)}), BOUND],
    "more weights than rows": [PAIR, ("weights", {"id": 1, "rows": (1,), "y": (8, 8)}), BOUND],
    "a cut that takes a row away": halved(times=(-1,)),
    "a cut divided by nothing": halved(divisor=0),
    "a cut divided by less than nothing": halved(divisor=-2),
    "a cut that is larger than its rows": halved(times=(WORD >> 1,)),
    "a cut of itself": [("cut", {"id": 9, "rows": (9,), "times": (2,), "divisor": 2}), *halved()[4:]],
    "a cut of an equation that is none": halved(rows=(1, 7), times=(1, 2)),
    "a cut whose rounding would be to more": halved(rows=(1, 2, 3), times=(1, 1, 1)),
    "a cut with a negative weight": [*halved()[:4], ("weights", {"id": 1, "rows": (9,), "y": (-24,)}), BOUND],
    "the incumbent's rivals struck out": [NO_WEIGHTS, strike(27), SOLVE],
    "struck out at a low target": [NO_WEIGHTS, strike(3), SOLVE],
    "struck out at a target that wraps": [NO_WEIGHTS, strike(WORD - 1), SOLVE],
    "struck out at a target below all": [NO_WEIGHTS, strike(-WORD), SOLVE],
    "struck out by tables": [*ONE_GROUP, strike(27, by=2), SOLVE],
    "struck out by tables at a target that wraps": [*ONE_GROUP, strike(WORD - 1, by=2), SOLVE],
    "struck out twice": [NO_WEIGHTS, strike(3, (1,)), strike(3, (1,)), SOLVE],
    "struck out by all but one target": [NO_WEIGHTS, strike(3), strike(27, ()), SOLVE],
    "dropped without reason": [("drop", {"part": 0, "sets": (1, 3)}), SOLVE],
    "dropped for each other": [("drop", {"part": 0, "sets": (1, 2, 3, 4)}), SOLVE],
    "left out late": [SOLVE, ("leave-out", {"sets": (1, 3)})],
    "a group too few": [NO_WEIGHTS, ("pattern", {"id": 2, "weights": 1, "groups": (0, 0)}), BY_PATTERN],
    "split with a variable twice": [("split", {"part": 0, "to": (1, 1, 1, 1)}), ("solve", {"part": 1})],
    "split with a variable left": [("split", {"part": 0, "to": (1, 1)}), ("solve", {"part": 1})],
    "split into itself": [("split", {"part": 0, "to": (0, 0, 0)}), SOLVE],
    "split twice": [("split", {"part": 0, "to": (1, 2, 3)}), ("split", {"part": 0, "to": (4, 5, 6)})],
    "one branch alone": [branched(parts=(2,)), ("solve", {"part": 2})],
    "one branch twice": [branched(parts=(2, 2)), ("solve", {"part": 2})],
    "a branch that is not solved": [branched(), ("solve", {"part": 2})],
    "the cheap branch struck out": [branched(), NO_WEIGHTS, strike(27, (1,), part=1)],
    "a branch on one variable": [branched(variables=(0, 0)), ("solve", {"part": 1}), ("solve", {"part": 2})],
    "a branch of no kind": [branched("hope"), ("solve", {"part": 1}), ("solve", {"part": 2})],
    "a search of nothing": [*SINGLE, searched()],
    "a search that leaves a way out": [*SINGLE, searched((0, 2, 4))],
    "a search that lists all variables": [*SINGLE, searched((0, 1, 2, 3, 4, 5, 6, 7))],
    "a search with no bounds": [NO_WEIGHTS, ("search", {"part": 0, "lower": 27, "placed": ()})],
    "a search to a bound that wraps": [*SINGLE, searched((0,), lower=-WORD), searched((0,), lower=WORD - 1)],
}  # fmt: skip


@pytest.mark.parametrize("trick", TRICKS)
def test_a_worse_network_does_not_pass_for_the_best(trick: str, tmp_path: Path) -> None:
    assert optimum(chain()) == 3
    code, words = forged(tmp_path, chain(), TRICKS[trick], EMPTY)
    assert code == 1, words


@pytest.mark.parametrize(
    "claim",
    [
        {"tolerance": 23}, {"tolerance": -1}, {"cost": 3}, {"lower": 28}, {"lower": 4, "tolerance": 99},
        {"lower": -(10**400)}, {"tolerance": 10**400},
    ],
)  # fmt: skip
def test_claims_that_do_not_fit_are_refused(claim: dict[str, int], tmp_path: Path) -> None:
    """What is proven is 3, and what the network costs is 27. Numbers beyond all floats used to be a crash."""
    assert forged(tmp_path, chain(), [SOLVE], EMPTY, **{"lower": 3, **claim})[0] == 1


def test_a_tolerance_that_allows_everything_is_told_in_nats(tmp_path: Path) -> None:
    """It is no lie, but it should be seen."""
    code, words = forged(tmp_path, chain(), [SOLVE], EMPTY, lower=3, tolerance=5 << 30)
    assert code == 0
    assert "within 5368709120 quanta (5 nats)" in words


def test_a_sum_of_bounds_that_would_wrap_is_refused(tmp_path: Path) -> None:
    """Nine credits of nearly 2^60 twice over: the bound of what remains, -9 x 2^60, used to come out as 7 x 2^60."""
    n = 18
    graph = graph_of([{0: 5} | ({1 << i + 1: 3} if i < n - 1 else {}) for i in range(n)])
    lines: Lines = [("cluster", {"id": k, "k": 1, "members": (2 * k, 2 * k + 1)}) for k in range(9)]
    lines += [("weights", {"id": 1, "rows": range(9), "y": [EDGE - (1 << 50)] * 9})]
    lines += [("pattern", {"id": 2, "weights": 1, "groups": range(n)})]
    empty = [int(graph.offsets[i + 1]) - 1 for i in range(n)]
    for last in (searched((), lower=90), BY_PATTERN, BOUND):
        code, words = forged(tmp_path, graph, [*lines, last], empty)
        assert code == 1
        assert "weights too large" in words


@pytest.mark.parametrize("target", [*range(WORD - 80, WORD, 5), EDGE, -EDGE])
def test_a_target_near_the_edge_of_64_bits_is_refused(target: int, tmp_path: Path) -> None:
    """The room for a set used to wrap around where its cost is negative: anything could be struck out."""
    graph = graph_of([{0: -10, 0b10: -20}, {0: -10, 0b1: -15}])
    lines: Lines = [NO_WEIGHTS, ("pattern", {"id": 2, "weights": 1, "groups": (0, 0)})]
    lines += [strike(target, (0, 2), by=2), SOLVE]
    assert forged(tmp_path, graph, lines, [1, 3])[0] == 1


def test_a_network_of_sets_that_were_left_out_is_refused(tmp_path: Path) -> None:
    """What prior knowledge forbids is no network of the claim, however cheap."""
    leave_out: Lines = [("leave-out", {"sets": (1, 3)}), SOLVE]
    code, words = forged(tmp_path, chain(), leave_out, EMPTY)
    assert code == 0
    assert "So of these networks it is optimal" in words, "and not of all"
    assert "the sets left out, of 'X1', 'X2', are" in words, "so that the reader sees what is not in the contest"
    code, words = forged(tmp_path, chain(), leave_out, [0, 1, 3])
    assert code == 1
    assert "left out" in words


def test_costs_up_to_the_edge_are_checked_to_the_quantum(tmp_path: Path) -> None:
    """Rules at the largest numbers that are let in: what is true is accepted, one quantum more is refused."""
    large = EDGE // 3 - 1
    graph = graph_of([{0: large}, {0b001: -large, 0: large}, {0b010: -large, 0: large}])
    best, sets = -large, [0, 1, 3]
    triple = ("cluster", {"id": 1, "k": 1, "members": (0, 1, 2)})
    for proof in (
        [SOLVE],
        [triple, ("weights", {"id": 1, "rows": (1,), "y": (large // 4,)}), BOUND],
        [*SINGLE, searched((0, 1, 3), lower=best)],
        [*ONE_GROUP, searched((0,), lower=best)],
    ):
        code, words = forged(tmp_path, graph, proof, sets)  # type: ignore[arg-type]
        assert code == 0, words
        proof[-1] = (proof[-1][0], {**proof[-1][1], "lower": best + 1})
        assert forged(tmp_path, graph, proof, sets, lower=best + 1)[0] == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["variables=3", "sets=5"])
def test_a_graph_of_another_size_is_another_graph(field: str, tmp_path: Path) -> None:
    """The fingerprint runs names and numbers together; with their number fixed it can be read in one way only."""
    assert forged(tmp_path, chain(), [SOLVE], [0, 1, 3])[0] == 0
    proof, name = tmp_path / "proof.cert", field.split("=")[0]
    body = proof.read_bytes().replace(field.encode(), f"{name}=4".encode()).rpartition(b"end ")[0]
    proof.write_bytes(body + f"end sha256={hashlib.sha256(body).hexdigest()}\n".encode())
    code, words = verdict(proof, tmp_path / "graph.pg")
    assert code == 1
    assert "another parent graph" in words

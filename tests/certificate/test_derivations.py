"""Protects from rules that prove too much together: derivations made from nothing, each step held to brute force.

Mutants stay near what the search writes. Here every line is random: whatever the checker lets pass, no set that it
strikes out is in a network below the target, and nothing that it proves of a part is more than the part's best network.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from sabna.certificate.checker import check_certificate as checker
from tests.certificate.mutants import best
from tests.certificate.test_rules import apply, whole
from tests.graphs import equivalent_graph, optimum, random_graph

DEFAULT_RUNS, SLOW_RUNS = 60, 30_000
NO_LINE = (checker.Refused, MemoryError, *checker.SENSELESS)


def least(part: checker.Part, only: int | None = None) -> int | None:
    """The least cost of a network of the part, or of one that has this set."""
    lists: list[list[tuple[int, int]]] = [[] for _ in range(part.n)]
    for p, i in enumerate(part.child.tolist()):
        if only is None or i != part.child[only] or p == only:
            bits = sum(1 << int(v) for v in np.flatnonzero(part.has[:, p]))
            lists[i].append((bits, int(part.cost[p])))
    return best(lists)


class Maker:
    """One derivation, line by line."""

    def __init__(self, seed: int) -> None:
        rng = self.rng = random.Random(seed)
        self.n = rng.randint(2, 6)
        self.costs = rng.choice((1, 4, 50, 10**6, (1 << 57) // self.n))
        self.graph = random_graph(
            rng.randrange(10**9), self.n, sets=rng.choice((3, 8, 14)), largest=rng.randint(1, 4), costs=self.costs,
            empty_sets=rng.random() < 0.7, hard=rng.random() < 0.5,
        )  # fmt: skip
        if rng.random() < 0.3:  # arcs can be turned round
            self.graph = equivalent_graph(rng.randrange(10**9), self.n, rng.randint(1, 3), max(4, min(self.costs, 50)))
        self.made, self.open, self.number = checker.Derivation(whole(self.graph)), [0], 100
        self.count = dict.fromkeys(("row", "bound"), 0)

    def some(self, kind: str, most: int) -> list[int]:
        """Numbers of lines of a kind, with repetitions."""
        return [self.rng.randrange(self.count[kind]) for _ in range(self.rng.randint(0, most)) if self.count[kind]]

    def weight(self) -> int:
        large = self.rng.choice((1 << 56, 1 << 58, (1 << 60) - 1)) if self.rng.random() < 0.05 else 2
        return self.rng.choice((0, 1, self.rng.randrange(1 + self.costs), self.costs // 3, self.costs, large))

    def define(self, kind: str) -> None:
        rng, fields = self.rng, dict[str, object]()
        if kind == "cluster":
            fields = {
                "k": rng.choice((1, 1, 1, 2, 2, 3, 0)),
                "members": rng.sample(range(self.n), rng.choice((1, rng.randint(1, self.n)))),
            }
        elif kind == "cut":
            rows = self.some("row", 6)
            singles = [r for r in rows if r in self.made.rows and len(self.made.rows[r].members) == 1]
            times = [rng.choice((0, 1, 1, 2, 3, -1 if r in singles or rng.random() < 0.2 else 1)) for r in rows]
            fields = {"rows": rows, "times": times, "divisor": rng.choice((1, 2, 2, 2, 3, 5, 0, -1, 1 << 19))}
        elif kind == "weights":
            rows = self.some("row", 6)
            if rng.random() < 0.5:  # cuts are good for weights alone
                rows = [r for r in rows if not self.made.rows[r].rows]
            fields = {"rows": rows, "y": [self.weight() for _ in rows]}
        else:
            size = rng.choice([self.n, *(self.made.parts[q].n for q in self.open)])
            groups = rng.choice((1, 2, 3))
            fields = {
                "weights": rng.randrange(self.count["bound"]),
                "groups": [rng.randrange(groups) for _ in range(size)],
            }
        number = "row" if kind in ("cluster", "cut") else "bound"
        apply(self.made, kind, id=self.count[number], **fields)
        self.count[number] += 1

    def target(self, part: checker.Part) -> int:
        edge = self.rng.choice(((1 << 60) - 1, 1 - (1 << 60))) if self.rng.random() < 0.1 else 0
        return (least(part) or 0) + self.rng.choice((0, 0, 1, -1, self.rng.randint(-self.costs, self.costs) // 3, edge))

    def strike(self, number: int, part: checker.Part, by: int) -> None:
        bound, target = self.made._bound(part, by), self.target(part)
        gone = [p for p in range(len(part.at)) if bound.having(np.arange(len(part.at)) == p) >= target]
        for p in gone:
            cost = least(part, p)
            assert cost is None or cost >= target, "struck out, but in a network below the target"
        sets = [int(part.at[p]) for p in gone if self.rng.random() < 0.8]
        apply(self.made, "strike", part=number, target=target, sets=sets, by=by)

    def prove(self, kind: str) -> None:
        rng, number = self.rng, self.rng.choice(self.open)
        part, new = self.made.parts[number], self.number
        by = rng.randrange(self.count["bound"])
        if kind == "strike":
            return self.strike(number, part, by)
        if kind == "turn":
            return self.turn(number, part)
        fields: dict[str, object] = {}
        if kind == "bound":
            fields = {"by": by}
        elif kind == "drop":
            fields = {"sets": [int(p) for p in part.at if rng.random() < 0.15]}
        elif kind == "split":
            fields = {"to": [new + rng.randrange(3) for _ in range(part.n)]}
        elif kind == "branch":
            fields = {"kind": rng.choice(("arc", "order", "source", "source")), "parts": (new, new + 1)}
            fields["variables"] = rng.sample(part.members.tolist(), 1 if fields["kind"] == "source" else 2)
        elif kind == "search":
            listed = [u for u in range((1 << part.n) - 1) if rng.random() < rng.choice((0.97, 1, 1, 1))]
            fields = {"lower": self.target(part), "by": self.some("bound", 2), "placed": listed}
        apply(self.made, kind, part=number, **fields)
        if part.kind != "open":
            self.replace(number)
        return None

    def turn(self, number: int, part: checker.Part) -> None:
        """Turn arcs, behind a branching on the source that it needs: random lines would rarely come to it."""
        rows, first = np.concatenate([np.zeros((0, 3), np.int64), *part.apart]).tolist(), self.number
        *premises, q = self.rng.choice(rows) if rows else (int(self.rng.choice(part.at)), -1)
        p = self.rng.choice([p for p in premises if p >= 0])
        variable = int(self.made.graph.child[p])
        apply(self.made, "branch", part=number, kind="source", variables=(variable,), parts=(first, first + 1))
        self.replace(number)
        apply(self.made, "turn", part=first, sets=(q,))

    def replace(self, number: int) -> None:
        self.open.remove(number)
        self.open += self.made.parts[number].parts
        self.number += 5


def one_derivation(seed: int) -> set[str]:
    """Make one, and hold every step of it to brute force; the kinds of lines that were let pass."""
    maker, kinds = Maker(seed), set[str]()
    definitions = ["cluster"] * 3 + ["cut", "weights", "weights", "pattern"]
    steps = ["strike"] * 3 + ["search"] * 3 + ["bound", "drop", "split", "branch", "turn", "turn", "turn", "solve"]
    for _ in range(maker.rng.randint(3, 25)):
        kind = maker.rng.choice(definitions + steps)
        try:
            (maker.define if kind in definitions else maker.prove)(kind)
            kinds.add(kind)
        except NO_LINE:
            continue
        for q in maker.open:
            part = maker.made.parts[q]
            cost = least(part)
            assert cost is None or part.proven <= cost, (seed, kind, "more than the part's best network")
    assert maker.made.proven() <= optimum(maker.graph), (seed, "more than the best network")
    return kinds


def test_whatever_random_lines_prove_is_true() -> None:
    kinds = set[str]().union(*map(one_derivation, range(DEFAULT_RUNS)))
    assert len(kinds) == 12, "every kind of line was let pass"


@pytest.mark.slow
def test_whatever_thirty_thousand_derivations_prove_is_true() -> None:
    for seed in range(10**6, 10**6 + SLOW_RUNS):
        one_derivation(seed)

"""Certificates changed by hand, and what is true of their claims by brute force."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, replace

import numpy as np

from sabna.certificate.checker.check_certificate import Fields
from sabna.certificate.writing import fingerprint, in_order, list_text
from sabna.parents.graph import ParentGraph
from tests.graphs import graph_of

Record = tuple[str, dict[str, str]]
LISTS = ("sets", "members", "rows", "times", "y", "groups", "to", "placed", "by", "parts", "variables")
LISTS += ("group", "of", "member", "before", "a")  # of local cuts
Lists = list[list[tuple[int, int]]]  # of each variable: sets as bits, and their costs


def numbers(text: str) -> np.ndarray:
    """The integers of a field."""
    return Fields(of=text).list("of")


def parsed(text: str) -> list[Record]:
    """The lines between the first and the checksum."""
    lines = [line.split(" ") for line in text.split("\n")[1:-1]]
    return [(word, dict(field.split("=", 1) for field in fields)) for word, *fields in lines]


def written(records: list[Record]) -> str:
    """The text of a certificate, its checksum made to fit."""
    head = "sabna-certificate 2\n"
    body = head + "".join(f"{_line(record)}\n" for record in records[:-1])
    return f"{body}end sha256={hashlib.sha256(body.encode()).hexdigest()}\n"


def _line(record: Record) -> str:
    return " ".join([record[0], *(f"{name}={value}" for name, value in record[1].items())])


@dataclass
class Case:
    """A certificate and the graph that it is shown with."""

    records: list[Record]
    graph: ParentGraph

    def statement_is_true(self) -> bool:
        """Whether the claim is true of the graph, whatever the derivation: by brute force."""
        network = next((fields for word, fields in reversed(self.records) if word == "network"), None)
        claim = next((fields for word, fields in reversed(self.records) if word == "claim"), None)
        if network is None or claim is None:
            return False
        order, child = in_order(self.graph), np.repeat(np.arange(self.graph.n), np.diff(self.graph.offsets))
        sets = numbers(network["sets"])
        if len(sets) != self.graph.n or sets.min() < 0 or sets.max() >= len(order):
            return False
        bits, left_out = _bits(self.graph), self._left_out()
        chosen, allowed = order[sets].tolist(), set(order.tolist()) - {int(order[p]) for p in left_out}
        lists: Lists = [[] for _ in range(self.graph.n)]
        for p in sorted(allowed):
            lists[child[p]].append((bits[p], int(self.graph.costs[p])))
        own: Lists = [[(bits[p], 0)] for p in chosen]
        if child[chosen].tolist() != list(range(self.graph.n)) or not allowed.issuperset(chosen) or best(own) is None:
            return False
        cost, lower, least = int(self.graph.costs[chosen].sum()), int(claim["lower"]), best(lists)
        assert least is not None
        fine = cost == int(claim["cost"]) == int(network["cost"]) and lower <= min(cost, least)
        return fine and (claim["status"] != "optimal" or cost - lower <= int(claim["tolerance"]))

    def _left_out(self) -> list[int]:
        """Sets that the claim is not about; what names other sets than there are makes no claim."""
        named = [numbers(fields.get("sets", "")).tolist() for word, fields in self.records if word == "leave-out"]
        return [p for sets in named for p in sets if 0 <= p < len(self.graph)]


def _bits(graph: ParentGraph) -> list[int]:
    return [sum(int(word) << 64 * w for w, word in enumerate(words)) for words in graph.sets]


def best(lists: Lists) -> int | None:
    """The least cost of a network of these sets, None if there is none: over all orders of those who have parents."""
    wanting = [i for i, own in enumerate(lists) if any(bits for bits, _ in own)]
    rest = [min((cost for _, cost in own), default=None) for i, own in enumerate(lists) if i not in wanting]
    if None in rest:
        return None
    others = sum(1 << i for i in range(len(lists)) if i not in wanting)
    costs: dict[int, int] = {others: sum(cost for cost in rest if cost is not None)}
    for _ in wanting:
        further: dict[int, int] = {}
        for placed, so_far in costs.items():
            for i in wanting:
                fits = [] if placed >> i & 1 else [cost for bits, cost in lists[i] if bits & ~placed == 0]
                if fits:
                    to = placed | 1 << i
                    further[to] = min(further.get(to, so_far + min(fits)), so_far + min(fits))
        costs = further
    return min(costs.values(), default=None)


def widened(graph: ParentGraph, n: int, rng: random.Random) -> ParentGraph:
    """The variables of a graph spread out among n; the others have no choice."""
    lists: list[dict[int, int]] = [{0: rng.randrange(100)} for _ in range(n)]
    places = sorted(rng.sample(range(n), graph.n))
    for i, place in enumerate(places):
        own = graph.parent_sets(i)
        lists[place] = {sum(1 << places[v] for v in parents): cost for cost, parents in own}
    return graph_of(lists)


def mutant(case: Case, rng: random.Random) -> Case:
    """One to three changes; most often the claim is raised to a worse network, and the targets with it."""
    case = Case([(word, dict(fields)) for word, fields in case.records], case.graph)
    if rng.random() < 0.75:
        _raise_claim(case, rng)
    for _ in range(rng.randint(0 if rng.random() < 0.3 else 1, 3)):
        changes = (_change_number, _change_list, _drop_line, _repeat_line, _cheaper_set, _swap_lines, _leave_out)
        rng.choice(changes)(case, rng)
    return case


def _raise_claim(case: Case, rng: random.Random) -> None:
    """Another network is said to be the best one; numbers of the derivation are raised by the difference."""
    graph, order = case.graph, list(range(case.graph.n))
    place, bits = np.argsort(in_order(graph)), _bits(graph)
    rng.shuffle(order)
    chosen, placed = np.zeros(graph.n, np.int64), 0
    for i in order:
        fits = [p for p in range(graph.offsets[i], graph.offsets[i + 1]) if bits[p] & ~placed == 0]
        if not fits:
            return
        chosen[i] = rng.choice(fits[:2])
        placed |= 1 << i
    cost, claim = int(graph.costs[chosen].sum()), case.records[-2][1]
    rise = cost - int(claim["cost"])
    for _, fields in case.records:
        for name in ("target", "lower"):
            if name in fields:
                fields[name] = str(int(fields[name]) + rise)
        if rng.random() < 0.5 and fields.get("y"):
            fields["y"] = list_text([max(y + rise, 0) for y in numbers(fields["y"]).tolist()])
    case.records.insert(-2, ("network", {"cost": str(cost), "sets": list_text(place[chosen])}))
    claim["cost"] = str(cost)


def _change_number(case: Case, rng: random.Random) -> None:
    fields = rng.choice(case.records)[1]
    plain = [name for name, value in fields.items() if value.lstrip("-").isdigit()]
    if plain:
        name = rng.choice(plain)
        by = rng.choice((1, -1, 2, 1 << 30, -(1 << 30), 10**18, rng.randint(-100, 100)))
        fields[name] = str(int(fields[name]) + by)


def _change_list(case: Case, rng: random.Random) -> None:
    fields = rng.choice(case.records)[1]
    lists = [name for name in LISTS if fields.get(name)]
    if not lists:
        return
    name = rng.choice(lists)
    values = numbers(fields[name]).tolist()
    kind = rng.randrange(4)
    if kind == 0:
        values[rng.randrange(len(values))] += rng.choice((1, -1, 2, 1000, rng.randint(-50, 50)))
    elif kind == 1:
        del values[rng.randrange(len(values))]
    elif kind == 2:
        values.append(rng.randrange(max(values) + 2) if max(values) >= 0 else 0)
    else:
        rng.shuffle(values)
    fields[name] = list_text(sorted(values) if name == "sets" and rng.random() < 0.5 else values)


def _drop_line(case: Case, rng: random.Random) -> None:
    if len(case.records) > 2:
        del case.records[rng.randrange(len(case.records) - 1)]


def _repeat_line(case: Case, rng: random.Random) -> None:
    at = rng.randrange(len(case.records) - 1)
    word, fields = case.records[at]
    case.records.insert(rng.randrange(at, len(case.records)), (word, dict(fields)))


def _swap_lines(case: Case, rng: random.Random) -> None:
    at, to = (rng.randrange(len(case.records) - 1) for _ in range(2))
    case.records[at], case.records[to] = case.records[to], case.records[at]


def _leave_out(case: Case, rng: random.Random) -> None:
    """Sets are said to be forbidden, often too late for that."""
    sets = sorted(rng.sample(range(len(case.graph)), min(len(case.graph), rng.randint(1, 3))))
    at = rng.choice((1, 1, rng.randrange(1, len(case.records))))
    case.records.insert(min(at, len(case.records) - 1), ("leave-out", {"sets": list_text(sets)}))


def _cheaper_set(case: Case, rng: random.Random) -> None:
    """Another graph, whose fingerprint the certificate is given: one parent set costs less."""
    graph = case.graph
    costs, p = graph.costs.copy(), rng.randrange(len(graph))
    costs[p] -= rng.choice((1, 5, 10**6, 10**12))
    child = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    order = np.lexsort([*graph.sets.T, costs, child])
    case.graph = replace(graph, costs=costs[order], sets=graph.sets[order])
    for word, fields in case.records:
        if word == "graph":
            fields["sha256"] = fingerprint(case.graph)

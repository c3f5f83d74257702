"""Random networks, parent graphs, results and knowledge, small, with awkward names: what our writers make files of."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np

from sabna import Network, Result
from sabna.network.strengths import ArcStrength
from sabna.parents.graph import ParentGraph
from tests.graphs import graph_of
from tests.network.networks import HELL, HELL_STATES

PLAIN = ("rain", "wet", "A", "B", "C", "smoke", "x1", "V10")


def names(rng: random.Random, count: int) -> list[str]:
    """Different names, half of the time awkward ones."""
    pool = [*PLAIN, *HELL, " ", "a\u00a0b", "\u202eback", "😀", "x" * 60] if rng.random() < 0.5 else list(PLAIN)
    return rng.sample(pool, count)


def network(rng: random.Random) -> Network:
    """Up to 6 variables with tables."""
    variables = names(rng, rng.randint(1, 6))
    order = rng.sample(variables, len(variables))
    parents = {v: rng.sample(order[:k], min(k, rng.randint(0, 3))) for k, v in enumerate(order)}
    pool = [*HELL_STATES, " blank ", "a", "A", "0", "1", "yes"] if rng.random() < 0.5 else ["0", "1", "2", "no"]
    states = {v: rng.sample(pool, rng.choice((1, 2, 2, 3, 4))) for v in variables}
    place = {v: k for k, v in enumerate(variables)}
    generator = np.random.default_rng(rng.randrange(2**32))
    tables = {}
    for v in variables:
        shape = [len(states[u]) for u in (*sorted(parents[v], key=place.__getitem__), v)]
        weights = generator.gamma(0.5, size=shape) + 1e-12
        tables[v] = weights / weights.sum(axis=-1, keepdims=True)
    return Network(variables, parents, states, tables)


def graph(rng: random.Random) -> ParentGraph:
    """Up to 6 variables, ties and negative costs among them, sometimes without an empty set; rarely 66."""
    n = rng.randint(1, 6) if rng.random() < 0.97 else 66
    most = rng.choice((3, 10**6, 2**40))
    lists = []
    for i in range(n):
        others = [v for v in range(n) if v != i]
        entries = {1 << (i - 1) if i and rng.random() < 0.2 else 0: rng.randrange(-most, most)}
        for _ in range(rng.randint(0, 6) if n < 20 else rng.randint(0, 1)):
            chosen = rng.sample(others, min(len(others), rng.randint(0, 3)))
            entries[sum(1 << v for v in chosen)] = rng.randrange(-most, most)
        lists.append(entries)
    plain = graph_of(lists)
    labels = tuple(names(rng, n)) if n <= 6 else tuple(f"v{k}" for k in range(n))
    known: dict[str, Any] = {}
    if rng.random() < 0.6:
        known = {"score": rng.choice(("bic", "bdeu", "my score")), "rows": rng.choice((0, 10, 10**6))}
        known["arities"] = tuple(rng.randint(1, 5) for _ in range(n))
        known["parameters"] = rng.choice(({}, {"max_parents": 3}, {"equivalent_sample_size": 1.5}, {"slack": 0.5}))
    return ParentGraph(labels, plain.offsets, plain.costs, plain.sets, **known)


def result(rng: random.Random) -> Result:
    """A result with all its parts, or without those that need data."""
    net = network(rng)
    if rng.random() < 0.3:
        net = Network(net.variables, net.parents)
    cost = rng.randrange(0, 2**45)
    status = rng.choice(("optimal", "optimal", "time_limit", "memory_limit", "interrupted"))
    bound = cost if status == "optimal" else cost - rng.randrange(2**40)
    at_hand = rng.random() < 0.7
    knowledge = {"tiers": [list(net.order)]} if rng.random() < 0.3 else None
    return Result(
        net,
        status,
        cost,
        bound,
        rows=rng.choice((None, 0, 500)),
        score_type=rng.choice((None, "bic", "my own")),
        seconds=rng.choice((0.0, 0.25, 4000.0)),
        peak_memory_bytes=rng.choice((0, 81_234_567)),
        statistics={
            "parent_graph": {"sets": 671, "evaluated": 12034, "seconds": 0.12},
            "search": {"strategy": "auto", "heuristic": None, "expanded": 17, "seconds": 0.4},
            "trace": [
                {
                    "seconds": t / 4,
                    "lower_bound": None if t == 0 else bound / 2**30,
                    "upper_bound": cost / 2**30 + 5 - t,
                }
                for t in range(rng.randint(0, 5))
            ],
        },
        local_costs={v: rng.randrange(2**40) for v in net.variables} if at_hand else None,
        arcs=tuple(arc(rng, *edge) for edge in net.edges) if at_hand else None,
        run={"command": "sabna learn x.csv", "source": "x.csv", "options": {"score": "bic"}, "knowledge": knowledge},
    )


def arc(rng: random.Random, parent: str, child: str) -> ArcStrength:
    """Some strength of an edge."""
    return ArcStrength(parent, child, rng.random() < 0.5, rng.randrange(2**35), rng.choice((None, 5)))


def knowledge(rng: random.Random) -> dict[str, Any]:
    """Some of the statements, which need not agree with each other."""
    known = names(rng, 6)

    def edge() -> Any:
        a, b = rng.sample(known, 2)
        return f"{a} -> {b}" if {a, b} <= set(PLAIN) and rng.random() < 0.5 else [a, b]

    said: dict[str, Any] = {
        "required": [edge() for _ in range(rng.randint(0, 3))],
        "forbidden": [edge() for _ in range(rng.randint(0, 3))],
        "forbidden_pairs": [rng.sample(known, 2)],
        "allowed": [edge() for _ in range(6)],
        "tiers": [known[:2], known[2:4]],
        "roots": rng.sample(known, 2),
        "leaves": rng.sample(known, 1),
        "max_parents": {known[0]: 2, known[1]: 0},
    }
    return {key: value for key, value in said.items() if rng.random() < 0.5}


def settings(rng: random.Random) -> bytes:
    """A file of options of `learn`, of every kind of value."""
    lines = {
        "score": rng.choice(('"bic"', '"bdeu"\nequivalent_sample_size = 2')),
        "max_parents": rng.choice(("2", '{asia = 1}', '["2", "lung=1"]')), "n_jobs": "1",
        "time_limit": "3.5", "memory_limit": rng.choice(('"1GB"', "1000000000")), "seed": "7", "strategy": '"auto"',
        "categorical": '["asia"]', "discretize": rng.choice(('"none"', '{asia = "mean"}', '["asia=mean"]')),
        "missing": '"drop"', "decimal": '","', "header": "true", "gap_tolerance": "0",
        "knowledge": "{forbidden = [[\"asia\", \"lung\"]]}", "columns": '["asia", "lung"]', "drop": '["tub"]',
        "interventions": '{asia = {yes = ["lung"]}}', "leave_out": '["text"]', "data": '"example:asia"',
    }  # fmt: skip
    return "\n".join(f"{name} = {lines[name]}" for name in rng.sample(sorted(lines), rng.randint(1, 6))).encode()


def toml(said: dict[str, Any]) -> bytes:
    """Knowledge as TOML; JSON's strings and lists are TOML's too."""

    def text(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    lines = [f"{key} = {text(value)}" for key, value in said.items() if key != "max_parents"]
    if "max_parents" in said:
        lines += ["[max_parents]", *(f"{text(name)} = {limit}" for name, limit in said["max_parents"].items())]
    return "\n".join(lines).encode()

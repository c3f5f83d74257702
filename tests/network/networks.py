"""Networks that the tests of this folder and of the formats use."""

from __future__ import annotations

import numpy as np

from sabna import Network

HELL = [
    "<script>alert(1)</script>",
    'a "b" c',
    "x,y;z",
    "ünïcode 漢字",
    "META",
    "new\tline",
    "two\nlines",
    "=1+1",
    "variable {",
    "probability",
    "x_u41_",
    "back\\slash\\",
    " blank at the ends ",
    "Case",
    "case",
    "1st",
    "//comment /* too",
    "%percent",
    "",
]
HELL_STATES = ["a b", 'say "no"', "<5", "1,5", "ß"]


def with_random_tables(variables: list[str], parents: dict[str, list[str]], states: dict[str, list[str]]) -> Network:
    """Tables drawn at random, some of their entries 0 or tiny."""
    generator = np.random.default_rng(7)
    order = {v: k for k, v in enumerate(variables)}
    tables = {}
    for v in variables:
        shape = [len(states[u]) for u in (*sorted(parents.get(v, []), key=order.__getitem__), v)]
        weights = generator.gamma(0.5, size=shape) + 1e-12
        weights[..., 0] *= generator.random(shape[:-1]) < 0.8
        tables[v] = weights / weights.sum(axis=-1, keepdims=True)
    return Network(variables, parents, states, tables)


def random_dag(n: int, seed: int, max_parents: int = 3) -> dict[str, list[str]]:
    """Parents of V0 ... in a random order of the variables."""
    generator = np.random.default_rng(seed)
    order = [f"V{k}" for k in generator.permutation(n)]
    parents = {}
    for k, v in enumerate(order):
        size = min(k, int(generator.integers(0, max_parents + 1)))
        parents[v] = [str(p) for p in generator.choice(order[:k], size=size, replace=False)]
    return parents


def asia() -> Network:
    """Lauritzen and Spiegelhalter's Asia, 1988."""
    yes_no = ["yes", "no"]
    parents = {
        "tub": ["asia"], "lung": ["smoke"], "bronc": ["smoke"], "either": ["lung", "tub"], "xray": ["either"],
        "dysp": ["bronc", "either"],
    }  # fmt: skip
    names = ["asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"]
    tables = {
        "asia": [0.01, 0.99],
        "tub": [[0.05, 0.95], [0.01, 0.99]],
        "smoke": [0.5, 0.5],
        "lung": [[0.1, 0.9], [0.01, 0.99]],
        "bronc": [[0.6, 0.4], [0.3, 0.7]],
        "either": [[[1, 0], [1, 0]], [[1, 0], [0, 1]]],
        "xray": [[0.98, 0.02], [0.05, 0.95]],
        "dysp": [[[0.9, 0.1], [0.8, 0.2]], [[0.7, 0.3], [0.1, 0.9]]],
    }
    return Network(names, parents, dict.fromkeys(names, yes_no), tables)


def random_network(n: int) -> Network:
    """n variables with 2 to 4 states and up to 3 parents."""
    names = [f"V{k}" for k in range(n)]
    states = {v: [f"s{j}" for j in range(2 + k % 3)] for k, v in enumerate(names)}
    return with_random_tables(names, random_dag(n, seed=3), states)


def large() -> Network:
    """As many variables as Alarm has."""
    return random_network(37)


def middling() -> Network:
    """Other programs take long to read larger ones."""
    return random_network(15)


def hell() -> Network:
    """Names and states that break careless writers."""
    parents = {HELL[k]: [HELL[j] for j in {(k * 7) % k, k // 2}] for k in range(2, len(HELL))}
    return with_random_tables(HELL, parents, {v: HELL_STATES[: 2 + k % 4] for k, v in enumerate(HELL)})


NETWORKS = {"asia": asia, "15 variables": middling, "names from hell": hell}

"""Exact posteriors: equal to trying every network, by both priors, for every score that has one, under knowledge."""

from __future__ import annotations

import itertools
import json
import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import sabna
from sabna._native import core
from sabna.averaging.posterior import MARGINAL, MOST_EXACT
from sabna.averaging.probabilities import Posterior
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import KnowledgeError, LimitReached, UsageError
from sabna.base.stop import Stop
from sabna.cli.app import run
from sabna.parents.builders.gaussian import gaussian_costs
from sabna.scores.local import local_costs
from sabna.scores.registry import score_type
from tests.all_networks import acyclic

Ints = np.ndarray[Any, np.dtype[np.int64]]


@cache
def every_network(n: int) -> tuple[Ints, Ints]:
    """The parents of each variable as bits, of every network over n variables; and how many orders each agrees with."""
    choices = [[s for s in range(1 << n) if not s >> i & 1] for i in range(n)]
    grid = np.stack(np.meshgrid(*choices, indexing="ij"), axis=-1).reshape(-1, n)
    orders = {0: np.ones(len(grid), dtype=np.int64)}
    for U in range(1, 1 << n):
        orders[U] = sum(  # type: ignore[assignment]
            np.where(grid[:, i] & ~(U ^ (1 << i)) == 0, orders[U ^ (1 << i)], 0) for i in range(n) if U >> i & 1
        )
    some = orders[(1 << n) - 1] > 0
    return grid[some], orders[(1 << n) - 1][some]


def test_the_enumeration_has_every_network() -> None:
    assert [len(every_network(n)[0]) for n in (1, 2, 3, 4, 5)] == [1, 3, 25, 543, 29281]
    for parents in every_network(3)[0]:
        assert acyclic(tuple(tuple(p for p in range(3) if s >> p & 1) for s in parents))


def costs_of(table: Any, score: str, **parameters: float) -> Ints:
    """The cost in quanta of every family: [variable, set]; of a variable under itself 0, never used."""
    n = table.n
    out = np.zeros((n, 1 << n), dtype=np.int64)
    sets = [(i, s) for i, s in itertools.product(range(n), range(1 << n)) if not s >> i & 1]
    families = [(i, [p for p in range(n) if s >> p & 1]) for i, s in sets]
    if score_type(score).continuous:
        named = [(table.names[i], [table.names[p] for p in parents]) for i, parents in families]
        costs = gaussian_costs(table, named, score, **parameters)
    else:
        costs = local_costs(table, families, score, **parameters).tolist()
    for (i, s), cost in zip(sets, costs, strict=True):
        out[i, s] = cost
    return out


def truth(costs: Ints, prior: str, obeys: Any = None) -> tuple[np.ndarray[Any, Any], float]:
    """Probabilities of edges [parent, child] and ln of the sum, by trying every network."""
    n = len(costs)
    parents, orders = every_network(n)
    if obeys is not None:
        kept = np.array([obeys(row) for row in parents])
        parents, orders = parents[kept], orders[kept]
    total = costs[np.arange(n), parents].sum(axis=1)
    logs = -(total - total.min()) / QUANTA_PER_NAT + (np.log(orders) if prior == "order" else 0.0)
    weights = np.exp(logs - logs.max())
    edges = np.array([[weights[(parents[:, j] >> u & 1) == 1].sum() for j in range(n)] for u in range(n)])
    return edges / weights.sum(), float(np.log(weights.sum()) + logs.max() - total.min() / QUANTA_PER_NAT)


def categories(n: int, rows: int, seed: int) -> sabna.Table:
    """Columns of 2 or 3 states that depend on each other; from four columns on a copy and a constant are among them."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (n, rows))
    for i in range(1, n):
        copied = rng.random(rows) < 0.7
        codes[i, copied] = codes[i - 1, copied]
    if n > 3:
        codes[2], codes[3] = codes[0], 0
    arities = [max(2, int(column.max()) + 1) if k != 3 else 1 for k, column in enumerate(codes)]
    states = tuple(tuple(map(str, range(r))) for r in arities)
    return sabna.Table(tuple("abcdefgh"[:n]), codes.astype(np.uint16), states)


def numbers(n: int, rows: int, seed: int) -> sabna.NumericTable:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, rows))
    for i in range(1, n):
        values[i] += rng.normal() * values[i - 1]
    return sabna.NumericTable(tuple("abcdefgh"[:n]), values)


def check(found: Posterior, costs: Ints, prior: str, obeys: Any = None) -> None:
    edges, log_total = truth(costs, prior, obeys)
    assert np.abs(found.edges - edges).max() < 1e-9
    assert found.log_total == pytest.approx(log_total, abs=1e-9, rel=1e-12)


@pytest.mark.parametrize("prior", ["uniform", "order"])
@pytest.mark.parametrize("score", [s for s in MARGINAL if not score_type(s).continuous and score_type(s).mixed is None])
@pytest.mark.parametrize(("n", "rows"), [(1, 1), (1, 20), (2, 1), (3, 7), (4, 40), (5, 100)])
def test_equal_to_trying_every_network_of_categories(n: int, rows: int, score: str, prior: str) -> None:
    table = categories(n, rows, n)
    check(sabna.posterior(table, score, prior=prior), costs_of(table, score), prior)


@pytest.mark.parametrize("prior", ["uniform", "order"])
@pytest.mark.parametrize("score", [s for s in MARGINAL if score_type(s).continuous])
@pytest.mark.parametrize(("n", "rows"), [(2, 9), (4, 30), (5, 2000)])
def test_equal_to_trying_every_network_of_numbers(n: int, rows: int, score: str, prior: str) -> None:
    """2,000 rows: weights differ by exp(1,000) and more."""
    table = numbers(n, rows, n)
    check(sabna.posterior(table, score, prior=prior), costs_of(table, score), prior)


@pytest.mark.parametrize("score", [s for s in MARGINAL if score_type(s).mixed])
def test_equal_to_trying_every_network_of_mixed_columns(score: str) -> None:
    """Networks with a category below a number have no score, and no probability."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 2, 60), rng.integers(0, 3, 60)
    data = {"a": [f"s{x}" for x in a], "b": [f"s{x}" for x in (a + b) % 3], "x": (a + rng.normal(size=60)).tolist()}
    data["y"] = (np.array(data["x"]) + rng.normal(size=60)).tolist()
    parents, orders = every_network(4)
    edges = {"uniform": np.zeros((4, 4)), "order": np.zeros((4, 4))}
    total = dict.fromkeys(edges, 0.0)
    base = sabna.Network("abxy", {}).score(data, score)
    for row, ways in zip(parents.tolist(), orders.tolist(), strict=True):
        if (row[0] | row[1]) & 0b1100:
            continue
        network = sabna.Network(
            "abxy", {v: [p for k, p in enumerate("abxy") if s >> k & 1] for v, s in zip("abxy", row, strict=True)}
        )
        likely = math.exp(network.score(data, score) - base)
        for prior, weight in (("uniform", likely), ("order", likely * ways)):
            total[prior] += weight
            edges[prior] += weight * np.array([[s >> u & 1 for s in row] for u in range(4)])
    for prior in edges:
        found = sabna.posterior(data, score, prior=prior)
        assert np.abs(found.edges - edges[prior] / total[prior]).max() < 1e-9


def test_parameters_of_the_score_count() -> None:
    table = categories(4, 40, 5)
    costs = costs_of(table, "bdeu", equivalent_sample_size=20.0)
    check(sabna.posterior(table, equivalent_sample_size=20), costs, "uniform")


@pytest.mark.parametrize("prior", ["uniform", "order"])
def test_knowledge_leaves_out_the_networks_that_disobey(prior: str) -> None:
    table = categories(5, 60, 9)
    known = sabna.Knowledge(
        required=[("a", "b")], forbidden=[("c", "b")], tiers=[["a"], ["b", "c"], ["e"]], max_parents={"e": 2}
    )

    def obeys(parents: Any) -> bool:
        named = {v: [p for k, p in enumerate("abcde") if s >> k & 1] for v, s in zip("abcde", parents, strict=True)}
        return not known.violations(named)

    found = sabna.posterior(table, knowledge=known, prior=prior, samples=200)
    check(found, costs_of(table, "bdeu"), prior, obeys)
    assert found.probability("a", "b") == pytest.approx(1, abs=1e-12)
    assert not any(known.violations(network.parents) for network in found.networks)
    limited = sabna.posterior(table, max_parents=1, prior=prior)
    check(limited, costs_of(table, "bdeu"), prior, lambda parents: all(int(s).bit_count() <= 1 for s in parents))


def test_knowledge_that_no_network_obeys() -> None:
    with pytest.raises(KnowledgeError):
        sabna.posterior("example:asia", knowledge={"required": ["tub -> lung", "lung -> tub"]})


def random_arrays(n: int, block: int, spread: float, seed: int) -> tuple[Ints, Ints, Any]:
    """Random costs of all parent sets inside blocks of variables; larger sets cost more."""
    rng = np.random.default_rng(seed)
    offsets, costs, sets = [0], [], []
    for i in range(n):
        first = i // block * block
        inside = [s << first for s in range(1 << min(block, n - first)) if not (s << first) >> i & 1]
        sizes = np.array([s.bit_count() for s in inside])
        drawn = ((rng.random(len(inside)) * spread + sizes * spread) * QUANTA_PER_NAT).astype(np.int64)
        order = np.argsort(drawn, kind="stable")
        costs.append(drawn[order])
        sets.append(np.array(inside, dtype=np.uint64)[order])
        offsets.append(offsets[-1] + len(inside))
    return np.array(offsets), np.concatenate(costs), np.concatenate(sets).reshape(-1, 1)


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("spread", [0.2, 30.0])
def test_signs_that_cancel_leave_the_digits(uniform: bool, spread: float) -> None:
    """Blocks that no edge joins: under the uniform prior the whole is their product, and each block is as by itself.

    Few edges make the most terms that cancel, up to 5e10 for 13 variables: in doubles 5 digits would be left.
    """
    n, block = 13, 4
    offsets, costs, sets = random_arrays(n, block, spread, 3)
    found = core.posterior(offsets, costs, sets, uniform, 0, 0, 1, core.Limits())
    edges, total = found.edges.reshape(n, n), 0.0
    for first in range(0, n, block):
        last = min(first + block, n)
        at = slice(offsets[first], offsets[last])
        here = (offsets[first : last + 1] - offsets[first], costs[at], sets[at] >> np.uint64(first))
        alone = core.posterior(*here, uniform, 0, 0, 1, core.Limits())
        total += alone.log_total
        size = last - first
        assert np.abs(edges[first:last, first:last] - alone.edges.reshape(size, size)).max() < 1e-12
        edges[first:last, first:last] = 0
    assert np.abs(edges).max() == 0
    orders = 0.0 if uniform else math.lgamma(14) - 3 * math.lgamma(5)  # the blocks' orders interleave freely
    assert found.log_total == pytest.approx(total + orders, abs=1e-9)


@pytest.mark.parametrize("uniform", [True, False])
def test_the_number_of_threads_does_not_matter(uniform: bool) -> None:
    arrays = random_arrays(9, 9, 1.0, 1)
    one, three = (core.posterior(*arrays, uniform, 50, 5, threads, core.Limits()) for threads in (1, 3))
    assert (one.edges == three.edges).all()
    assert (one.choices == three.choices).all()
    assert one.log_total == three.log_total


@pytest.mark.parametrize("prior", ["uniform", "order"])
def test_draws_are_from_the_posterior(prior: str) -> None:
    """Every network as often as its probability says, by a chi-squared test; and the first draws stay the same."""
    table = categories(4, 12, 4)
    found = sabna.posterior(table, prior=prior, samples=4000, seed=11)
    parents, orders = every_network(4)
    logs = -costs_of(table, "bdeu")[np.arange(4), parents].sum(axis=1) / QUANTA_PER_NAT
    weights = np.exp(logs - logs.max()) * (orders if prior == "order" else 1)
    expected = 4000 * weights / weights.sum()
    row_of = {tuple(row): k for k, row in enumerate(parents.tolist())}
    counts = np.bincount([row_of[tuple(row)] for row in found.drawn[:, :, 0].tolist()], minlength=len(parents))
    often = expected >= 5
    seen = np.array([*counts[often], counts[~often].sum()])
    wanted = np.array([*expected[often], expected[~often].sum()])
    free = len(seen) - 1
    assert free > 20
    assert ((seen - wanted) ** 2 / wanted).sum() < free + 5 * math.sqrt(2 * free)
    again = sabna.posterior(table, prior=prior, samples=40, seed=11)
    assert (again.drawn == found.drawn[:40]).all()
    assert (sabna.posterior(table, prior=prior, samples=40, seed=12).drawn != again.drawn).any()


def test_paths_and_features() -> None:
    table = categories(4, 12, 4)
    found = sabna.posterior(table, samples=3000, seed=2)
    share, error = found.feature(lambda network: ("a", "b") in network.edges)
    assert error == pytest.approx(math.sqrt(share * (1 - share) / 3000))
    assert abs(share - found.probability("a", "b")) < 5 * error
    parents, _ = every_network(4)
    logs = -costs_of(table, "bdeu")[np.arange(4), parents].sum(axis=1) / QUANTA_PER_NAT
    weights = np.exp(logs - logs.max())
    reaches = [0] * len(parents)
    for k, row in enumerate(parents.tolist()):
        above = row[1]  # the ancestors of b
        for _ in range(4):
            for v in range(4):
                above |= row[v] if above >> v & 1 else 0
        reaches[k] = above & 1
    exact = float(weights @ reaches / weights.sum())
    share, error = found.path("a", "b")
    assert error is not None
    assert abs(share - exact) < 5 * error
    with pytest.raises(UsageError, match="samples"):
        sabna.posterior(table).path("a", "b")
    with pytest.raises(UsageError, match="no variable 'z'"):
        found.path("a", "z")
    with pytest.raises(UsageError, match="cycles"):
        found.path("a", "a")


def test_the_best_network_is_as_probable_as_its_score_says() -> None:
    """log_total has the sign and the scale of the score."""
    best = sabna.learn("example:asia", "bdeu")
    found = sabna.posterior("example:asia", samples=4000, seed=3)
    assert found.log_total is not None
    probability = math.exp(best.score - found.log_total)
    share, error = found.feature(lambda network: network == best.network)
    assert error is not None
    assert 0 < probability < 1
    assert abs(share - probability) < 5 * error


def test_beyond_all_networks_the_k_best_count_relative_to_each_other() -> None:
    found, listed = sabna.posterior("example:asia", method="kbest", k=30), sabna.kbest("example:asia", 30, score="bdeu")
    assert not found.exact
    assert found.log_total is None
    assert found.edge_probabilities == pytest.approx(listed.edge_frequencies)
    assert [network.edges for network in found.networks] == [network.edges for network in listed.networks]
    share, error = found.path("smoke", "lung")
    assert error is None
    assert share == pytest.approx(sum(w for w, net in zip(listed.weights, listed.networks, strict=True) if leads(net)))
    assert "not probabilities" in str(found)


def leads(network: sabna.Network) -> bool:
    import networkx

    return bool(networkx.has_path(network.to_networkx(), "smoke", "lung"))


def test_many_variables_go_to_the_k_best() -> None:
    n = MOST_EXACT + 1
    codes = np.random.default_rng(0).integers(0, 2, (n, 50)).astype(np.uint16)
    table = sabna.Table(tuple(f"v{k}" for k in range(n)), codes, (("0", "1"),) * n)
    assert not sabna.posterior(table, "bic", k=3, max_parents=1).exact
    with pytest.raises(UsageError, match="at most 22"):
        sabna.posterior(table, method="exact")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"score": "aic"}, "marginal likelihood"),
        ({"prior": "flat"}, "choose one of uniform, order"),
        ({"samples": -1}, "samples"),
        ({"method": "kbest", "samples": 5}, "listed, not drawn"),
        ({"method": "kbest", "prior": "order"}, "leave the prior out"),
        ({"k": 0}, "k 0"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        sabna.posterior("example:asia", **options)


@pytest.mark.parametrize("limit", [{"time_limit": 0.0}, {"memory_limit": "1MB"}])
def test_limits_end_it_with_their_name(limit: dict[str, Any]) -> None:
    with pytest.raises(LimitReached) as caught:
        sabna.posterior("example:asia", **limit)
    assert caught.value.status == next(iter(limit))


@pytest.mark.parametrize("prior", [True, False])
def test_ctrl_c_and_limits_strike_inside_the_sums(prior: bool) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    arrays, short = random_arrays(15, 15, 1.0, 1), core.posterior_bytes(15, 1) - 1
    assert core.posterior(*arrays, prior, 0, 0, 1, core.Limits(), interrupt).stop == Stop.interrupted
    assert core.posterior(*arrays, prior, 0, 0, 1, core.Limits(seconds=0.0)).stop == Stop.time_limit
    assert core.posterior(*arrays, prior, 0, 0, 1, core.Limits(bytes=short)).stop == Stop.memory_limit


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["posterior", "example:asia", "--path", "smoke -> dysp", "--samples", "50", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    found = sabna.posterior("example:asia", samples=50)
    assert document["exact"]
    assert (document["prior"], document["score_type"]) == ("uniform", "bdeu")
    assert len(document["pairs"]) == 28
    for pair in document["pairs"]:
        assert pair["a_to_b"] == found.probability(pair["a"], pair["b"])
        assert pair["b_to_a"] == found.probability(pair["b"], pair["a"])
        assert pair["none"] == pytest.approx(1 - pair["a_to_b"] - pair["b_to_a"])
    assert document["paths"][0]["probability"] == found.path("smoke", "dysp")[0]
    assert run(["posterior", "example:asia", "--prior", "order"]) == 0
    text = capsys.readouterr().out
    assert "order-modular" in text
    assert "smoke - bronc" in text
    assert run(["posterior", "example:asia", "--path", "smoke"]) == 2
    assert run(["posterior", "example:asia", "--score", "aic"]) == 2
    assert run(["posterior", "example:asia", "--time-limit", "0"]) == 10

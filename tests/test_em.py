"""Structural EM: expected counts, the M-step and the trace, against enumeration; and what is said of the result."""

from __future__ import annotations

import itertools
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import DataError, LimitReached, UsageError
from sabna.base.limits import Limits
from sabna.expectation import completions
from sabna.expectation.completions import Completions, ExpectedCounts
from sabna.expectation.families import graph_of_counts
from sabna.expectation.structural import learn_by_em, penalty
from sabna.network import Network
from sabna.parents.builders.own import graph_from_scores
from sabna.table.mixed import MixedTable
from tests.all_networks import all_networks
from tests.test_mixed_scores import mixed_table


def em_settings(**given: Any) -> dict[str, Any]:
    return {"max_parents": None, "knowledge": None, "em_starts": 3, "seed": 0, **given}


def holes(seed: int, n: int = 4, rows: int = 60, gaps: float = 0.2) -> MixedTable:
    return mixed_table(seed, n=n, rows=rows, gaps=gaps, discrete=n)


def probability(network: Network, row: dict[str, int]) -> float:
    assert network.tables is not None
    return math.prod(
        float(network.tables[v][tuple(row[u] for u in (*network.parents[v], v))]) for v in network.variables
    )


def counts_by_hand(network: Network, table: MixedTable, members: tuple[int, ...]) -> tuple[dict[Any, float], float]:
    """Expected counts of some variables, and the log-likelihood, row by row and completion by completion."""
    found: dict[Any, float] = {}
    observed = 0.0
    for r in range(table.rows):
        options = [
            range(table.arities[k]) if table.missing(k)[r] else [int(table.columns[k][r])] for k in range(table.n)
        ]
        every = list(itertools.product(*options))
        chances = [probability(network, dict(zip(table.names, codes, strict=True))) for codes in every]
        observed += math.log(sum(chances))
        for codes, chance in zip(every, chances, strict=True):
            cell = tuple(codes[k] for k in members)
            found[cell] = found.get(cell, 0.0) + chance / sum(chances)
    return found, observed


def a_network(table: MixedTable, seed: int) -> Network:
    rng = np.random.default_rng(seed)
    names = table.names
    parents = {names[1]: [names[0]], names[3]: [names[0], names[2]]}
    network = Network(names, parents)
    arity = dict(zip(names, table.arities, strict=True))
    tables = {v: rng.dirichlet(np.ones(arity[v]), size=tuple(arity[p] for p in network.parents[v])) for v in names}
    states = {v: s for v, s in zip(names, table.states, strict=True) if s is not None}
    return network.with_parameters(states=states, tables=tables)


@pytest.mark.parametrize("seed", range(2))
def test_expected_counts_are_those_of_every_completion_of_every_row(seed: int) -> None:
    table = holes(seed)
    network = a_network(table, seed)
    made = Completions.of(table)
    assert network.tables is not None
    weights, observed = made.weighted(network.parents, network.tables)
    counted = ExpectedCounts(made, weights)
    for members in ((0,), (1, 3), (0, 2, 3)):
        by_hand, log_likelihood = counts_by_hand(network, table, members)
        assert observed == pytest.approx(log_likelihood)
        array = counted.counts(members)
        for cell in np.ndindex(*array.shape):
            assert array[cell] == pytest.approx(by_hand.get(cell, 0.0), abs=1e-9)
    above, _ = counts_by_hand(network, table, (0, 2))
    whole, _ = counts_by_hand(network, table, (0, 2, 3))
    cost = sum(c * math.log(c) for c in above.values() if c > 0) - sum(c * math.log(c) for c in whole.values() if c > 0)
    free = (table.arities[3] - 1) * table.arities[0] * table.arities[2]
    assert counted.cost(3, (2, 0)) / QUANTA_PER_NAT == pytest.approx(cost + free * math.log(table.rows) / 2, abs=1e-6)


def test_expected_counts_are_those_of_an_inference_library() -> None:
    """Posteriors of a family given each row, by pyAgrum, added up."""
    gum = pytest.importorskip("pyagrum")
    table = holes(4, gaps=0.3)
    network = a_network(table, 4)
    assert network.tables is not None
    made = Completions.of(table)
    counted = ExpectedCounts(made, made.weighted(network.parents, network.tables)[0])
    model, members = network.to_pyagrum(), (0, 2, 3)
    names = [table.names[v] for v in members]
    total = np.zeros([table.arities[v] for v in members])
    for row in range(table.rows):
        shown = {v: int(table.columns[v][row]) for v in range(table.n) if not table.missing(v)[row]}
        engine = gum.LazyPropagation(model)
        engine.setEvidence({table.names[v]: code for v, code in shown.items()})
        hidden = {table.names[v] for v in members if v not in shown}
        if hidden:
            engine.addJointTarget(hidden)
            engine.makeInference()
            found = engine.jointPosterior(hidden)
        for cell in np.ndindex(*total.shape):
            codes = dict(zip(names, cell, strict=True))
            if all(shown.get(v, code) == code for v, code in zip(members, cell, strict=True)):
                total[cell] += found[{v: codes[v] for v in hidden}] if hidden else 1.0
    assert counted.counts(members) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_trace_never_falls_and_its_end_is_the_best_network_of_its_counts(seed: int) -> None:
    table = holes(seed, gaps=0.25)
    result = learn_by_em(table, em_settings(), Limits(), {"gap_tolerance": 0})
    about = result.statistics["em"]
    scores = [point["observed_score"] for point in about["trace"]]
    assert all(b >= a - 1e-9 * abs(a) for a, b in itertools.pairwise(scores))
    assert result.status == "converged"
    assert about["observed_score"] == max(start["observed_score"] for start in about["starts"])
    # The last round again: weights by the network's own tables of maximum likelihood, and all networks tried.
    made = Completions.of(table)
    counts = None
    network = result.network
    assert network.tables is not None
    tables = network.tables
    for _ in range(400):
        weights, observed = made.weighted(network.parents, tables)
        counts = ExpectedCounts(made, weights)
        tables = counts.tables(network.parents)
    assert counts is not None
    assert observed - penalty(network, table) == pytest.approx(scores[-1], abs=0.01)
    cost = {(i, ps): counts.cost(i, ps) for network4 in all_networks(4) for i, ps in enumerate(network4)}
    best = min(sum(cost[i, ps] for i, ps in enumerate(parents)) for parents in all_networks(4))
    place = {name: k for k, name in enumerate(table.names)}
    own = sum(cost[place[v], tuple(sorted(place[p] for p in ps))] for v, ps in network.parents.items())
    assert own - best <= 0.01 * QUANTA_PER_NAT
    assert result.cost_quanta / QUANTA_PER_NAT == pytest.approx(own / QUANTA_PER_NAT, abs=0.05)
    assert result.local_costs is not None
    assert sum(result.local_costs.values()) == result.cost_quanta


@pytest.mark.parametrize("seed", range(4))
def test_the_candidates_are_those_of_scoring_every_set(seed: int) -> None:
    """Rules leave sets out unseen: the graph is that of all of them, under knowledge and limits too."""
    table = holes(seed, n=6, rows=40 * (seed + 1), gaps=0.15)
    made = Completions.of(table)
    sizes = np.random.default_rng(seed).random(len(made.owner))
    weights = sizes * made.times[made.owner] / np.add.reduceat(sizes, made.first)[made.owner]
    counts = ExpectedCounts(made, weights)
    place = {name: k for k, name in enumerate(table.names)}

    def score(child: str, parents: tuple[str, ...]) -> float:
        return -counts.cost(place[child], [place[p] for p in parents]) / QUANTA_PER_NAT

    known = {"required": [["a", "b"]], "forbidden": [["c", "d"]]}
    for options in ({}, {"max_parents": 2}, {"knowledge": known}):
        every = graph_from_scores(table.names, score, **options)
        quick = graph_of_counts(counts, Limits(), **options)
        assert [quick.offsets.tolist(), quick.costs.tolist()] == [every.offsets.tolist(), every.costs.tolist()]
        assert np.array_equal(quick.sets, every.sets)


def test_rules_leave_most_sets_unseen() -> None:
    """Once every set was scored, and 20 columns without a limit of parents could not be done."""
    rng = np.random.default_rng(1)
    base = rng.integers(0, 3, (12, 100))
    base[1::2] = np.where(rng.random((6, 100)) < 0.9, base[::2], base[1::2])
    table = MixedTable(tuple("abcdefghijkl"), tuple(base.astype(np.uint16)), (("0", "1", "2"),) * 12)
    made = Completions.of(table)
    counts = ExpectedCounts(made, made.times)
    assert len(graph_of_counts(counts, Limits())) > 12
    assert len(counts._sums) < 2**12 / 4


def test_without_holes_it_is_the_optimal_network() -> None:
    table = holes(1, gaps=0.0)
    result = learn_by_em(table, em_settings(), Limits(), {})
    best = sabna.learn({v: table.columns[k].tolist() for k, v in enumerate(table.names)}, "bic")
    assert result.cost == pytest.approx(best.cost, abs=1e-6)
    assert result.statistics["em"]["observed_score"] == pytest.approx(best.score, abs=1e-6)


def frame(seed: int = 3) -> dict[str, list[Any]]:
    table = holes(seed, rows=120)
    return {
        v: [None if gone else f"s{code}" for code, gone in zip(table.columns[k], table.missing(k), strict=True)]
        for k, v in enumerate(table.names)
    }


def test_nobody_calls_the_result_proven(tmp_path: Path) -> None:
    result = sabna.learn(frame(), missing="em", em_starts=2)
    assert result.status == "converged"
    assert not result.is_optimal
    assert result.to_dict()["status"] == "converged"
    text = str(result)
    assert "proven" not in text
    assert "optimal given the completed counts of the last round" in text
    assert "round by round" in text
    result.save(tmp_path / "net.json")
    again = sabna.read_result(tmp_path / "net.json")
    assert again.status == "converged"
    again.save(tmp_path / "net.html")
    page = (tmp_path / "net.html").read_text()
    assert "proven" not in page.lower().replace("proven by", "")
    assert "completed counts of the last round" in page
    assert result.network.tables is not None
    assert math.isfinite(result.network.log_likelihood(frame()))
    result.save(tmp_path / "net.bif")
    assert json.loads((tmp_path / "net.json").read_text())["em"]["starts"][0]["start"] == "independent columns"


def test_the_same_seed_gives_the_same_result_and_knowledge_is_obeyed() -> None:
    one, two = (sabna.learn(frame(), missing="em", seed=5) for _ in range(2))
    assert one.network == two.network
    assert one.statistics["em"]["trace"] == two.statistics["em"]["trace"]
    a, b = "ab"
    known = sabna.learn(frame(), missing="em", knowledge={"required": [[a, b]]}, max_parents=1)
    assert a in known.network.parents[b]
    assert all(len(parents) <= 1 for parents in known.network.parents.values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"certificate": "proof.cert"}, "no proof about the data"),
        ({"work": "run"}, "not together"),
        ({"score": "bdeu"}, "use bic"),
        ({"missing": "drop", "em_starts": 3}, 'belongs to missing="em"'),
    ],
)
def test_what_em_cannot_do_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sabna.learn(frame(), **{"missing": "em", **options})


def test_other_commands_and_too_many_holes_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="only learn"):
        sabna.kbest(frame(), missing="em")
    with pytest.raises(UsageError, match="only learn"):
        sabna.read_table(frame(), missing="em")
    monkeypatch.setattr(completions, "MOST_COMPLETIONS", 100)
    with pytest.raises(DataError, match="leave out columns with many holes"):
        sabna.learn(frame(), missing="em")


def test_a_time_limit_is_kept() -> None:
    over = Limits(1.0, started=time.monotonic() - 10)
    with pytest.raises(LimitReached):
        sabna.learn(frame(), missing="em", limits=over)

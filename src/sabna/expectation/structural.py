"""Structural EM (Friedman 1997) with an exact search as its M-step: `missing="em"`.

A round: the network so far weighs all completions of the rows (E-step, completions.py), its tables are improved by a
few rounds of plain EM, and the network that is best for the expected counts under bic follows, proven by the search,
with its tables (M-step). If the best one is no better than
the structure so far, that stays. Then the bic of what the rows show, its log-likelihood less the penalty, never falls
from round to round: the expected score, as a function of the new network, is a lower bound of it up to a constant, and
touches it at the old one. It is noted for every round, and the tests hold it to that.

The end is a fixed point, one of several: a local method. So it is begun from several starts: independent columns, the
complete rows, and random completions; and what is returned says "optimal given the completed counts of the last
round", never "proven optimal" of the data. Its cost and bounds are those of that round's search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import Interrupted, LimitReached
from sabna.base.limits import Limits, peak_memory
from sabna.expectation.completions import Completions, ExpectedCounts
from sabna.expectation.families import graph_of_counts
from sabna.network import Network
from sabna.network.strengths import Family, strengths
from sabna.result.result import ESTIMATE, Result
from sabna.searching.search import search
from sabna.table.mixed import MixedTable

Floats = NDArray[np.float64]

# Rounds of one start: more than any that was seen to end needs, so a bound on the work.
MOST_ROUNDS = 200
# A start has ended when its structure stays and a round adds less than this to the observed score, in nats.
LEAST_GAIN = 1e-6
# Between two searches the tables alone are improved so many times: that costs next to nothing.
SWEEPS = 20
# Rows that the first tables of a start are smoothed by, so that no row is impossible under them.
FIRST_PRIOR = 1.0


@dataclass
class Climb:
    """One start: its rounds' observed scores, and where it is."""

    start: str
    network: Network
    counts: ExpectedCounts
    result: Result  # of the last search
    trace: list[dict[str, Any]] = field(default_factory=list)
    ended: bool = False

    @property
    def observed(self) -> float:
        """The bic of what the rows show."""
        return float(self.trace[-1]["observed_score"]) if self.trace else -np.inf


def learn_by_em(table: MixedTable, settings: Mapping[str, Any], limits: Limits, searching: Mapping[str, Any]) -> Result:
    """The best network that several starts of structural EM reach; `searching` are options of `search`.

    When a limit strikes, the best one so far; its status says so.
    """
    completions = Completions.of(table)
    how = {"max_parents": settings["max_parents"], "knowledge": settings["knowledge"]}
    status, climbs = "converged", list[Climb]()
    try:
        for name, weights in _starts(completions, table, settings["em_starts"], settings["seed"]):
            counts = ExpectedCounts(completions, weights)
            network, result = _best(counts, how, limits, searching, None)
            tables = counts.tables(network.parents, FIRST_PRIOR)
            climbs.append(Climb(name, network.with_parameters(states=_states(table), tables=tables), counts, result))
            _climb(climbs[-1], table, how, limits, searching)
    except (LimitReached, Interrupted) as stop:
        if not any(climb.trace for climb in climbs):
            raise
        status = "interrupted" if isinstance(stop, Interrupted) else stop.status
    best = max((climb for climb in climbs if climb.trace), key=lambda climb: climb.observed)
    found = _described(best, climbs, table, status, limits)
    if status == "interrupted":
        raise Interrupted("interrupted; the best network of EM so far is in `result`", found)
    return found


def _starts(completions: Completions, table: MixedTable, count: int, seed: int) -> list[tuple[str, Floats]]:
    """Weights of completions to begin with: independent columns, complete rows (if there are), random completions."""
    alone = Network(table.names, {})
    single: dict[str, Floats] = {}
    for k, name in enumerate(table.names):
        shown = np.bincount(table.columns[k][~table.missing(k)].astype(np.int64), minlength=table.arities[k])
        single[name] = shown / shown.sum()
    weights, _ = completions.weighted(alone.parents, single)
    found = [("independent columns", weights)]
    sizes = np.bincount(completions.owner)
    if (sizes == 1).sum() > 1:
        found.append(("complete rows", np.where(sizes[completions.owner] == 1, weights, 0.0)))
    generator = np.random.default_rng(seed)
    while len(found) < count:
        chosen = np.zeros(len(weights))
        draws = generator.random(len(sizes)) * completions.times
        for row, begin in enumerate(completions.first):
            running = np.cumsum(weights[begin : begin + sizes[row]])
            chosen[begin + min(int(np.searchsorted(running, draws[row])), sizes[row] - 1)] = completions.times[row]
        found.append((f"random completion {len(found)}", chosen))
    return found[:count]


def _climb(
    climb: Climb, table: MixedTable, how: Mapping[str, Any], limits: Limits, searching: Mapping[str, Any]
) -> None:
    """Rounds of one start, until nothing changes any more."""
    completions = climb.counts.completions
    for _ in range(MOST_ROUNDS):
        limits.check_time("going through rounds of EM")
        before, parents = climb.observed, climb.network.parents
        counts, observed = _swept(completions, climb.network)
        score = observed - penalty(climb.network, table)
        network, result = _best(counts, how, limits, searching, climb.network)
        same = network.parents == parents
        climb.trace.append({"observed_score": score, "edges": len(climb.network.edges)})
        climb.counts, climb.result = counts, result
        if same and score - before < LEAST_GAIN:
            climb.ended = True
            return
        climb.network = network.with_parameters(states=_states(table), tables=counts.tables(network.parents))


def _swept(completions: Completions, network: Network) -> tuple[ExpectedCounts, float]:
    """The counts of a structure whose tables were improved, and the log-likelihood under these."""
    assert network.tables is not None
    tables: Mapping[str, Floats] = network.tables
    weights, observed = completions.weighted(network.parents, tables)
    for _ in range(SWEEPS):
        before = observed
        tables = ExpectedCounts(completions, weights).tables(network.parents)
        weights, observed = completions.weighted(network.parents, tables)
        if observed - before < LEAST_GAIN:
            break
    return ExpectedCounts(completions, weights), observed


def _best(
    counts: ExpectedCounts,
    how: Mapping[str, Any],
    limits: Limits,
    searching: Mapping[str, Any],
    current: Network | None,
) -> tuple[Network, Result]:
    """The best network for these counts, proven; the current structure if that is as good."""
    place = {name: k for k, name in enumerate(counts.completions.names)}
    graph = graph_of_counts(counts, limits, **how)
    result = search(graph, limits=limits, **searching)
    if result.status != "optimal":
        raise LimitReached("a limit struck while a round of EM was searched", result.status)
    if current is not None:
        cost = sum(counts.cost(place[v], [place[p] for p in parents]) for v, parents in current.parents.items())
        if cost <= result.cost_quanta:
            return current, replace(result, network=current, cost_quanta=cost)
    return result.network, result


def penalty(network: Network, table: MixedTable) -> float:
    """The penalty of bic for a network of the table, in nats."""
    arity = dict(zip(table.names, table.arities, strict=True))
    free = sum((arity[v] - 1) * int(np.prod([arity[p] for p in above])) for v, above in network.parents.items())
    return float(np.log(max(table.rows, 1)) / 2 * free)


def _states(table: MixedTable) -> dict[str, tuple[str, ...]]:
    return {name: states for name, states in zip(table.names, table.states, strict=True) if states is not None}


def _described(best: Climb, climbs: Sequence[Climb], table: MixedTable, status: str, limits: Limits) -> Result:
    """The result: network, tables, costs and strengths by the completed counts of the last round."""
    counts, place = best.counts, {name: k for k, name in enumerate(table.names)}

    def costs_of(families: Sequence[Family]) -> list[int | None]:
        return [counts.cost(place[child], [place[p] for p in parents]) for child, parents in families]

    network = best.result.network
    local = {v: counts.cost(place[v], [place[p] for p in parents]) for v, parents in network.parents.items()}
    fitted = network.with_parameters(
        states=_states(table), tables=counts.tables(network.parents, FIRST_PRIOR), preparation=table.preparation
    )
    ends = [{"start": climb.start, "rounds": len(climb.trace), "ended": climb.ended} for climb in climbs]
    for end, climb in zip(ends, climbs, strict=True):
        end["observed_score"] = climb.observed if climb.trace else None
    about = {
        "starts": ends,
        "best_start": best.start,
        "trace": best.trace,
        "observed_score": best.observed,
        "completions": len(counts.weights),
    }
    if status == "converged" and not best.ended:
        about["note"] = f"the rounds were cut off after {MOST_ROUNDS}"
    return replace(
        best.result,
        network=fitted,
        status=status,
        rows=table.rows,
        score_type="bic",
        local_costs=local,
        arcs=strengths(fitted, costs_of),
        statistics={**best.result.statistics, "em": about},
        run={"parameters": f"{ESTIMATE}, of the completed counts"},
        seconds=limits.elapsed(),
        peak_memory_bytes=peak_memory(),
    )

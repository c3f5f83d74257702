"""Learn: from a table to the best network, under one time limit and one memory limit."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import Interrupted, UsageError
from sabna.base.limits import Limits, Stopwatch
from sabna.base.progress import ProgressCallback
from sabna.base.stop import STATUSES
from sabna.base.trace import Trace
from sabna.parents.build import build_partial_graph
from sabna.parents.built import BuiltGraph
from sabna.parents.knowledge import Knowledge
from sabna.result.provenance import run_record
from sabna.result.result import Result
from sabna.scores.reading import read_for_score
from sabna.searching.search import at_least_as_good, result_of, search
from sabna.searching.strategies import Outcome, Run, SearchOptions
from sabna.searching.strategies.components import quick_outcome
from sabna.table import Table


def learn(
    data: Any,
    score: str = "bic",
    *,
    max_parents: int | Mapping[str, int] | None = None,
    equivalent_sample_size: float | None = None,
    alpha_mu: float | None = None,
    alpha_w: float | None = None,
    knowledge: Any = None,
    categorical: Iterable[str] = (),
    discretize: str | Mapping[str, str] | Iterable[str] = "none",
    missing: str = "error",
    strategy: str = "auto",
    time_limit: float | None = None,
    memory_limit: str | int | None = None,
    gap_tolerance: float = 1e-6,
    n_jobs: int = -1,
    seed: int = 0,
    progress: ProgressCallback | None = None,
    limits: Limits | None = None,
    **search_options: Any,
) -> Result:
    """The best network for a table: read, score and search.

    `data` and the options about it are those of `read_table`, `score` to `knowledge` those of
    `build_parent_graph`; all others, `search_options` included, those of `search`. One time limit and one memory limit
    hold for all of it. If they strike while scoring, the network is the best of the parent sets scored by then, and the
    lower bound accounts for those that were not.

    >>> result = learn("example:asia")
    >>> result.status
    'optimal'
    """
    limits = limits or Limits.of(time_limit, memory_limit)
    if "limits" in search_options:
        raise UsageError("limits: give them once")
    trace = Trace()
    table = read_for_score(data, score, categorical=categorical, discretize=discretize, missing=missing)
    known = Knowledge.of(knowledge).to_dict()
    scoring: dict[str, Any] = {
        "max_parents": max_parents,
        "equivalent_sample_size": equivalent_sample_size,
        "alpha_mu": alpha_mu,
        "alpha_w": alpha_w,
        "knowledge": known,
    }
    built = build_partial_graph(
        table,
        score,
        **scoring,
        n_jobs=n_jobs,
        progress=progress,
        limits=limits,
        trace=trace,
    )
    given: dict[str, tuple[Any, Any]] = {
        "score": (score, "bic"),
        "max_parents": (max_parents, None),
        "equivalent_sample_size": (equivalent_sample_size, None),
        "alpha_mu": (alpha_mu, None),
        "alpha_w": (alpha_w, None),
        "knowledge": (known, {}),
        "categorical": (list(categorical), []),
        "discretize": (discretize, "none"),
        "missing": (missing, "error"),
        "strategy": (strategy, "auto"),
        "time_limit": (limits.seconds, None),
        "memory_limit": (limits.memory, None),
        "gap_tolerance": (gap_tolerance, 1e-6),
        "seed": (seed, 0),
    }
    options = {name: value for name, (value, default) in given.items() if value != default}
    defaults = inspect.signature(search).parameters
    options |= {name: value for name, value in search_options.items() if value != defaults[name].default}

    def described(result: Result) -> Result:
        result = replace(
            result,
            run={**run_record(data, table, options), **({"knowledge": known} if known else {})},
        )
        if not isinstance(table, Table):
            return result
        return result.with_details(table, equivalent_sample_size=equivalent_sample_size)

    try:
        if built.status != "complete":
            return described(partial_result(built, gap_tolerance, seed, Run(limits, progress, trace), strategy))
        return described(
            search(
                built.graph,
                strategy,
                gap_tolerance=gap_tolerance,
                n_jobs=n_jobs,
                seed=seed,
                progress=progress,
                limits=limits,
                trace=trace,
                **search_options,
            )
        )
    except Interrupted as interruption:
        if interruption.result is not None:
            interruption.result = described(interruption.result)
        raise


def partial_result(built: BuiltGraph, gap_tolerance: float, seed: int, run: Run, strategy: str) -> Result:
    """What can be said when scoring was not finished.

    No variable costs less than the smaller of its cheapest set so far and the floor of its sets still to come; what
    was known before may be better still.
    """
    graph, watch = built.graph, Stopwatch()
    stop = STATUSES.index(built.status)
    quick = quick_outcome(graph, seed, stop)
    scored = graph.costs[graph.offsets[:-1]]
    lower = min(int(np.minimum(scored, built.floor).sum()), quick.cost)
    outcome = at_least_as_good(graph, Outcome(stop, quick.choice, quick.cost, lower, quick.order), run.trace)
    options = SearchOptions(tolerance=int(gap_tolerance * QUANTA_PER_NAT), seed=seed)
    statistics = {"strategy": strategy, "seconds": watch.seconds()}
    result = result_of(graph, outcome, options, gap_tolerance, run, statistics)
    if result.status == "interrupted":
        raise Interrupted("interrupted while scoring; the best network and the bounds so far are in `result`", result)
    return result

"""Learn: from a table to the best network, under one time limit and one memory limit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sabna.base.atomic import refuse_replacing, refuse_unwritable
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import Interrupted
from sabna.base.limits import LATE, MARGIN, Limits, Stopwatch, peak_memory
from sabna.base.stop import stop_of
from sabna.base.threads import threads_for
from sabna.base.trace import Trace
from sabna.engine.opening import opened_engine
from sabna.expectation.structural import learn_by_em
from sabna.parents.build import build_partial_graph
from sabna.parents.built import BuiltGraph
from sabna.parents.keeping import claim_for_table
from sabna.parents.kinds import class_knowledge
from sabna.parents.knowledge import Knowledge
from sabna.parents.reading import check_reading, read_rows, source_of, with_past
from sabna.result.provenance import run_record
from sabna.result.result import Result
from sabna.result.target import check_target, target_section
from sabna.scores.reading import score_for
from sabna.searching.outcome import Run, SearchOptions
from sabna.searching.search import at_least_as_good, result_of, search
from sabna.searching.unfinished import scoring_limits, unfinished_outcome
from sabna.settings import checked, chosen, limits_of, only, score_options, takes, with_threads
from sabna.settings.table import (
    Keeping,
    Known,
    LearnSettings,
    Proof,
    Running,
    Score,
    Scoring,
    Searching,
    Seed,
    Spread,
    Strategy,
    Threads,
)
from sabna.table import Table
from sabna.table.interventions import targets_of
from sabna.table.missing import account_of
from sabna.table.mixed import MixedTable
from sabna.workdir.folder import opened

if TYPE_CHECKING:
    from typing_extensions import Unpack


# What details take at most: seconds for each cell of the table looked at, and bytes for each row beside the codes.
SECONDS_PER_CELL = 2e-8
DETAIL_BYTES = 64


@takes("learn")
def learn(data: Any, score: str = "bic", *, limits: Limits | None = None, **options: Unpack[LearnSettings]) -> Result:
    """The best network for a table: read, score and search.

    `data` is what `read_table` takes; the options are those of reading, scoring, searching and running, see
    [settings](settings.md). One time limit and one memory limit hold for all of it. If they strike while scoring, the
    network is one of the parent sets scored by then, and the lower bound accounts for those that were not; if they
    strike while reading, LimitReached is raised. Local costs, arc strengths and parameters are left out where they
    would take more time or memory than is left, and the result says so. `result.seconds` counts until its end.
    `limits` continues the limits of a run that has begun, instead of `time_limit` and `memory_limit`. With `work`, the
    name of a folder, the run is kept there and goes on when it was stopped or killed, see [runs](runs.md). With
    `target` the network is learned again in each of `folds` parts of the rows, and `result.statistics["target"]` tells
    how well that column is predicted, see [prediction](prediction.md). With `time` (and `id`, `lags`) the rows are
    repeated measurements and the network is that of a step, see [time](time.md).

    >>> result = learn("example:asia")
    >>> result.status
    'optimal'
    """
    settings = with_threads(checked("learn", {"score": score, **options}))
    limits = limits_of(settings, limits)
    settings |= limits.as_settings()
    check_reading(data, settings)
    refuse_replacing(settings["certificate"], data, settings["knowledge"])
    refuse_unwritable(settings["certificate"])
    settings["knowledge"] = Knowledge.of(settings["knowledge"]).to_dict() or None
    with opened(settings["work"]) as work, opened_engine(settings["engine"]) as engine:
        settings |= {"work": work, "engine": engine}
        table = read_rows(data, settings, limits)
        settings = with_past(settings, table)
        if work is not None:
            claim_for_table(work, "learn", table, source_of(data), chosen(settings))
        if settings["missing"] == "em":
            return _learn_by_em(data, table, settings, limits)
        if settings["target"] is not None:
            check_target(table, settings["target"], settings["folds"])
        result = _learn(data, table, settings, limits)
        if work is not None:
            work.ended = result.status
        return result if settings["target"] is None else _with_target(result, table, settings, limits)


def _with_target(result: Result, table: Any, settings: dict[str, Any], limits: Limits) -> Result:
    """The result with what is said of the target; each fold is learned as the whole was."""
    again = only(settings, Score, Scoring, Known, Strategy, Searching, Seed, Threads)
    again["score"] = score_for(table, settings["score"])
    try:
        section = target_section(
            table,
            settings["target"],
            settings["folds"],
            settings["seed"],
            result.network,
            lambda rows: learn(rows, limits=limits, progress=settings["progress"], **again),
        )
    except Interrupted as interruption:
        interruption.result = result
        raise
    statistics = {**result.statistics, "target": section}
    return replace(result, statistics=statistics, seconds=limits.elapsed(), peak_memory_bytes=peak_memory())


def _learn_by_em(data: Any, table: Any, settings: dict[str, Any], limits: Limits) -> Result:
    """Learn from a table with holes by structural EM."""
    known = {"knowledge": settings["knowledge"]} if settings["knowledge"] else {}
    options = only(settings, Strategy, Searching, Seed, Threads)

    def described(result: Result) -> Result:
        run = {**run_record(source_of(data), table, chosen(settings)), **known, **result.run}
        return replace(result, run=run, statistics={**account_of(table.statistics), **result.statistics})

    try:
        return described(learn_by_em(table, settings, limits, options))
    except Interrupted as interruption:
        if interruption.result is not None:
            interruption.result = described(interruption.result)
        raise


def _learn(data: Any, table: Any, settings: dict[str, Any], limits: Limits) -> Result:
    """Score and search a table; everything is checked."""
    trace, score = Trace(), settings["score"]
    built = build_partial_graph(
        table,
        score,
        **only(settings, Scoring, Known, Threads),
        progress=settings["progress"],
        limits=scoring_limits(limits),
        trace=trace,
        work=settings["work"],
        engine=settings["engine"],
    )

    def described(result: Result) -> Result:
        known = {"knowledge": settings["knowledge"]} if settings["knowledge"] else {}
        if isinstance(table, MixedTable):
            known["class_knowledge"] = class_knowledge(settings["knowledge"], table)
        if table.was_set is not None:
            known["targets"] = targets_of(table)
        result = replace(
            result,
            run={**run_record(source_of(data), table, chosen(settings)), **known},
            statistics={**account_of(table.statistics), **result.statistics},
            network=result.network.with_parameters(preparation=table.preparation),
        )
        if table.was_set is not None:
            directed = [list(edge) for edge in sorted(result.cpdag().by_interventions)]
            told = table.statistics.get("interventions", {})  # none of a table that was made, not read
            result.statistics["interventions"] = {**told, "directed": directed}
        reason = too_much_for_details(table, result, limits)
        if reason is None:
            result = result.with_details(table, **score_options(settings))
        else:
            result.statistics["left_out"] = f"local costs, arc strengths and parameters: {reason}"
        return replace(result, seconds=limits.elapsed(), peak_memory_bytes=peak_memory())

    try:
        if built.status != "complete":
            result = partial_result(built, settings, limits, trace)
            if settings["certificate"] is not None:  # there is no whole graph that a proof could be about
                nothing = "nothing, for the limit struck before the parent graph was complete; none is written"
                if os.path.exists(settings["certificate"]):
                    nothing += f", and {settings['certificate']} is of another run"
                result = replace(result, certificate={"file": None, "checked": False, "proves": nothing})
            return described(result)
        return described(
            search(
                built.graph,
                limits=limits,
                trace=trace,
                **only(settings, Strategy, Searching, Proof, Seed, Threads, Running, Keeping, Spread),
            )
        )
    except Interrupted as interruption:
        if interruption.result is not None:
            interruption.result = described(interruption.result)
        raise


def too_much_for_details(table: Any, result: Result, limits: Limits) -> str | None:
    """Why what only the data can tell of a network is left out; None if there is time and memory for it."""
    families = [len(parents) + 1 for parents in result.network.parents.values()]
    # The table is gone through once, and once for each family, each family without an edge and with it turned round.
    cells = table.rows * (table.n + sum(size + 2 * (size - 1) * size for size in families))
    left = limits.seconds_left()
    if left >= 0 and cells * SECONDS_PER_CELL > left + LATE / 2:
        return "the time limit leaves no time for them"
    cell = 2 if isinstance(table, Table) else 3 * 8  # standardised columns, and their products
    if limits.memory is not None and table.rows * (cell * table.n + DETAIL_BYTES) > limits.bytes_left() + MARGIN / 2:
        return "the memory limit leaves no room for them"
    return None


def partial_result(built: BuiltGraph, settings: Mapping[str, Any], limits: Limits, trace: Trace) -> Result:
    """What can be said when scoring was not finished; what was known before may be better still."""
    gap_tolerance = settings["gap_tolerance"]
    run = Run(limits, settings["progress"], trace)
    graph, watch = built.graph, Stopwatch()
    threads = threads_for(settings["n_jobs"])
    options = SearchOptions(tolerance=int(gap_tolerance * QUANTA_PER_NAT), threads=threads, seed=settings["seed"])
    auto = settings["strategy"] == "auto"
    outcome = unfinished_outcome(graph, built.floor, stop_of(built.status), options, run, whole_search=auto)
    outcome = at_least_as_good(graph, outcome, run.trace)
    statistics = {"strategy": settings["strategy"], **outcome.statistics, "seconds": watch.seconds()}
    result = result_of(graph, outcome, options, gap_tolerance, run, statistics)
    if result.status == "interrupted":
        raise Interrupted("interrupted while scoring; the best network and the bounds so far are in `result`", result)
    return result

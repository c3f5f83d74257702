"""The k best networks, and all networks within a Bayes factor of the best: how much the data leaves open.

Exact, each network once; how, stands in core/alternatives/. The parent graph must list every set that such a network
can use, also sets that a subset beats by a little: it is built with slack (core/parents/slack.h). For a Bayes factor
the slack is its logarithm. For the k best it is guessed and enlarged until the k best lie within it, which proves that
no better network was missed. One network more than asked for tells whether the list ends inside a tie; then all that
tie with the last one are looked for, as frequencies of edges need them (networks.py).
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.alternatives.listing import list_networks
from sabna.alternatives.nearbest import NearBest
from sabna.alternatives.networks import Alternatives
from sabna.base.cost import LARGEST_SLACK, QUANTA_PER_NAT
from sabna.base.errors import DataError, Interrupted, KnowledgeError, LimitReached, UsageError
from sabna.base.limits import Limits
from sabna.base.stop import Stop, status_of
from sabna.engine.opening import opened_engine
from sabna.parents.build import build_parent_graph
from sabna.parents.checks import check_graph
from sabna.parents.files import GRAPH_FORMATS, read_parent_graph
from sabna.parents.graph import ParentGraph
from sabna.parents.keeping import claim_for_table, graph_hash, keep_input
from sabna.parents.knowledge import Knowledge
from sabna.parents.reading import check_reading, read_rows, source_of, with_past
from sabna.result.provenance import run_record
from sabna.result.result import Result
from sabna.scores.reading import score_for
from sabna.searching.outcome import Run
from sabna.settings import checked, chosen, limits_of, only, takes, with_threads
from sabna.settings.checks import argument, number, optional, whole
from sabna.settings.groups.answering import MOST_NETWORKS
from sabna.settings.table import (
    Intervening,
    KbestSettings,
    Keeping,
    Known,
    Limited,
    Reading,
    Running,
    Score,
    Scoring,
    Threads,
    Time,
    rows,
)
from sabna.table import MixedTable, NumericTable, Table
from sabna.table.missing import account_of
from sabna.workdir.folder import WorkDir, opened
from sabna.workdir.manifest import claim

if TYPE_CHECKING:
    from typing_extensions import Unpack

# Listed where nobody says how many.
NETWORKS = 10
# With a Bayes factor at most so many networks are listed; `complete` tells whether that was all.
AT_MOST = 100_000
# The first guess of the slack for the k best, in nats above ln k; doubled until it is enough.
FIRST_SLACK = 2.0
# While there are fewer than k networks within the slack and a larger one brings no further sets, it grows by this.
FASTER = 16

# Up to so many variables all sets within the slack are built at once; that takes no time.
SMALL = 8

# Factors beyond exp of this are not told apart.
LARGEST_EXPONENT = 700.0


@takes("kbest")
def kbest(
    data: Any,
    k: int | None = None,
    *,
    bayes_factor: float | None = None,
    at_most: int = AT_MOST,
    limits: Limits | None = None,
    **options: Unpack[KbestSettings],
) -> Alternatives:
    """The k best networks of a table (10), or with `bayes_factor` all networks within that factor of the best.

    `data` is what `learn` takes; the options are those of reading, scoring and running, see [settings](settings.md).
    Given a ParentGraph, or the path of one, its parent sets are taken as the only ones there are. At most `at_most`
    networks are listed. With `work` the parent graphs are kept there; the listing itself is done
    again. With `engine` the table is scored elsewhere, see docs/cluster.md; the listing is done here. `limits`
    continues the limits of a run that has begun.

    >>> found = kbest("example:asia", k=3)
    >>> len(found), bool(found.scores[0] >= found.scores[2])
    (3, True)
    """
    k, bayes_factor, at_most = _checked_counts(k, bayes_factor, at_most)
    settings = with_threads(checked("kbest", options))
    if isinstance(data, (str, os.PathLike)) and os.path.splitext(data)[1].lower() in GRAPH_FORMATS:
        data = read_parent_graph(data, keep_dominated=True)
    if isinstance(data, ParentGraph):
        _refuse_options_of_tables(options)
    else:
        check_reading(data, settings)
    limits = limits_of(settings, limits)
    settings |= limits.as_settings()
    settings["knowledge"] = Knowledge.of(settings["knowledge"]).to_dict() or None
    with opened(settings["work"]) as work, opened_engine(settings["engine"]) as engine:
        settings["engine"] = engine
        found = _kbest(data, k, bayes_factor, at_most, limits, settings, work)
        if work is not None:
            work.ended = found.status
        return found


def _checked_counts(k: Any, bayes_factor: Any, at_most: Any) -> tuple[int, float | None, int]:
    """How many networks are asked for, as numbers that the core takes."""
    count = whole(1, MOST_NETWORKS)
    if k is not None and bayes_factor is not None:
        raise UsageError("k, bayes_factor: how many networks, or all within a factor; give one of the two")
    factor = argument("bayes_factor", bayes_factor, optional(number(1, sys.float_info.max)))
    at_most = argument("at_most", at_most, count)
    k = min(NETWORKS, at_most) if k is None else argument("k", k, count)
    if k > at_most:
        raise UsageError(f"k, at_most: {k} networks, and at most {at_most} of them; ask for fewer, or for at most {k}")
    return k, factor, at_most


def _refuse_options_of_tables(options: Mapping[str, Any]) -> None:
    """What says how a table is read or scored says nothing of a parent graph, which is scored already."""
    for name, value in options.items():
        if value is not None and name not in rows(Running, Keeping, Threads):
            raise UsageError(f"{name}: give it where the parent graph is built, not with the graph")


def _kbest(
    data: Any,
    k: int,
    bayes_factor: float | None,
    at_most: int,
    limits: Limits,
    settings: dict[str, Any],
    work: WorkDir | None,
) -> Alternatives:
    """The alternatives; parent graphs are kept in the work directory."""
    arguments = {"k": k, "bayes_factor": bayes_factor, "at_most": at_most}
    n_jobs = settings["n_jobs"]
    progress = settings["progress"] and Run(limits, settings["progress"]).report_whole  # over all that follows
    if isinstance(data, ParentGraph):
        check_graph(data)
        if work is not None and not work.claimed:
            claim(work, "kbest", "graph", graph_hash(data), None, chosen(settings), arguments)
            keep_input(work, data)
        return alternatives_of(lambda slack: data, k, bayes_factor, at_most, limits, progress, n_jobs, given=True)
    score = settings["score"]
    table = read_rows(data, settings, limits)
    settings = with_past(settings, table)
    score = score_for(table, score)
    if work is not None:
        claim_for_table(work, "kbest", table, source_of(data), chosen(settings), arguments)
    scoring = only(settings, Scoring) | {"knowledge": _constants_apart(table, settings["knowledge"])}

    def build_all(slack: float) -> ParentGraph:
        how: dict[str, Any] = {"n_jobs": n_jobs, "progress": progress, "limits": limits, "work": work}
        how["engine"] = settings["engine"]
        return build_parent_graph(table, score, **scoring, slack=slack, **how)

    def listed() -> Alternatives:
        if not NearBest.fits(score) or table.was_set is not None or table.n <= SMALL:
            return alternatives_of(build_all, k, bayes_factor, at_most, limits, progress, n_jobs)
        near = NearBest(table, score, scoring, limits, n_jobs, progress, work, settings["engine"])
        try:
            return alternatives_of(near.graph, k, bayes_factor, at_most, limits, progress, n_jobs)
        except LimitReached as error:
            if near.plain is None or near.best is None:
                raise
            cost = near.plain.costs[near.best].sum(keepdims=True)
            seconds = {"seconds": limits.elapsed()}
            return Alternatives(near.plain, cost, near.best.reshape(1, -1), False, bayes_factor, seconds, error.status)

    asked: dict[str, Any] = {"k": k} if bayes_factor is None else {"bayes_factor": bayes_factor}
    asked |= {} if at_most == AT_MOST else {"at_most": at_most}
    record = run_record(source_of(data), table, {**asked, **chosen(settings)}, "kbest")
    return _with_account(table, record, listed)


def _with_account(table: Any, record: dict[str, Any], work: Callable[[], Alternatives]) -> Alternatives:
    """The alternatives, which tell of the rows of the table that were used, and how to make them again."""

    def told(found: Alternatives) -> Alternatives:
        return replace(found, statistics={**account_of(table.statistics), "run": record, **found.statistics})

    try:
        return told(work())
    except Interrupted as interruption:
        if isinstance(interruption.result, Alternatives):
            interruption.result = told(interruption.result)
        raise


def alternatives_like(result: Result, data: Any, k: int | None = None, **options: Any) -> Alternatives:
    """The alternatives of `data` under the options that `result` was learned with; see `Result.alternatives`."""
    if isinstance(data, ParentGraph):
        check_graph(data)
        limits = Limits.of(**{name: options.pop(name) for name in only(options, Limited)})
        bayes_factor, at_most = options.pop("bayes_factor", None), options.pop("at_most", AT_MOST)
        k, bayes_factor, at_most = _checked_counts(k, bayes_factor, at_most)
        return alternatives_of(partial(listed_with_slack, data), k, bayes_factor, at_most, limits, **options)
    learned = result.run.get("options", {})
    if "data_sha256" not in result.run:
        raise UsageError(
            "this result came from a parent graph and does not know how the data was scored; use sabna.kbest with the "
            "data and its options, or give the parent graph, built with slack"
        )
    groups: tuple[type, ...] = (Score, Scoring, Known)
    if not isinstance(data, Table | NumericTable | MixedTable):
        groups = (*groups, Reading, Intervening, Time)
    return kbest(data, k, **only(learned, *groups), **options)


def listed_with_slack(graph: ParentGraph, slack: float) -> ParentGraph:
    """The graph, if it lists all that networks within `slack` nats of the best can use."""
    if graph.parameters.get("slack", -1.0) >= slack:
        return graph
    raise UsageError(
        "alternatives need parent sets that a subset beats by a little, which this parent graph does not list; use "
        "sabna.kbest with the data, or build the graph with slack"
    )


def _constants_apart(table: Any, knowledge: Any) -> Any:
    """The knowledge, and that columns with a single value are alone.

    Edges to and from them cost nothing under most scores: every network would be there 2^edges times.
    """
    known = Knowledge.of(knowledge)
    spoken_for = {v for edge in known.required for v in edge}
    arities = getattr(table, "arities", ())
    constant = [v for v, r in zip(table.names, arities, strict=False) if r == 1 and v not in spoken_for]
    if not constant:
        return knowledge
    roots, leaves = dict.fromkeys([*known.roots, *constant]), dict.fromkeys([*known.leaves, *constant])
    return Knowledge(**{**known.to_dict(), "roots": list(roots), "leaves": list(leaves)})


def alternatives_of(
    build: Callable[[float], ParentGraph],
    k: int,
    bayes_factor: float | None,
    at_most: int,
    limits: Limits,
    progress: Callable[[dict[str, Any]], None] | None = None,
    n_jobs: int = -1,
    given: bool = False,
) -> Alternatives:
    """The alternatives of the parent graph that `build` makes for a slack in nats.

    `given` says that the graph is the same for any slack.
    """
    if bayes_factor is not None:
        slack = math.log(bayes_factor)
        return _enumerate(build(slack), at_most, slack, bayes_factor, at_most, limits, progress, n_jobs)
    slack, before, found = math.log(k) + FIRST_SLACK, -1, None
    while True:
        try:
            graph = build(slack)
        except DataError:  # sets so dear that their costs cannot be added up; what was found without them stands
            if found is None:
                raise
            return replace(found, complete=False)
        found = _enumerate(graph, k, slack, None, at_most, limits, progress, n_jobs)
        everything = _quanta(slack) >= LARGEST_SLACK
        if found.complete and found.status == "done" and len(found) >= k and given and not everything:
            slack = 2 * LARGEST_SLACK / QUANTA_PER_NAT  # complete within the slack; is there nothing beyond it?
            continue
        if len(found) >= k or found.status != "done" or everything:
            return replace(found, complete=found.complete and everything)
        slack, before = slack * (FASTER if len(graph) == before else 2), len(graph)


def _quanta(slack: float) -> int:
    return min(round(slack * QUANTA_PER_NAT), LARGEST_SLACK)


def _enumerate(
    graph: ParentGraph,
    count: int,
    slack: float,
    bayes_factor: float | None,
    at_most: int,
    limits: Limits,
    progress: Callable[[dict[str, Any]], None] | None,
    n_jobs: int,
) -> Alternatives:
    began = limits.elapsed()
    listed = list_networks(graph, count + 1, _quanta(slack), limits, progress, n_jobs)
    stop, closure = listed.stop, None
    costs, choices = listed.costs[:count], listed.choices[:count]
    cut_in_tie = len(listed.costs) > count and bool(listed.costs[count] == costs[-1])
    if cut_in_tie and stop == Stop.none and count < at_most:
        closure, stop = _closure(graph, costs, choices, at_most, limits, progress, n_jobs)
    status = status_of(stop, ended="done")
    if not len(costs):
        if status == "interrupted":
            raise Interrupted("interrupted before there was a network")
        if status != "done":
            raise LimitReached(f"the {status.replace('_', ' ')} struck before there was a network; raise it", status)
        raise KnowledgeError("no network can be made of these parent sets")
    statistics = {
        "parent_graph": {"sets": len(graph), **graph.statistics},
        "alternatives": {"visited": listed.visited, "slack": slack, "seconds": limits.elapsed() - began},
        "seconds": limits.elapsed(),
    }
    complete, within = listed.complete, listed.within
    if len(listed.costs) > count:  # the one more that was asked for is not in the list
        complete, within = False, min(within, int(listed.costs[count] - costs[0]) - 1)
    factor = math.exp(min(within / QUANTA_PER_NAT, LARGEST_EXPONENT)) if within >= 0 else None
    factor = bayes_factor if complete and bayes_factor is not None else factor
    found = Alternatives(
        graph,
        costs,
        choices,
        complete,
        bayes_factor,
        statistics,
        status,
        factor,
        within=within,
        cut_in_tie=cut_in_tie,
        closure=closure,
    )
    if status == "interrupted":
        raise Interrupted("interrupted; the networks listed so far are in `result`", found)
    return found


def _closure(
    graph: ParentGraph,
    costs: NDArray[np.int64],
    choices: NDArray[np.int64],
    at_most: int,
    limits: Limits,
    progress: Callable[[dict[str, Any]], None] | None,
    n_jobs: int,
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]] | None, Stop]:
    """All networks that cost at most as much as the last of a list, None if there are more than `at_most`.

    And why the search for them ended early.
    """
    slack = int(costs[-1] - costs[0])
    every = list_networks(graph, at_most, slack, limits, progress, n_jobs, best=choices[0])
    return (every.costs, every.choices) if every.complete else None, every.stop

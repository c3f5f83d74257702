"""Search: from a parent graph to the best network it allows, with proof."""

from __future__ import annotations

import os
import time
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from sabna.base.atomic import refuse_replacing, refuse_unwritable
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import Interrupted, KnowledgeError, UsageError, quoted
from sabna.base.limits import Limits, Stopwatch, peak_memory
from sabna.base.stop import Stop, status_of
from sabna.base.threads import threads_for
from sabna.base.trace import Trace
from sabna.base.varsets import members
from sabna.engine.opening import opened_engine
from sabna.network import Network
from sabna.parents.checks import check_graph
from sabna.parents.files import read_parent_graph
from sabna.parents.files.lists import without_dominated
from sabna.parents.filter import filter_graph
from sabna.parents.graph import ParentGraph
from sabna.parents.keeping import graph_hash, keep_input
from sabna.parents.knowledge import Knowledge
from sabna.parents.orders import network_of_order, placing_order
from sabna.result.result import Result
from sabna.searching.certifying import Certificate
from sabna.searching.outcome import Outcome, Run, SearchOptions
from sabna.searching.saving import TreeKeeper
from sabna.searching.solving import solve
from sabna.searching.strategies import STRATEGIES
from sabna.settings import checked, chosen, limits_of, takes, with_threads
from sabna.settings.table import SearchSettings
from sabna.workdir.folder import WorkDir, opened
from sabna.workdir.manifest import claim

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes("search")
def search(
    graph: ParentGraph | str | os.PathLike[str],
    strategy: str = "auto",
    heuristic: str | None = None,
    *,
    limits: Limits | None = None,
    trace: Trace | None = None,
    **options: Unpack[SearchSettings],
) -> Result:
    """Find the best network whose parent sets are all in `graph`, a parent graph or the name of a file with one.

    `strategy` is "auto", "astar" or "bfs"; the last two by themselves are the paper's algorithms on the whole graph.
    `heuristic` is the lower bound that guides them ("simple" or "pattern", or those docs/search.md lists).
    `knowledge` (what `Knowledge.of` takes) filters the graph first; where sets with required parents may be missing it
    is refused, see docs/knowledge.md.
    `path_extension` is the paper's optimal path extension; `upper_bound` runs a local search first and drops what
    cannot beat it; `components` splits the graph first; `scc_branching` branches inside one closed set of variables.
    The run ends at `time_limit` seconds or before it would take more than `memory_limit` (bytes, or "4GiB"), with the
    best network known and a proven lower bound. Ctrl-C raises `Interrupted`, which carries the same. A network within
    `gap_tolerance` nats of the bound counts as optimal; 0 is exact. `progress` is called with a dictionary, some times
    a second. `work` names a folder where the search is kept, and goes on from when it was stopped or killed, see
    docs/runs.md. `engine` works on several parts of the graph at a time elsewhere, see docs/cluster.md. `certificate`
    names a file that the proof is written to, for `sabna check`, see docs/proof.md.
    `limits` continues the limits of a run that has begun, instead of the two above; `trace` its bounds.

    >>> import numpy as np
    >>> offsets, costs = np.array([0, 1, 3]), np.array([100, 50, 200])
    >>> sets = np.array([[0b00], [0b01], [0b00]], dtype=np.uint64)  # "wet" may have the parent "rain", at a cost of 50
    >>> search(ParentGraph(("rain", "wet"), offsets, costs, sets)).network.edges
    (('rain', 'wet'),)
    """
    settings = with_threads(checked("search", {"strategy": strategy, "heuristic": heuristic, **options}))
    if trace is not None and not isinstance(trace, Trace):
        raise UsageError(f"trace {quoted(trace, 40)}: it is that of a run that has begun; leave it out")
    refuse_replacing(settings["certificate"], graph, settings["knowledge"])
    refuse_unwritable(settings["certificate"])
    settings["knowledge"] = Knowledge.of(settings["knowledge"]).to_dict() or None
    limits = limits_of(settings, limits)
    settings |= limits.as_settings()
    gap_tolerance = settings["gap_tolerance"]
    how = SearchOptions(
        tolerance=int(gap_tolerance * QUANTA_PER_NAT),
        threads=threads_for(settings["n_jobs"]),
        **{option.name: settings[option.name] for option in fields(SearchOptions) if option.name in settings},
    )
    run, watch, cpu = Run(limits, settings["progress"], trace or Trace()), Stopwatch(), time.process_time()
    with opened(settings["work"]) as work, opened_engine(settings["engine"]) as engine:
        listed, graph = _input(graph, settings, work)
        order = require_a_network(graph)
        certificate = (
            None
            if settings["certificate"] is None
            else Certificate(settings["certificate"], listed, graph, settings["knowledge"])
        )
        keeper = None if work is None else TreeKeeper(work, graph, limits, run.trace)
        ledger = None if certificate is None else certificate.ledger
        outcome = solve(graph, order, STRATEGIES[strategy], how, run, keeper, ledger, engine)
        if work is not None:
            work.ended = status_of(outcome.stop)
    outcome = at_least_as_good(graph, outcome, run.trace)
    spent = {"seconds": watch.seconds(), "cpu_seconds": time.process_time() - cpu}
    statistics = {"strategy": strategy, **outcome.statistics, **spent}
    result = result_of(graph, outcome, how, gap_tolerance, run, statistics)
    result = replace(result, run={"options": chosen(settings), **result.run})
    if certificate is not None:
        result = replace(result, certificate=certificate.end(result, outcome.choice, how.tolerance))
    if result.status == "interrupted":
        raise Interrupted("interrupted; the best network and the bounds so far are in `result`", result)
    return result


def _input(
    graph: ParentGraph | str | os.PathLike[str], settings: dict[str, Any], work: WorkDir | None
) -> tuple[ParentGraph, ParentGraph]:
    """The parent graph as it is listed, and what is searched of it: without dominated sets, and as knowledge allows.

    It is read, checked, and kept in the work directory.
    """
    source, known, proof = graph, settings["knowledge"], settings["certificate"] is not None
    if isinstance(graph, ParentGraph):
        check_graph(graph)
        listed = searched = graph
    else:
        listed = searched = read_parent_graph(graph, keep_dominated=known is not None or proof)
        if known is None and proof:
            searched = without_dominated(listed)
    if work is not None and not work.claimed:
        claim(work, "search", "graph", graph_hash(searched), source, chosen(settings))
        keep_input(work, searched)
    return listed, searched if known is None else filter_graph(searched, known)


def at_least_as_good(graph: ParentGraph, outcome: Outcome, trace: Trace) -> Outcome:
    """The outcome, with the network and the lower bound known before wherever they are better."""
    lower = outcome.lower if trace.lower is None else max(outcome.lower, trace.lower)
    outcome = replace(outcome, lower=lower)
    found = network_of_order(graph, list(trace.order)) if trace.order else None
    return outcome if found is None or found[0] >= outcome.cost else replace(outcome, cost=found[0], choice=found[1])


def require_a_network(graph: ParentGraph) -> list[int]:
    """An order of the variables that has a network; raises KnowledgeError if there is none."""
    order, stuck = placing_order(graph)
    if stuck:
        names = ", ".join(repr(graph.names[i]) for i in stuck[:5]) + (", ..." if len(stuck) > 5 else "")
        raise KnowledgeError(
            f"no network can be made of these parent sets: every set of {names} needs another of these {len(stuck)} "
            "variables; allow smaller sets for one of them"
        )
    return order


def network_of(graph: ParentGraph, outcome: Outcome) -> Network:
    """The network of the chosen parent sets."""
    parents = {
        name: [graph.names[p] for p in members(graph.sets[k])]
        for name, k in zip(graph.names, outcome.choice, strict=True)
    }
    return Network(graph.names, parents)


def result_of(
    graph: ParentGraph,
    outcome: Outcome,
    options: SearchOptions,
    gap_tolerance: float,
    run: Run,
    statistics: dict[str, Any],
) -> Result:
    """The result with its status; checks that the network costs what the search says."""
    cost = int(graph.costs[outcome.choice].sum())
    if cost != outcome.cost or outcome.lower > cost:
        raise AssertionError(f"the search says {outcome.cost} (bound {outcome.lower}), its network costs {cost}")
    proven = cost - outcome.lower <= options.tolerance
    if not proven and outcome.stop == Stop.none:
        raise AssertionError(f"the search ended by itself with a gap: cost {cost}, bound {outcome.lower}")
    run.trace.note(run.limits.elapsed(), outcome.lower, cost)
    described = {"strategy": None, "heuristic": None, "expanded": 0, "generated": 0, "stored": 0, "bytes_per_node": 0.0}
    return Result(
        network=network_of(graph, outcome),
        status="optimal" if proven else status_of(outcome.stop),
        cost_quanta=cost,
        lower_bound_quanta=outcome.lower,
        gap_tolerance=gap_tolerance,
        rows=graph.rows,
        score_type=graph.score,
        seconds=run.limits.elapsed(),
        peak_memory_bytes=peak_memory(),
        statistics={
            "parent_graph": {"sets": len(graph), "evaluated": None, "seconds": None, **graph.statistics},
            "search": {**described, **statistics},
            "trace": run.trace.points,
        },
        run={"knowledge": graph.parameters["knowledge"]} if "knowledge" in graph.parameters else {},
    )

"""Builds parent graphs: the front door to the builders of categories, numbers, both, and under prior knowledge."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.errors import DataError, LimitReached
from sabna.base.limits import Limits
from sabna.base.progress import ProgressCallback
from sabna.base.threads import threads_for
from sabna.base.trace import Trace
from sabna.base.varsets import MAX_VARIABLES
from sabna.engine.engine import Engine
from sabna.engine.opening import opened_engine
from sabna.parents.builders.constrained import build_constrained_arrays
from sabna.parents.builders.gaussian import build_partial_gaussian
from sabna.parents.builders.groups import Keeping, forget_groups
from sabna.parents.builders.intervened import build_intervened_arrays, build_intervened_bge
from sabna.parents.builders.levels import Problem, build_in_slices, forget_levels
from sabna.parents.builders.mixed import build_partial_mixed
from sabna.parents.built import BuiltGraph, Lists, graph_of_lists
from sabna.parents.constraints import ParentLimits, constraints_of, parent_limits, slack_quanta
from sabna.parents.graph import ParentGraph
from sabna.parents.keeping import claim_for_table, load_graph, save_graph
from sabna.parents.knowledge import Knowledge
from sabna.parents.reading import check_reading, read_rows, source_of, with_past
from sabna.parents.scoring_bounds import ScoringBounds
from sabna.scores.local import core_table
from sabna.scores.reading import score_for
from sabna.scores.registry import ScoreType, checked_for_interventions, core_parameter, score_parameters, score_type
from sabna.settings import checked, chosen, limits_of, only, takes, with_threads
from sabna.settings.table import Known, ScoreSettings, Scoring, Threads
from sabna.workdir.folder import WorkDir, opened

if TYPE_CHECKING:
    from typing_extensions import Unpack


def build_partial_graph(
    table: Any,
    score: str = "bic",
    *,
    max_parents: ParentLimits = None,
    knowledge: Any = None,
    slack: float | None = None,
    n_jobs: int = -1,
    progress: ProgressCallback | None = None,
    limits: Limits | None = None,
    trace: Trace | None = None,
    work: WorkDir | None = None,
    engine: Engine | None = None,
    **given: float | None,
) -> BuiltGraph:
    """As `build_parent_graph` on a table, but what a limit or Ctrl-C leaves is returned, not raised.

    `trace` takes the bounds known meanwhile; `given` are parameters of the score. A graph that is kept in the work
    directory is not built again.
    """
    limits = limits or Limits()
    name = "" if slack is None else f"-slack-{slack!r}"
    if work is not None:
        trace = trace or Trace()
        kept = load_graph(work, trace, name)
        if kept is not None:
            return BuiltGraph(kept, "complete", np.full(kept.n, INFINITE, np.int64))
    options = {"max_parents": max_parents, "knowledge": knowledge, "slack": slack, "n_jobs": n_jobs, **given}
    keeping = None if work is None else Keeping(work, name)
    how: dict[str, Any] = {"progress": progress, "limits": limits, "trace": trace}
    built = _build(table, score, **how, keeping=keeping, engine=engine, **options)
    if work is not None and trace is not None and built.status == "complete":
        save_graph(work, built.graph, trace, limits, name)
        forget_levels(work)
        forget_groups(work)
    return built


def _build(
    table: Any,
    score: str,
    *,
    max_parents: ParentLimits,
    knowledge: Any,
    slack: float | None,
    n_jobs: int,
    progress: ProgressCallback | None,
    limits: Limits,
    trace: Trace | None,
    keeping: Keeping | None,
    engine: Engine | None,
    **given: float | None,
) -> BuiltGraph:
    """Build the graph of a table, whatever there is on disk."""
    started = time.perf_counter()
    kind = score_type(score_for(table, score))
    parameters = score_parameters(kind, given)
    if table.n > MAX_VARIABLES:
        raise DataError(f"{table.n} variables: at most {MAX_VARIABLES} can be handled; leave some out")
    bounds = None
    if progress is not None or trace is not None:
        bounds = ScoringBounds(table.n, limits, trace or Trace(), progress)
    if table.was_set is not None:
        checked_for_interventions(kind)
    if kind.mixed is not None or (kind.continuous and (table.was_set is None or kind.id == "bge")):
        return _build_numbers(
            table, kind, parameters, max_parents, knowledge, slack, n_jobs, bounds, limits, keeping, engine
        )

    threads = threads_for(n_jobs)
    known, constraints = constraints_of(knowledge, table.names, max_parents)
    try:
        if table.was_set is not None:
            built = build_intervened_arrays(
                table, kind, parameters, constraints, slack_quanta(slack), n_jobs, limits, bounds, keeping, engine
            )
        elif known or slack is not None or kind.child_by_child:
            built = build_constrained_arrays(
                table,
                kind,
                core_parameter(parameters),
                constraints,
                slack_quanta(slack),
                n_jobs,
                limits,
                bounds,
                keeping=keeping,
                engine=engine,
            )
        elif keeping is not None or engine is not None:
            most = parent_limits(max_parents, table.names)
            codes, arities = core_table(table)
            problem = Problem(codes, np.asarray(arities), kind.id, core_parameter(parameters), most)
            built = build_in_slices(problem, threads, limits, bounds, keeping, engine)
        else:
            built = Lists.of(
                core.build_parent_graph(
                    *core_table(table),
                    kind.id,
                    core_parameter(parameters),
                    parent_limits(max_parents, table.names),
                    threads,
                    limits.left(),
                    bounds.report if bounds else None,
                    hear=bounds.hear() if bounds else None,
                )
            )
    except OverflowError as error:
        raise DataError(f"this table: {error}; use fewer rows or columns") from None
    except MemoryError:
        raise LimitReached(
            f"the memory limit struck before scoring: {table.rows:,} rows of {table.n} columns need more; raise it",
            "memory_limit",
        ) from None
    return graph_of_lists(
        built,
        table,
        kind.id,
        parameters,
        max_parents=max_parents,
        known=known,
        slack=slack,
        seconds=time.perf_counter() - started,
        threads=threads,
        arities=getattr(table, "arities", None),
        smaller="use fewer rows or columns, or bound the parents with max_parents",
    )


def _build_numbers(
    table: Any,
    kind: ScoreType,
    parameters: dict[str, float],
    max_parents: ParentLimits,
    knowledge: Any,
    slack: float | None,
    n_jobs: int,
    bounds: ScoringBounds | None,
    limits: Limits,
    keeping: Keeping | None,
    engine: Engine | None,
) -> BuiltGraph:
    """Build the graph of a NumericTable or a MixedTable."""
    how: dict[str, Any] = {
        "max_parents": max_parents,
        "knowledge": knowledge,
        "slack": slack_quanta(slack),
        "n_jobs": n_jobs,
        "limits": limits,
        "bounds": bounds,
        "keeping": keeping,
        "engine": engine,
        **parameters,
    }
    if table.was_set is not None and kind.continuous:
        return build_intervened_bge(table, **how)
    build = build_partial_gaussian if kind.continuous else build_partial_mixed
    return build(table, kind.id, **how)


@takes("score")
def build_parent_graph(
    data: Any,
    score: str = "bic",
    *,
    slack: float | None = None,
    limits: Limits | None = None,
    **options: Unpack[ScoreSettings],
) -> ParentGraph:
    """All maximal candidate parent sets of every variable, exactly.

    `data` is a Table, or anything `sabna.read_table` takes. The options are those of reading, scoring and running, see
    [settings](settings.md); with `time` the rows are transitions, and the past has no parents. Under `knowledge` only
    sets that obey it are listed. `slack` (nats) keeps sets that a subset beats by no more than that, for alternatives.
    Raises `LimitReached` when one of the `limits` strikes and `Interrupted` on Ctrl-C.

    >>> import numpy as np
    >>> from sabna.table import Table
    >>> codes = np.array([[0, 1] * 8, [0, 1] * 8, [0, 0, 1, 1] * 4], dtype=np.uint16)
    >>> graph = build_parent_graph(Table(("a", "b", "c"), codes, (("0", "1"),) * 3))
    >>> [parents for _, parents in graph.parent_sets(0)]
    [(1,), ()]
    """
    settings = with_threads(checked("score", {"score": score, **options}))
    slack_quanta(slack)  # refused now, not after the reading
    check_reading(data, settings)
    limits = limits_of(settings, limits)
    settings["knowledge"] = Knowledge.of(settings["knowledge"]).to_dict() or None
    with opened(settings["work"]) as work, opened_engine(settings["engine"]) as engine:
        table = read_rows(data, settings, limits)
        settings = with_past(settings, table)
        if work is not None:
            arguments = {} if slack is None else {"slack": slack}
            claim_for_table(work, "score", table, source_of(data), chosen(settings), arguments)
        return build_partial_graph(
            table,
            score,
            **only(settings, Scoring, Known, Threads),
            slack=slack,
            progress=settings["progress"],
            limits=limits,
            work=work,
            engine=engine,
        ).complete()

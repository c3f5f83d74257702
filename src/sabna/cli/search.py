"""`sabna search GRAPH`: from a parent graph to the best network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sabna.cli import options as o

if TYPE_CHECKING:
    from sabna.cli.console import ProgressCallback
    from sabna.result.result import Result


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("search", rich_help_panel=o.RUN)(search)


def search(
    graph: o.GraphInput,
    output: o.NetworkOutput = None,
    knowledge: o.Knowledge = None,
    strategy: o.Strategy = "auto",
    heuristic: o.Heuristic = None,
    no_path_extension: o.NoPathExtension = False,
    no_upper_bound: o.NoUpperBound = False,
    components: o.Components = False,
    scc_branching: o.SccBranching = False,
    pattern_groups: o.PatternGroups = None,
    pattern_grouping: o.PatternGrouping = "affinity",
    gap_tolerance: o.GapTolerance = 1e-6,
    explain: o.Explain = False,
    seed: o.Seed = 0,
    time_limit: o.TimeLimit = None,
    memory_limit: o.MemoryLimit = None,
    jobs: o.Jobs = -1,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Find the best network that a parent graph allows."""
    limits = o.limits_of(time_limit, memory_limit)
    from sabna.cli.answer import answer, check_network_output

    check_network_output(str(graph), output, fitted=False)

    def work(progress: ProgressCallback | None) -> Result:
        from sabna.searching.search import search as run_search

        return run_search(
            graph,
            strategy,
            heuristic,
            knowledge=knowledge,
            path_extension=not no_path_extension,
            upper_bound=not no_upper_bound,
            components=components,
            scc_branching=scc_branching,
            pattern_groups=pattern_groups,
            pattern_grouping=pattern_grouping,
            gap_tolerance=gap_tolerance,
            n_jobs=jobs,
            seed=seed,
            progress=progress,
            limits=limits,
        )

    return answer(work, output, as_json, quiet, graph, explain=explain)

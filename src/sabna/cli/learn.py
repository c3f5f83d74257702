"""`sabna learn DATA`: from a table to the best network, under one time and one memory limit."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import typer

from sabna.cli import options as o

if TYPE_CHECKING:
    from sabna.cli.console import ProgressCallback
    from sabna.result.result import Result


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("learn", rich_help_panel=o.RUN)(learn)


def learn(
    data: o.Data,
    output: o.NetworkOutput = None,
    score: o.Score = "bic",
    max_parents: o.MaxParents = None,
    equivalent_sample_size: o.EquivalentSampleSize = None,
    alpha_mu: o.AlphaMu = None,
    alpha_w: o.AlphaW = None,
    knowledge: o.Knowledge = None,
    categorical: o.Categorical = None,
    discretize: o.Discretize = None,
    missing: o.Missing = "error",
    delimiter: o.Delimiter = None,
    no_header: o.NoHeader = False,
    strategy: o.Strategy = "auto",
    heuristic: o.Heuristic = None,
    no_path_extension: o.NoPathExtension = False,
    no_upper_bound: o.NoUpperBound = False,
    components: o.Components = False,
    scc_branching: o.SccBranching = False,
    gap_tolerance: o.GapTolerance = 1e-6,
    explain: o.Explain = False,
    seed: o.Seed = 0,
    time_limit: o.TimeLimit = None,
    memory_limit: o.MemoryLimit = None,
    jobs: o.Jobs = -1,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Learn the best network for a table of data."""
    limits = o.limits_of(time_limit, memory_limit)
    from sabna.cli.answer import answer, check_network_output
    from sabna.cli.console import Console
    from sabna.scores.registry import score_type

    continuous = score_type(score).continuous
    check_network_output(str(data), output, fitted=not continuous)

    @cache
    def table() -> Any:
        from sabna.scores.reading import read_for_score

        with Console(quiet, as_json).warnings_as_notes():
            return read_for_score(
                data,
                score,
                categorical=categorical or (),
                discretize=discretize or "none",
                missing=missing,
                delimiter=delimiter,
                header=not no_header,
            )

    def work(progress: ProgressCallback | None) -> Result:
        from sabna.learning import learn as run_learn

        return run_learn(
            table(),
            score,
            max_parents=o.parse_max_parents(max_parents, table().names),
            equivalent_sample_size=equivalent_sample_size,
            alpha_mu=alpha_mu,
            alpha_w=alpha_w,
            knowledge=knowledge,
            strategy=strategy,
            heuristic=heuristic,
            path_extension=not no_path_extension,
            upper_bound=not no_upper_bound,
            components=components,
            scc_branching=scc_branching,
            gap_tolerance=gap_tolerance,
            n_jobs=jobs,
            seed=seed,
            progress=progress,
            limits=limits,
        )

    return answer(work, output, as_json, quiet, data, None if continuous else table, explain)

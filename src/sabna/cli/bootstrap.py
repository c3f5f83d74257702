"""`sabna bootstrap DATA -B 200`: how often each edge is found in resampled data."""

from __future__ import annotations

from typing import Annotated

import typer

from sabna.cli import options as o

Replicates = Annotated[int, typer.Option("-B", "--replicates", metavar="N", help="How many resamples to learn from.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bootstrap", rich_help_panel=o.RUN)(bootstrap)


def bootstrap(
    data: o.Data,
    replicates: Replicates = 200,
    output: o.AlternativesOutput = None,
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
    seed: o.Seed = 0,
    time_limit: o.TimeLimit = None,
    memory_limit: o.MemoryLimit = None,
    jobs: o.Jobs = -1,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Learn a network from each of many resamples of the rows, and say how often each edge is in it."""
    limits = o.limits_of(time_limit, memory_limit)
    from sabna.base.atomic import atomic_write
    from sabna.bootstrapping.bootstrap import bootstrap as run
    from sabna.cli.answer import STOPPED_AT_A_LIMIT
    from sabna.cli.app import interrupted_exit_code
    from sabna.cli.console import Console
    from sabna.scores.reading import read_for_score

    console = Console(quiet, as_json)
    with console.warnings_as_notes():
        table = read_for_score(
            data,
            score,
            categorical=categorical or (),
            discretize=discretize or "none",
            missing=missing,
            delimiter=delimiter,
            header=not no_header,
        )
    with console.progress("Bootstrap") as progress:
        found = run(
            table,
            replicates,
            score,
            max_parents=o.parse_max_parents(max_parents, table.names),
            equivalent_sample_size=equivalent_sample_size,
            alpha_mu=alpha_mu,
            alpha_w=alpha_w,
            knowledge=knowledge,
            seed=seed,
            n_jobs=jobs,
            progress=progress,
            limits=limits,
        )
    document = found.to_dict()
    if output is not None:
        import json

        atomic_write(output, json.dumps(document, indent=1).encode())
    console.result(document, str(found))
    if found.status == "interrupted":
        return interrupted_exit_code()
    return 0 if found.status == "done" else STOPPED_AT_A_LIMIT

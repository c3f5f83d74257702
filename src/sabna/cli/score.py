"""`sabna score DATA -o GRAPH`: from a table to its parent graph."""

from __future__ import annotations

import typer

from sabna.cli import options as o


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("score", rich_help_panel=o.RUN)(score)


def score(
    data: o.Data,
    output: o.GraphOutput,
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
    time_limit: o.TimeLimit = None,
    memory_limit: o.MemoryLimit = None,
    jobs: o.Jobs = -1,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Score a table: write all candidate parent sets of every variable with their scores.

    Stopped at a limit, it writes nothing and exits with code 10.
    """
    limits = o.limits_of(time_limit, memory_limit)
    from sabna.cli.console import Console, graph_document
    from sabna.parents.build import build_parent_graph
    from sabna.parents.files import graph_format
    from sabna.scores.reading import read_for_score

    console = Console(quiet, as_json)
    graph_format(output)  # a wrong suffix is told now, not after the work
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
    with console.progress("Scoring") as progress:
        graph = build_parent_graph(
            table,
            score=score,
            max_parents=o.parse_max_parents(max_parents, table.names),
            equivalent_sample_size=equivalent_sample_size,
            alpha_mu=alpha_mu,
            alpha_w=alpha_w,
            knowledge=knowledge,
            n_jobs=jobs,
            limits=limits,
            progress=progress,
        )
    graph.save(output)
    document = graph_document(graph, output, limits.elapsed(), table.statistics)
    built = document["parent_graph"]
    console.result(
        document,
        f"{output}: {built['sets']:,} parent sets of {graph.n} variables ({graph.score}, {table.rows:,} rows; "
        f"{built.get('evaluated', 0):,} sets evaluated in {built.get('seconds', 0.0):.2f} s)",
    )

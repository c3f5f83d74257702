"""`sabna kbest DATA|GRAPH`: the k best networks, or all within a Bayes factor of the best."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from sabna.cli import options as o

Count = Annotated[int, typer.Option("-k", metavar="K", help="How many networks.")]
BayesFactor = Annotated[
    float | None,
    typer.Option("--bayes-factor", metavar="X", help="Instead of k: all networks at most X times less likely."),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("kbest", rich_help_panel=o.RUN)(kbest)


def kbest(
    data: Annotated[str, typer.Argument(metavar="DATA|GRAPH", help="A table, or a parent graph (.jkl, .pss, .pg).")],
    k: Count = 10,
    bayes_factor: BayesFactor = None,
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
    time_limit: o.TimeLimit = None,
    memory_limit: o.MemoryLimit = None,
    jobs: o.Jobs = -1,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """List the best networks, their equivalence classes, and how much weight each edge has among them.

    Of a parent graph only the sets it lists are considered, dominated ones included.
    """
    limits = o.limits_of(time_limit, memory_limit)
    from sabna.alternatives.kbest import Alternatives
    from sabna.alternatives.kbest import kbest as run
    from sabna.base.atomic import atomic_write
    from sabna.base.errors import Interrupted
    from sabna.cli.answer import STOPPED_AT_A_LIMIT
    from sabna.cli.app import interrupted_exit_code
    from sabna.cli.console import Console
    from sabna.parents.files import GRAPH_FORMATS, read_parent_graph
    from sabna.scores.reading import read_for_score

    console = Console(quiet, as_json)
    if os.path.splitext(data)[1].lower() in GRAPH_FORMATS:
        o.refuse_with_graph(knowledge=knowledge, max_parents=max_parents)
        source, limit = read_parent_graph(data, keep_dominated=True), None
    else:
        with console.warnings_as_notes():
            source = read_for_score(
                data,
                score,
                categorical=categorical or (),
                discretize=discretize or "none",
                missing=missing,
                delimiter=delimiter,
                header=not no_header,
            )
        limit = o.parse_max_parents(max_parents, source.names)
    with console.progress("Alternatives") as progress:
        try:
            found = run(
                source,
                k,
                bayes_factor=bayes_factor,
                score=score,
                max_parents=limit,
                equivalent_sample_size=equivalent_sample_size,
                alpha_mu=alpha_mu,
                alpha_w=alpha_w,
                knowledge=knowledge,
                n_jobs=jobs,
                progress=progress,
                limits=limits,
            )
        except Interrupted as error:
            if not isinstance(error.result, Alternatives):
                raise
            found = error.result
    document = found.to_dict()
    if output is not None:
        import json

        atomic_write(output, json.dumps(document, indent=1).encode())
    console.result(document, str(found))
    if found.status == "interrupted":
        return interrupted_exit_code()
    return 0 if found.status == "done" else STOPPED_AT_A_LIMIT

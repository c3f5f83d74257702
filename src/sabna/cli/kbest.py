"""`sabna kbest DATA|GRAPH`: the k best networks, or all within a Bayes factor of the best."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from sabna.cli import options as o
from sabna.settings import limits_of

Count = Annotated[int | None, o.own("-k", metavar="K", help="How many networks.", default="10")]
BayesFactor = Annotated[
    float | None, o.own("--bayes-factor", metavar="X", help="Instead of -k: all networks at most X times less likely.")
]
AtMost = Annotated[
    int | None,
    o.own(
        "--at-most",
        metavar="N",
        help="List at most N networks, and look for at most N that score as the last one listed.",
        default="100000",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("kbest", rich_help_panel=o.RUN)(kbest)


@o.takes("kbest")
def kbest(
    data: Annotated[
        str | None, typer.Argument(metavar="DATA|GRAPH", help="A table, or a parent graph (.jkl, .pss, .pg).")
    ] = None,
    k: Count = None,
    bayes_factor: BayesFactor = None,
    at_most: AtMost = None,
    output: o.AlternativesOutput = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    *,
    options: o.Options,
    table_before: str | None = None,
) -> int:
    """List the best networks, their equivalence classes, and the weight of each edge among them.

    Of a parent graph, only the sets that it lists count, dominated ones included.
    """
    from sabna.parents.files import GRAPH_FORMATS
    from sabna.settings.table import Keeping, Running, Threads, rows

    if os.path.splitext(str(data))[1].lower() in GRAPH_FORMATS:
        o.refuse_with_graph(options, *rows(Running, Keeping, Threads))
    return list_best(data, k, bayes_factor, output, as_json, quiet, options, table_before, at_most)


def list_best(
    data: Any,
    k: int | None,
    bayes_factor: float | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
    options: o.Options,
    table_before: str | None = None,
    at_most: int | None = None,
) -> int:
    """The command, given a table, its source, or a parent graph."""
    limits = limits_of(options)
    from sabna.alternatives.kbest import kbest as run
    from sabna.alternatives.networks import Alternatives
    from sabna.base.errors import Interrupted
    from sabna.cli.answer import check_suffix, tell_findings
    from sabna.cli.console import Console
    from sabna.cli.keeping import work_of

    check_suffix(output, ".json")
    console = Console(quiet, as_json)
    with console.progress("Alternatives") as progress, console.warnings_as_notes():
        try:
            with work_of(options, output) as kept:
                most: o.Options = {} if at_most is None else {"at_most": at_most}
                found = run(data, k, bayes_factor=bayes_factor, **most, limits=limits, progress=progress, **kept)
        except Interrupted as error:
            if not isinstance(error.result, Alternatives):
                raise
            found = error.result
    o.tell_of_another_table(console, table_before, found.statistics.get("run", {}), data)
    return tell_findings(console, found.to_dict(), str(found), output, found.status)

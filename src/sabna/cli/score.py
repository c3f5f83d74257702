"""`sabna score DATA -o GRAPH`: from a table to its parent graph."""

from __future__ import annotations

from typing import Any

import typer

from sabna.base.atomic import refuse_unwritable
from sabna.cli import options as o
from sabna.settings import limits_of


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("score", rich_help_panel=o.RUN)(score)


@o.takes("score")
def score(
    data: o.Data = None,
    *,
    output: o.GraphOutput,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    options: o.Options,
) -> None:
    """Score a table: write all candidate parent sets of every variable with their scores.

    Stopped at a limit, it writes nothing and exits with code 10.
    """
    score_table(data, output, as_json, quiet, options)


def score_table(data: Any, output: str, as_json: bool, quiet: bool, options: o.Options) -> None:
    """The command, given a table or its source."""
    limits = limits_of(options)
    from sabna.cli.console import Console, graph_document
    from sabna.cli.keeping import work_of
    from sabna.parents.build import build_parent_graph
    from sabna.parents.files import graph_format
    from sabna.parents.reading import TableOf, check_reading, read_rows, source_of
    from sabna.settings import checked
    from sabna.table.missing import account_text

    console = Console(quiet, as_json)
    graph_format(output)  # a wrong suffix is told now, not after the work
    refuse_unwritable(output)
    settings = checked("score", options)
    check_reading(data, settings)
    with console.warnings_as_notes():
        table = read_rows(data, settings, limits)
    with console.progress("Scoring") as progress, console.warnings_as_notes(), work_of(options, output) as kept:
        graph = build_parent_graph(TableOf(table, source_of(data)), limits=limits, progress=progress, **kept)
    graph.save(output)
    document = graph_document(graph, output, limits.elapsed(), table.statistics)
    built, used = document["parent_graph"], account_text(table.statistics)
    console.result(
        document,
        f"{output}: {built['sets']:,} parent sets of {graph.n} variables ({graph.score}, {table.rows:,} rows; "
        f"{built.get('evaluated', 0):,} sets evaluated in {built.get('seconds', 0.0):.2f} s)"
        + (f"\n{used}" if used else ""),
    )

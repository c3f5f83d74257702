"""`sabna convert IN OUT`: a parent graph from one file format to another."""

from __future__ import annotations

from typing import Annotated

import typer

from sabna.cli import options as o


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("convert")(convert)


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A .jkl, .pss or .pg file.", show_default=False)],
    output: Annotated[
        str, typer.Argument(metavar="OUT", help="The file to write; .jkl, .pss or .pg.", show_default=False)
    ],
    keep_dominated: Annotated[
        bool, typer.Option("--keep-dominated", help="Keep parent sets that are no better than one of their subsets.")
    ] = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Convert a parent graph between .jkl (GOBNILP), .pss (URLearning) and .pg (sabna)."""
    limits = o.limits_of(None, None)
    from sabna.cli.console import Console, graph_document
    from sabna.formats import graph_format, read_parent_graph

    graph_format(output)  # a wrong suffix is told now, not after reading
    graph = read_parent_graph(source, keep_dominated)
    graph.save(output)
    Console(quiet, as_json).result(
        graph_document(graph, output, limits.elapsed()),
        f"{output}: {len(graph):,} parent sets of {graph.n} variables",
    )

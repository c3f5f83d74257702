"""`sabna convert IN OUT`: a parent graph or a network from one file format to another."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from sabna.base.errors import UsageError
from sabna.base.limits import Limits
from sabna.cli import options as o

if TYPE_CHECKING:
    from sabna.cli.console import Console


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("convert", rich_help_panel=o.FILES)(convert)


def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            help="A parent graph (.jkl, .pss, .pg) or a network (.bif, .xml, .net, .dsc, .uai, .json, ...).",
            show_default=False,
        ),
    ],
    output: Annotated[
        str,
        typer.Argument(metavar="OUT", help="The file to write; its suffix tells the format.", show_default=False),
    ],
    keep_dominated: Annotated[
        bool, typer.Option("--keep-dominated", help="Keep parent sets that are no better than one of their subsets.")
    ] = False,
    steps: Annotated[
        int | None,
        typer.Option("--steps", metavar="N", help="Write a network learned with --time as one of N steps in a row."),
    ] = None,
    dialect: o.Dialect = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Convert a parent graph (.jkl, .pss, .pg), or a network (.bif, .xml, .net, .dsc, .uai, .dot, .graphml, ...).

    A file that may be either is taken as what its suffix says; a result (.json) counts as its network.
    """
    limits = Limits()
    from sabna.cli.console import Console, graph_document
    from sabna.parents.files import GRAPH_FORMATS, graph_format, read_parent_graph

    if os.path.splitext(source)[1].lower() not in GRAPH_FORMATS:
        if keep_dominated:
            raise UsageError(f"{source}: --keep-dominated is for parent graphs, and this is a network; leave it out")
        _convert_network(source, output, dialect, steps, Console(quiet, as_json))
        return
    if steps is not None:
        raise UsageError(f"{source}: --steps unrolls a network, and this is a parent graph; learn one first")
    if dialect is not None:
        raise UsageError(f"dialect {dialect}: {source} is a parent graph, and only .bif has dialects; leave it out")
    graph_format(output)  # a wrong suffix is told now, not after reading
    graph = read_parent_graph(source, keep_dominated)
    graph.save(output)
    Console(quiet, as_json).result(
        graph_document(graph, output, limits.elapsed()),
        f"{output}: {len(graph):,} parent sets of {graph.n} variables",
    )


def _convert_network(source: str, output: str, dialect: str | None, steps: int | None, console: Console) -> None:
    from sabna.cli.answer import note_dialect
    from sabna.network.files import check_dialect, network_format, read_network

    network_format(output)
    check_dialect(output, dialect)
    network = read_network(source)
    if steps is not None:
        network = network.unrolled(steps)
    network.save(output, dialect=dialect)
    note_dialect(network, output, dialect, console)
    document = {"status": "done", "output": output, "n": len(network.variables), "edges": len(network.edges)}
    console.result(document, f"{output}: {len(network.edges)} edges between {len(network.variables)} variables")

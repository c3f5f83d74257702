"""`sabna report RESULT.json`: the page of a result."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from sabna.cli import options as o

if TYPE_CHECKING:
    from sabna.result.result import Result


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report", rich_help_panel=o.LOOK)(report)


def _with_bootstrap(result: Result, path: str) -> Result:
    from sabna.base.errors import DataError
    from sabna.network.files.jsonfile import load

    try:
        with open(path, "rb") as file:
            document = load(file.read(), path)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        return result.with_bootstrap(document)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def report(
    source: Annotated[
        str,
        typer.Argument(metavar="RESULT", help="A result: what `-o x.json` or `--json` wrote.", show_default=False),
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PAGE", help="The page to write; RESULT with .html if not given."),
    ] = None,
    bootstrap: Annotated[
        str | None,
        typer.Option(
            "--bootstrap",
            metavar="FILE",
            help="Show the confidence of edges: what `sabna bootstrap -o FILE.json` wrote.",
        ),
    ] = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Make one self-contained HTML page of a result: the graph, the proof, the tables."""
    from sabna.base.errors import UsageError
    from sabna.cli.console import Console
    from sabna.result.result import read_result

    output = output or os.path.splitext(source)[0] + ".html"
    if not output.lower().endswith((".html", ".htm")):
        raise UsageError(f"{output}: a report is a page; give it the suffix .html")
    result = read_result(source)
    if bootstrap is not None:
        result = _with_bootstrap(result, bootstrap)
    result.save(output)
    size = os.path.getsize(output) if os.path.isfile(output) else 0
    Console(quiet, as_json).result(
        {"status": "done", "output": output, "bytes": size}, f"{output}: {size / 1000:,.0f} kB, open it in a browser"
    )

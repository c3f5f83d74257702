"""`sabna report RESULT.json`: the page of a result."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from sabna.cli import options as o


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report", rich_help_panel=o.LOOK)(report)


def report(
    source: Annotated[
        str,
        typer.Argument(metavar="RESULT", help="A result: what `-o x.json` or `--json` wrote.", show_default=False),
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PAGE", help="The page to write; RESULT with .html if not given."),
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
    result.save(output)
    size = os.path.getsize(output) if os.path.isfile(output) else 0
    Console(quiet, as_json).result(
        {"status": "done", "output": output, "bytes": size}, f"{output}: {size / 1000:,.0f} kB, open it in a browser"
    )

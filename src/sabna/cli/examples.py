"""`sabna examples`: the example data that come with the package."""

from __future__ import annotations

import typer

from sabna.cli import options as o


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("examples", rich_help_panel=o.FILES)(examples)


def examples(as_json: o.Json = False) -> None:
    """List the example data; use one as `example:NAME` wherever a table is expected."""
    from sabna.cli.console import Console
    from sabna.examples import EXAMPLES, example_path

    document = {
        "status": "done",
        "examples": [
            {"name": name, "description": text, "path": str(example_path(name))} for name, text in EXAMPLES.items()
        ],
    }
    Console(as_json=as_json).result(document, "\n".join(f"example:{name:12} {text}" for name, text in EXAMPLES.items()))

"""The command line: `sabna COMMAND ...`. One file per command, listed here."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

# Modules of this folder; each adds its command with `register(app)`. In the order of `sabna --help`.
COMMANDS: tuple[str, ...] = (
    "learn",
    "score",
    "search",
    "kbest",
    "bootstrap",
    "estimate",
    "report",
    "info",
    "convert",
    "examples",
    "bench",
)


def register_commands(app: typer.Typer) -> None:
    """Add every command to `app`, once."""
    if not app.registered_commands and not app.registered_groups:
        for name in COMMANDS:
            importlib.import_module(f"sabna.cli.{name}").register(app)


def main() -> None:
    """Entry point of the `sabna` command."""
    from sabna.cli.app import main as run_main

    run_main()


__all__ = ["main", "register_commands"]

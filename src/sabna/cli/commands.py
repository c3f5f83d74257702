"""The commands of `sabna`, one file each in this folder."""

from __future__ import annotations

import importlib

import typer

# Modules of this folder; each adds its command with `register(app)`. In the order of `sabna --help`.
COMMANDS: tuple[str, ...] = (
    "learn",
    "predict",
    "kbest",
    "bootstrap",
    "posterior",
    "score",
    "search",
    "resume",
    "look",
    "estimate",
    "report",
    "info",
    "check",
    "convert",
    "examples",
    "bench",
)


def register_commands(app: typer.Typer, name: str | None = None) -> None:
    """Add every command to `app`, or the one of this name; once."""
    if not app.registered_commands and not app.registered_groups:
        for command in COMMANDS if name is None else (name,):
            importlib.import_module(f"sabna.cli.{command}").register(app)

"""The command line: `sabna COMMAND ...`. One file per command, listed in commands.py."""

from __future__ import annotations


def main() -> None:
    """Entry point of the `sabna` command."""
    from sabna.cli.app import main as run_main

    run_main()


__all__ = ["main"]

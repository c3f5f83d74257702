"""Runs a command, and turns whatever ends it into a message and an exit code.

A command is a function that returns its exit code, or None for 0. With `--json` exactly one JSON object goes to
standard output, an error included; everything else goes to standard error.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import traceback
from types import FrameType
from typing import Any

import typer
import typer.core

from sabna.base.errors import LimitReached, SabnaError


class Stopped(Exception):
    """A KeyboardInterrupt on its way past typer, which would swallow it and report Ctrl-C without a word."""


class Commands(typer.core.TyperGroup):
    """The commands of sabna."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and let an interruption reach `run`."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise Stopped(str(error)) from error


# Shown below `sabna --help`; blank lines part the paragraphs.
EPILOG = """Examples:

[cyan]sabna learn data.csv -o report.html[/] · from a table to a page with the graph, the proof and the tables

[cyan]sabna learn data.csv -o network.bif --time-limit 60[/] · a file for other programs, within a minute

[cyan]sabna estimate data.csv[/] · what a run will take

[cyan]sabna score data.csv -o data.jkl[/], then [cyan]sabna search data.jkl[/] · the two halves apart

[cyan]sabna --install-completion[/] · completion for your shell
"""

app = typer.Typer(
    name="sabna",
    cls=Commands,
    help="The best Bayesian network for your data, with proof.",
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _common(
    version: bool = typer.Option(False, "--version", help="Print the version and leave.", is_eager=True),
) -> None:
    if version:
        from sabna.base.version import __version__

        print(f"sabna {__version__}")
        raise typer.Exit


class Terminated(KeyboardInterrupt):
    """SIGTERM: ends a run as Ctrl-C does, with an exit code of its own."""


def _on_sigterm(signum: int, frame: FrameType | None) -> None:
    _on_sigterm.received = True  # type: ignore[attr-defined]
    raise Terminated


def interrupted_exit_code() -> int:
    """143 after SIGTERM, 130 after Ctrl-C."""
    return 143 if getattr(_on_sigterm, "received", False) else 130


def fail(message: str, code: int, as_json: bool) -> int:
    """Say what went wrong, where the user reads it."""
    if as_json:
        print(json.dumps({"status": "error", "code": code, "message": message}))
    print(f"sabna: {message}", file=sys.stderr)
    return code


def main(arguments: list[str] | None = None) -> None:
    """Entry point of the `sabna` command."""
    arguments = sys.argv[1:] if arguments is None else arguments
    signal.signal(signal.SIGTERM, _on_sigterm)
    if isinstance(sys.stdout, io.TextIOWrapper):  # names that the terminal cannot show must not end a run
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(run(arguments))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    from sabna.cli.commands import register_commands

    register_commands(app)
    as_json = "--json" in arguments
    try:
        code = app(arguments, prog_name="sabna", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except typer.TyperException as error:
        return fail(error.format_message(), error.exit_code, as_json)
    except typer.Exit as leave:
        return leave.exit_code
    except LimitReached as error:
        if as_json:
            document = {"status": error.status, "code": error.exit_code, "message": str(error)}
            print(json.dumps({**document, "parent_graph": error.statistics}))
        print(f"sabna: {error}", file=sys.stderr)
        return error.exit_code
    except SabnaError as error:
        return fail(str(error), error.exit_code, as_json)
    except (Stopped, KeyboardInterrupt, typer.Abort) as error:
        return fail(str(error) or "stopped before there was a result", interrupted_exit_code(), as_json)
    except BrokenPipeError:  # the reader of our output has gone, e.g. `sabna ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # a mistake of ours, not of the user's
        traceback.print_exc()
        return fail(
            f"internal error: {type(error).__name__}: {error}; please report it with the lines above", 1, as_json
        )

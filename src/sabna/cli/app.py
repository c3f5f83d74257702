"""Runs a command: a function that returns its exit code, or None for 0. What ends it otherwise is told by ending.py."""

from __future__ import annotations

import re
import sys
from copy import copy
from functools import cache
from typing import Any

import typer
import typer.core
import typer.main

from sabna.base.errors import UsageError
from sabna.cli.ending import tell
from sabna.cli.memory import prepare_for_limited_memory
from sabna.cli.signals import RUNNING, signals


class Stopped(Exception):
    """A KeyboardInterrupt on its way past typer, which would swallow it and report Ctrl-C without a word."""


def without_types(parameters: list[Any]) -> list[Any]:
    """The parameters, of which `--help` then shows no `<bool>` behind flags and no `<str>` behind arguments."""
    for parameter in parameters:
        if isinstance(parameter, typer.core.TyperArgument) or getattr(parameter, "is_flag", False):
            parameter.display_type_rich = lambda ctx: ""
    return parameters


class Command(typer.core.TyperCommand):
    """One command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its arguments and options, `--help` among them."""
        return without_types(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Refuse an option that takes one value and is given two: the first would be dropped without a word."""
        _, _, given = self.make_parser(ctx).parse_args(list(args))
        once = [p for p in given if not getattr(p, "multiple", True) and not getattr(p, "is_flag", False)]
        twice = next((p for p in once if once.count(p) > 1), None)
        if twice is not None:
            more = "; `sabna convert` and `sabna report` write other files of a .json" if "-o" in twice.opts else ""
            raise UsageError(f"{'/'.join(twice.opts)} takes one value, and more are given; give it once{more}")
        return super().parse_args(ctx, args)


class Commands(typer.core.TyperGroup):
    """The commands of sabna."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options of `sabna` itself."""
        return without_types(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and let an interruption reach `run`."""
        prepare_for_limited_memory()
        signals.phase = RUNNING
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise Stopped(str(error)) from error


# Shown below `sabna --help`; blank lines part the paragraphs.
EPILOG = """Examples:

[cyan]sabna learn data.csv -o report.html[/] · from a table to a page with the graph, the proof and the tables

[cyan]sabna learn data.csv -o network.bif --time-limit 60[/] · a file for other programs, within a minute

[cyan]sabna look data.csv[/], then [cyan]sabna estimate data.csv[/] · what is in the table, and how long a run will take

[cyan]sabna score data.csv -o data.jkl[/], then [cyan]sabna search data.jkl[/] · score once, search as often as you like

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


def _print_version(asked: bool) -> None:
    if asked:
        from sabna.base.version import __version__

        print(f"sabna {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: bool = typer.Option(
        False, "--version", help="Print the version and exit.", is_eager=True, callback=_print_version
    ),
) -> None:
    """Options of `sabna` itself."""


def interrupted_exit_code() -> int:
    """143 after SIGTERM, 130 after Ctrl-C."""
    return signals.exit_code


@cache
def _commands(name: str | None) -> Any:
    """The command of this name, or all, with their options; made once, as making all takes as long as a short run."""
    from sabna.cli.commands import register_commands

    asked = app
    if name is not None:
        asked = copy(app)
        asked.registered_commands, asked.registered_groups = [], []
    register_commands(asked, name)
    for command in asked.registered_commands:
        command.cls = Command
    return typer.main.get_command(asked)


def _plain(error: typer.TyperException) -> str:
    """What typer says of a mistake, in our words, with the way to the help of the command."""
    said = error.format_message().rstrip(".")
    said = re.sub(r"Input should be a valid number\b.*", "write a number", said)
    said = re.sub(r"Input should be a valid integer\b.*", "write a whole number", said)
    context = getattr(error, "ctx", None)
    return f"{said}; `{context.command_path} --help` tells more" if context is not None else said


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    signals.begin()
    try:
        from sabna.cli.commands import COMMANDS

        name = next((word for word in arguments[:1] if word in COMMANDS), None)
        code = _commands(name)(arguments, prog_name="sabna", standalone_mode=False)
        sys.stdout.flush()  # a full disk may show only now
        return code if isinstance(code, int) else 0
    except typer.TyperException as error:
        return tell(UsageError(_plain(error)), "--json" in arguments, arguments)
    except typer.Exit as leave:
        return leave.exit_code
    except Stopped as stopped:
        return tell(stopped.__cause__ or stopped, "--json" in arguments, arguments)
    except SystemExit:  # completion for a shell
        raise
    except BaseException as error:
        return tell(error, "--json" in arguments, arguments)

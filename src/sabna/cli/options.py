"""What the commands take: their options come from the table of settings, a few more are defined here.

A command is written `@takes("learn") def learn(data: Data, output: NetworkOutput = None, *, options: Options)`. Its
options of the table, those of `--settings FILE` included, arrive in `options` under their names in Python; what was
not given is not there. So defaults stand in the table alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sabna.base.errors import UsageError
from sabna.settings import checked, overridden, read_settings, table_of_result
from sabna.settings.table import BY_POSITION, PANELS, TAKERS, Setting, rows

if TYPE_CHECKING:
    from sabna.cli.console import Console

Options = dict[str, Any]

# Groups of commands in `sabna --help`.
RUN = "Learn"
LOOK = "Look and estimate"
FILES = "Files and data"
BENCH = "Benchmarks"

_OUTPUT = "Output"


def _option(panel: str, *names: str, help: str, metavar: str | None = None) -> typer.models.OptionInfo:
    info: typer.models.OptionInfo = typer.Option(
        *names, help=help, metavar=metavar, rich_help_panel=panel, show_default=True
    )
    return info


def own(*names: str, help: str, metavar: str, default: str = "") -> typer.models.OptionInfo:
    """An option of one command, which its settings file may name too; None if it is not given."""
    shown = rf"{help} [dim]\[default: {default}][/dim]" if default else help
    info: typer.models.OptionInfo = typer.Option(*names, help=shown, metavar=metavar, show_default=False)
    return info


# What goes in.
Data = Annotated[
    str | None,
    typer.Argument(
        metavar="DATA",
        help="A CSV, parquet, ARFF or Excel (.xlsx) file, `-` for standard input, or `example:NAME`.",
        show_default=False,
    ),
]
GraphInput = Annotated[
    str | None,
    typer.Argument(metavar="GRAPH", help="A parent graph: a .jkl, .pss or .pg file.", show_default=False),
]
SettingsFile = Annotated[
    str | None,
    _option(
        "Settings",
        "--settings",
        metavar="FILE",
        help="Read options from a TOML file or a result (JSON); those on the command line override them.",
    ),
]
Explain = Annotated[bool, _option("Search", "--explain", help="Say what the strategy auto decided, and why.")]

Watched = Annotated[
    bool, _option("Limits", "--watch", help="Serve a page about the run on this machine; its address is printed.")
]

# What comes out.
GraphOutput = Annotated[
    str,
    _option(_OUTPUT, "--output", "-o", metavar="GRAPH", help="Where to write the parent graph; .jkl, .pss or .pg."),
]
NetworkOutput = Annotated[
    str | None,
    _option(_OUTPUT, "--output", "-o", metavar="OUT", help="Where to write the network; the suffix tells the format."),
]
AlternativesOutput = Annotated[
    str | None, _option(_OUTPUT, "--output", "-o", metavar="OUT.json", help="Where to write everything found, as JSON.")
]
Dialect = Annotated[
    str | None,
    _option(
        _OUTPUT,
        "--dialect",
        metavar="bnlearn|pyagrum",
        help="For .bif: states as they are (bnlearn, pgmpy; the default), or as words that pyAgrum reads too.",
    ),
]
Json = Annotated[bool, _option(_OUTPUT, "--json", help="Print one JSON object, and nothing else, on standard output.")]
Quiet = Annotated[bool, _option(_OUTPUT, "--quiet", "-q", help="Print nothing but errors (and the object of --json).")]


def takes(taker: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a command of a function: add the options that the table gives to `taker`, and `--settings`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        of_command = [
            p
            for p in inspect.signature(function, eval_str=True).parameters.values()
            if p.name not in ("options", "table_before")
        ]
        table = [_parameter(name, row, PANELS[group]) for group in TAKERS[taker] for name, row in _typed(group)]
        file = inspect.Parameter("settings", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=SettingsFile)

        def command(**values: Any) -> Any:
            file_given, named = values.pop("settings"), [values[p.name] for p in inputs]
            options = _from_file(file_given, taker, values, given_by_position)
            if wants_table and file_given is not None and None in named:
                values["table_before"] = table_of_result(file_given)
            typed: Options = {}
            for parameter in table:
                value = values.pop(parameter.name)
                if value is not None and value != []:
                    typed[parameter.name] = not value if _switches_off(taker, parameter.name) else value
            options, left_out = overridden(taker, options, typed)
            checked(taker, options)
            if left_out:
                _tell_what_was_left_out(str(file_given), left_out, values)
            return function(**values, options=options)

        wants_table = "table_before" in inspect.signature(function).parameters
        of_command = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in of_command]
        given_by_position = [p.name for p in of_command if p.name in BY_POSITION]
        inputs = [p for p in of_command if p.name in INPUTS]
        parameters = [*inputs, *table, file, *(p for p in of_command if p.name not in INPUTS)]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in parameters}
        command.__doc__, command.__name__ = function.__doc__, function.__name__
        return command

    return decorate


def _tell_what_was_left_out(file: str, left_out: Mapping[str, str], values: Mapping[str, Any]) -> None:
    """A note for every option of a settings file that does not go with what was typed."""
    from sabna.cli.console import Console
    from sabna.cli.speech import in_shell_words

    console = Console(values.get("quiet", False), values.get("as_json", False))
    for name, why in left_out.items():
        console.note(f"note: {file}: {name} is left out: {in_shell_words(why)}")


# Arguments of commands; a settings file may name one of them as `data`.
INPUTS = ("data", "graph")


def _typed(group: type) -> list[tuple[str, Setting]]:
    return [(name, row) for name, row in rows(group).items() if row.on_the_command_line]


def _switches_off(taker: str, name: str) -> bool:
    return rows(*TAKERS[taker])[name].default is True


def _parameter(name: str, row: Setting, panel: str) -> inspect.Parameter:
    """An option of the command line; None if it is not given."""
    flag = f"--no-{name}" if row.default is True else f"--{name}"
    known = row.typed is not bool and row.default not in (None, ())
    default = rf" [dim]\[default: {row.default}][/dim]" if known else ""  # typer would put it in parentheses
    option = typer.Option(
        *(row.flags or (flag.replace("_", "-"),)),
        help=row.help + default,
        metavar=row.metavar,
        rich_help_panel=panel,
        show_default=False,
    )
    annotation = Annotated[row.typed | None, option]  # type: ignore[name-defined]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _from_file(path: str | None, taker: str, values: dict[str, Any], by_position: list[str]) -> Options:
    """The options of a settings file; its `data`, and what else is no row of the table, become arguments not given."""
    options = {} if path is None else read_settings(path, taker, by_position)
    arguments = {name: options.pop(name) for name in by_position if name in options}
    typed = {name for name, value in values.items() if value is not None}
    for name, value in arguments.items():
        other = {"k": "bayes_factor", "bayes_factor": "k"}.get(name)  # the one typed overrides the other, too
        if name not in typed and other not in typed:
            values[name] = value
    data = options.pop("data", None)
    for name in INPUTS:
        if name in values and values[name] is None:
            if data is None:
                raise UsageError(f"Missing argument '{name.upper()}'; `sabna {taker} --help` tells more")
            values[name] = data
    return options


def tell_of_another_table(console: Console, before: str | None, run: Mapping[str, Any], data: Any) -> None:
    """A note where the table that a result was made from has changed since."""
    now = run.get("data_sha256")
    if before is not None and now is not None and now != before:
        console.note(f"note: {data} has changed since that result was made from it: this is another result")


def refuse_with_graph(options: Options, *allowed: str) -> None:
    """Options that say how a table is read or scored make no sense for a parent graph, which is scored already."""
    for name in options:
        if name not in allowed:
            raise UsageError(f"{name}: this is for tables; a parent graph is scored already")

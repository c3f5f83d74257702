"""`sabna look DATA`: every column of a table, and what would be done with it."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from sabna.cli import options as o


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("look", rich_help_panel=o.LOOK)(look)


def look(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A CSV, parquet, ARFF or Excel (.xlsx) file, `-` for standard input, or `example:NAME`.",
        ),
    ],
    sheet: Annotated[
        str | None,
        typer.Option("--sheet", metavar="SHEET", help="The sheet of a workbook (.xlsx), by name or number."),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option("--delimiter", metavar="CHARACTER", help="What separates the cells of a CSV file (`tab`: a tab)."),
    ] = None,
    decimal: Annotated[
        str | None, typer.Option("--decimal", metavar=".|,", help="The decimal sign of numbers in text.")
    ] = None,
    no_header: Annotated[bool, typer.Option("--no-header", help="The CSV file has no header row.")] = False,
    columns: Annotated[
        list[str] | None, typer.Option("--columns", metavar="COLUMN", help="Look at this column only. Repeatable.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option("--drop", metavar="COLUMN", help="Leave this column out. Repeatable.")
    ] = None,
    as_json: o.Json = False,
) -> None:
    """Show every column of a table: its kind, states and missing values, and the command that would go through."""
    from sabna.cli.console import Console
    from sabna.table.looking import look as look_at_table

    console = Console(as_json=as_json)
    with console.warnings_as_notes():
        found = look_at_table(
            data,
            delimiter=delimiter,
            decimal=decimal,
            header=not no_header,
            columns=columns,
            drop=drop or (),
            sheet=sheet,
        )
    given = [("--sheet", sheet), ("--delimiter", delimiter), ("--decimal", decimal)]
    typed = [word for pair in given if pair[1] for word in pair if word]
    typed += ["--no-header"] if no_header else []
    typed += [word for name in columns or () for word in ("--columns", name)]
    typed += [word for name in drop or () for word in ("--drop", name)]
    command, other = None, None
    if found.call is not None:
        command = shlex.join(["sabna", "learn", data, *typed, *found.advice.flags()])
    if found.beside is not None:
        other = shlex.join(["sabna", "learn", data, *typed, "--score", found.score, *found.beside.flags()])
    document = {
        "status": "done",
        "rows": found.rows,
        "columns": [column.to_dict() for column in found.columns],
        "command": command,
        "command_for_quantities": other,
    }
    console.result(document, found.text(command, other))

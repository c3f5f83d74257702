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
    as_json: o.Json = False,
) -> None:
    """Show every column of a table: its kind, states and missing values, and the command that would go through."""
    from sabna.base.limits import Limits
    from sabna.cli.console import Console
    from sabna.table.budget import CODE_BYTES, Budget
    from sabna.table.numbers import numbers_of
    from sabna.table.sources import columns_of
    from sabna.table.survey import Advice, flags_for_both_kinds, look_at

    with Console(as_json=as_json).warnings_as_notes():
        read = columns_of(data, None, None, True, Budget(Limits(), CODE_BYTES), sheet)
    sign = "," if any(c.evidence().one_notation == "," for c in read.columns if not c.declared) else "."
    looks = [look_at(c, None if c.declared else numbers_of(c, read.where, sign)) for c in read.columns]
    advice = Advice.of(looks, read.columns)
    learn = ["sabna", "learn", data, *(["--sheet", sheet] if sheet else [])]
    command = shlex.join([*learn, *advice.flags()])
    beside = flags_for_both_kinds(looks, read.columns)
    as_they_are = shlex.join([*learn, *beside]) if beside else None
    document = {
        "status": "done",
        "rows": read.columns[0].rows,
        "columns": [found.to_dict() for found in looks],
        "command": command,
        "command_for_both_kinds": as_they_are,
    }
    width = max(len(repr(found.name)) for found in looks)
    kinds = max(len(found.kind) for found in looks)
    lines = [f"{read.where}: {read.columns[0].rows:,} rows, {len(looks)} columns"]
    for found in looks:
        gaps = f", {found.missing:,} missing" if found.missing else ""
        shown = ", ".join(text if len(text) <= 20 else f"{text[:17]}..." for text in found.examples)
        lines.append(
            f"  {found.name!r:{width}}  {found.kind:{kinds}}  {found.distinct:,} values ({shown}){gaps}: {found.plan}"
        )
    lines.append(f"goes through: {command}")
    if as_they_are:
        lines.append(f"with quantities as they are, beside categories: {as_they_are}")
    Console(as_json=as_json).result(document, "\n".join(lines))

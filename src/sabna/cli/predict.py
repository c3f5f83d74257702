"""`sabna predict NETWORK ROWS --target T`: what a network says about one column of new rows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sabna.base.errors import UsageError
from sabna.cli import options as o

if TYPE_CHECKING:
    from sabna.network import Network


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("predict", rich_help_panel=o.RUN)(predict)


def predict(
    source: Annotated[
        str,
        typer.Argument(
            metavar="NETWORK",
            help="A result (.json), or a network with parameters (.bif, .xml, .net, ...).",
            show_default=False,
        ),
    ],
    rows: Annotated[
        str, typer.Argument(metavar="ROWS", help="A CSV, parquet, ARFF or Excel file, or `-`.", show_default=False)
    ],
    target: Annotated[str, typer.Option("--target", metavar="COLUMN", help="The column to predict.")],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write the predictions (CSV); if not given, they are printed.",
        ),
    ] = None,
    sheet: Annotated[
        str | None,
        typer.Option("--sheet", metavar="SHEET", help="The sheet of a workbook (.xlsx), by name or number."),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option("--delimiter", metavar="CHARACTER", help="What separates the cells of a CSV file (`tab`: a tab)."),
    ] = None,
    no_header: Annotated[
        bool, typer.Option("--no-header", help="The CSV file has no header row; columns are called V1, V2, ...")
    ] = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Predict a column of new rows: its most probable state with all probabilities, or its mean and deviation.

    New rows are discretised and coded like the table that the network was learned from. They may have missing
    cells and columns. If they hold the target, it is not used to predict, and the predictions are compared with it.
    """
    from sabna.base.atomic import atomic_write, refuse_replacing
    from sabna.base.limits import Limits
    from sabna.cli.answer import check_suffix
    from sabna.cli.console import Console
    from sabna.network.files import read_network
    from sabna.network.inference.quality import quality, quality_text
    from sabna.table.budget import CODE_BYTES, Budget
    from sabna.table.sources import columns_of

    check_suffix(output, ".csv")
    console = Console(quiet, as_json)
    for file in (source, rows):
        refuse_replacing(output, file)
    if os.path.splitext(source)[1].lower() in (".csv", ".tsv", ".xlsx", ".xlsm", ".parquet", ".pq", ".arff"):
        raise UsageError(f"{source}: this is no network with parameters; write the network first, then the rows")
    network = read_network(source)
    with console.warnings_as_notes():
        read = columns_of(
            rows, {"sheet": sheet, "delimiter": delimiter, "header": not no_header}, Budget(Limits(), CODE_BYTES)
        )
        found = network.predict_proba(read, target)
        measured = quality(network, read, target, found)
    text, count = _csv(network, target, found)
    document: dict[str, Any] = {"status": "done", "target": target, "rows": count, "output": output}
    document |= {"quality": measured} if measured else {}
    if output is not None:
        atomic_write(output, text)
        summary = f"{output}: {count:,} predictions of {target}"
        console.result(document, summary + (f"\n{quality_text(measured)}" if measured else ""))
    elif as_json:
        console.result({**document, "predictions": _listed(network, target, found)}, "")
    else:
        console.result(document, text.rstrip("\n"))
        if measured:
            console.note(quality_text(measured))


def _columns(network: Network, target: str, found: Any) -> dict[str, list[Any]]:
    """The columns of the answer."""
    from sabna.network.inference.predict import chosen_states
    from sabna.network.rows import states_of

    if target not in states_of(network):
        return {target: found.mean.tolist(), "deviation": found.deviation.tolist()}
    states = states_of(network)[target]
    chances = {f"P({state})": found[:, k].tolist() for k, state in enumerate(states)}
    return {target: ["" if state is None else state for state in chosen_states(network, target, found)], **chances}


def _csv(network: Network, target: str, found: Any) -> tuple[str, int]:
    import csv
    import io

    columns = _columns(network, target, found)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["row", *columns])
    table = list(zip(*columns.values(), strict=True))
    for k, cells in enumerate(table, start=1):
        writer.writerow([k, *("" if cell != cell else cell for cell in cells)])
    return out.getvalue(), len(table)


def _listed(network: Network, target: str, found: Any) -> list[dict[str, Any]]:
    columns = _columns(network, target, found)
    return [
        {name: None if cell != cell else cell for name, cell in zip(columns, cells, strict=True)}
        for cells in zip(*columns.values(), strict=True)
    ]

"""`sabna estimate DATA`: what a run will take, before it is started."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sabna.base.limits import Limits
from sabna.cli import options as o

if TYPE_CHECKING:
    from sabna.estimating import Estimate, Range
    from sabna.table import NumericTable, Table


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("estimate", rich_help_panel=o.LOOK)(estimate)


@o.takes("estimate")
def estimate(
    data: o.Data = None,
    seconds: Annotated[
        float | None, o.own("--seconds", metavar="S", help="Time to spend on the estimate.", default="6")
    ] = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    *,
    options: o.Options,
) -> None:
    """Estimate the size of the parent graph, memory and time of a run, and recommend limits."""
    from sabna.cli.console import Console
    from sabna.estimating import checked_seconds
    from sabna.estimating import estimate as forecast_of
    from sabna.parents.reading import TableOf, check_reading, read_rows
    from sabna.settings import checked

    console = Console(quiet, as_json)
    asked: o.Options = {} if seconds is None else {"seconds": checked_seconds(seconds)}
    settings = checked("estimate", options)
    check_reading(data, settings)
    with console.warnings_as_notes():
        table = read_rows(data, settings, Limits())
    with console.progress("estimating"):
        forecast = forecast_of(TableOf(table, data), **asked, **options)
    console.result(document(table, forecast), text(str(data), table, forecast, options))


def document(table: Table | NumericTable, forecast: Estimate) -> dict[str, Any]:
    """The JSON object."""
    from sabna.base.version import __version__
    from sabna.table.missing import account_of

    def ends(span: Range) -> dict[str, float]:
        return {"low": span.low, "high": span.high}

    return {
        "status": "done",
        "n": table.n,
        "rows": table.rows,
        **account_of(table.statistics),
        "exact": forecast.exact,
        "sets": ends(forecast.sets),
        "evaluated": ends(forecast.evaluated),
        "scoring_seconds": ends(forecast.seconds),
        "memory_bytes": ends(forecast.memory),
        "advice": forecast.advice(),
        "samples": [dict(zip(("n", "sets", "evaluated", "seconds"), s, strict=True)) for s in forecast.samples],
        "seconds": forecast.seconds_spent,
        "version": __version__,
    }


def text(source: str, table: Table | NumericTable, forecast: Estimate, options: o.Options) -> str:
    """For people."""
    from sabna.cli.speech import flags_of
    from sabna.report.words import seconds_text, size_text
    from sabna.table.missing import account_text

    def span(ends: Range, show: Any) -> str:
        low, high = show(ends.low), show(ends.high)
        return low if low == high else f"{low} to {high}"

    def count(value: float) -> str:
        return f"{value:,.0f}" if value < 1e6 else f"{value:.2g}"

    how = "built whole, so this is exact" if forecast.exact else "drawn on from graphs of some of the variables"
    advice = forecast.advice()
    same = {name: value for name, value in options.items() if name not in ("seed", "n_jobs")}
    same |= {"time_limit": advice["time_limit"], "memory_limit": advice["memory_limit"]}
    same |= {"max_parents": advice["max_parents"]} if "max_parents" in advice else {}
    lines = [
        f"{table.n} variables, {table.rows:,} rows ({how})",
        *([f"  {used}"] if (used := account_text(table.statistics)) else []),
        f"  parent graph   {span(forecast.sets, count)} sets",
        f"  scoring        {span(forecast.seconds, seconds_text)}, {span(forecast.memory, size_text)} of memory",
        "  search         often less than the scoring; whatever it takes, a limit returns the best network and its gap",
        "",
        f"  sabna learn {shlex.join([source, *flags_of(same)])}",
    ]
    if "max_parents" in advice:
        lines.append("  (without a limit on the parents this looks like more than an hour or more memory than is free)")
    return "\n".join(lines)

"""`sabna estimate DATA`: what a run will take, before it is started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sabna.cli import options as o

if TYPE_CHECKING:
    from sabna.estimating import Estimate, Range
    from sabna.table import Table

DEFAULT_SECONDS = 6.0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("estimate", rich_help_panel=o.LOOK)(estimate)


def estimate(
    data: o.Data,
    score: o.Score = "bic",
    max_parents: o.MaxParents = None,
    equivalent_sample_size: o.EquivalentSampleSize = None,
    categorical: o.Categorical = None,
    discretize: o.Discretize = None,
    missing: o.Missing = "error",
    delimiter: o.Delimiter = None,
    no_header: o.NoHeader = False,
    seconds: Annotated[float, typer.Option("--seconds", metavar="S", help="Time to spend on it.")] = DEFAULT_SECONDS,
    jobs: o.Jobs = -1,
    seed: o.Seed = 0,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Foretell the size of the parent graph, memory and time of a run, and recommend limits."""
    from sabna.cli.console import Console
    from sabna.estimating import estimate as forecast_of
    from sabna.table import read_table

    console = Console(quiet, as_json)
    with console.warnings_as_notes():
        table = read_table(
            data, categorical or (), discretize or "none", missing, delimiter=delimiter, header=not no_header
        )
    with console.progress("estimating"):
        forecast = forecast_of(
            table,
            score,
            max_parents=o.parse_max_parents(max_parents, table.names),
            equivalent_sample_size=equivalent_sample_size,
            n_jobs=jobs,
            seconds=seconds,
            seed=seed,
        )
    console.result(document(table, forecast), text(data, table, forecast, max_parents or []))


def document(table: Table, forecast: Estimate) -> dict[str, Any]:
    """The JSON object."""
    from sabna.base.version import __version__

    def ends(span: Range) -> dict[str, float]:
        return {"low": span.low, "high": span.high}

    return {
        "status": "done",
        "n": table.n,
        "rows": table.rows,
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


def text(source: str, table: Table, forecast: Estimate, limited: list[str]) -> str:
    """For people."""
    from sabna.report.words import seconds_text, size_text

    def span(ends: Range, show: Any) -> str:
        low, high = show(ends.low), show(ends.high)
        return low if low == high else f"{low} to {high}"

    def count(value: float) -> str:
        return f"{value:,.0f}" if value < 1e6 else f"{value:.2g}"

    how = "built whole, so this is exact" if forecast.exact else "drawn on from graphs of some of the variables"
    advice = forecast.advice()
    limits = [str(advice["max_parents"])] if "max_parents" in advice else limited
    command = f"sabna learn {source} --time-limit {advice['time_limit']} --memory-limit {advice['memory_limit']}"
    lines = [
        f"{table.n} variables, {table.rows:,} rows ({how})",
        f"  parent graph   {span(forecast.sets, count)} sets",
        f"  scoring        {span(forecast.seconds, seconds_text)}, {span(forecast.memory, size_text)} of memory",
        "  search         often less than the scoring; whatever it takes, a limit returns the best network and its gap",
        "",
        "".join([f"  {command}", *(f" --max-parents {limit}" for limit in limits)]),
    ]
    if "max_parents" in advice:
        lines.append("  (without a limit on the parents this looks like more than an hour or more memory than is free)")
    return "\n".join(lines)

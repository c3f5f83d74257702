"""`sabna bootstrap DATA -B 200`: how often variables are joined in resampled data, and in which direction."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sabna.cli import options as o
from sabna.settings import limits_of

Replicates = Annotated[
    int | None, o.own("-B", "--replicates", metavar="N", help="How many resamples to learn from.", default="200")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bootstrap", rich_help_panel=o.RUN)(bootstrap)


@o.takes("bootstrap")
def bootstrap(
    data: o.Data = None,
    replicates: Replicates = None,
    output: o.AlternativesOutput = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    *,
    options: o.Options,
    table_before: str | None = None,
) -> int:
    """Learn from many resamples of the rows; tell how often two variables are joined, and in which direction."""
    asked = {} if replicates is None else {"replicates": replicates}
    return bootstrap_from(data, asked, output, as_json, quiet, options, table_before)


def bootstrap_from(
    data: Any,
    asked: dict[str, Any],
    output: str | None,
    as_json: bool,
    quiet: bool,
    options: o.Options,
    table_before: str | None = None,
) -> int:
    """The command, given a table or its source; `asked`: the number of replicates, if one was given."""
    limits = limits_of(options)
    from sabna.bootstrapping.bootstrap import bootstrap as run
    from sabna.cli.answer import check_suffix, tell_findings
    from sabna.cli.console import Console
    from sabna.cli.keeping import work_of

    check_suffix(output, ".json")
    console = Console(quiet, as_json)
    with console.progress("Bootstrap") as progress, console.warnings_as_notes(), work_of(options, output) as kept:
        found = run(data, **asked, limits=limits, progress=progress, **kept)
    o.tell_of_another_table(console, table_before, found.statistics.get("run", {}), data)
    return tell_findings(console, found.to_dict(), str(found), output, found.status)

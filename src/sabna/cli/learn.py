"""`sabna learn DATA`: from a table to the best network, under one time and one memory limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from sabna.cli import options as o
from sabna.settings import limits_of

if TYPE_CHECKING:
    from sabna.base.progress import ProgressCallback
    from sabna.result.result import Result


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("learn", rich_help_panel=o.RUN)(learn)


@o.takes("learn")
def learn(
    data: o.Data = None,
    output: o.NetworkOutput = None,
    dialect: o.Dialect = None,
    watch: o.Watched = False,
    explain: o.Explain = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    *,
    options: o.Options,
    table_before: str | None = None,
) -> int:
    """Learn the best network for a table of data."""
    return learn_from(data, str(data), output, explain, as_json, quiet, options, dialect, watch, table_before)


def learn_from(
    data: Any,
    source: str,
    output: str | None,
    explain: bool,
    as_json: bool,
    quiet: bool,
    options: o.Options,
    dialect: str | None = None,
    watch: bool = False,
    table_before: str | None = None,
) -> int:
    """The command, given a table or its source; `table_before`: the checksum it is to have."""
    limits = limits_of(options)
    from sabna.cli.answer import answer, check_network_output, refuse_one_file_for_two
    from sabna.cli.console import Console
    from sabna.cli.keeping import work_of
    from sabna.learning import learn as run
    from sabna.parents.reading import read_rows
    from sabna.scores.registry import fitting_score, score_type

    score = options.get("score", "bic")
    kind = score_type(fitting_score(score, options.get("missing", "error")))
    quantities = kind.continuous or kind.mixed == "continuous"
    # Which score `available` stands for shows when the table is read.
    both = kind.mixed == "mixed" or (kind.incomplete and not score_type(score).incomplete)
    refuse_one_file_for_two(output, options.get("certificate"))
    check_network_output(source, output, fitted=True, quantities=quantities, both=both, dialect=dialect)

    def work(progress: ProgressCallback | None) -> Result:
        note = {"explain": explain, "dialect": dialect}
        console = Console(quiet, as_json)
        with console.warnings_as_notes(), work_of(options, output, **note) as kept:
            result = run(data, limits=limits, progress=progress, **kept)
        o.tell_of_another_table(console, table_before, result.run, source)
        return result

    def table() -> Any:
        return read_rows(data, {**options, "score": score}, limits.memory_alone())

    if not watch:
        return answer(work, output, as_json, quiet, source, table, explain, dialect)
    from sabna.cli.watching import watched

    with watched(source, options) as watcher:
        return answer(work, output, as_json, quiet, source, table, explain, dialect, watcher)

"""`sabna search GRAPH`: from a parent graph to the best network."""

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
    app.command("search", rich_help_panel=o.RUN)(search)


@o.takes("search")
def search(
    graph: o.GraphInput = None,
    output: o.NetworkOutput = None,
    explain: o.Explain = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    *,
    options: o.Options,
) -> int:
    """Find the best network that a parent graph allows."""
    return search_in(str(graph), str(graph), output, explain, as_json, quiet, options)


def search_in(
    graph: Any, source: str, output: str | None, explain: bool, as_json: bool, quiet: bool, options: o.Options
) -> int:
    """The command, given a parent graph or its source."""
    limits = limits_of(options)
    from sabna.cli.answer import answer, check_network_output, refuse_one_file_for_two
    from sabna.cli.console import Console
    from sabna.cli.keeping import work_of

    refuse_one_file_for_two(output, options.get("certificate"))
    check_network_output(source, output, fitted=False)

    def work(progress: ProgressCallback | None) -> Result:
        from sabna.searching.search import search as run

        with Console(quiet, as_json).warnings_as_notes(), work_of(options, output, explain=explain) as kept:
            return run(graph, limits=limits, progress=progress, **kept)

    return answer(work, output, as_json, quiet, source, explain=explain)

"""`sabna search GRAPH`: from a parent graph to the best network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sabna.base.limits import Limits
from sabna.cli import options as o

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
    limits = Limits.of(options.get("time_limit"), options.get("memory_limit"))
    from sabna.cli.answer import answer, check_network_output

    check_network_output(str(graph), output, fitted=False)

    def work(progress: ProgressCallback | None) -> Result:
        from sabna.searching.search import search as run

        return run(str(graph), limits=limits, progress=progress, **options)

    return answer(work, output, as_json, quiet, str(graph), explain=explain)

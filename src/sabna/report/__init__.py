"""What people see of a result: the summary in a terminal, the picture in a notebook, the page for everyone else."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sabna.result import Result


def render_report(result: Result) -> str:
    """One self-contained HTML page: the graph, the proof, the tables."""
    from sabna.report.page import render_page

    return render_page(result)


__all__ = ["render_report"]

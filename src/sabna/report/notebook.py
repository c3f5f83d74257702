"""The result in a notebook: a line of facts, and the drawing."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sabna.network.drawing import standalone_svg
from sabna.report.words import proof_text, rows_text, score_name, seconds_text, status_text

if TYPE_CHECKING:
    from sabna.result.result import Result

# Larger networks are summarised; their drawing belongs into a report.
MAX_DRAWN = 150


def result_html(result: Result) -> str:
    """HTML for `_repr_html_`; everything from the data is escaped."""
    network = result.network
    colour = "#1a7f4b" if result.is_optimal else "#9a6700"
    mark = "✓" if result.is_optimal else "◐"
    rows = f" · {rows_text(result)}" if result.rows is not None else ""
    facts = (
        f"{escape(score_name(result))} {result.score:,.4f} · {len(network.variables)} variables · "
        f"{len(network.edges)} edges{rows} · {seconds_text(result.seconds)}"
    )
    drawing = standalone_svg(network, result.cpdag()) if len(network.variables) <= MAX_DRAWN else ""
    return (
        '<div style="font-family:system-ui,sans-serif;max-width:100%">'
        f'<div title="{escape(proof_text(result))}"><b style="color:{colour}">{mark} {status_text(result)}</b> '
        f'<span style="opacity:.8">{facts}</span></div>'
        f'<div style="overflow:auto;max-height:640px;margin-top:.5em">{drawing}</div></div>'
    )

"""What others make of a result, by name.

A result is data and knows nobody above its station; texts, pages and lists of alternatives are made by stations that
know results. They are named here and loaded when first used.
"""

from __future__ import annotations

import importlib
from typing import Any

# View -> module:function; each takes the result first.
VIEWS = {
    "text": "sabna.report.terminal:summary_text",
    "html": "sabna.report.notebook:result_html",
    "page": "sabna.report.page:render_page",
    "plot": "sabna.report.plotting:plot_result",
    "gap": "sabna.report.plotting:plot_gap",
    "comparison": "sabna.report.plotting:plot_comparison",
    "figure": "sabna.report.plotting:figure_file",
    "matrix": "sabna.report.figures:draw_matrix",
    "frequencies": "sabna.report.figures:draw_frequencies",
    "alternatives": "sabna.alternatives.kbest:alternatives_like",
}


def view(name: str) -> Any:
    """The function that makes this view."""
    module, function = VIEWS[name].split(":")
    return getattr(importlib.import_module(module), function)

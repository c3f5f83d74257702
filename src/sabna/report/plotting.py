"""What `result.plot()` and `-o network.svg`, `.pdf`, `.png` make of a result, and its gap over time as a figure.

A file says in its metadata what a caption needs: source, size, score, whether it is proven, and by which version.
"""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

from sabna.base.errors import UsageError
from sabna.base.texts import shown
from sabna.base.version import __version__
from sabna.network import Network
from sabna.network.drawing import standalone_svg
from sabna.report.figures import BLUE, VERMILION, draw_comparison, draw_network, library
from sabna.report.words import rows_text, score_name, status_text, trace_points

if TYPE_CHECKING:
    from sabna.result.result import Result

# Dots per inch of a PNG: a column of a journal at print quality.
DPI = 300


def caption(result: Result) -> str:
    """The facts of a result in a sentence."""
    source = result.run.get("source")
    of = f" of {os.path.basename(str(source))}" if source else ""
    rows = f", {rows_text(result)}" if result.rows is not None else ""
    size = f"{len(result.network.variables)} variables, {len(result.network.edges)} edges{rows}"
    return (
        f"Bayesian network{of}: {size}; {score_name(result)} {result.score:,.4f} ({status_text(result)}); dashed "
        f"edges: the data cannot tell the direction; sabna {__version__}"
    )


def strengths_of(result: Result) -> dict[tuple[str, str], float] | None:
    """What the score loses without each edge, if that is known."""
    return None if result.arcs is None else {(arc.parent, arc.child): arc.removal or 0.0 for arc in result.arcs}


def plot_result(result: Result, ax: Any = None) -> Any:
    """The network of a result on matplotlib axes."""
    return draw_network(result.network, ax, result.cpdag(), strengths_of(result))


def figure_file(result: Result, suffix: str) -> bytes:
    """The content of a .svg, .pdf or .png file."""
    words = caption(result)
    if suffix == ".svg":
        return (standalone_svg(result.network, result.cpdag(), strengths_of(result), words) + "\n").encode()
    pyplot = library()
    with pyplot.rc_context({"pdf.fonttype": 42}):  # text as text, not as outlines
        axes = plot_result(result)
        try:
            return saved(axes, suffix, words)
        finally:
            pyplot.close(axes.figure)


def saved(axes: Any, suffix: str, words: str) -> bytes:
    """A figure as a file; the same figure gives the same bytes."""
    creator = f"sabna {__version__}"
    metadata: dict[str, Any] = {"Title": words, "Software": creator}
    if suffix == ".pdf":
        metadata = {"Title": words, "Subject": words, "Creator": creator, "CreationDate": None}
    out = io.BytesIO()
    axes.figure.savefig(out, format=suffix[1:], dpi=DPI, metadata=metadata)
    return out.getvalue()


def plot_gap(result: Result, ax: Any = None) -> Any:
    """The bounds over time: the score of the best network found, and the best score still possible.

    Both by their distance from the best score found in the end, logarithmic beyond one nat, as in the report: so the
    first rough gap and the last fine one can be seen.
    """
    if ax is None:
        _, ax = library().subplots(figsize=(5.0, 2.8), layout="constrained")
    points = trace_points(result)
    for colour, at, label, dash in (
        (BLUE, 2, "best score found", "solid"),
        (VERMILION, 1, "best score still possible", "dashed"),
    ):
        costs = [(point[0], point[at]) for point in points]
        some = [(t, result.upper_bound - cost) for t, cost in costs if cost is not None and t is not None]
        times, scores = [t for t, _ in some], [s for _, s in some]
        ax.step(times, scores, where="post", color=colour, linestyle=dash, label=label)
    ax.set_yscale("symlog", linthresh=1.0)
    ax.axhline(0.0, color="0.7", linewidth=0.8, zorder=0)
    ax.set_xlabel("seconds")
    ax.set_ylabel(f"nats from {score_name(result)} {result.score:,.1f}")
    ax.legend(frameon=False)
    return ax


def plot_comparison(result: Result, other: Any, ax: Any = None) -> Any:
    """The network of a result and another, in one drawing."""
    network = getattr(other, "network", other)
    if not isinstance(network, Network):
        raise UsageError(f"plot_comparison takes a result or a network, not {shown(other)}")
    return draw_comparison(result.network, network, ax)

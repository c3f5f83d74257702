"""The report: one HTML page that holds everything and needs nothing.

The template is rendered by jinja2 with autoescape, so that whatever the data calls its columns arrives as text. The one
style sheet and the one script stand in the page; a content-security policy names their hashes and forbids everything
else, remote assets above all. Without JavaScript the page still shows all there is: nodes are links to their tables.
"""

from __future__ import annotations

import base64
import hashlib
import os
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.stop import CONVERGED
from sabna.base.version import __version__
from sabna.network.drawing import graph_svg
from sabna.network.layout import Layout
from sabna.network.rows import states_of
from sabna.network.slices import drawn_layout
from sabna.network.strengths import closes_cycle
from sabna.network.unrolling import past_of
from sabna.report.plot import gap_plot
from sabna.report.words import (
    certificate_text,
    direction_words,
    is_best,
    nats_text,
    notes,
    proof_text,
    relative_gap,
    rows_text,
    score_name,
    seconds_text,
    settled_by_interventions,
    size_text,
    status_text,
)
from sabna.result.confidence import confidence_of, replicates_of

if TYPE_CHECKING:
    from sabna.network.strengths import ArcStrength
    from sabna.result.result import Result

# Rows shown of one table; a page for 40 variables then stays far below 2 MB.
MAX_TABLE_ROWS = 64
# A drawing wider than this many pixels gets the whole width of the page.
WIDE = 860
# Shades of the cells of a table, as classes of the style sheet.
SHADES = 20


@cache
def asset(name: str) -> str:
    """A file that pages are made of."""
    return (Path(__file__).parent / "assets" / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def content_policy(style: str, script: str, more: str = "") -> str:
    """What a page may do: run this script under this style, and nothing else."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; {more}"
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def render_page(result: Result) -> str:
    """The page for a result."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    layout = drawn_layout(result.network)
    style, script = style_sheet(), asset("script.js")
    page = environment.from_string(asset("page.html"))
    return page.render(
        policy=content_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        result=result,
        network=result.network,
        version=__version__,
        title=_title(result),
        status=status_text(result),
        is_best=is_best(result),
        proof=f"{proof_text(result)} {certificate_text(result)}".rstrip(),
        notes=notes(result),
        facts=_facts(result),
        drawing=Markup(_drawing(result, layout)),
        replicates=replicates_of(result) if confidence_of(result) else 0,
        weighted=bool(result.arcs),
        legend=direction_words(result),
        steps=bool(past_of(result.network)),
        wide=layout.width > WIDE,
        plot=Markup(gap_plot(result)),
        variables=_variables(result),
        arcs=_arcs(result),
        locals=_local_scores(result),
        effort=_effort(result),
        run=_run(result),
        commands=_commands(result),
        score_name=score_name(result),
    )


def style_sheet() -> str:
    """The style sheet with the shades of the tables."""
    shades = "".join(
        f".p{k}{{background:linear-gradient(90deg,var(--shade) {k * 100 // SHADES}%,transparent 0)}}"
        for k in range(1, SHADES + 1)
    )
    return asset("style.css") + shades


def _title(result: Result) -> str:
    """The name of the file without the folders of whoever ran it."""
    source = os.path.basename(str(result.run.get("source") or ""))
    return f"Bayesian network of {source}" if source else "Bayesian network"


def _drawing(result: Result, layout: Layout) -> str:
    """The network: width by strength, and in the middle of edges their bootstrap confidence in per cent."""
    strengths = {(arc.parent, arc.child): arc.removal for arc in result.arcs or () if arc.removal is not None}
    confidence = confidence_of(result)
    remarks = {edge: f", worth {nats_text(loss)} nats" for edge, loss in strengths.items()}
    for edge, known in confidence.items():
        words = f", in {known.strength:.0%} of the replicates, {known.direction:.0%} of them this way round"
        remarks[edge] = remarks.get(edge, "") + words
    labels = {edge: f"{100 * known.strength:.0f}" for edge, known in confidence.items() if edge in layout.curves}
    return graph_svg(
        result.network,
        layout,
        links=True,
        graph=result.cpdag(),
        strengths=strengths or None,
        labels=labels,
        remarks=remarks,
    )


def _facts(result: Result) -> list[tuple[str, str, str]]:
    """Headline numbers: name, value, remark."""
    graph = result.network
    compelled = len(result.cpdag().compelled)
    gap = "0" if result.cost_quanta == result.lower_bound_quanta else f"{result.gap:,.4g}"
    return [
        (score_name(result), f"{result.score:,.4f}", "natural logarithm, higher is better"),
        ("Best possible", f"{-result.lower_bound:,.4f}", _bound_remark(result)),
        ("Gap", gap, "nat" if result.cost_quanta == result.lower_bound_quanta else f"nat, {relative_gap(result)}"),
        ("Variables", f"{len(graph.variables):,}", rows_text(result)),
        ("Edges", f"{len(graph.edges):,}", f"{compelled} compelled, {len(graph.edges) - compelled} reversible"),
        ("Time", seconds_text(result.seconds), size_text(result.peak_memory_bytes) + " of memory at most"),
    ]


def _bound_remark(result: Result) -> str:
    if result.status == CONVERGED:
        return "given the completed counts of the last round of EM"
    return "proven bound on every network"


def _variables(result: Result) -> list[dict[str, Any]]:
    """What the page tells of each variable: neighbours and table."""
    network = result.network
    position = {v: k for k, v in enumerate(network.variables)}

    def links(names: tuple[str, ...]) -> list[dict[str, Any]]:
        return [{"id": position[v], "name": v} for v in names]

    return [
        {
            "id": position[v],
            "name": v,
            "parents": links(network.parents[v]),
            "children": links(network.children(v)),
            "blanket": links(network.markov_blanket(v)),
            "states": states_of(network).get(v, ()),
            "table": _table(result, v),
            "regression": _regression(result, v),
            "regressions": _regressions(result, v),
        }
        for v in network.variables
    ]


def _table(result: Result, name: str) -> dict[str, Any] | None:
    """The conditional probabilities of a variable, row by row; None if they are not known."""
    network = result.network
    states = states_of(network)
    tables = network.tables if network.mixed is None else network.mixed.tables
    if tables is None or name not in tables:
        return None
    table = tables[name].reshape(-1, len(states[name]))
    rows = []
    for configuration, chances in islice(
        zip(product(*(states[p] for p in network.parents[name])), table.tolist(), strict=True), MAX_TABLE_ROWS
    ):
        cells = [(f"{chance:.3f}", round(chance * SHADES)) for chance in chances]
        rows.append({"given": configuration, "cells": cells})
    return {"rows": rows, "more": len(table) - len(rows)}


def _regression(result: Result, name: str) -> list[tuple[str, str]] | None:
    """The line of a quantity: intercept, coefficients and the deviation around it; None of a category."""
    if result.network.gaussian is None:
        return None
    line = result.network.gaussian[name]
    terms = [("intercept", line.intercept), *(("× " + p, x) for p, x in line.coefficients.items())]
    return [(term, f"{value:.4g}") for term, value in (*terms, ("deviation", line.deviation))]


def _regressions(result: Result, name: str) -> dict[str, Any] | None:
    """The lines of a quantity of a mixed network, one for each configuration of its discrete parents, row by row."""
    network = result.network
    if network.mixed is None or name not in network.mixed.regressions:
        return None
    line = network.mixed.regressions[name]
    cells = list(product(*(range(size) for size in line.variances.shape)))
    rows = []
    for cell in cells[:MAX_TABLE_ROWS]:
        numbers = [line.intercepts[cell], *line.coefficients[cell], line.variances[cell] ** 0.5]
        given = [network.mixed.states[p][k] for p, k in zip(line.discrete, cell, strict=True)]
        rows.append({"given": given, "cells": [f"{number:.4g}" for number in numbers]})
    terms = ["intercept", *("× " + p for p in line.continuous), "deviation"]
    return {"given": line.discrete, "terms": terms, "rows": rows, "more": len(cells) - len(rows)}


def _arcs(result: Result) -> list[dict[str, Any]]:
    """Edges, the strongest first."""
    position = {v: k for k, v in enumerate(result.network.variables)}
    if result.arcs is None:
        return []
    arcs = sorted(result.arcs, key=lambda arc: -(arc.removal_quanta or 0))
    most = max([arc.removal or 0.0 for arc in arcs] + [1e-9])
    confidence, settled = confidence_of(result), settled_by_interventions(result)
    return [
        {
            "arc": arc,
            "direction": "compelled by interventions"
            if (arc.parent, arc.child) in settled
            else "compelled"
            if arc.compelled
            else "reversible",
            "from": position[arc.parent],
            "to": position[arc.child],
            "bar": round(max(arc.removal or 0.0, 0) / most * 100, 1),
            "removed": "no value without it" if arc.removal is None else nats_text(arc.removal),
            "turned": _turned(result, arc),
            "confidence": confidence.get((arc.parent, arc.child)),
        }
        for arc in arcs
    ]


def _turned(result: Result, arc: ArcStrength) -> str:
    """What turning an edge round costs, or why it cannot be."""
    if arc.reversal is not None:
        return nats_text(arc.reversal)
    return "cycle" if closes_cycle(result.network, arc.parent, arc.child) else "not possible"


def _local_scores(result: Result) -> list[dict[str, Any]]:
    """The parts of the score, variable by variable."""
    if result.local_costs is None:
        return []
    return [
        {"id": k, "name": v, "parents": result.network.parents[v], "score": -result.local_costs[v] / QUANTA_PER_NAT}
        for k, v in enumerate(result.network.variables)
    ]


def _effort(result: Result) -> list[tuple[str, str]]:
    """The sections of the statistics, flat; lists such as the trace are left out."""
    rows = []
    for section in ("parent_graph", "search"):
        for key, value in (result.statistics.get(section) or {}).items():
            if isinstance(value, bool | int | float | str):
                shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
                if isinstance(value, float):
                    shown = f"{value:,.4g}"
                rows.append((f"{section.replace('_', ' ')}: {key.replace('_', ' ')}", shown))
    return rows


def _run(result: Result) -> list[tuple[str, str]]:
    """How it was run, flat."""
    rows = [("sabna", str(result.run.get("sabna", "")))] if "sabna" in result.run else []
    for key, value in result.run.items():
        if isinstance(value, dict):
            rows += [(f"{key}: {name}", str(item)) for name, item in value.items() if item not in (None, "", [], {})]
        elif key not in ("sabna", "command", "python_call") and value not in (None, ""):
            rows.append((key.replace("_", " "), str(value)))
    return rows


def _commands(result: Result) -> list[str]:
    """What to type to get this result again."""
    return [str(result.run[key]) for key in ("command", "python_call") if result.run.get(key)]

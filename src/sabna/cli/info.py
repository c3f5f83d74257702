"""`sabna info FILE`: what a file of a parent graph, a result or a network holds, or how far a run is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sabna.base.errors import UsageError
from sabna.cli import options as o

if TYPE_CHECKING:
    from sabna.network import Network
    from sabna.parents.graph import ParentGraph

# Variables listed of a parent graph: those with the longest lists.
LISTED = 8


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("info", rich_help_panel=o.LOOK)(info)


def info(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A parent graph (.jkl, .pss, .pg), a result (.json), a network (.bif, .net, ...) or a work directory.",
            show_default=False,
        ),
    ],
    as_json: o.Json = False,
) -> None:
    """Describe a parent graph, a result, a network, or how far the run in a work directory is."""
    from sabna.cli.console import Console
    from sabna.network.files import read_network
    from sabna.parents.files import GRAPH_FORMATS, read_parent_graph

    console = Console(as_json=as_json)
    if not os.path.exists(source):
        raise UsageError(f"{source}: there is no such file or folder; give a file, or the folder that --work named")
    suffix = os.path.splitext(source)[1].lower()
    if os.path.isdir(source):
        console.result(*_work(source))
    elif suffix in GRAPH_FORMATS:
        console.result(*_graph(source, read_parent_graph(source)))
    elif suffix == ".json" and (described := _result(source)):
        console.result(*described)
    else:
        console.result(*_network(source, read_network(source)))


def _graph(source: str, graph: ParentGraph) -> tuple[dict[str, Any], str]:
    counts = [int(b - a) for a, b in zip(graph.offsets, graph.offsets[1:], strict=False)]
    sizes = [len(parents) for i in range(graph.n) for _, parents in graph.parent_sets(i)]
    document = {
        "status": "done",
        "kind": "parent graph",
        "n": graph.n,
        "rows": graph.rows,
        "score_type": graph.score,
        "parameters": graph.parameters,
        "sets": len(graph),
        "largest_set": max(sizes, default=0),
        "sets_per_variable": dict(zip(graph.names, counts, strict=True)),
    }
    known = [str(graph.score) if graph.score else "score not named", *(f"{k} {v}" for k, v in graph.parameters.items())]
    if graph.rows is not None:
        known.append(f"{graph.rows:,} rows")
    longest = sorted(zip(graph.names, counts, strict=True), key=lambda item: -item[1])[:LISTED]
    lines = [
        f"{source}: parent graph of {graph.n} variables ({', '.join(known)})",
        f"  {len(graph):,} parent sets, the largest of {document['largest_set']} variables",
        *(f"  {count:>9,}  {name}" for name, count in longest),
    ]
    if graph.n > LISTED:
        lines.append(f"  and {graph.n - LISTED} variables with fewer sets")
    return document, "\n".join(lines)


def _work(source: str) -> tuple[dict[str, Any], str]:
    """How far a run is; another process may be at work in the directory."""
    from pathlib import Path

    from sabna.workdir.folder import SUFFIX, ending, holder
    from sabna.workdir.manifest import in_words, read_manifest
    from sabna.workdir.plain import Unreadable, read_plain
    from sabna.workdir.record import RECORD, Record, describe, state_of

    manifest = read_manifest(Path(source))
    if manifest is None:
        raise UsageError(f"{source}: a folder without a manifest, so no work directory; give a file")
    try:
        record = read_plain(Path(source) / f"{RECORD}{SUFFIX}", Record)
    except (OSError, Unreadable):
        record = Record("nothing finished yet")
    last, at_work, ended = record.points[-1] if record.points else {}, holder(source), ending(source)
    document = {
        "status": "done",
        "kind": "work directory",
        "command": manifest["command"],
        "input": manifest["input"],
        "settings": manifest["settings"],
        "arguments": manifest["arguments"],
        "station": record.station,
        "run": state_of(record, at_work, ended),
        "at_work": at_work,
        "seconds": record.seconds,
        "lower_bound": last.get("lower_bound"),
        "upper_bound": last.get("upper_bound"),
        "finished": record.finished,
        "total": record.total,
        "open_parts": record.open_parts,
        "bytes_in_files": record.bytes,
    }
    given = ", ".join(f"{name} {in_words(value)}" for name, value in manifest["settings"].items())
    lines = [
        f"{source}: work directory of `sabna {manifest['command']}` on {manifest['input']['source'] or 'data'}"
        + (f" ({given})" if given else ""),
        *describe(record, at_work, ended),
    ]
    return document, "\n".join(lines)


def _result(source: str) -> tuple[dict[str, Any], str] | None:
    """A result's own words; None if the file holds a network alone."""
    from sabna.base.errors import DataError
    from sabna.result.result import read_result

    try:
        result = read_result(source)
    except DataError as error:
        if "status must be" in str(error):
            return None
        raise
    network = _network(source, result.network)[0]
    document = {
        **network,
        "kind": "result",
        "result": result.status,
        "score": result.score,
        "gap": result.gap,
        "score_type": result.score_type,
        "rows": result.rows,
    }
    return document, f"{source}: result\n{result}"


def _network(source: str, network: Network) -> tuple[dict[str, Any], str]:
    compelled = len(network.cpdag().compelled)
    most = max((len(parents) for parents in network.parents.values()), default=0)
    parameters = None
    if network.tables is not None:
        parameters = sum(table.size - table.size // table.shape[-1] for table in network.tables.values())
    document = {
        "status": "done",
        "kind": "network",
        "n": len(network.variables),
        "edges": len(network.edges),
        "compelled_edges": compelled,
        "most_parents": most,
        "parameters": parameters,
    }
    free = "no parameters" if parameters is None else f"{parameters:,} free parameters"
    lines = [
        f"{source}: network of {len(network.variables)} variables, {len(network.edges)} edges "
        f"({compelled} compelled), {free}",
        *(f"  {child} ← {', '.join(parents)}" for child, parents in network.parents.items() if parents),
    ]
    return document, "\n".join(lines)

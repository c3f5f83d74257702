"""The .pss format of URLearning.

    META pss_version = 0.1
    META num_records=500
    META score_type=bic

    VAR wet
    META arity=2
    META values=0 1
    -2.0 rain
    -4.25

Scores are to be maximised; a blank line ends a variable. What a line is depends on its first word alone, so variables
may be called `META`, `VAR` or `metastasis`. URLearning itself passes over every line with `meta` somewhere in it.
The states have no names in a parent graph, so that `values` holds their positions.
"""

from __future__ import annotations

import math
import os
from typing import Any

from sabna.parents.files.lists import MAX_ROWS, Entries, Source, assemble, show
from sabna.parents.files.names import encode_name
from sabna.parents.files.numbers import score_text
from sabna.parents.graph import ParentGraph
from sabna.table.states import MAX_ARITY


def read(path: str | os.PathLike[str], keep_dominated: bool) -> ParentGraph:
    """The parent graph of a .pss file."""
    source = Source(os.fspath(path))
    variables: list[Entries] = []
    arities: list[int | None] = []
    meta: dict[bytes, tuple[bytes, int]] = {}
    for k, line in enumerate(source.read_lines(), start=1):
        words = line.split()
        if not words or line.startswith(b"#"):
            continue
        if words[0] == b"VAR":
            if len(words) < 2:
                source.fail(k, "VAR without a name; write the variable's name after it")
            variables.append(Entries(b" ".join(words[1:]), k))
            arities.append(None)
        elif words[0] == b"META":
            key, value = _meta(source, line, k)
            if not variables:
                meta[key] = (value, k)
            elif key == b"arity":
                arities[-1] = source.number(value, k, "the arity", MAX_ARITY)
        elif not variables:
            source.fail(k, f"expected a META or VAR line, not {show(line)}; is this a .pss file?")
        else:
            variables[-1].add(source, k, words[0], None, words[1:])
    known_arities = tuple(a for a in arities if a is not None)
    return assemble(
        source,
        variables,
        keep_dominated,
        arities=known_arities if len(known_arities) == len(variables) else None,
        **_known(source, meta),
    )


def _meta(source: Source, line: bytes, k: int) -> tuple[bytes, bytes]:
    """Key and value of `META key = value`; lines without `=` hold nothing we use."""
    key, _, value = line.strip()[len(b"META") :].partition(b"=")
    return key.strip().lower(), value.strip()


def _known(source: Source, meta: dict[bytes, tuple[bytes, int]]) -> dict[str, Any]:
    """The fields of the graph that the head of the file tells."""
    known: dict[str, Any] = {"parameters": {}}
    if b"score_type" in meta and meta[b"score_type"][0]:
        known["score"] = source.name(*meta[b"score_type"]).lower()
    if b"num_records" in meta:
        known["rows"] = source.number(*meta[b"num_records"], "num_records", MAX_ROWS)
    if b"parent_limit" in meta:
        limit = source.number(*meta[b"parent_limit"], "parent_limit", MAX_ROWS)
        if limit > 0:
            known["parameters"]["max_parents"] = limit
    if known.get("score") == "bdeu" and b"ess" in meta:
        value, k = meta[b"ess"]
        try:
            size = float(value)
        except ValueError:
            size = math.nan
        if not 0 < size < math.inf:
            source.fail(k, f"ess must be a number above 0, not {show(value)}")
        known["parameters"]["equivalent_sample_size"] = size
    return known


def write(graph: ParentGraph) -> bytes:
    """The bytes of a .pss file."""
    names = [encode_name(name).decode() for name in graph.names]
    parts = ["META pss_version = 0.1\n"]
    if graph.rows is not None:
        parts.append(f"META num_records={graph.rows}\n")
    limit = graph.parameters.get("max_parents")
    if isinstance(limit, int) and limit > 0:
        parts.append(f"META parent_limit={limit}\n")
    if graph.score is not None:
        parts.append(f"META score_type={encode_name(graph.score).decode()}\n")
    if "equivalent_sample_size" in graph.parameters:
        parts.append(f"META ess={graph.parameters['equivalent_sample_size']!r}\n")
    for i, name in enumerate(names):
        parts.append(f"\nVAR {name}\n")
        if graph.arities is not None:
            values = " ".join(str(v) for v in range(graph.arities[i]))
            parts.append(f"META arity={graph.arities[i]}\nMETA values={values}\n")
        for cost, parents in graph.parent_sets(i):
            parts.append(" ".join([score_text(cost), *(names[p] for p in parents)]) + "\n")
    return "".join(parts).encode()

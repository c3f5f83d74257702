"""Files of parent graphs: one module per format, chosen by the suffix.

    .jkl   text, GOBNILP, BLIP
    .pss   text, URLearning
    .pg    sabna's own: binary, checksummed, mapped into memory

Adding a format: a module with `read(path, keep_dominated)` and `write(graph)`, and a line in `GRAPH_FORMATS`.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import TYPE_CHECKING

from sabna.base.atomic import atomic_write
from sabna.base.errors import UsageError
from sabna.base.texts import check_file_name, is_storable

if TYPE_CHECKING:
    from sabna.parents.graph import ParentGraph

# Suffix -> module of this folder.
GRAPH_FORMATS = {".jkl": "jkl", ".pss": "pss", ".pg": "pg"}


def graph_format(path: str | os.PathLike[str]) -> ModuleType:
    """The module for a file's suffix; UsageError if there is none."""
    check_file_name(path)
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in GRAPH_FORMATS:
        known = ", ".join(GRAPH_FORMATS)
        raise UsageError(
            f"{os.fspath(path)}: the suffix {suffix!r} is no parent graph format; use one of {known} (`sabna learn` "
            "takes tables, `sabna score` makes parent graphs of them)"
        )
    return importlib.import_module(f"sabna.parents.files.{GRAPH_FORMATS[suffix]}")


def read_parent_graph(path: str | os.PathLike[str], keep_dominated: bool = False) -> ParentGraph:
    """Read a parent graph from a .jkl, .pss or .pg file at `path`.

    Scores are rounded once to quanta of 2^-30 nat. Dominated sets (no better than one of their subsets) are dropped
    unless `keep_dominated`. A variable may lack the empty set as long as some network exists.

    >>> import os, sabna, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "asia.jkl")
    >>> sabna.build_parent_graph("example:asia").save(path)
    >>> read_parent_graph(path).n
    8
    """
    graph: ParentGraph = graph_format(path).read(path, keep_dominated)
    return graph


def write_parent_graph(graph: ParentGraph, path: str | os.PathLike[str]) -> None:
    """Write a parent graph in the format of the suffix, in one step: nothing half-written stays behind."""
    module = graph_format(path)
    odd = next((name for name in graph.names if not is_storable(name)), None)
    if odd is not None:
        raise UsageError(f"{odd!r} holds half of a surrogate pair, which is no character; rename this variable")
    atomic_write(path, module.write(graph))

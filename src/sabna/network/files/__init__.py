"""Files of networks: one module per format, chosen by the suffix.

    .bif              interchange format of many programs, bnlearn and the Bayesian Network Repository among them
    .xml .xmlbif .bifxml   XMLBIF, the same in XML
    .net              Hugin
    .dsc              Microsoft, GeNIe
    .uai              the UAI competitions; carries no names
    .dot .gv          Graphviz; structure only
    .graphml .gexf    networkx, Gephi, yEd, Cytoscape
    .csv              adjacency matrix; structure only
    .json             sabna's own; results too

Adding a format: a module with `write(network) -> str | bytes` (and the equivalence class, if it marks edges) and
`read(content: bytes, path: str) -> Network`, and a line in `NETWORK_FORMATS`. Names that a format does not take are
encoded reversibly (sabna/network/mangling.py).
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import TYPE_CHECKING

from sabna.base.atomic import atomic_write
from sabna.base.errors import DataError, UsageError

if TYPE_CHECKING:
    from sabna.network import Network
    from sabna.network.equivalence import CPDAG

# Suffix -> module of this folder.
NETWORK_FORMATS = {
    ".bif": "bif",
    ".xml": "xmlbif",
    ".xmlbif": "xmlbif",
    ".bifxml": "xmlbif",
    ".net": "hugin",
    ".dsc": "dsc",
    ".uai": "uai",
    ".dot": "dot",
    ".gv": "dot",
    ".graphml": "graphml",
    ".gexf": "gexf",
    ".csv": "adjacency",
    ".json": "jsonfile",
}
# These describe a network by its tables and cannot hold one that is not fitted.
NEED_PARAMETERS = frozenset({"bif", "xmlbif", "hugin", "dsc", "uai"})
# These say which edges are compelled; their `write` takes the equivalence class too.
MARK_COMPELLED = frozenset({"dot", "graphml", "gexf"})


def network_format(path: str | os.PathLike[str]) -> ModuleType:
    """The module for a file's suffix; UsageError if there is none."""
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in NETWORK_FORMATS:
        known = ", ".join(NETWORK_FORMATS)
        raise UsageError(f"{os.fspath(path)}: the suffix {suffix!r} is no network format; use one of {known}")
    return importlib.import_module(f"sabna.network.files.{NETWORK_FORMATS[suffix]}")


def needs_parameters(path: str | os.PathLike[str]) -> bool:
    """Whether the format of `path` can hold fitted networks only."""
    return NETWORK_FORMATS.get(os.path.splitext(os.fspath(path))[1].lower()) in NEED_PARAMETERS


def write_network(network: Network, path: str | os.PathLike[str], graph: CPDAG | None = None) -> None:
    """Write a network in the format of the suffix, in one step: nothing half-written stays behind.

    `graph` tells the compelled edges where prior knowledge makes the class another than the network's.
    """
    module = network_format(path)
    if needs_parameters(path) and not network.is_fitted:
        raise UsageError(
            f"{os.fspath(path)}: this format holds probabilities, and the network has none; "
            "fit it first (network.fit(data)), or write .dot, .graphml, .gexf, .csv or .json"
        )
    marks = graph is not None and module.__name__.rsplit(".", 1)[1] in MARK_COMPELLED
    atomic_write(path, module.write(network, graph) if marks else module.write(network))


def read_network(path: str | os.PathLike[str]) -> Network:
    """Read a network from a file that sabna or another program wrote; the suffix tells the format.

    >>> import sabna, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "net.dot")
    >>> sabna.Network(["a b", "c"], {"c": ["a b"]}).save(path)
    >>> sabna.read_network(path).edges
    (('a b', 'c'),)
    """
    module = network_format(path)
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise DataError(f"{os.fspath(path)}: cannot be read: {error.strerror or error}") from error
    try:
        network: Network = module.read(content, os.fspath(path))
    except DataError:
        raise
    except UsageError as error:  # no network can be made of what the file says: a cycle, a table that does not fit
        raise DataError(f"{os.fspath(path)}: {error}") from error
    if not network.variables:
        raise DataError(f"{os.fspath(path)}: there is no variable in it")
    return network

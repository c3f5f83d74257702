"""Files of networks: one module per format, chosen by the suffix.

    .bif              interchange format of many programs, bnlearn and the Bayesian Network Repository among them
    .xml .xmlbif .bifxml   XMLBIF, the same in XML
    .net              Hugin
    .dsc              Microsoft, GeNIe
    .uai              the UAI competitions; carries no names
    .dot .gv          Graphviz; structure only
    .graphml .gexf    networkx, Gephi, yEd, Cytoscape
    .csv              adjacency matrix; structure only
    .R                a script that makes the network in R's bnlearn, quantities too; written only
    .svg              a drawing; written only
    .json             sabna's own; results too

Adding a format: a module with `write(network) -> str | bytes` (and the equivalence class, if it marks edges) and
`read(content: bytes, path: str) -> Network`, and a line in `NETWORK_FORMATS` (without `read`: `WRITTEN_ONLY`), and its
suffix in `NOT_READ` of sabna/table/sources.py, for it is no table. Names that a format does not take are
encoded reversibly (sabna/network/mangling.py).
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import TYPE_CHECKING

from sabna.base.atomic import atomic_write
from sabna.base.errors import DataError, UsageError
from sabna.base.texts import check_file_name

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
# Formats that others read, and sabna does not.
WRITTEN_ONLY = {".r": "rscript", ".svg": "svg"}
# These describe a network by its tables and cannot hold one that is not fitted.
NEED_PARAMETERS = frozenset({"bif", "xmlbif", "hugin", "dsc", "uai", "rscript"})
# These have no word for quantities.
CATEGORIES_ONLY = NEED_PARAMETERS - {"rscript"}
# Formats that readers disagree about, and for whom they can be written; the first unless said otherwise.
DIALECTS = {"bif": ("bnlearn", "pyagrum")}
# These say which edges are compelled; their `write` takes the equivalence class too.
MARK_COMPELLED = frozenset({"dot", "graphml", "gexf", "svg"})


def network_format(path: str | os.PathLike[str], to_read: bool = False) -> ModuleType:
    """The module for a file's suffix; UsageError if there is none."""
    suffix, known = os.path.splitext(os.fspath(path))[1].lower(), NETWORK_FORMATS | WRITTEN_ONLY
    if suffix not in known:
        usable = NETWORK_FORMATS if to_read else known
        raise UsageError(
            f"{os.fspath(path)}: the suffix {suffix!r} is no network format; use one of {', '.join(usable)}"
            + ("" if to_read else ", or of a result .html, .pdf, .png")
        )
    if to_read and suffix in WRITTEN_ONLY:
        raise UsageError(f"{os.fspath(path)}: this format is written, not read; keep the network as .json beside it")
    return importlib.import_module(f"sabna.network.files.{known[suffix]}")


def _module_of(path: str | os.PathLike[str]) -> str | None:
    return (NETWORK_FORMATS | WRITTEN_ONLY).get(os.path.splitext(os.fspath(path))[1].lower())


def needs_parameters(path: str | os.PathLike[str]) -> bool:
    """Whether the format of `path` can hold fitted networks only."""
    return _module_of(path) in NEED_PARAMETERS


def check_kind(path: str | os.PathLike[str], quantities: bool, both: bool = False) -> None:
    """UsageError if the format of `path` has no word for networks of quantities, or of both kinds, and this is one."""
    if both and _module_of(path) in CATEGORIES_ONLY:
        raise UsageError(
            f"{os.fspath(path)}: this format has no word for a network of categories and quantities together; write "
            ".json (sabna), .R (bnlearn), .graphml or .gexf"
        )
    if quantities and _module_of(path) in CATEGORIES_ONLY:
        raise UsageError(
            f"{os.fspath(path)}: this format holds tables of categories, and the network is one of quantities; write "
            ".json (sabna), .R (bnlearn), .graphml or .gexf, or take network.to_pgmpy()"
        )


def check_dialect(path: str | os.PathLike[str], dialect: str | None) -> None:
    """UsageError if a dialect is asked for that the format does not have."""
    known = DIALECTS.get(_module_of(path) or "", ())
    if dialect is not None and dialect not in known:
        raise UsageError(
            f"dialect {dialect!r}: "
            + (f"choose one of {', '.join(known)}" if known else "only .bif has dialects; leave it out")
        )


def write_network(
    network: Network, path: str | os.PathLike[str], graph: CPDAG | None = None, dialect: str | None = None
) -> None:
    """Write a network in the format of the suffix, in one step: nothing half-written stays behind.

    `graph` tells the compelled edges where prior knowledge makes the class another than the network's; `dialect` says
    for which reader a format is written that readers disagree about.
    """
    module = network_format(path)
    check_dialect(path, dialect)
    check_kind(path, network.gaussian is not None, network.mixed is not None)
    if needs_parameters(path) and not network.is_fitted:
        raise UsageError(
            f"{os.fspath(path)}: this format holds probabilities, and the network has none; "
            "fit it first (network.fit(data)), or write .dot, .graphml, .gexf, .csv or .json"
        )
    marks = graph is not None and module.__name__.rsplit(".", 1)[1] in MARK_COMPELLED
    if dialect is not None:
        atomic_write(path, module.write(network, dialect))
    else:
        atomic_write(path, module.write(network, graph) if marks else module.write(network))


def read_network(path: str | os.PathLike[str]) -> Network:
    """Read a network from a file that sabna or another program wrote; the suffix tells the format.

    >>> import sabna, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "net.dot")
    >>> sabna.Network(["a b", "c"], {"c": ["a b"]}).save(path)
    >>> sabna.read_network(path).edges
    (('a b', 'c'),)
    """
    module = network_format(path, to_read=True)
    check_file_name(path)
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

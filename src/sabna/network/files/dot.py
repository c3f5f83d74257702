"""DOT, for Graphviz: the picture of a structure, without parameters.

A node's identifier is the encoded name, and its label the real one, so that names may hold quotes, backslashes and
line breaks, which DOT treats in ways of its own. Reversible edges (see network/equivalence.py) are dashed.
"""

from __future__ import annotations

from itertools import pairwise

from sabna.network import Network
from sabna.network.equivalence import CPDAG
from sabna.network.files.text import DOT_MARKS, Scanner, decode_text, encode_names
from sabna.network.mangling import decode


def write(network: Network, graph: CPDAG | None = None) -> str:
    """The network as a DOT digraph; `graph` is its class if that is another under prior knowledge."""
    compelled = (graph or network.cpdag()).compelled
    name = encode_names(network.variables)
    lines = ["digraph network {", '  node [shape=box, style=rounded, fontname="sans-serif"];']
    for v in network.variables:
        lines.append(f'  {name[v]} [label="{_label(v)}"];' if name[v] != v else f"  {name[v]};")
    for parent, child in network.edges:
        style = "" if (parent, child) in compelled else " [style=dashed]"
        lines.append(f"  {name[parent]} -> {name[child]}{style};")
    return "\n".join([*lines, "}"]) + "\n"


def _label(name: str) -> str:
    """A name as Graphviz shows it: control characters cannot be drawn and become blanks."""
    shown = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return "".join(c if c.isprintable() else " " for c in shown)


def read(content: bytes, path: str) -> Network:
    """The structure of a digraph; labels, attributes and subgraphs are not looked at."""
    scan = Scanner(decode_text(content, path), path, DOT_MARKS)
    scan.take("strict")
    if not scan.take("digraph"):
        raise scan.error("a network in this format begins with 'digraph'")
    if not scan.take("{"):
        scan.next()
        scan.expect("{")
    nodes: dict[str, set[str]] = {}
    while not scan.take("}"):
        _read_statement(scan, nodes)
    return Network(nodes, nodes)


def _read_statement(scan: Scanner, nodes: dict[str, set[str]]) -> None:
    if scan.take(";"):
        return
    if scan.take("{") or scan.take("subgraph"):
        raise scan.error("subgraphs are not read; write plain edges")
    if any(scan.take(word) for word in ("node", "edge", "graph")):  # attributes of all that follow
        scan.expect("[")
        scan.until("]")
        return
    chain = [scan.next()]
    if scan.take("="):  # an attribute of the graph
        scan.next()
        return
    while scan.take("->"):
        chain.append(scan.next())
    if scan.take("["):
        scan.until("]")
    names = [decode(word) for word in chain]
    for name in names:
        nodes.setdefault(name, set())
    for parent, child in pairwise(names):
        nodes[child].add(parent)

"""GraphML, through networkx: for yEd, Gephi, Cytoscape, igraph.

Names are the identifiers of the nodes. The attributes `states` and `table`, `gaussian` or `regression` hold JSON, for
GraphML knows no lists; edges say whether they are `compelled` in the equivalence class.
"""

from __future__ import annotations

import io
import json
from typing import Any

from sabna.base.errors import DataError
from sabna.base.jsontext import load_json
from sabna.base.texts import cut, shown
from sabna.network import Network
from sabna.network.conditional import ConditionalGaussian
from sabna.network.equivalence import CPDAG
from sabna.network.files.assemble import probabilities_of, texts_of
from sabna.network.files.xmlfile import check_xml
from sabna.network.gaussian import LinearGaussian
from sabna.network.mangling import decode, encode, xml_character


def plain_graph(network: Network, cpdag: CPDAG | None = None) -> Any:
    """A DiGraph whose attributes are text and numbers alone; `cpdag` is the class if knowledge makes it another."""
    import networkx as nx

    compelled = (cpdag or network.cpdag()).compelled
    name = {v: encode(v, xml_character) for v in network.variables}
    graph: Any = nx.DiGraph()
    for v in network.variables:
        graph.add_node(name[v], label=name[v])
        if network.states is not None:
            graph.nodes[name[v]]["states"] = json.dumps(network.states[v])
        if network.tables is not None:
            graph.nodes[name[v]]["table"] = json.dumps(network.tables[v].tolist())
        if network.gaussian is not None:
            graph.nodes[name[v]]["gaussian"] = json.dumps(network.gaussian[v].to_dict())
        if network.mixed is not None and v in network.mixed.regressions:
            graph.nodes[name[v]]["regression"] = json.dumps(network.mixed.regressions[v].to_dict())
        elif network.mixed is not None:
            graph.nodes[name[v]]["states"] = json.dumps(network.mixed.states[v])
            graph.nodes[name[v]]["table"] = json.dumps(network.mixed.tables[v].tolist())
    for parent, child in network.edges:
        graph.add_edge(name[parent], name[child], compelled=(parent, child) in compelled)
    return graph


def from_plain_graph(graph: Any, path: str) -> Network:
    """The network of such a graph, or of any directed graph of another program."""
    import networkx as nx

    if not graph.is_directed():
        raise DataError(f"{path}: the graph is undirected; a network needs directed edges")
    rich: Any = nx.DiGraph()
    for v, attributes in graph.nodes(data=True):
        name = decode(str(v))
        known: dict[str, Any] = {}
        if name in rich:
            raise DataError(f"{path}: two nodes are called {shown(name)}; rename one")
        try:
            if "states" in attributes:
                known["states"] = tuple(texts_of(load_json(str(attributes["states"]))))
            if "table" in attributes:
                known["table"] = probabilities_of(load_json(str(attributes["table"])))
            if "gaussian" in attributes:
                known["gaussian"] = LinearGaussian.from_dict(load_json(str(attributes["gaussian"]))).to_dict()
            if "regression" in attributes:
                given = load_json(str(attributes["regression"]))
                known["regression"] = ConditionalGaussian.from_dict(given).to_dict()
        except ValueError as error:
            raise DataError(f"{path}: parameters of {shown(name)} cannot be read: {error}") from error
        rich.add_node(name, **known)
    rich.add_edges_from((decode(str(a)), decode(str(b))) for a, b in graph.edges())
    return Network.from_networkx(rich)


def write(network: Network, graph: CPDAG | None = None) -> bytes:
    """The network as GraphML."""
    import networkx as nx

    buffer = io.BytesIO()
    nx.write_graphml_xml(plain_graph(network, graph), buffer, prettyprint=True)
    return buffer.getvalue() + b"\n"


def read(content: bytes, path: str) -> Network:
    """The network of a GraphML file."""
    import networkx as nx

    check_xml(content, path)
    try:
        graph = nx.read_graphml(io.BytesIO(content))
    except MemoryError:
        raise
    except Exception as error:  # networkx lets through whatever its XML reader throws
        raise DataError(f"{path}: not read as GraphML: {cut(error)}") from error
    return from_plain_graph(graph, path)

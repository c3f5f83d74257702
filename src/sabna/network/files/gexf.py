"""GEXF, through networkx: for Gephi. The same attributes as in GraphML."""

from __future__ import annotations

import io
import re

from sabna.base.errors import DataError
from sabna.base.texts import cut
from sabna.network import Network
from sabna.network.equivalence import CPDAG
from sabna.network.files.graphml import from_plain_graph, plain_graph
from sabna.network.files.xmlfile import check_xml

# networkx notes the day of writing; the same network shall give the same file.
_DATE = re.compile(rb' lastmodifieddate="[^"]*"')


def write(network: Network, graph: CPDAG | None = None) -> bytes:
    """The network as GEXF 1.2."""
    import networkx as nx

    buffer = io.BytesIO()
    nx.write_gexf(plain_graph(network, graph), buffer, version="1.2draft")
    return _DATE.sub(b"", buffer.getvalue(), count=1) + b"\n"


def read(content: bytes, path: str) -> Network:
    """The network of a GEXF file."""
    import networkx as nx

    check_xml(content, path)
    try:
        graph = nx.read_gexf(io.BytesIO(content), version="1.2draft")
    except MemoryError:
        raise
    except Exception as error:  # networkx lets through whatever its XML reader throws
        raise DataError(f"{path}: not read as GEXF: {cut(error)}") from error
    return from_plain_graph(graph, path)

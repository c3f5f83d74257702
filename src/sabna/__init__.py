"""sabna: the best Bayesian network for your data, with proof.

    import sabna
    result = sabna.learn("data.csv")
    print(result)

Names load what they need when first used, so that `import sabna` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name -> the module that defines it.
_HOME = {
    "ExactBayesianNetwork": "sabna.estimator",
    "Network": "sabna.network",
    "ParentGraph": "sabna.parentgraph",
    "NumericTable": "sabna.data",
    "bootstrap": "sabna.bootstrapping",
    "graph_from_scores": "sabna.ownscore",
    "read_numeric": "sabna.data",
    "kbest": "sabna.alternatives",
    "Knowledge": "sabna.knowledge",
    "Result": "sabna.result",
    "SabnaError": "sabna.errors",
    "Table": "sabna.data",
    "build_parent_graph": "sabna.parentgraph",
    "learn": "sabna.learning",
    "load_example": "sabna.examples",
    "read_network": "sabna.formats.networks",
    "read_parent_graph": "sabna.formats",
    "read_result": "sabna.result",
    "read_table": "sabna.data",
    "search": "sabna.searching",
}

__all__ = [
    "ExactBayesianNetwork",
    "Knowledge",
    "Network",
    "NumericTable",
    "ParentGraph",
    "Result",
    "SabnaError",
    "Table",
    "__version__",
    "bootstrap",
    "build_parent_graph",
    "graph_from_scores",
    "kbest",
    "learn",
    "load_example",
    "read_network",
    "read_numeric",
    "read_parent_graph",
    "read_result",
    "read_table",
    "search",
]

if TYPE_CHECKING:
    from sabna.alternatives import kbest as kbest
    from sabna.bootstrapping import bootstrap as bootstrap
    from sabna.data import NumericTable as NumericTable
    from sabna.data import Table as Table
    from sabna.data import read_numeric as read_numeric
    from sabna.data import read_table as read_table
    from sabna.errors import SabnaError as SabnaError
    from sabna.estimator import ExactBayesianNetwork as ExactBayesianNetwork
    from sabna.examples import load_example as load_example
    from sabna.formats import read_parent_graph as read_parent_graph
    from sabna.formats.networks import read_network as read_network
    from sabna.knowledge import Knowledge as Knowledge
    from sabna.learning import learn as learn
    from sabna.network import Network as Network
    from sabna.ownscore import graph_from_scores as graph_from_scores
    from sabna.parentgraph import ParentGraph as ParentGraph
    from sabna.parentgraph import build_parent_graph as build_parent_graph
    from sabna.result import Result as Result
    from sabna.result import read_result as read_result
    from sabna.searching import search as search


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'sabna' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

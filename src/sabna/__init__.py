"""sabna: the best Bayesian network for your data, with proof.

    import sabna
    result = sabna.learn("data.csv")
    print(result)

Names load what they need when first used, so that `import sabna` is quick.
"""

from __future__ import annotations

# Not from typing: `sabna` on the command line has no handlers of signals until this module is loaded.
TYPE_CHECKING = False

# Public name -> the module that defines it.
_HOME = {
    "__version__": "sabna.base.version",
    "ExactBayesianNetwork": "sabna.estimator",
    "ExactBayesianNetworkClassifier": "sabna.classifier",
    "Network": "sabna.network",
    "ParentGraph": "sabna.parents.graph",
    "ProgressReport": "sabna.base.progress",
    "MixedTable": "sabna.table",
    "NumericTable": "sabna.table",
    "bootstrap": "sabna.bootstrapping.bootstrap",
    "estimate": "sabna.estimating",
    "graph_from_scores": "sabna.parents.builders.own",
    "read_mixed": "sabna.table",
    "read_numeric": "sabna.table",
    "kbest": "sabna.alternatives.kbest",
    "Knowledge": "sabna.parents.knowledge",
    "Result": "sabna.result.result",
    "SabnaError": "sabna.base.errors",
    "Table": "sabna.table",
    "build_parent_graph": "sabna.parents.build",
    "learn": "sabna.learning",
    "posterior": "sabna.averaging.posterior",
    "load_example": "sabna.table.reading",
    "look": "sabna.table.looking",
    "read_network": "sabna.network.files",
    "read_parent_graph": "sabna.parents.files",
    "read_result": "sabna.result.result",
    "read_table": "sabna.table",
    "search": "sabna.searching.search",
    "start": "sabna.handle",
}

__all__ = [
    "ExactBayesianNetwork",
    "ExactBayesianNetworkClassifier",
    "Knowledge",
    "MixedTable",
    "Network",
    "NumericTable",
    "ParentGraph",
    "ProgressReport",
    "Result",
    "SabnaError",
    "Table",
    "__version__",
    "bootstrap",
    "build_parent_graph",
    "estimate",
    "graph_from_scores",
    "kbest",
    "learn",
    "load_example",
    "look",
    "posterior",
    "read_mixed",
    "read_network",
    "read_numeric",
    "read_parent_graph",
    "read_result",
    "read_table",
    "search",
    "start",
]

if TYPE_CHECKING:
    from typing import Any

    from sabna.alternatives.kbest import kbest as kbest
    from sabna.averaging.posterior import posterior as posterior
    from sabna.base.errors import SabnaError as SabnaError
    from sabna.base.progress import ProgressReport as ProgressReport
    from sabna.base.version import __version__ as __version__
    from sabna.bootstrapping.bootstrap import bootstrap as bootstrap
    from sabna.classifier import ExactBayesianNetworkClassifier as ExactBayesianNetworkClassifier
    from sabna.estimating import estimate as estimate
    from sabna.estimator import ExactBayesianNetwork as ExactBayesianNetwork
    from sabna.handle import start as start
    from sabna.learning import learn as learn
    from sabna.network import Network as Network
    from sabna.network.files import read_network as read_network
    from sabna.parents.build import build_parent_graph as build_parent_graph
    from sabna.parents.builders.own import graph_from_scores as graph_from_scores
    from sabna.parents.files import read_parent_graph as read_parent_graph
    from sabna.parents.graph import ParentGraph as ParentGraph
    from sabna.parents.knowledge import Knowledge as Knowledge
    from sabna.result.result import Result as Result
    from sabna.result.result import read_result as read_result
    from sabna.searching.search import search as search
    from sabna.table import MixedTable as MixedTable
    from sabna.table import NumericTable as NumericTable
    from sabna.table import Table as Table
    from sabna.table import read_mixed as read_mixed
    from sabna.table import read_numeric as read_numeric
    from sabna.table import read_table as read_table
    from sabna.table.looking import look as look
    from sabna.table.reading import load_example as load_example


def __getattr__(name: str) -> Any:
    if name in _HOME:
        import importlib

        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'sabna' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

"""The network as an object of other libraries: networkx, pgmpy, pyAgrum.

pgmpy and pyAgrum come with the reader's own environment; they are imported when asked for. pgmpy writes a table with
one row per state and one column per configuration of the parents, the last parent running fastest; pyAgrum is filled
by name, so its own order of axes does not matter.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sabna.base.errors import UsageError
from sabna.network.conditional import ConditionalGaussian, MixedParameters
from sabna.network.gaussian import LinearGaussian
from sabna.network.parameters import fitted

if TYPE_CHECKING:
    from sabna.network.network import Network


def to_networkx(network: Network) -> Any:
    """A DiGraph whose nodes carry `states` and `table` if the network is fitted."""
    import networkx as nx

    graph: Any = nx.DiGraph()
    for name in network.variables:
        graph.add_node(name)
        if network.states is not None:
            graph.nodes[name]["states"] = network.states[name]
        if network.tables is not None:
            graph.nodes[name]["table"] = network.tables[name]
        if network.gaussian is not None:
            graph.nodes[name]["gaussian"] = network.gaussian[name].to_dict()
    if network.mixed is not None:
        for name, states in network.mixed.states.items():
            graph.nodes[name].update(states=states, table=network.mixed.tables[name])
        for name, regression in network.mixed.regressions.items():
            graph.nodes[name]["regression"] = regression.to_dict()
    graph.add_edges_from(network.edges)
    return graph


def from_networkx(network: type[Network], graph: Any) -> Network:
    """The network of a DiGraph; nodes become strings."""
    if not graph.is_directed():
        raise UsageError("a network needs a directed graph: pass a networkx.DiGraph")
    names = [str(v) for v in graph.nodes]
    parents = {str(v): [str(p) for p in graph.predecessors(v)] for v in graph.nodes}
    states = {str(v): tuple(data["states"]) for v, data in graph.nodes(data=True) if "states" in data}
    tables = {str(v): np.asarray(data["table"]) for v, data in graph.nodes(data=True) if "table" in data}
    gaussian = {
        str(v): LinearGaussian.from_dict(data["gaussian"]) for v, data in graph.nodes(data=True) if "gaussian" in data
    }
    if len(gaussian) == len(names) > 0:
        return network(names, parents, gaussian=gaussian)
    regressions = {
        str(v): ConditionalGaussian.from_dict(data["regression"])
        for v, data in graph.nodes(data=True)
        if "regression" in data
    }
    if regressions and len(regressions) + len(tables) == len(names):
        return network(names, parents, mixed=MixedParameters(states, tables, regressions))
    complete = len(states) == len(names) > 0
    return network(
        names, parents, states if complete else None, tables if complete and len(tables) == len(names) else None
    )


def _library(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UsageError(f"this needs the package {package}: pip install {package}") from error


def _gaussian_to_pgmpy(network: Network, regressions: Mapping[str, LinearGaussian]) -> Any:
    """A LinearGaussianBayesianNetwork; `beta` is the intercept and then the coefficients of the parents."""
    models, factors = _library("pgmpy.models", "pgmpy"), _library("pgmpy.factors.continuous", "pgmpy")
    model = models.LinearGaussianBayesianNetwork()
    model.add_nodes_from(network.variables)
    model.add_edges_from(network.edges)
    for name, regression in regressions.items():
        beta = [regression.intercept, *regression.coefficients.values()]
        evidence = list(regression.coefficients)
        model.add_cpds(factors.LinearGaussianCPD(name, beta, regression.deviation, evidence))
    return model


def to_pgmpy(network: Network) -> Any:
    """A DiscreteBayesianNetwork, with TabularCPDs if the network is fitted; of quantities a Gaussian one."""
    if network.gaussian is not None:
        return _gaussian_to_pgmpy(network, network.gaussian)
    if network.mixed is not None:
        raise UsageError("pgmpy has no model of categories and quantities together; take to_networkx(), or write .json")
    models, factors = _library("pgmpy.models", "pgmpy"), _library("pgmpy.factors.discrete", "pgmpy")
    model = models.DiscreteBayesianNetwork()
    model.add_nodes_from(network.variables)
    model.add_edges_from(network.edges)
    if network.states is None or network.tables is None:
        return model
    for name in network.variables:
        parents, arity = network.parents[name], len(network.states[name])
        model.add_cpds(
            factors.TabularCPD(
                name,
                arity,
                network.tables[name].reshape(-1, arity).T,
                evidence=list(parents) or None,
                evidence_card=[len(network.states[p]) for p in parents] or None,
                state_names={v: list(network.states[v]) for v in (name, *parents)},
            )
        )
    return model


def to_pyagrum(network: Network) -> Any:
    """A BayesNet with the same labels and tables."""
    gum = _library("pyagrum", "pyagrum")
    states, tables = fitted(network)
    net = gum.BayesNet("sabna")
    for name in network.variables:
        net.add(gum.LabelizedVariable(name, name, list(states[name])))
    for parent, child in network.edges:
        net.addArc(parent, child)
    for name in network.variables:
        parents = network.parents[name]
        for configuration in np.ndindex(*tables[name].shape[:-1]):
            row = tables[name][configuration].tolist()
            net.cpt(name)[dict(zip(parents, map(int, configuration), strict=True))] = row
    return net

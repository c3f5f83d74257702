"""A parent graph under prior knowledge: the sets that obey, dominance decided among them."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna._native import core
from sabna.base.errors import KnowledgeError
from sabna.base.varsets import members
from sabna.parents.graph import ParentGraph
from sabna.parents.knowledge import Constraints, Knowledge


def filter_graph(graph: ParentGraph, knowledge: Any) -> ParentGraph:
    """The parent sets of a graph that obey, dominance decided among them.

    What only forbids (forbidden edges and pairs, tiers, roots, leaves, limits) can be applied to any graph: a set that
    was dropped for a subset is dominated by it still, as the subset obeys whenever the set does. Required parents are
    another matter: a set that holds them may have been dropped for a subset that does not. So a variable
    with required parents needs its complete list: all sets up to some size, as in a score file that is not pruned
    (read it with `keep_dominated=True`). A graph built under the same knowledge is returned as it is.
    """
    known = Knowledge.of(knowledge)
    if not known or graph.parameters.get("knowledge") == known.to_dict():
        return graph
    constraints = known.compile(graph.names)
    costs, sets, sizes = [], [], [0]
    for i, name in enumerate(graph.names):
        at = slice(int(graph.offsets[i]), int(graph.offsets[i + 1]))
        if constraints.required[i].any() and not _is_complete(graph.sets[at], graph.n):
            parents = ", ".join(graph.names[v] for v in members(constraints.required[i]))
            raise KnowledgeError(
                f"required parents of {name} ({parents}): this parent graph does not list all of its sets up to some "
                "size, so that sets with its required parents may be missing; build the graph from the data under "
                "this knowledge instead"
            )
        keep = _obeying(graph.sets[at], constraints, i)
        if not keep.any():
            raise KnowledgeError(f"no parent set of {name} in this graph obeys the knowledge; build it from the data")
        costs.append(graph.costs[at][keep])
        sets.append(graph.sets[at][keep])
        sizes.append(int(keep.sum()))
    offsets, kept, left = core.prune_dominated(
        np.cumsum(sizes, dtype=np.int64), np.concatenate(costs), np.concatenate(sets)
    )
    parameters = {**graph.parameters, "knowledge": known.to_dict()}
    statistics = {**graph.statistics, "sets": len(kept)}
    return ParentGraph(graph.names, offsets, kept, left, graph.score, graph.rows, graph.arities, parameters, statistics)


def _obeying(sets: NDArray[np.uint64], constraints: Constraints, i: int) -> NDArray[np.bool_]:
    sizes = np.zeros(len(sets), dtype=np.int64)
    for word in sets.T:
        sizes += np.array([int(w).bit_count() for w in word], dtype=np.int64)
    inside = ((sets & ~constraints.allowed[i]) == 0).all(axis=1)
    around = ((sets & constraints.required[i]) == constraints.required[i]).all(axis=1)
    obeying: NDArray[np.bool_] = inside & around & (sizes <= constraints.limits[i])
    return obeying


def _is_complete(sets: NDArray[np.uint64], n: int) -> bool:
    """Whether a variable's list holds every set up to the size of its largest."""
    largest = max((len(members(s)) for s in sets), default=0)
    return largest > 0 and len(np.unique(sets, axis=0)) == sum(comb(n - 1, k) for k in range(largest + 1))

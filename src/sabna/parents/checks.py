"""What holds for every parent graph, however it was made: arrays that fit together, and costs that can be added up.

Sums of costs are 64-bit integers everywhere, in the core and in numpy, and nothing checks them one by one. So there is
one limit for all graphs (`LARGEST_TOTAL`, reasons in core/cost.h), and one check. Builders and readers call it when a
graph is made, with the error of their trade; `search` and `kbest` when a user hands one in. It looks at every entry
once and takes some milliseconds for a million.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import numpy as np

from sabna.base.cost import LARGEST_TOTAL, QUANTA_PER_NAT
from sabna.base.errors import SabnaError, UsageError
from sabna.base.varsets import MAX_VARIABLES, words_for

if TYPE_CHECKING:
    from sabna.parents.graph import ParentGraph


def check_total(graph: ParentGraph, error: type[SabnaError], where: str, remedy: str) -> None:
    """Raise `error` unless the largest cost in size of every variable add up to less than LARGEST_TOTAL."""
    if not graph.n:
        return
    first = graph.offsets[:-1]
    least, most = np.minimum.reduceat(graph.costs, first), np.maximum.reduceat(graph.costs, first)
    sizes = [max(abs(a), abs(b)) for a, b in zip(least.tolist(), most.tolist(), strict=True)]
    if sum(sizes) >= LARGEST_TOTAL:
        too_large(error, where, graph.names[sizes.index(max(sizes))], max(sizes) / QUANTA_PER_NAT, remedy)


def too_large(error: type[SabnaError], where: str, variable: str, nats: float, remedy: str) -> NoReturn:
    """Raise the error of costs that cannot be added up; `nats`: the largest in size, of `variable`."""
    raise error(
        f"{where}: the scores are too large ({variable!r} has one of {nats:.4g} nats in size): the largest of every "
        f"variable must add up to less than 2^30 nats, about {LARGEST_TOTAL / QUANTA_PER_NAT:.3g}; {remedy}"
    )


def check_arrays(graph: ParentGraph) -> None:
    """Raise ValueError unless offsets rise from 0 to the end, costs are in order, and sets are of other variables."""
    n, offsets, costs, sets = graph.n, graph.offsets, graph.costs, graph.sets
    if n > MAX_VARIABLES:
        raise ValueError(f"{n} variables, at most {MAX_VARIABLES} are possible")
    if len(set(graph.names)) != n:
        raise ValueError("two variables have the same name")
    for name, array, kinds in (("offsets", offsets, "i"), ("costs", costs, "i"), ("sets", sets, "u")):
        if not isinstance(array, np.ndarray) or array.dtype.kind != kinds or array.dtype.itemsize != 8:
            wanted = "int64" if kinds == "i" else "uint64"
            raise ValueError(f"{name} must be an array of {wanted}")
    if offsets.shape != (n + 1,) or costs.ndim != 1 or sets.shape != (len(costs), words_for(n)):
        raise ValueError("the shapes of offsets, costs and sets do not fit together")
    if offsets[0] != 0 or offsets[-1] != len(costs) or (offsets[1:] <= offsets[:-1]).any():
        raise ValueError("offsets: every variable needs at least one parent set")
    child = np.repeat(np.arange(n), np.diff(offsets))
    if ((costs[1:] < costs[:-1]) & (child[1:] == child[:-1])).any():
        raise ValueError("order of the costs: they must not fall within a variable")
    everything = ((1 << n) - 1).to_bytes(8 * words_for(n), "little")
    own = (sets[np.arange(len(sets)), child >> 6] >> (child & 63).astype(np.uint64)) & np.uint64(1)
    wrong = (sets & ~np.frombuffer(everything, "<u8")).any(axis=1) | own.astype(bool)
    if wrong.any():
        raise ValueError(f"parents of {graph.names[int(child[np.argmax(wrong)])]!r}")


def check_graph(graph: ParentGraph) -> None:
    """Raise UsageError unless a graph that a user hands in is sound."""
    try:
        check_arrays(graph)
    except ValueError as error:
        raise UsageError(f"this parent graph is not sound: {error}; correct it where it is made") from None
    check_total(
        graph,
        UsageError,
        "parent graph",
        "subtract a number from all costs of a variable, which changes no choice, or rescale them all",
    )

"""The group program: weights made for a partition raise its bound, and never above the truth."""

from __future__ import annotations

import numpy as np
import pytest

from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.limits import Limits
from sabna.base.stop import Stop
from sabna.bounds.group_program import GroupProgram, raise_best
from sabna.bounds.patterns import Pattern, choose_patterns
from sabna.bounds.weights import Clusters, dual_ascent
from sabna.parents.graph import ParentGraph
from sabna.searching.part import Part, carry_pattern
from tests.graphs import optimum
from tests.repeats import few_or_many
from tests.test_auto import some_graph


def patterns_of(graph: ParentGraph, largest: int, seed: int = 0) -> list[Pattern]:
    """Some partitions with the weights of dual ascent."""
    _, clusters = dual_ascent(graph, Clusters.none(graph.sets.shape[1]), INFINITE, Limits())
    return choose_patterns(graph.n, clusters, largest, 3, seed)


def bound_of(graph: ParentGraph, pattern: Pattern) -> int:
    """The bound of a pattern at the root, from the tables that the search uses."""
    return core.fix_sets(*graph.arrays, [pattern.arrays], INFINITE, threads=1, limits=core.Limits()).bounds[0]


@few_or_many("graphs", 20, 40)
@pytest.mark.parametrize("largest", [2, 3, 4])
def test_bounds_rise_and_stay_below_the_optimum(largest: int, graphs: int) -> None:
    """Protects from a bound above the truth, and from a program that does nothing."""
    raised = 0
    for seed in range(graphs):
        graph = some_graph(seed, most=9)
        best = optimum(graph)
        patterns = patterns_of(graph, largest, seed)
        found = raise_best(graph, patterns, best + 1, Limits(), 1, 60)
        before = max(bound_of(graph, p) for p in patterns)
        assert before <= found.bound <= best
        assert found.bound == bound_of(graph, found.pattern)
        assert found.stop == Stop.none
        raised += found.bound > before
    assert raised >= 5


def test_a_raised_pattern_is_a_good_heuristic() -> None:
    """Protects from weights that prune the optimum: admissible and consistent at every node."""
    for seed in range(12):
        graph = some_graph(seed, most=7)
        found = raise_best(graph, patterns_of(graph, 3, seed), optimum(graph) + 1, Limits(), 1, 40)
        nodes = np.arange(1 << graph.n, dtype=np.uint64).reshape(-1, 1)
        none = Clusters.none(1)
        h = np.asarray(core.weighted_values(*graph.arrays, *none.arrays, [found.pattern.arrays], nodes))
        assert h[-1] == 0
        for u in range(1 << graph.n):
            for i in (i for i in range(graph.n) if not u >> i & 1):
                fits = (graph.sets[graph.offsets[i] : graph.offsets[i + 1], 0] & ~np.uint64(u)) == 0
                if fits.any():
                    step = int(graph.costs[graph.offsets[i] : graph.offsets[i + 1]][fits].min())
                    assert h[u] <= step + h[u | 1 << i]


def test_networks_of_groups_earn_the_credits_they_are_charged() -> None:
    """Protects from columns that do not belong to the bound: value of the program and of the tables must meet."""
    for seed in range(30):
        graph = some_graph(seed, most=8)
        pattern = patterns_of(graph, 3, seed)[0]
        best = core.best_of_groups(*graph.arrays, pattern.arrays, 1, core.Limits())
        if best.bound >= INFINITE or len(pattern.groups) == 1:
            continue
        program = GroupProgram(graph, pattern, 1 << 30)
        assert program.add_networks(best.order, best.choice) == len(pattern.groups)
        clusters = program.clusters
        total = int((clusters.k * clusters.y).sum())
        for column in program.columns:
            total += column.cost - int((column.credits(graph.n, clusters) * clusters.y).sum())
        assert total == best.bound


def test_limits_end_it_with_what_it_has() -> None:
    """Protects from a run that goes on without time, and from a bound that was never computed."""
    graph = some_graph(4, most=12)
    patterns = patterns_of(graph, 3)
    stopped = raise_best(graph, patterns, INFINITE, Limits(seconds=0.0), 1, 40)
    assert stopped.stop == Stop.time_limit
    assert stopped.bound <= optimum(graph)


def test_patterns_are_carried_into_components() -> None:
    """Protects from groups that no longer cover the variables of a part."""
    for seed in range(30):
        graph = some_graph(seed, most=12)
        whole = Part.whole(graph)
        pattern = patterns_of(graph, 4, seed)[0]
        for part in whole.components():
            carried = carry_pattern(pattern, whole, part)
            assert bound_of(part.graph, carried) <= optimum(part.graph)


def test_partitions_that_miss_a_variable_are_refused() -> None:
    """Protects from a bound that leaves out a variable."""
    graph = some_graph(1, most=9)
    groups = np.array([[1]], np.uint64)
    with pytest.raises(ValueError, match="cover all variables"):
        bound_of(graph, Pattern(Clusters.none(1), groups))

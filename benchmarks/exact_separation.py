"""What an exact search for broken cluster cuts would add to the local one.

    python benchmarks/exact_separation.py GRAPH [--time-limit 60]

Solves the cluster program of the largest component until local search finds no broken cut with k = 1 or 2, then asks a
small integer program for the deepest one with k = 1, adds it, and goes on. Prints the gap where local search ended, and
after every exact cut. docs/bounds.md has the figures.
"""

from __future__ import annotations

import argparse
import time

import highspy
import numpy as np
from numpy.typing import NDArray

import sabna
from sabna.base.cost import INFINITE, QUANTA_PER_NAT
from sabna.base.limits import Limits
from sabna.bounds.cluster_lp import LEAST_SHARE, LEAST_VIOLATION, ClusterProgram
from sabna.bounds.weights import Clusters, dual_ascent, reduced_costs
from sabna.searching.part import Part


def deepest_cut(program: ClusterProgram, point: NDArray[np.float64], seconds: float) -> NDArray[np.uint64]:
    """The most broken cut with k = 1, as one row of words, or none (Bartlett and Cussens 2013).

    Minimise |C| less the shares of sets that meet C, over clusters C of two and more.
    """
    n, highs = program.graph.n, highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("time_limit", seconds)
    support = np.flatnonzero(point > LEAST_SHARE)
    which = program.columns[support]
    highs.addVars(n + len(which), np.zeros(n + len(which)), np.ones(n + len(which)))
    every = np.arange(n + len(which), dtype=np.int32)
    highs.changeColsCost(len(every), every, np.concatenate([np.ones(n), -point[support]]))
    highs.changeColsIntegrality(n, every[:n], np.array([highspy.HighsVarType.kInteger] * n))
    for c, p in enumerate(which):
        parents = np.flatnonzero(np.unpackbits(program.graph.sets[p].view(np.uint8), bitorder="little")[:n])
        for inside in ([program.variable[p]], parents):
            index = np.array([n + c, *inside], np.int32)
            highs.addRow(-highs.getInfinity(), 0.0, len(index), index, np.array([1.0] + [-1.0] * len(inside)))
    highs.addRow(2.0, float(n), n, every[:n], np.ones(n))
    highs.run()
    cut = np.zeros((1, program.graph.sets.shape[1]), np.uint64)
    if highs.getInfo().objective_function_value > 1 - LEAST_VIOLATION:
        return cut[:0]
    for v in np.flatnonzero(np.array(highs.getSolution().col_value)[:n] > 0.5):
        cut[0, v >> 6] |= np.uint64(1 << (int(v) & 63))
    return cut


def main() -> None:
    """One graph."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph")
    parser.add_argument("--time-limit", type=float, default=60.0)
    arguments = parser.parse_args()
    whole = sabna.read_parent_graph(arguments.graph)
    graph = max(Part.whole(whole).components(), key=lambda p: p.n).graph
    best = sabna.search(graph, time_limit=arguments.time_limit).cost
    _, clusters = dual_ascent(graph, Clusters.none(graph.sets.shape[1]), INFINITE, Limits())
    program = ClusterProgram(graph, clusters, np.ones(len(graph), bool))
    start, exact = time.process_time(), 0
    while time.process_time() - start < arguments.time_limit:
        solved = program.solve(Limits())
        if solved is None:
            break
        point, duals = solved
        reduced = reduced_costs(graph, program.weights(duals))
        new = program.entering(reduced, duals)
        cuts = [program.broken_cuts(point, k) for k in (1, 2)]
        if not len(new) and not any(len(c) for c in cuts):
            gap = best - reduced.bound / QUANTA_PER_NAT
            print(f"{exact} exact cuts: gap {gap:.6g} after {time.process_time() - start:.1f} CPU s", flush=True)
            cuts[0] = deepest_cut(program, point, arguments.time_limit)
            if not len(cuts[0]):
                print("no cut with k = 1 is broken")
                break
            exact += 1
        program.add_columns(new)
        for k, cut in zip((1, 2), cuts, strict=True):
            program.add_cuts(cut, k)


if __name__ == "__main__":
    main()

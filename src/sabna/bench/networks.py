"""Local search alone: the best cost after so many CPU seconds, as a Markdown table.

    python -m sabna.bench.networks GRAPH.pg ... [--seconds 1,5,20,60] [--seed 1]

For comparisons of versions: run it under each of them. There is no budget of work; the clock ends a run.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from sabna._native import core
from sabna.base.cost import QUANTA_PER_NAT
from sabna.parents.files import read_parent_graph
from sabna.parents.graph import ParentGraph
from sabna.searching.decisions import RESTARTS
from sabna.searching.steps.local_search import KICKS

ENDLESS = 2**31 - 1


def costs_after(graph: ParentGraph, seconds: list[float], seed: int) -> list[float]:
    """The best cost, in nats, after each of these CPU seconds (ascending)."""
    found: list[float] = []
    best = float("inf")
    start = time.process_time()

    def note(report: dict[str, Any]) -> None:
        nonlocal best
        while len(found) < len(seconds) and time.process_time() - start >= seconds[len(found)]:
            found.append(best)
        best = min(best, report["upper"] / QUANTA_PER_NAT)
        if len(found) == len(seconds):
            raise KeyboardInterrupt

    try:
        last = core.local_search(
            *graph.arrays,
            seed=seed,
            restarts=RESTARTS,
            kicks=KICKS,
            crossings=ENDLESS,
            work=2**60,
            starts=[],
            threads=1,
            limits=core.Limits(),
            progress=note,
        )
        best = last.cost / QUANTA_PER_NAT
    except KeyboardInterrupt:
        pass
    return found + [best] * (len(seconds) - len(found))


def main() -> None:
    """Run all and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graphs", nargs="+", type=Path)
    parser.add_argument("--seconds", default="1,5,20,60")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    seconds = [float(text) for text in arguments.seconds.split(",")]
    print("| graph | n | sets |" + "".join(f" {s:g} s |" for s in seconds))
    print("|---|---|---|" + "---|" * len(seconds))
    for path in arguments.graphs:
        graph = read_parent_graph(path)
        costs = costs_after(graph, seconds, arguments.seed)
        print(f"| {path.stem} | {graph.n} | {len(graph)} |" + "".join(f" {c:.4f} |" for c in costs), flush=True)


if __name__ == "__main__":
    main()

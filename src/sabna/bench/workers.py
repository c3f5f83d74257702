"""What a second worker brings: one scoring run or one search on one Dask worker process, and on two.

    python -m sabna.bench.workers scoring TABLE.csv [--score bic] [--max-parents K] [--pairs 3]
    python -m sabna.bench.workers search GRAPH.pg [--pairs 3]

Schedulers and workers are started before the clock, and a small run has warmed them up; the process that drives a run
has one thread. Seconds are those of the wall clock, so that the machine must have nothing else to do; the least of all
runs on each number of workers is taken. Both must give the same answer.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from sabna.base.errors import SabnaError
from sabna.engine.opening import opened_engine
from sabna.learning import learn
from sabna.parents.build import build_parent_graph
from sabna.parents.keeping import graph_hash
from sabna.searching.search import search

WORKERS = (1, 2)


def answer(given: argparse.Namespace, engine: Any) -> tuple[str, ...]:
    """Do the run; what must be the same on any number of workers."""
    if given.run == "scoring":
        limit = {} if given.max_parents is None else {"max_parents": given.max_parents}
        return (graph_hash(build_parent_graph(given.source, given.score, n_jobs=1, engine=engine, **limit)),)
    result = search(given.source, n_jobs=1, engine=engine)
    return result.status, str(result.cost_quanta), str(result.network.edges)


def timed(given: argparse.Namespace, workers: int) -> tuple[float, tuple[str, ...]]:
    """Seconds of one run on so many workers, and its answer."""
    with opened_engine(f"local:{workers}") as engine:
        learn("example:asia", engine=engine, n_jobs=1)
        began = time.monotonic()
        found = answer(given, engine)
        return time.monotonic() - began, found


def main() -> None:
    """As the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", choices=("scoring", "search"))
    parser.add_argument("source")
    parser.add_argument("--score", default="bic")
    parser.add_argument("--max-parents", type=int)
    parser.add_argument("--pairs", type=int, default=3)
    given = parser.parse_args()
    best, answers = dict.fromkeys(WORKERS, float("inf")), set()
    for _ in range(given.pairs):
        for workers in WORKERS:
            seconds, found = timed(given, workers)
            best[workers] = min(best[workers], seconds)
            answers.add(found)
            print(f"{workers} workers: {seconds:.2f} s", flush=True)
    if len(answers) > 1:
        raise SabnaError("the answers differ")
    one, two = (best[workers] for workers in WORKERS)
    print(f"one worker {one:.2f} s, two workers {two:.2f} s: {one / two:.2f} times as fast, the same answer")


if __name__ == "__main__":
    main()

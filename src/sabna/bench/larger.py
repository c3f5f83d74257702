"""Larger instances under a cap: status, gap and time, as a Markdown table.

    python -m sabna.bench.larger --data DIR [--time-limit 600] [--memory-limit 8GB] [--only TEXT]

--data names the folder that holds networks/ and scores/. Networks are sampled once (1,000 rows, seed 1) restricted to
their first variables, and scored with at most four parents; parent graphs are kept in --graphs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pyarrow.csv import write_csv

from sabna.bench.paper import run_command
from sabna.network.files import read_network

ROWS, SEED, MAX_PARENTS = 1000, 1, 4
SAMPLES = (("andes", 50), ("andes", 60), ("andes", 100))
SCORES = ("alarm-5000.blip.jkl", "munin1-5000.blip.jkl", "pigs-5000.blip.jkl")


def sampled_graph(name: str, count: int, data: Path, graphs: Path) -> Path:
    """The parent graph of the first `count` variables of a sampled network."""
    graph = graphs / f"{name}-{count}.pg"
    if not graph.exists():
        graphs.mkdir(parents=True, exist_ok=True)
        network = read_network(data / "networks" / f"{name}.bif")
        table = graphs / f"{name}-{count}.csv"
        write_csv(network.sample(ROWS, seed=SEED).select(list(network.variables[:count])), table)
        run_command(["score", str(table), "-o", str(graph), "--max-parents", str(MAX_PARENTS)], ok=(0,))
    return graph


def main() -> None:
    """Run all and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--graphs", type=Path, default=Path("build/bench-graphs"))
    parser.add_argument("--time-limit", type=float, default=600.0)
    parser.add_argument("--memory-limit", default="8GB")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    caps = ["--time-limit", str(arguments.time_limit), "--memory-limit", arguments.memory_limit]
    print("| instance | n | sets | status | cost | gap | gap % | seconds | CPU s | MB | nodes |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    names = [f"{name}-{count}" for name, count in SAMPLES] + list(SCORES)
    for name in (name for name in names if arguments.only in name):
        if name in SCORES:
            graph = arguments.data / "scores" / name
        else:
            graph = sampled_graph(name.split("-")[0], int(name.split("-")[1]), arguments.data, arguments.graphs)
        found, _ = run_command(["search", str(graph), *caps])
        search = found["search"]
        print(
            f"| {name} | {found['n']} | {found['parent_graph']['sets']} | {found['status']} | {found['cost']:.3f} "
            f"| {found['gap']:.3g} | {100 * found['gap'] / found['cost']:.2g} | {search['seconds']:.1f} "
            f"| {search.get('cpu_seconds', 0):.1f} | {found['peak_memory_bytes'] / 1e6:.0f} | {search['expanded']} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

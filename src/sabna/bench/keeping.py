"""What `--work` costs: the processor seconds of commands with it and without it, in turn.

    python -m sabna.bench.keeping [--data DIR] [--pairs 5]

Every run is a process of its own; its user and system seconds are counted, start-up included, and the least of all
runs of a kind is taken, which other work on the machine disturbs least. Wall-clock seconds stand beside them: a save
waits for the disk. `DIR` is a folder with `paper/` and `larger/`; without it only the examples of the package run.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sabna.bench.beyond_memory import Measured, measured

# Commands without a work directory; {data} is the folder of tables, {out} a folder to write to.
CASES = {
    "asia": ["learn", "example:asia"],
    "greenhouse": ["learn", "example:greenhouse"],
    "bootstrap": ["bootstrap", "example:asia", "-B", "60"],
    "kbest": ["kbest", "example:asia", "-k", "200"],
    "autos": ["learn", "{data}/paper/lit/autos.csv"],
    "autos by astar": ["learn", "{data}/paper/lit/autos.csv", "--strategy", "astar"],
    "soybean": ["learn", "{data}/paper/lit/soybean.csv"],
    "insurance.bin": ["learn", "{data}/paper/insurance.bin.csv"],
    "alarm.bin": ["score", "{data}/paper/alarm.bin.csv", "-o", "{out}/alarm.pg"],
    "win95pts-300": ["learn", "{data}/larger/win95pts-300.csv", "--max-parents", "4"],
}


def commands(data: Path | None, out: Path) -> Iterator[tuple[str, list[str]]]:
    """The cases whose tables are there."""
    for name, words in CASES.items():
        if data is not None or not any("{data}" in word for word in words):
            yield name, [word.format(data=data, out=out) for word in words]


def seconds(run: Measured) -> float:
    """Processor seconds."""
    return run.user + run.system


def main() -> None:
    """Measure all and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--only", nargs="*")
    given = parser.parse_args()
    print(
        "| case | without, CPU s | with, CPU s | more | without, s | with, s |\n|---|---|---|---|---|---|", flush=True
    )
    with tempfile.TemporaryDirectory(prefix="sabna-bench-") as folder:
        for name, command in commands(given.data, Path(folder)):
            if given.only and name not in given.only:
                continue
            here: list[Measured] = []
            there: list[Measured] = []
            for pair in range(given.pairs):
                words = [*command, "--jobs", "1", "--quiet"]
                here.append(measured(words))
                there.append(measured([*words, "--work", f"{folder}/{name}-{pair}"]))
            without, with_ = min(map(seconds, here)), min(map(seconds, there))
            print(
                f"| {name} | {without:.2f} | {with_:.2f} | {with_ / without - 1:+.1%} | "
                f"{min(run.wall for run in here):.2f} | {min(run.wall for run in there):.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()

"""Scoring a table that needs more memory than it may take: in memory, and under a limit with a work directory.

    python -m sabna.bench.beyond_memory NETWORK.bif [--variables 46] [--rows 300] [--limit 500MB] [--max-parents K]

The table is sampled from a network (`bench.score.sample_network`); of its variables those of highest entropy are taken,
of which scoring can leave out the fewest sets. Both runs are `sabna score` in a process of its own;
the peak is what the system says of that process (VmHWM), read from outside until it ends, seconds are the process's
own. The two graphs must be the same file, to the bit.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sabna.base.errors import SabnaError
from sabna.bench.score import sample_network

# Seconds between two looks at the process, and at the size of its folder.
LOOK = 0.05
# Variables that are sampled, of which some are taken.
LARGEST = 512
# The command `sabna`, whatever it is called here.
COMMAND = "from sabna.cli import main; main()"


@dataclass(frozen=True)
class Measured:
    """One run: how it ended, seconds, and the most bytes it held in memory and in its folder."""

    code: int
    wall: float
    user: float
    system: float
    peak: int
    folder: int = 0


def peak_of(process: int) -> int:
    """The most bytes that a process has held so far (VmHWM), 0 when it is gone."""
    try:
        return int(Path(f"/proc/{process}/status").read_text().split("VmHWM:")[1].split()[0]) * 1024
    except (OSError, IndexError):
        return 0


def folder_bytes(folder: Path) -> int:
    """Bytes of the files of a folder; files that vanish meanwhile do not count."""
    total = 0
    for path in folder.glob("*"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total


def measured(arguments: list[str], work: Path | None = None) -> Measured:
    """Run a command of sabna and look at it until it ends."""
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, "-c", COMMAND, *arguments], stdout=subprocess.DEVNULL)
    peak = largest = 0
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            process.returncode = os.waitstatus_to_exitcode(status)
            break
        peak = max(peak, peak_of(process.pid))
        largest = max(largest, 0 if work is None else folder_bytes(work))
        time.sleep(LOOK)
    wall = time.monotonic() - began
    return Measured(process.returncode, wall, usage.ru_utime, usage.ru_stime, peak, largest)


def sampled(network: Path, variables: int, rows: int) -> str:
    """A CSV table of the variables of highest entropy."""
    names, codes = sample_network(network, LARGEST, rows)
    entropies = []
    for column in codes:
        shares = np.bincount(column) / rows
        entropies.append(-float(np.sum(shares[shares > 0] * np.log(shares[shares > 0]))))
    chosen = sorted(np.argsort(entropies)[::-1][:variables].tolist())
    lines = [",".join(names[v] for v in chosen), *(",".join(map(str, r)) for r in codes[chosen].T.tolist())]
    return "\n".join(lines) + "\n"


def row(name: str, run: Measured) -> str:
    """One row of the table."""
    return (
        f"| {name} | {run.code} | {run.wall:.0f} | {run.user:.0f} | {run.system:.0f} | {run.peak / 1e6:,.0f} | "
        f"{run.folder / 1e6:,.0f} |"
    )


def main() -> None:
    """Run both and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path)
    parser.add_argument("--variables", type=int, default=46)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--limit", default="500MB")
    parser.add_argument("--score", default="aic")
    parser.add_argument("--max-parents", default="")
    arguments = parser.parse_args()
    more = ["--score", arguments.score, "--jobs", "1", "--quiet"]
    more += ["--max-parents", arguments.max_parents] if arguments.max_parents else []
    with tempfile.TemporaryDirectory(prefix="sabna-bench-") as name:
        folder = Path(name)
        table = folder / "table.csv"
        table.write_text(sampled(arguments.network, arguments.variables, arguments.rows))
        print("| run | exit code | wall, s | user, s | system, s | peak, MB | folder, MB |")
        print("|---|---|---|---|---|---|---|", flush=True)
        here = measured(["score", str(table), "-o", str(folder / "here.pg"), *more])
        print(row("in memory", here), flush=True)
        work = folder / "work"
        limited = ["--memory-limit", arguments.limit, "--work", str(work)]
        there = measured(["score", str(table), "-o", str(folder / "there.pg"), *more, *limited], work)
        print(row(f"limit of {arguments.limit}", there), flush=True)
        if here.code == there.code == 0 and (folder / "here.pg").read_bytes() != (folder / "there.pg").read_bytes():
            raise SabnaError("the two graphs differ")


if __name__ == "__main__":
    main()

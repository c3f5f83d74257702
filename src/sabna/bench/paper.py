"""The paper's experiment: its four tables, the paper's figures beside ours.

Every run is a process of its own, so that its peak memory is its own, with the caps on time and memory given to
`sabna` itself; a run that meets one is shown as T or M, as in the paper. Graphs are built once per data set and read
from files.
"""

from __future__ import annotations

import csv
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sabna.base.errors import DataError, SabnaError, UsageError


@dataclass(frozen=True)
class DataSet:
    """A data set of the paper, where it lies, and the paper's figures for BFS, URLearning, SABNA; None: it has none."""

    name: str
    file: str
    n: int
    rows: int
    sets: int
    runtime: tuple[str, str, str]
    nodes: tuple[float | None, float, float] | tuple[float | None, None, float]  # millions
    memory: tuple[float | None, float | None, float]  # GB


# The paper's Tables I to IV. Nodes of BFS are those of the lattice.
DATA_SETS = (
    DataSet(
        "Mushroom",
        "mushroom.bin.csv",
        23,
        8124,
        375609,
        ("2m12s", "1m29s", "1m"),
        (8.38, 2.5, 2.72),
        (0.23, 0.57, 0.21),
    ),
    DataSet("Autos", "lit/autos.csv", 26, 159, 2391, ("3m54s", "37s", "13s"), (67.1, 4.7, 1.84), (1.5, 1.84, 0.001)),
    DataSet(
        "Insurance",
        "insurance.bin.csv",
        27,
        1000,
        1518,
        ("8m14s", "7m25s", "2m28s"),
        (134.21, 57.0, 13.52),
        (2.99, 10.67, 1.07),
    ),
    DataSet("Water", "water.bin.csv", 32, 1000, 328, ("M", "M", "2m8s"), (4.29e3, None, 13.03), (None, None, 1.03)),
    DataSet(
        "Soybean", "lit/soybean.csv", 36, 266, 5926, ("M", "M", "1h36m"), (6.87e4, None, 330.5), (None, None, 27.16)
    ),
    DataSet(
        "Alarm", "lit/alarm-binary.csv", 37, 1000, 672, ("M", "T", "1h3m"), (1.37e5, None, 217.37), (None, None, 17.23)
    ),
    DataSet("Bands", "lit/bands.csv", 39, 277, 887, ("M", "T", "1h10m"), (5.49e5, None, 233.8), (None, None, 20.53)),
)


@dataclass(frozen=True)
class Method:
    """A way to search, and the column of the paper it is compared with (None: the paper has none)."""

    name: str
    options: tuple[str, ...]
    paper: int | None


_PLAIN = ("--no-path-extension", "--no-upper-bound")
METHODS = (
    Method("BFS", ("--strategy", "bfs", *_PLAIN), 0),
    Method("A* static PDB", ("--strategy", "astar", "--heuristic", "pattern", "--pattern-groups", "2", *_PLAIN), 1),
    Method("A*", ("--strategy", "astar", "--heuristic", "simple", *_PLAIN), None),
    Method("A* + OPE", ("--strategy", "astar", "--heuristic", "simple", "--no-upper-bound"), 2),
    Method("auto", ("--strategy", "auto"), None),
)


ERROR = "error"


@dataclass(frozen=True)
class Measurement:
    """One run. `mark` is empty, T or M for the cap that ended it, or "error" if it failed: then it has no figures."""

    data: DataSet
    method: Method
    mark: str
    seconds: float = math.nan
    cpu_seconds: float = math.nan
    stored: int = 0
    generated: int = 0
    peak_bytes: int = 0
    bytes_per_node: float = math.nan
    cost: float = math.nan
    lower_bound: float = math.nan

    @property
    def failed(self) -> bool:
        """Whether the run ended without a result."""
        return self.mark == ERROR


def choose(names: Sequence[str] | None, known: Iterable[Any], what: str) -> list[Any]:
    """Those asked for by name, all if none is."""
    by_name = {item.name.lower(): item for item in known}
    unknown = [name for name in names or () if name.lower() not in by_name]
    if unknown:
        raise UsageError(f"unknown {what} {unknown[0]!r}; choose from {', '.join(i.name for i in by_name.values())}")
    return [by_name[name.lower()] for name in names] if names else list(by_name.values())


def run_command(arguments: Sequence[str], ok: Iterable[int] = (0, 10)) -> tuple[dict[str, Any], float]:
    """Run `sabna ARGUMENTS --json` in its own process: the JSON object and the CPU seconds."""
    before = os.times()
    command = [sys.executable, "-c", "from sabna.cli import main; main()", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = os.times()
    if done.returncode not in ok:
        raise SabnaError(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr.strip()[-500:]}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return json.loads(done.stdout), cpu


def graph_of(data: DataSet, folder: Path, scratch: Path) -> tuple[Path, dict[str, Any]]:
    """The data set's parent graph as a file, and the JSON object of `sabna score`."""
    source = folder / data.file
    graph = scratch / f"{data.name}.pg"
    document, _ = run_command(["score", str(source), "-o", str(graph)], ok=(0,))
    return graph, document


def measure(data: DataSet, method: Method, graph: Path, time_limit: float, memory_limit: str) -> Measurement:
    """One method on one graph."""
    caps = ["--time-limit", str(time_limit), "--memory-limit", memory_limit]
    document, cpu = run_command(["search", str(graph), *method.options, *caps])
    search = document["search"]
    return Measurement(
        data=data,
        method=method,
        mark={"time_limit": "T", "memory_limit": "M"}.get(document["status"], ""),
        seconds=search["seconds"],
        cpu_seconds=cpu,
        stored=search["stored"],
        generated=search["generated"],
        peak_bytes=document["peak_memory_bytes"],
        bytes_per_node=search["bytes_per_node"],
        cost=document["cost"],
        lower_bound=document["lower_bound"],
    )


def measure_and_note(
    data: DataSet, method: Method, graph: Path, time_limit: float, memory_limit: str, note: Callable[[str], None]
) -> Measurement:
    """One run; one that fails is told and marked, so that the others are not lost."""
    try:
        run = measure(data, method, graph, time_limit, memory_limit)
    except (SabnaError, ValueError, KeyError) as error:  # also: what was printed is not the JSON expected
        note(f"{data.name}, {method.name}: failed: {error}")
        return Measurement(data, method, ERROR)
    note(
        f"{data.name}, {method.name}: {run.mark or 'optimal'}, {run.seconds:.1f} s, {run.stored:,} nodes, "
        f"{run.peak_bytes / 1e6:,.0f} MB, cost {run.cost:.4f}, bound {run.lower_bound:.4f}"
    )
    return run


def run_paper(
    folder: Path,
    data_sets: Sequence[str] | None,
    methods: Sequence[str] | None,
    time_limit: float,
    memory_limit: str,
    note: Callable[[str], None],
) -> tuple[dict[str, dict[str, Any]], list[Measurement]]:
    """All measurements asked for; `note` hears of each as it is done. Also the scoring of each data set, by name."""
    chosen = choose(data_sets, DATA_SETS, "data set")
    ways = choose(methods, METHODS, "method")
    missing = [data.file for data in chosen if not (folder / data.file).exists()]
    if missing:  # told before the first run rather than hours into the benchmark
        raise DataError(f"{folder / missing[0]}: not there; --data must name the folder that holds {missing[0]}")
    scored: dict[str, dict[str, Any]] = {}
    measurements = []
    with tempfile.TemporaryDirectory() as scratch:
        for data in chosen:
            try:
                graph, scored[data.name] = graph_of(data, folder, Path(scratch))
            except SabnaError as error:
                note(f"{data.name}: {error}")
                measurements += [Measurement(data, method, ERROR) for method in ways]
                continue
            note(f"{data.name}: {scored[data.name]['parent_graph']['sets']:,} parent sets")
            for method in ways:
                measurements.append(measure_and_note(data, method, graph, time_limit, memory_limit, note))
    if measurements and all(run.failed for run in measurements):
        raise SabnaError("every run of the benchmark failed; the reasons are above")
    return scored, measurements


def write_csv(path: Path, measurements: Sequence[Measurement]) -> None:
    """One row per run."""
    fields = ("seconds", "cpu_seconds", "stored", "generated", "peak_bytes", "bytes_per_node", "cost", "lower_bound")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("data", "method", "mark", *fields))
        for run in measurements:
            writer.writerow((run.data.name, run.method.name, run.mark, *(getattr(run, field) for field in fields)))

"""How fast parent graphs are built: the paper's data sets, larger samples of networks, and a million rows.

Every measurement is a process of its own, so that its processor time and its peak memory are its own. Seconds are
processor seconds of the building alone (`seconds per core` divides by the threads); wall clock is shown for the
speed-up. Reference figures: a prototype of the same method on one core, and URLearning's `score`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sabna.base.errors import DataError, SabnaError, UsageError


@dataclass(frozen=True)
class Case:
    """A data set, how many sets its graph has under bic, and the reference seconds (None: unknown)."""

    name: str
    file: str
    sets: int | None = None
    prototype: float | None = None
    urlearning: float | None = None


PAPER_CASES = (
    Case("autos", "paper/lit/autos.csv", 2391, 0.05, 2.3),
    Case("soybean", "paper/lit/soybean.csv", 5926, 0.3, 14.0),
    Case("insurance.bin", "paper/insurance.bin.csv", 1404, 0.7, 25.0),
    Case("bands", "paper/lit/bands.csv", 887, 1.2),
    Case("mushroom.bin", "paper/mushroom.bin.csv", 375_604, 1.4),
    Case("alarm.bin", "paper/alarm.bin.csv", 3748, 2.8),
    Case("alarm-binary", "paper/lit/alarm-binary.csv", 672, 6.0),
    Case("alarm", "paper/lit/alarm.csv", 1002),
)


@dataclass(frozen=True)
class Sample:
    """The first `variables` of a network, `rows` rows sampled from it."""

    network: str
    variables: int
    rows: int


SAMPLES = (
    Sample("munin1", 48, 500),
    Sample("munin1", 48, 1000),
    Sample("munin1", 62, 500),
    Sample("munin1", 62, 1000),
    Sample("andes", 48, 500),
    Sample("andes", 48, 1000),
    Sample("andes", 62, 500),
)
MANY_ROWS = 1_000_000

# One measurement: read the table, build the graph, say what it took. Run as `python -c` with a JSON argument.
_MEASURE = """
import json, sys, time
from sabna import build_parent_graph, read_table
from sabna.base.errors import LimitReached
from sabna.base.limits import peak_memory
task = json.loads(sys.argv[1])
start = time.perf_counter()
table = read_table(task["file"])
read = time.perf_counter() - start
cpu, wall = time.process_time(), time.perf_counter()
try:
    graph = build_parent_graph(table, n_jobs=task["jobs"], time_limit=task["time_limit"])
    done, statistics = "complete", graph.statistics
except LimitReached as error:
    done, statistics = error.status, error.statistics
print(json.dumps({
    "status": done, "n": table.n, "rows": table.rows, "sets": statistics["sets"], "evaluated": statistics["evaluated"],
    "cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall, "read": read,
    "reading": table.statistics if isinstance(getattr(table, "statistics", None), dict) else {},
    "memory": peak_memory(),
}))
"""


def measure(file: Path, jobs: int, time_limit: float) -> dict[str, Any]:
    """Build one graph in a new process."""
    task = json.dumps({"file": str(file), "jobs": jobs, "time_limit": time_limit})
    run = subprocess.run([sys.executable, "-c", _MEASURE, task], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        last = run.stderr.strip().splitlines()[-1:] or ["no message"]
        raise SabnaError(f"the measurement of {file} failed: {last[0]}")
    result: dict[str, Any] = json.loads(run.stdout)
    return result


def sample_network(network: Path, variables: int, rows: int, seed: int = 1) -> tuple[list[str], np.ndarray[Any, Any]]:
    """Forward sampling of the first variables in topological order; their parents all come before."""
    from sabna.network.files import read_network
    from sabna.network.parameters import fitted

    known = read_network(network)
    _, tables = fitted(known)
    rng = np.random.default_rng(seed)
    columns: dict[str, np.ndarray[Any, Any]] = {}
    for name in known.order[:variables]:
        table = tables[name][tuple(columns[p] for p in known.parents[name])]  # [rows, states]
        table = np.broadcast_to(table, (rows, table.shape[-1]))
        columns[name] = (rng.random(rows)[:, None] > np.cumsum(table, axis=1)[:, :-1]).sum(axis=1)
    return list(columns), np.stack(list(columns.values()))


def random_rows(rows: int, n: int = 12, seed: int = 1) -> tuple[list[str], np.ndarray[Any, Any]]:
    """Columns of 2 to 4 values, each depending on up to 3 earlier ones by random tables."""
    rng = np.random.default_rng(seed)
    arities = rng.integers(2, 5, n)
    columns: list[np.ndarray[Any, Any]] = []
    for v in range(n):
        parents = rng.choice(v, min(v, int(rng.integers(0, 4))), replace=False)
        shape = [int(arities[p]) for p in parents]
        table = rng.dirichlet(np.full(arities[v], 0.5), size=tuple(shape))
        rows_of_table = np.broadcast_to(table[tuple(columns[p] for p in parents)], (rows, int(arities[v])))
        columns.append((rng.random(rows)[:, None] > np.cumsum(rows_of_table, axis=1)[:, :-1]).sum(axis=1))
    return [f"v{v}" for v in range(n)], np.stack(columns)


def write_table(file: Path, names: Sequence[str], codes: np.ndarray[Any, Any]) -> None:
    """A CSV file whose values are the codes."""
    import pyarrow as pa
    from pyarrow import csv

    csv.write_csv(pa.table([pa.array(column) for column in codes], names=list(names)), file)


def _ratio(reference: float | None, seconds: float) -> str:
    return f"{reference:g} ({reference / seconds:.1f}x)" if reference and seconds else "-"


def line(name: str, one: dict[str, Any], two: dict[str, Any] | None, case: Case | None = None) -> str:
    """One line of the table."""
    cells = [f"{name:<22}", f"{one['n']:>4}", f"{one['rows']:>8}", f"{one['sets']:>8}", f"{one['evaluated']:>10}"]
    cells += [f"{one['cpu']:>8.2f}", f"{one['wall']:>8.2f}"]
    if two is None:
        cells += [f"{'-':>8}"] * 3
    else:
        cells += [f"{two['wall']:>8.2f}", f"{one['wall'] / max(two['wall'], 1e-9):>8.2f}", f"{two['cpu'] / 2:>8.2f}"]
    cells.append(f"{max(one['memory'], (two or one)['memory']) / 1e6:>7.0f}")
    if case is not None:
        cells += [f"{_ratio(case.prototype, one['cpu']):>14}", f"{_ratio(case.urlearning, one['cpu']):>14}"]
    if one["status"] != "complete":
        cells.append(one["status"])
    elif case is not None and case.sets is not None and case.sets != one["sets"]:
        cells.append(f"WRONG: {case.sets} sets expected")
    return " ".join(cells)


HEADER = (
    f"{'data':<22} {'n':>4} {'rows':>8} {'sets':>8} {'evaluated':>10} {'cpu 1 thr':>8} {'wall 1':>7} {'wall 2':>8} "
    f"{'speed-up':>8} {'per core':>8} {'MB':>7} {'prototype':>14} {'URLearning':>14}"
)


def run_score(
    data: Path,
    only: Sequence[str] | None,
    time_limit: float,
    note: Callable[[str], None],
    show: Callable[[str], None] = print,
) -> None:
    """Measure all cases whose name contains one of `only` (all if None), and print a line for each as it is done."""
    if not data.is_dir():
        raise DataError(f"{data}: no such folder; give the one that holds paper/ and networks/")

    def wanted(name: str) -> bool:
        return not only or any(part in name for part in only)

    names = [case.name for case in PAPER_CASES] + [sample_name(s) for s in SAMPLES] + ["million rows"]
    if not any(map(wanted, names)):
        raise UsageError(f"no benchmark is called {', '.join(only or ())}; there are {', '.join(names)}")
    two_threads = (os.cpu_count() or 1) >= 2
    show(HEADER)
    for case in filter(lambda c: wanted(c.name), PAPER_CASES):
        file = data / case.file
        if not file.is_file():
            note(f"{file} is not there, left out")
            continue
        one = measure(file, 1, time_limit)
        show(line(case.name, one, measure(file, 2, time_limit) if two_threads else None, case))
    with tempfile.TemporaryDirectory() as folder:
        run_samples(data, Path(folder), wanted, time_limit, two_threads, note, show)
        if wanted("million rows"):
            run_many_rows(Path(folder), time_limit, show)


def sample_name(sample: Sample) -> str:
    """The name of a sampled case."""
    return f"{sample.network} {sample.variables}x{sample.rows}"


def run_samples(
    data: Path,
    folder: Path,
    wanted: Callable[[str], bool],
    time_limit: float,
    two_threads: bool,
    note: Callable[[str], None],
    show: Callable[[str], None],
) -> None:
    """The samples of networks."""
    for sample in filter(lambda s: wanted(sample_name(s)), SAMPLES):
        network = data / "networks" / f"{sample.network}.bif"
        if not network.is_file():
            note(f"{network} is not there, left out")
            continue
        file = folder / f"{sample.network}-{sample.variables}-{sample.rows}.csv"
        write_table(file, *sample_network(network, sample.variables, sample.rows))
        one = measure(file, 1, time_limit)
        two = measure(file, 2, time_limit) if two_threads and one["status"] == "complete" else None
        show(line(sample_name(sample), one, two))


def run_many_rows(folder: Path, time_limit: float, show: Callable[[str], None]) -> None:
    """A million rows: reading (with coding) and counting apart."""
    file = folder / "million.csv"
    write_table(file, *random_rows(MANY_ROWS))
    one = measure(file, 1, time_limit)
    show(line("million rows", one, measure(file, 2, time_limit)))
    apart = ", ".join(f"{key} {value:.2f} s" for key, value in one["reading"].items() if key.endswith("seconds"))
    show(f"  reading and coding {one['read']:.2f} s{' (' + apart + ')' if apart else ''}, counting {one['wall']:.2f} s")

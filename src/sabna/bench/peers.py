"""Against the peers: every instance of a table of results of URLearning and GOBNILP, our run beside theirs.

Search only on both sides: parent graphs are built (or read) first and kept in a folder. Times are CPU seconds of one
thread; theirs are scaled by a calibration that is measured again here, so that two machines can be compared at all.
Each of our runs is a process of its own, for an honest peak of memory.

The table has the columns instance, score, n, rows, in_degree_limit, parent_sets, solver, status, cost, nodes, cpu_s,
wall_s and rss_mb, one row per instance and solver; instances are named `data/...`, relative to the parent of --data.
"""

from __future__ import annotations

import csv
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sabna.base.errors import DataError
from sabna.bench.paper import run_command
from sabna.parents.files import read_parent_graph

# The machine of the table took this long for the calibration loop (mean of before and after its runs).
PEERS_CALIBRATION = 0.6473
# URLearning computes in 32-bit floats: costs agree up to this share (the table's own advice), at least 0.02.
COST_TOLERANCE = 5e-7
# Only instances that take the better peer longer than this say something about speed.
WORTH_COMPARING = 1.0


@dataclass(frozen=True)
class Peer:
    """One solver's row."""

    solver: str
    status: str
    cost: float | None
    cpu: float | None
    megabytes: float | None


@dataclass(frozen=True)
class Instance:
    """One instance and what the peers made of it."""

    name: str
    n: int
    limit: str
    peers: tuple[Peer, ...]

    def better(self) -> Peer:
        """The peer that proved optimality first."""
        return min((p for p in self.peers if p.status == "optimal"), key=lambda p: p.cpu or 0.0)


@dataclass(frozen=True)
class Comparison:
    """Our run beside the better peer's, whose seconds are scaled to this machine."""

    instance: Instance
    sets: int
    status: str
    cost: float
    gap: float
    seconds: float
    megabytes: float
    expanded: int
    theirs: float

    @property
    def ratio(self) -> float:
        """How many times faster we are."""
        return self.theirs / max(self.seconds, 1e-3)

    @property
    def agrees(self) -> bool:
        """Whether the costs are equal, as far as the peers' arithmetic allows."""
        cost = self.instance.better().cost
        return cost is None or abs(self.cost - cost) <= max(0.02, COST_TOLERANCE * abs(cost) * 10)


def calibrate(turns: int = 10_000_000) -> float:
    """Best of five of the calibration loop, in CPU seconds."""

    def once() -> float:
        before = time.process_time()
        sum(i * i for i in range(turns))
        return time.process_time() - before

    return min(once() for _ in range(5))


def read_instances(results: Path) -> list[Instance]:
    """The table of results, one entry per instance and in-degree limit that a peer solved."""
    try:
        rows = list(csv.DictReader(results.read_text().splitlines()))
    except OSError as error:
        raise DataError(f"{results}: cannot be read: {error.strerror}; name the peers' table with --results") from error
    found: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in rows:
        found.setdefault((row["instance"], row["in_degree_limit"]), []).append(row)

    def number(text: str) -> float | None:
        return float(text) if text else None

    return [
        Instance(
            name,
            int(group[0]["n"]),
            limit,
            tuple(
                Peer(r["solver"], r["status"], number(r["cost"]), number(r["cpu_s"]), number(r["rss_mb"]))
                for r in group
            ),
        )
        for (name, limit), group in found.items()
        if any(row["status"] == "optimal" for row in group)
    ]


def graph_file(instance: Instance, folder: Path, cache: Path) -> Path:
    """The instance's parent graph; built once and kept in `cache`, as reading is no part of a search."""
    source = folder / instance.name.removeprefix("data/")
    if not source.exists():
        raise DataError(f"{source}: not there; --data must name the folder of {instance.name}")
    name = instance.name.removeprefix("data/").replace("/", "_").removesuffix(".csv")
    graph = cache / f"{name}.{instance.limit}.pg"
    if not graph.exists():
        cache.mkdir(parents=True, exist_ok=True)
        if source.suffix != ".csv":
            read_parent_graph(source).save(graph)
            return graph
        limit = [] if instance.limit == "none" else ["--max-parents", instance.limit]
        run_command(["score", str(source), "-o", str(graph), *limit], ok=(0,))
    return graph


def compare(instance: Instance, graph: Path, scale: float, time_limit: float) -> Comparison:
    """Our run on one instance."""
    found, _ = run_command(["search", str(graph), "--jobs", "1", "--time-limit", str(time_limit)])
    search = found["search"]
    return Comparison(
        instance,
        found["parent_graph"]["sets"],
        found["status"],
        found["cost"],
        found["gap"],
        search.get("cpu_seconds", search["seconds"]),
        found["peak_memory_bytes"] / 1e6,
        search["expanded"],
        (instance.better().cpu or 0.0) * scale,
    )


def run_peers(
    folder: Path,
    results: Path,
    cache: Path,
    only: Sequence[str] | None,
    time_limit: float,
    note: Callable[[str], None],
) -> tuple[float, list[Comparison]]:
    """All instances whose name contains one of `only`; the calibration and the comparisons."""
    seconds = calibrate()
    chosen = [i for i in read_instances(results) if not only or any(part in i.name for part in only)]
    runs = []
    for instance in chosen:
        graph = graph_file(instance, folder, cache)
        runs.append(compare(instance, graph, seconds / PEERS_CALIBRATION, time_limit))
        note(f"{instance.name}: {runs[-1].status}, {runs[-1].seconds:.2f} s, better peer {runs[-1].theirs:.2f} s")
    return seconds, runs


def geometric_mean(values: Sequence[float]) -> float:
    """The mean of ratios; not a number where there are none."""
    return statistics.geometric_mean(values) if values else math.nan


def table(calibration: float, runs: Sequence[Comparison]) -> str:
    """The comparison as a Markdown table, with what it comes to."""
    lines = [
        "| instance | n | sets | better peer | its s | our s | times faster | its MB | our MB | nodes | cost | equal |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        peer = run.instance.better()
        status = "" if run.status == "optimal" else f" ({run.status}, gap {run.gap:.3g})"
        memory = "" if peer.megabytes is None else f"{peer.megabytes:.0f}"
        lines.append(
            f"| {run.instance.name} | {run.instance.n} | {run.sets} | {peer.solver} | {run.theirs:.2f} "
            f"| {run.seconds:.2f} | {run.ratio:.1f} | {memory} | {run.megabytes:.0f} | {run.expanded} "
            f"| {run.cost:.4f}{status} | {'yes' if run.agrees else 'NO'} |"
        )
    long = [run.ratio for run in runs if run.theirs > WORTH_COMPARING]
    lines += [
        "",
        f"Calibration: {calibration:.4f} s here, {PEERS_CALIBRATION} s there; their times are scaled by the quotient.",
        f"Geometric mean over the {len(long)} instances that take the better peer over {WORTH_COMPARING:g} s: "
        f"{geometric_mean(long):.1f} times faster (least {min(long, default=math.nan):.1f}); "
        f"over all {len(runs)}: {geometric_mean([run.ratio for run in runs]):.1f}.",
        f"Costs equal on {sum(run.agrees for run in runs)} of {len(runs)}, "
        f"optimal on {sum(run.status == 'optimal' for run in runs)}.",
    ]
    return "\n".join(lines)

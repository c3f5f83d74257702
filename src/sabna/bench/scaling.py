"""What 1 to 1,024 workers would make of one scoring run and one branching search: the tables of docs/scaling.md.

    python -m sabna.bench.scaling record-scoring TABLE.csv RUN.json [--score bic] [--max-parents K]
    python -m sabna.bench.scaling record-search GRAPH.pg RUN.json
    python -m sabna.bench.scaling measure
    python -m sabna.bench.scaling replay RUN.json [--overhead SECONDS] [--bandwidth BYTES] [--split PIECES]

`record-...` does a run task by task in one process (recording.py) and writes what each took; `measure` prints what
handing out a task and moving a byte costs with two Dask workers on this machine; `replay` prints the table.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from sabna.base.limits import Limits
from sabna.bench.recording import Recorder
from sabna.bench.simulation import DRIVER, Network, Simulated, Stage, Task, simulate

WORKERS = [2**p for p in range(11)]
# A further doubling of the workers pays while it saves at least this share of the time.
PAYS = 0.2


def do_nothing(limits: Limits, task: int, *shared: Any) -> int:
    """The task that `measure` hands out."""
    return task


def measure(tasks: int = 500, megabytes: int = 64) -> Network:
    """What a task costs beside its work, and how fast shared data reach two workers on this machine.

    Client and scheduler are in this process, so that its processor seconds are what the two spend.
    """
    from sabna.engine.opening import opened_engine

    with opened_engine("local:2") as engine:
        assert engine is not None
        list(engine.run(do_nothing, [], range(100), Limits()))  # workers are up
        began = time.process_time()
        list(engine.run(do_nothing, [], range(tasks), Limits()))
        overhead = (time.process_time() - began) / tasks
        data = np.random.default_rng(1).integers(0, 255, megabytes * 1_000_000, dtype=np.uint8)
        began = time.process_time()
        list(engine.run(do_nothing, [engine.share(data)], range(2), Limits()))
        seconds = time.process_time() - began
    return Network(overhead, 2 * data.nbytes / seconds)


def write(path: Path, recorder: Recorder, about: dict[str, Any]) -> None:
    """Keep a recorded run."""
    recorder.finish()
    tasks = [[task.seconds, list(task.after), task.bytes, task.stage] for task in recorder.tasks]
    content = {"about": about, "tasks": tasks, "stages": [asdict(stage) for stage in recorder.stages]}
    path.write_text(json.dumps(content))


def read(path: Path) -> tuple[list[Task], list[Stage], dict[str, Any]]:
    """A run that was kept."""
    content = json.loads(path.read_text())
    tasks = [Task(seconds, tuple(after), size, stage) for seconds, after, size, stage in content["tasks"]]
    return tasks, [Stage(**stage) for stage in content["stages"]], content["about"]


def split(tasks: list[Task], pieces: int) -> list[Task]:
    """The same run with every task of a worker cut into so many equal ones: what smaller tasks would do.

    >>> split([Task(1.0), Task(4.0, (0,), 8), Task(1.0, (1,), 0, DRIVER)], 2)[2:5]
    [Task(seconds=2.0, after=(0, 1), bytes=4, stage=0), Task(seconds=2.0, after=(0, 1), bytes=4, stage=0), \
Task(seconds=1.0, after=(2, 3), bytes=0, stage=-1)]
    """
    cut: list[Task] = []
    where: list[tuple[int, ...]] = []
    for task in tasks:
        count = 1 if task.stage == DRIVER else pieces
        after = tuple(piece for before in task.after for piece in where[before])
        where.append(tuple(range(len(cut), len(cut) + count)))
        cut += [Task(task.seconds / count, after, task.bytes // count, task.stage)] * count
    return cut


def _pays(less: Simulated, more: Simulated) -> bool:
    return more.seconds < (1 - PAYS) * less.seconds


def table(tasks: list[Task], stages: list[Stage], network: Network) -> list[str]:
    """The Markdown table of a run, and where more workers stop paying."""
    alone = sum(task.seconds for task in tasks)
    lines = ["| workers | seconds | speed-up | busy | most at a time | MB moved |", "|---|---|---|---|---|---|"]
    found: list[Simulated] = []
    for k in WORKERS:
        run = simulate(tasks, stages, k, network)
        found.append(run)
        lines.append(
            f"| {k:,} | {run.seconds:,.2f} | {alone / run.seconds:.2f} | {run.busy / (k * run.seconds):.0%} | "
            f"{run.most:,} | {run.bytes / 1e6:,.0f} |"
        )
    pays = [k for k, less, more in zip(WORKERS[1:], found, found[1:], strict=False) if _pays(less, more)]
    driver = sum(task.seconds for task in tasks if task.stage == DRIVER)
    count = sum(task.stage != DRIVER for task in tasks)
    lines.append("")
    lines.append(f"Alone {alone:,.2f} s in {count:,} tasks, {driver:,.2f} s of it by the driver.")
    lines.append(f"The last doubling that saves {PAYS:.0%} leads to {max(pays, default=1):,} workers.")
    return lines


def record_scoring(source: str, score: str, max_parents: int | None) -> tuple[Recorder, dict[str, Any]]:
    """Score a table slice by slice."""
    from sabna.parents.build import build_parent_graph

    recorder = Recorder()
    graph = build_parent_graph(source, score, max_parents=max_parents, n_jobs=1, engine=recorder)
    about = {"run": "scoring", "source": source, "score": score, "max_parents": max_parents, **graph.statistics}
    return recorder, about


def record_search(source: str) -> tuple[Recorder, dict[str, Any]]:
    """Search a parent graph, the steps of several parts as tasks."""
    from sabna.searching.search import search

    recorder = Recorder()
    result = search(source, n_jobs=1, engine=recorder)
    about = {"run": "search", "source": source, "status": result.status, "cost_quanta": result.cost_quanta}
    return recorder, about


def main() -> None:
    """As the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    scoring = commands.add_parser("record-scoring")
    scoring.add_argument("source")
    scoring.add_argument("run", type=Path)
    scoring.add_argument("--score", default="bic")
    scoring.add_argument("--max-parents", type=int)
    searching = commands.add_parser("record-search")
    searching.add_argument("source")
    searching.add_argument("run", type=Path)
    commands.add_parser("measure")
    replay = commands.add_parser("replay")
    replay.add_argument("run", type=Path)
    replay.add_argument("--overhead", type=float, default=0.0)
    replay.add_argument("--bandwidth", type=float, default=float("inf"))
    replay.add_argument("--split", type=int, default=1)
    given = parser.parse_args()
    if given.command == "record-scoring":
        write(given.run, *record_scoring(given.source, given.score, given.max_parents))
    elif given.command == "record-search":
        write(given.run, *record_search(given.source))
    elif given.command == "measure":
        measured = measure()
        print(f"overhead {measured.overhead * 1000:.2f} ms a task, {measured.bandwidth / 1e6:,.0f} MB a second")
    else:
        tasks, stages, about = read(given.run)
        print(json.dumps(about))
        print("\n".join(table(split(tasks, given.split), stages, Network(given.overhead, given.bandwidth))))


if __name__ == "__main__":
    main()

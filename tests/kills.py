"""Real kills: runs with a work directory are killed (SIGKILL) at random instants and resumed, over and over.

    python -m tests.kills [--count 100] [--seed 1]

Each problem is first run unbroken, without a work directory. Then it is run with one and killed at an instant drawn
from all that comes after the folder is made, so that scoring, linear program, tables, search and replicates are all
struck; `sabna resume` follows, and is killed as often again before it may end. Instants are processor seconds of the
process and those it started, so that other work on the machine moves none of them. Whatever was written by then, the
answer must be that of the unbroken run: `cost_quanta`, status, and the network or the frequencies to the bit. Tables
are made here: nothing but the package, and a system with /proc, is needed.

What a process was at when it was killed it has noted in a file: `main` wraps what a run is made of (the steps of the
search, the walk of a level, the learning of a replicate, the listing of networks), so that each of them says when it
begins and when it is over.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

COMMAND = [sys.executable, "-c", "from tests.kills import noting; noting()"]
# The environment variable with the name of the file that a run notes in what it is at.
NOTE = "SABNA_KILLS_NOTE"
ELSE = "between"  # stations: reading, preparing, saving
# What must be the same.
COMPARED = ("cost_quanta", "status", "parents", "networks", "edges", "compelled", "replicates")
# A run is killed up to so often before it may end.
MOST_KILLS = 5
# Seconds between two looks at a process.
LOOK = 0.005


@dataclass(frozen=True)
class Problem:
    """A command, without its work directory."""

    name: str
    arguments: tuple[str, ...]
    output: Path | None = None  # a file that must be the same, to the bit


def mixed_columns(n: int, rows: int, states: int, seed: int) -> str:
    """A CSV file of columns that depend on several others, with noise."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, states, (n, rows))
    for i in range(2, n):
        parents = rng.choice(i, min(i, 2), replace=False)
        keep = rng.random(rows) < 0.7
        codes[i] = np.where(keep, codes[parents].sum(axis=0) % states, codes[i])
    lines = [",".join(f"V{i}" for i in range(n)), *(",".join(map(str, row)) for row in codes.T.tolist())]
    return "\n".join(lines) + "\n"


def problems(folder: Path) -> list[Problem]:
    """Problems whose time goes to different stations, about a second each."""
    scoring, program, tables, lattice = (folder / f"{name}.csv" for name in ("scoring", "program", "tables", "lattice"))
    scoring.write_text(mixed_columns(34, 300, 2, 1))
    program.write_text(mixed_columns(26, 150, 2, 2))
    tables.write_text(mixed_columns(19, 150, 3, 3))
    lattice.write_text(mixed_columns(23, 150, 3, 3))
    graph, made = folder / "lattice.pg", folder / "made.pg"
    run(["score", str(lattice), "--score", "bdeu", "--max-parents", "3", "-o", str(graph)])
    return [
        Problem("scoring", ("score", str(scoring), "--max-parents", "5", "-o", str(made)), made),
        Problem("program", ("learn", str(program), "--score", "bdeu", "--max-parents", "3")),
        Problem("tables", ("learn", str(tables), "--score", "bdeu", "--max-parents", "3")),
        Problem("search", ("search", str(graph), "--strategy", "astar", "--heuristic", "simple")),
        Problem("bootstrap", ("bootstrap", "example:asia", "-B", "40")),
        Problem("kbest", ("kbest", str(tables), "-k", "20", "--max-parents", "2")),
    ]


def surroundings(note: Path | str) -> dict[str, str]:
    """The environment of a run: where it finds this module, and its note."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), NOTE: str(note)}


def run(arguments: list[str]) -> dict[str, Any]:
    """Run a command to its end; its JSON object."""
    given = [*COMMAND, *arguments, "--json"]
    done = subprocess.run(given, capture_output=True, text=True, check=False, env=surroundings(os.devnull))
    if done.returncode != 0:
        raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def answer(document: dict[str, Any], problem: Problem) -> dict[str, Any]:
    """What must be the same."""
    found = {key: document[key] for key in COMPARED if key in document}
    if problem.output is not None:
        found["output"] = hashlib.sha256(problem.output.read_bytes()).hexdigest()
        problem.output.unlink()
    return found


def processor_seconds(process: int) -> float:
    """Of a process and of those it started, as far as they have not vanished; 0 when it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1].split()
        started = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return 0.0
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # user and system, and of children that have ended
    return own + sum(processor_seconds(int(child)) for child in started)


def killed(arguments: list[str], after: float, note: Path) -> bool:
    """Run a command and kill it after so many processor seconds; False if it had ended by then."""
    note.write_text(ELSE)
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([*COMMAND, *arguments, "--json"], env=surroundings(note), **silent)
    while process.poll() is None:
        if processor_seconds(process.pid) >= after:
            process.send_signal(signal.SIGKILL)
            return process.wait() == -signal.SIGKILL
        time.sleep(LOOK)
    return False


def span(arguments: list[str], work: Path) -> tuple[float, float]:
    """Processor seconds of a run with a work directory: until its folder is made, and until its end."""
    given = [*COMMAND, *arguments, "--json"]
    process = subprocess.Popen(given, stdout=subprocess.DEVNULL, env=surroundings(os.devnull))
    begun, now = 0.0, 0.0
    while process.poll() is None:
        now = max(now, processor_seconds(process.pid))
        if not begun and (work / "manifest.json").exists():
            begun = now
        time.sleep(LOOK)
    return begun, now


def noting() -> None:
    """The command `sabna`, noting what it is at."""
    from sabna.alternatives import kbest
    from sabna.bootstrapping import replicates
    from sabna.cli import main
    from sabna.parents import build
    from sabna.parents.builders import levels
    from sabna.searching import steps
    from sabna.searching.strategies import lattice

    note = os.open(os.environ[NOTE], os.O_WRONLY | os.O_CREAT)

    def told(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **more: Any) -> Any:
            os.pwrite(note, f"{name:40}".encode(), 0)
            try:
                return function(*arguments, **more)
            finally:
                os.pwrite(note, f"{ELSE:40}".encode(), 0)

        return run

    for name, step in steps.STEPS.items():
        steps.STEPS[name] = step._replace(run=told(name, step.run))
    levels.WORTH_KEEPING = 0.0  # runs are short here, and their slices are to be in files
    plain = lattice.plain_search
    for module, function, name in (
        (build, "_build", "scoring"),
        (levels._Building, "_level", "scoring a level"),
        (replicates.Replicates, "learn", "a replicate"),
        (kbest, "_enumerate", "listing networks"),
    ):
        setattr(module, function, told(name, getattr(module, function)))
    by_workers = replicates._learn_by_workers

    def learned(*arguments: Any) -> Iterator[Any]:
        for replicate in by_workers(*arguments):
            os.pwrite(note, f"{'replicates by workers':40}".encode(), 0)
            yield replicate

    replicates._learn_by_workers = learned
    lattice.plain_search = lambda name: plain(name)._replace(run=told(f"plain {name}", plain(name).run))
    main()


def station(work: Path) -> str:
    """What a run was at when it was killed."""
    return note_of(work).read_text().strip()


def note_of(work: Path) -> Path:
    """Where a run with this work directory notes what it is at."""
    return work.with_name(f"{work.name}.note")


def trials(count: int, seed: int, folder: Path) -> Iterator[tuple[str, list[str], bool]]:
    """Problem, the stations at which it was killed, whether the answer was right; `count` kills in all."""
    rng = random.Random(seed)
    expected: dict[str, tuple[dict[str, Any], float, float]] = {}
    listed = problems(folder)
    left, trial = count, 0
    while left > 0:
        problem = listed[trial % len(listed)]
        trial += 1
        if problem.name not in expected:
            right = answer(run(list(problem.arguments)), problem)
            unbroken = folder / f"work-{problem.name}"
            begun, end = span([*problem.arguments, "--work", str(unbroken)], unbroken)
            expected[problem.name] = right, begun, end
        right, begun, end = expected[problem.name]
        work = folder / f"work-{trial}"
        first = [*problem.arguments, "--work", str(work)]
        struck: list[str] = []
        for _ in range(min(rng.randint(1, MOST_KILLS), left)):
            again = ["resume", str(work)] if (work / "manifest.json").exists() else first
            if not killed(again, rng.uniform(begun, end), note_of(work)):
                break
            struck.append(station(work))
        left -= len(struck)
        again = ["resume", str(work)] if (work / "manifest.json").exists() else first
        found = answer(run(again), problem)
        yield problem.name, struck, found == right
        if found != right:
            raise AssertionError(f"{problem}: killed at {struck}: {found} instead of {right}; see {work}")


def main() -> None:
    """Kill and resume, and say where."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    stations, runs = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="sabna-kills-") as name:
        for problem, struck, right in trials(arguments.count, arguments.seed, Path(name)):
            stations.update(f"{problem}: {where}" for where in struck)
            runs[problem] += 1
            print(f"{problem}: killed at {', '.join(struck) or 'nothing'}; {'same' if right else 'WRONG'}", flush=True)
    print(f"{sum(stations.values())} kills in {sum(runs.values())} runs, every answer the same")
    for where, times in sorted(stations.items()):
        print(f"  {times:3}  {where}")


if __name__ == "__main__":
    main()

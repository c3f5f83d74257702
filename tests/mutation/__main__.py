"""python -m tests.mutation: mutated files for some minutes, on all cores; ends with 1 if one fails."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .formats import BY_NAME, mutant
from .shrink import script, shrunk
from .worker import Failure, capped, outcome, scratch, work

# Mutants of one process: some seconds.
BATCH = 500
# Without a word from a worker for so long, it hangs in code that no signal reaches.
SILENCE = 300.0
# A process per try is slow: failures that end the process are made small with fewer tries.
TRIES_IN_PROCESSES = 60

ROOT = Path(__file__).resolve().parents[2]


def started(*arguments: Any) -> subprocess.Popen[bytes]:
    """This program again, as a worker; what it prints beside its reports is of no interest."""
    command = [sys.executable, "-m", "tests.mutation", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def batch(name: str, seed: int, start: int, count: int) -> tuple[int, int, list[dict[str, Any]]]:
    """Mutants tried, mutants read, and failures; a worker that dies is one, and the next begins behind it."""
    failures: list[dict[str, Any]] = []
    at, end, read = start, start + count, 0
    while at < end:
        worker = started("--work", name, seed, at, end - at)
        assert worker.stdout is not None
        last, finished = at, False
        for line in _lines(worker):
            word, _, value = line.partition(b" ")
            if word == b"try":
                last = int(value)
            elif word == b"failure":
                failures.append({"format": name, **json.loads(value)})
            elif word == b"done":
                read, finished = int(value), True
        code = worker.wait()
        if finished:
            break
        failures.append({"format": name, "number": last, "kind": f"process ended with {code}", "text": ""})
        at = last + 1
    return count, read, failures


def _lines(worker: subprocess.Popen[bytes]) -> Any:
    """What a worker says; it is killed if it says nothing for long."""
    import selectors

    assert worker.stdout is not None
    waiting, rest = selectors.DefaultSelector(), b""
    waiting.register(worker.stdout, selectors.EVENT_READ)
    while True:
        if not waiting.select(SILENCE):
            worker.kill()
            return
        chunk = os.read(worker.stdout.fileno(), 65536)
        if not chunk:
            return
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines


def small_script(name: str, seed: int, number: int, kind: str) -> str:
    """The script of a failure, made small; runs in a worker, under its caps."""
    form, content = BY_NAME[name], mutant(name, seed, number)
    with scratch() as folder, capped():

        def fails(candidate: bytes) -> bool:
            found = outcome(form, candidate, Path(folder))
            return isinstance(found, Failure) and found.kind == kind

        return script(form, shrunk(content, fails))


def small_crash(name: str, seed: int, number: int) -> str:
    """The same for a failure that ends the process: a process for every try."""
    form = BY_NAME[name]
    with scratch() as folder:
        path = Path(folder) / "candidate"

        def fails(candidate: bytes) -> bool:
            path.write_bytes(candidate)
            return started("--one", name, path).wait() not in (0, 1)

        return script(form, shrunk(mutant(name, seed, number), fails, TRIES_IN_PROCESSES))


def told(failure: dict[str, Any], seed: int) -> str:
    """A failure with its script."""
    name, number, kind = failure["format"], failure["number"], failure["kind"]
    if kind.startswith("process ended"):
        small = small_crash(name, seed, number)
    else:
        small = subprocess.run(
            [sys.executable, "-m", "tests.mutation", "--small", name, str(seed), str(number), kind],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        ).stdout
    return f"# {name}, mutant {number} of seed {seed}: {kind}: {failure['text']}\n{small}\n"


def run(minutes: float, seed: int, jobs: int, names: list[str], most: int | None = None, scripts: bool = True) -> int:
    """Try mutants of each format in turn until the time is over, or `most` of each are tried; the failures found."""
    ends = time.monotonic() + 60 * minutes
    tried: Counter[str] = Counter()
    read: Counter[str] = Counter()
    kinds: dict[tuple[str, str], list[dict[str, Any]]] = {}
    with ThreadPoolExecutor(jobs) as pool:
        running: list[Any] = []
        start, waiting = 0, list(names)
        while running or (time.monotonic() < ends and (most is None or start < most)):
            while len(running) < jobs and time.monotonic() < ends and (most is None or start < most):
                name, *waiting = waiting
                count = BATCH if most is None else min(BATCH, most - start)
                running.append((name, pool.submit(batch, name, seed, start, count)))
                if not waiting:
                    waiting, start = list(names), start + BATCH
            name, future = running.pop(0)
            count, whole, failures = future.result()
            tried[name] += count
            read[name] += whole
            for failure in failures:
                known = kinds.setdefault((name, failure["kind"]), [])
                known.append(failure)
                if len(known) == 1 and scripts:
                    print(told(failure, seed), flush=True)
    failed = sum(map(len, kinds.values()))
    print(f"seed {seed}: {sum(tried.values()):,} mutants tried, {sum(read.values()):,} read, {failed} failures")
    for name in names:
        found = {kind: len(known) for (form, kind), known in kinds.items() if form == name}
        print(f"  {name:15} {tried[name]:>9,} tried, {read[name]:>9,} read, {sum(found.values())} failures")
        for kind, count in found.items():
            print(f"      {count:>6} {kind}")
    return failed


def main(arguments: list[str]) -> int:
    """The program, or one of its workers."""
    if arguments[:1] == ["--work"]:
        work(arguments[1], *map(int, arguments[2:5]))
        return 0
    if arguments[:1] == ["--one"]:
        with scratch() as folder, capped():
            return isinstance(outcome(BY_NAME[arguments[1]], Path(arguments[2]).read_bytes(), Path(folder)), Failure)
    if arguments[:1] == ["--small"]:
        print(small_script(arguments[1], int(arguments[2]), int(arguments[3]), arguments[4]))
        return 0
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--format", action="append", choices=list(BY_NAME), help="only this one; may be given again")
    parser.add_argument("--most", type=int, help="no more mutants of a format than this")
    parser.add_argument("--no-scripts", action="store_true", help="count failures, do not make them small")
    asked = parser.parse_args(arguments)
    print(f"seed {asked.seed}, {asked.jobs} jobs, {asked.minutes:g} minutes", flush=True)
    names = asked.format or list(BY_NAME)
    return 1 if run(asked.minutes, asked.seed, asked.jobs, names, asked.most, not asked.no_scripts) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

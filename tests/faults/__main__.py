"""Runs the faults and counts: `python -m tests.faults [--seed N] [--minutes M] [--short]`.

The parts that can be exhausted (writes, streams) are run once; signals and memory limits are drawn at random from the
seed, as many as the time allows. The seed decides which faults are tried, not what the machine does meanwhile.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import os
import pkgutil
import random
import secrets
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from itertools import product
from pathlib import Path

from tests.faults.cases import LONG, SHORT, Case, make_inputs
from tests.faults.instants import at_random, duration
from tests.faults.memory import LEAST, MOST, run_within
from tests.faults.runs import new_folder
from tests.faults.streams import COMBINATIONS, run_with_streams
from tests.faults.verdict import MARK, Ended
from tests.faults.writes import KINDS, every_write

# Faults between two lines that say how far a part is.
TOLD_EVERY = 250

# Modules that no command loads: the estimators bring scikit-learn.
NO_COMMAND = (".bench", "v3", ".estimator", ".classifier")

# Cases whose streams are closed and filled: a result, an error, help, nothing to print.
STREAM_CASES = [
    (Case(("learn", "example:asia"), "o.bif"), 0),
    (Case(("learn", "example:asia"), "o.json", as_json=False), 0),
    (Case(("learn", "missing.csv"), "o.json"), 3),
    (Case(("posterior", "example:asia")), 0),
    (Case(("look", "example:asia"), as_json=False), 0),
    (Case(("--help",), as_json=False), 0),
    (Case(("--version",), as_json=False), 0),
]


def load_everything() -> None:
    """Import all modules that commands use, and their libraries, so that forks need not."""
    import sabna
    from sabna.cli import app

    for module in pkgutil.walk_packages(sabna.__path__, "sabna."):
        if not any(part in module.name for part in NO_COMMAND):
            importlib.import_module(module.name)
    for name in ("highspy", "jinja2", "psutil", "pyarrow.csv", "pyarrow.parquet", "rich.console"):
        importlib.import_module(name)
    with redirect_stdout(io.StringIO()):
        app.run(["examples"])
    gc.freeze()


def writes(inputs: Path, rng: random.Random, short: bool) -> Iterator[Ended]:
    """Every write of every short case fails once, in every way.

    The short part draws one case for each way, and takes every sixth of its writes.
    """
    for kind in KINDS:
        if short:
            yield from every_write(rng.choice(SHORT), inputs, kind, rng.random() < 0.5, rng.randint(1, 3), 6)
            continue
        for case, with_old in product(SHORT, (True, False)):
            yield from every_write(case, inputs, kind, with_old)


def streams(inputs: Path, rng: random.Random, short: bool) -> Iterator[Ended]:
    """Every combination of states; the short part draws one of each case."""
    for case, expected in STREAM_CASES:
        for states in rng.sample(COMBINATIONS, 1) if short else COMBINATIONS:
            with new_folder(case, with_old=True) as folder:
                yield run_with_streams(case, inputs, folder, states, expected)


def signals(inputs: Path, rng: random.Random, short: bool, seconds: float) -> Iterator[Ended]:
    """Signals at random instants, for so many seconds; the short part sends a fixed number."""
    cases = [rng.choice(SHORT), LONG[0]] if short else [*LONG, *SHORT[::3]]
    takes = {case: duration(case, inputs) for case in cases}
    until = time.monotonic() + seconds
    for number in range(2 if short else sys.maxsize):
        if not short and time.monotonic() > until:
            return
        case = cases[number % len(cases)]
        with new_folder(case, with_old=rng.random() < 0.5) as folder:
            yield at_random(case, inputs, folder, takes[case], rng)


def memory(inputs: Path, rng: random.Random, short: bool, seconds: float) -> Iterator[Ended]:
    """Random limits, for so many seconds; half of them close to where libraries fit just or just not."""
    until = time.monotonic() + seconds
    for number in range(2 if short else sys.maxsize):
        if not short and time.monotonic() > until:
            return
        case = rng.choice([*LONG, *SHORT] if number % 2 else LONG)
        size = rng.randint(LEAST, MOST) if number % 4 else rng.randint(500_000_000, 700_000_000)
        with new_folder(case, with_old=rng.random() < 0.5) as folder:
            yield run_within(case, inputs, folder, size)


def main() -> int:
    """Run all parts; 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--minutes", type=float, default=10.0, help="for signals and for memory limits, each")
    parser.add_argument("--short", action="store_true", help="a fixed small part, as in the test suite")
    parser.add_argument("--part", choices=["writes", "streams", "signals", "memory"], help="only this part")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started this with SIGINT ignored
    os.environ |= {MARK: secrets.token_hex(8), "OMP_NUM_THREADS": "1"}
    for name in ("PYTHONUNBUFFERED", "PYTHONFAULTHANDLER"):
        os.environ.pop(name, None)
    load_everything()
    seconds = options.minutes * 60
    injected, failures = Counter[str](), 0
    with tempfile.TemporaryDirectory(prefix="sabna-faults-") as name:
        inputs = Path(name)
        make_inputs(inputs)
        rng = random.Random(options.seed)
        parts = {
            "writes": writes(inputs, rng, options.short),
            "streams": streams(inputs, rng, options.short),
            "signals": signals(inputs, rng, options.short, seconds),
            "memory": memory(inputs, rng, options.short, seconds),
        }
        for part, ends in parts.items():
            for ended in ends if options.part in (None, part) else ():
                injected[part] += 1
                if complaints := ended.complaints():
                    failures += 1
                    print(f"FAILED {part}: sabna {ended.case}: {ended.fault}: {'; '.join(complaints)}", flush=True)
                    print("    " + ended.err[-1000:].replace("\n", "\n    "), flush=True)
                if injected[part] % TOLD_EVERY == 0:
                    print(f"{part}: {injected[part]} so far, {failures} failures", flush=True)
            print(f"{part}: {injected[part]} faults, {failures} failures so far", flush=True)
    print(f"{injected.total()} faults injected (seed {options.seed}), {failures} failures")
    return min(failures, 1)


if __name__ == "__main__":
    raise SystemExit(main())

"""One process that tries mutants under caps: address space, and CPU time for each.

The caps are on what this process does, not on the clock, so that a busy machine changes nothing. A mutant that kills
the process is known to the parent by the line `try NUMBER` it wrote last.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

import sabna

from .checks import Refused
from .formats import BY_NAME, Format, mutant

# Beyond what the process has after its imports; a mutant has at most 200 kB.
MEMORY = 600_000_000
CPU_SECONDS = 20.0
# A message shows pieces of a file, never the file.
LONGEST_MESSAGE = 1500


class OutOfTime(BaseException):
    """A mutant took more CPU time than it may."""


@dataclass(frozen=True)
class Failure:
    """`kind` tells classes of failures apart: the error and where in sabna it came from."""

    kind: str
    text: str


def _out_of_time(signum: int, frame: FrameType | None) -> None:
    raise OutOfTime


@contextmanager
def capped() -> Iterator[None]:
    """The address space of this process is limited and the clock for single mutants ready, while this lasts.

    pygraphviz is out of reach meanwhile: it starts a process for every drawing, which is too slow here.
    """
    size = next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if "VmSize" in line)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGPROF, _out_of_time)
    resource.setrlimit(resource.RLIMIT_AS, (size * 1024 + MEMORY, hard))
    try:
        with warnings.catch_warnings(), patch.dict(sys.modules, {"pygraphviz": None}):
            warnings.simplefilter("error", RuntimeWarning)
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.signal(signal.SIGPROF, handler)


def outcome(form: Format, content: bytes, folder: Path) -> str | Failure:
    """Read a file with this content and use what was read: "read", "refused", or what went wrong."""
    path = folder / f"mutant{form.suffix}"
    path.write_bytes(content)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    try:
        form.check(path)
    except Refused as refused:
        return _badly_refused(refused.__cause__, path.name) or "refused"
    except (Exception, OutOfTime) as error:
        return Failure(_kind(error), f"{type(error).__name__}: {str(error)[:300]}")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return "read"


def _badly_refused(error: BaseException | None, name: str) -> Failure | None:
    """A refusal must name the file in a few words, and must not be a want of memory in disguise."""
    assert isinstance(error, sabna.SabnaError)
    if name not in str(error):
        return Failure(f"no file named: {_kind(error)}", f"{type(error).__name__}: {str(error)[:300]}")
    if len(str(error)) > LONGEST_MESSAGE:
        return Failure(f"a message of thousands of characters: {_kind(error)}", str(error)[:300])
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError):
            return Failure(f"refused for want of memory: {_kind(cause)}", str(error)[:300])
        cause = cause.__cause__ or cause.__context__
    return None


def _kind(error: BaseException) -> str:
    """The error, and the last place in sabna or in the checks that it passed."""
    passed = traceback.extract_tb(error.__traceback__)
    frames = [frame for frame in passed if "/sabna/" in frame.filename or frame.filename.endswith("checks.py")]
    where = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "?"
    what = type(error).__name__
    return f"{what} in {where}" + (f" line {frames[-1].lineno}" if what == "AssertionError" and frames else "")


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for mutants, in memory where there is one: our writers wait for the disk."""
    return tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


def say(word: str, value: Any) -> None:
    """A line to the parent."""
    sys.stdout.write(f"{word} {json.dumps(value)}\n")
    sys.stdout.flush()


def work(name: str, seed: int, start: int, count: int) -> None:
    """Try mutants start, start + 1, ...; tells of each before it is tried, and of every failure."""
    form = BY_NAME[name]
    mutant(name, seed, start)  # the pool is made before the caps are set
    read = 0
    with scratch() as folder, capped():
        for number in range(start, start + count):
            say("try", number)
            found = outcome(form, mutant(name, seed, number), Path(folder))
            if isinstance(found, Failure):
                say("failure", {"number": number, **asdict(found)})
            else:
                read += found == "read"
    say("done", read)

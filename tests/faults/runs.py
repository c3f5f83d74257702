"""Starts runs: as a new process, or by fork of this one, which has all libraries loaded and so takes a tenth of it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.faults.cases import SABNA, Case
from tests.faults.verdict import OLD

# A run hangs if nothing of it has run for so many seconds, or if it has taken so much processor time. (Seconds of the
# clock say nothing: on a busy machine a run of one second may take minutes.)
PATIENCE = 60.0
MOST_CPU = 300.0


@dataclass
class Run:
    """What a run left: exit code (negative: killed by this signal), and its output."""

    code: int
    out: bytes
    err: str
    folder: Path


@contextmanager
def new_folder(case: Case, with_old: bool) -> Iterator[Path]:
    """A folder for one run; with an older output file in it, if asked."""
    with tempfile.TemporaryDirectory(prefix="sabna-faults-") as name:
        folder = Path(name)
        if with_old and case.output:
            (folder / case.output).write_bytes(OLD)
        yield folder


def started(
    case: Case, inputs: Path, folder: Path, prepare: Callable[[], None] | None = None
) -> subprocess.Popen[bytes]:
    """A new process that runs the case; `prepare` is called in it first. Its output goes to files beside the folder."""
    with open(_stream(folder, "out"), "wb") as out, open(_stream(folder, "err"), "wb") as err:
        return subprocess.Popen(
            [*SABNA, *case.arguments(inputs)], cwd=folder, stdout=out, stderr=err, preexec_fn=prepare
        )


def finished(process: subprocess.Popen[bytes], folder: Path) -> Run:
    """Wait for its end; a run that hangs is killed."""
    _wait_for(process.pid)
    return _collected(process.wait(), folder)


def forked(case: Case, inputs: Path, folder: Path, prepare: Callable[[], None]) -> Run:
    """Run the case in a fork of this process; `prepare` is called in it first."""
    pid = os.fork()
    if pid == 0:
        _run_in_child(case, inputs, folder, prepare)
    _wait_for(pid)
    _, status = os.waitpid(pid, 0)
    return _collected(os.waitstatus_to_exitcode(status), folder)


@cache
def undisturbed(case: Case, inputs: Path) -> bytes | None:
    """The file that the case writes."""
    with new_folder(case, with_old=False) as folder:
        forked(case, inputs, folder, lambda: None)
        return (folder / case.output).read_bytes() if case.output else None


def _wait_for(pid: int) -> None:
    """Return when the process has ended; kill it if it hangs, so that its exit code tells."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:  # it has, and its exit code has been taken
        return
    ended = select.poll()
    ended.register(descriptor, select.POLLIN)
    before, since = -1.0, time.monotonic()
    try:
        while not ended.poll(5000):
            used, waits = _work_of(pid)
            if used > before or waits:
                before, since = used, time.monotonic()
            if used > MOST_CPU or time.monotonic() - since > PATIENCE:
                os.kill(pid, signal.SIGKILL)
    finally:
        os.close(descriptor)


def _work_of(pid: int) -> tuple[float, bool]:
    """Processor seconds of a process and those below it, and whether one of them runs, or waits for a processor."""
    stat = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                state, parent, *rest = (entry / "stat").read_text().rpartition(")")[2].split()
                stat[int(entry.name)] = (int(parent), state, sum(map(int, rest[9:13])))
        except OSError:  # ended meanwhile
            continue
    family = {pid}
    while more := {child for child, (parent, _, _) in stat.items() if parent in family} - family:
        family |= more
    known = [stat[member] for member in family & stat.keys()]
    ticks = sum(used for _, _, used in known)
    return ticks / os.sysconf("SC_CLK_TCK"), any(state in "RD" for _, state, _ in known)


def _run_in_child(case: Case, inputs: Path, folder: Path, prepare: Callable[[], None]) -> None:
    code = 99  # an exception that got past main
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(_stream(folder, name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.chdir(folder)
        sys.argv = ["sabna", *case.arguments(inputs)]
        prepare()
        from sabna.cli import main

        main()
    except SystemExit as leave:
        code = int(leave.code or 0)
    finally:
        os._exit(code)


def _stream(folder: Path, name: str) -> Path:
    return folder.with_name(f"{folder.name}.{name}")


def _collected(code: int, folder: Path) -> Run:
    out, err = _stream(folder, "out"), _stream(folder, "err")
    run = Run(code, out.read_bytes(), err.read_text(errors="replace"), folder)
    out.unlink()
    err.unlink()
    return run

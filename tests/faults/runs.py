"""Starts runs: as a new process, or by fork of this one, which has all libraries loaded and so takes a tenth of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.faults.cases import SABNA, Case
from tests.faults.verdict import OLD

# A run that takes longer hangs.
PATIENCE = 120.0


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
    """Wait for its end."""
    code = process.wait(PATIENCE)
    return _collected(code, folder)


def forked(case: Case, inputs: Path, folder: Path, prepare: Callable[[], None]) -> Run:
    """Run the case in a fork of this process; `prepare` is called in it first."""
    pid = os.fork()
    if pid == 0:
        _run_in_child(case, inputs, folder, prepare)
    _, status = os.waitpid(pid, 0)
    return _collected(os.waitstatus_to_exitcode(status), folder)


@cache
def undisturbed(case: Case, inputs: Path) -> bytes | None:
    """The file that the case writes."""
    with new_folder(case, with_old=False) as folder:
        forked(case, inputs, folder, lambda: None)
        return (folder / case.output).read_bytes() if case.output else None


def _run_in_child(case: Case, inputs: Path, folder: Path, prepare: Callable[[], None]) -> None:
    code = 99  # an exception that got past main
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.alarm(int(PATIENCE))
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

"""Every write fails once: each call that changes a file, in each way it can fail.

A run is repeated with its first, second, ... such call failing, until it makes fewer of them. The calls are those of
the `os` module by which sabna writes (base/atomic.py, cli/streams.py); the run is a fork, in which they are replaced.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.faults.cases import Case
from tests.faults.runs import Run, forked, new_folder, undisturbed
from tests.faults.verdict import KILLED, Ended

CALLS = ((os, "open"), (os, "write"), (os, "fsync"), (os, "link"), (os, "replace"), (os, "fchmod"), (fcntl, "flock"))
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def _error(name: str) -> Callable[..., Any]:
    number = getattr(errno, name)

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def _no_memory(*_: Any, **__: Any) -> None:
    raise MemoryError


def _short(real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    if real.__name__ == "write":
        descriptor, data = arguments
        arguments = (descriptor, bytes(data)[: (len(data) + 1) // 2])
    return real(*arguments, **options)


def _signal(number: signal.Signals) -> Callable[..., Any]:
    def strike(real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        signal.raise_signal(number)
        return real(*arguments, **options)

    return strike


# Kind of fault -> what happens instead of the call, and the exit codes that may follow.
KINDS: dict[str, tuple[Callable[..., Any], tuple[int, ...]]] = {
    "no space": (_error("ENOSPC"), (0, 6)),
    "no space any more": (_error("ENOSPC"), (0, 6)),  # this call and all that follow
    "no permission": (_error("EACCES"), (0, 6)),
    "not permitted": (_error("EPERM"), (0, 6)),
    "a broken disk": (_error("EIO"), (0, 6)),
    "no memory": (_no_memory, (0, 10)),
    "a short write": (_short, (0,)),
    "SIGKILL": (_signal(signal.SIGKILL), (KILLED,)),
    "SIGTERM": (_signal(signal.SIGTERM), (0, 143)),
    "SIGINT": (_signal(signal.SIGINT), (0, 130)),
}


def _fail_at(number: int, kind: str, reached: int) -> None:
    """Make call `number` fail; which it was is written to the descriptor `reached`."""
    count = 0
    instead, write = KINDS[kind][0], os.write

    def replaced(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            if (real.__name__ == "open" and not arguments[1] & _WRITING) or (
                kind == "no memory" and arguments[0] in (1, 2)
            ):
                return real(*arguments, **options)
            count += 1
            if count == number or (kind.endswith("any more") and count > number):
                write(reached, f"{real.__name__} {arguments[0]}\n".encode())
                return instead(real, *arguments, **options)
            return real(*arguments, **options)

        return call

    for module, name in CALLS:
        setattr(module, name, replaced(getattr(module, name)))


def every_write(case: Case, inputs: Path, kind: str, with_old: bool, first: int = 1, step: int = 1) -> Iterator[Ended]:
    """The ends of the case with its calls failing, one at a time: `first`, `first + step`, ... up to the last."""
    reference = undisturbed(case, inputs)
    for number in range(first, 100, step):
        with new_folder(case, with_old) as folder:
            run, failed = _with_fault(case, inputs, folder, number, kind)
            if not failed:
                return
            ended = _judged(case, run, kind, number, failed, reference)
            if run.code == KILLED and not ended.complaints():  # what it left must go with the next run
                run = forked(case, inputs, folder, lambda: None)
                ended = _judged(case, run, f"{kind}, then another run", number, failed, reference)
                ended.codes = (0,)
            yield ended


def _with_fault(case: Case, inputs: Path, folder: Path, number: int, kind: str) -> tuple[Run, list[str]]:
    reading, writing = os.pipe()
    try:
        run = forked(case, inputs, folder, lambda: _fail_at(number, kind, writing))
        os.close(writing)
        with open(reading, closefd=False) as reached:
            return run, reached.read().splitlines()
    finally:
        os.close(reading)


def _judged(case: Case, run: Run, kind: str, number: int, failed: list[str], reference: bytes | None) -> Ended:
    fault = f"{kind} at write {number} ({failed[0]})"
    codes = KINDS[kind.split(",")[0]][1]
    ended = Ended(case, fault, run.code, run.out, run.err, run.folder, codes, reference=reference)
    hit = [call for call in failed if not kind.startswith(("a short", "SIG"))]
    ended.out_is_usable = "write 1" not in hit
    ended.err_is_usable = "write 2" not in hit
    return ended

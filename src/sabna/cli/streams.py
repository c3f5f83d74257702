"""Standard streams that may be closed, full, or read by nobody.

A stream that is closed when the command starts is opened on /dev/null first of all: the next file that is opened
would take its number, and what is printed would go into that file. Writing to a standard output that was closed fails,
as writing to a full disk does: exit code 6, unless there is nothing to print.

Standard output: a failed write raises OutputError, once; what comes later is dropped, so that nothing fails again
while the error is told or while Python ends. A reader who has left (`sabna ... | head`) is no error: the rest is
dropped, and the exit code is that of the run. Names that the terminal cannot show are escaped.

Standard error: what cannot be written is dropped; a message that nobody can read must not change how a run ends.
"""

from __future__ import annotations

import io
import os
import sys

# How a closed stream is opened: reading is at its end, writing to standard output fails, messages are dropped.
_FLAGS_IF_CLOSED = {0: os.O_RDONLY, 1: os.O_RDONLY, 2: os.O_WRONLY}


class Descriptor(io.RawIOBase):
    """A standard stream below Python's buffers."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._broken = False

    def fileno(self) -> int:
        """The file descriptor."""
        return self._number

    def isatty(self) -> bool:
        """Whether a terminal shows it."""
        return os.isatty(self._number)

    def writable(self) -> bool:
        """Yes; whether it succeeds is another matter."""
        return True

    def write(self, data: object) -> int:
        """Write some of the bytes, or drop them all."""
        size = memoryview(data).nbytes  # type: ignore[arg-type]
        if self._broken:
            return size
        try:
            return os.write(self._number, data)  # type: ignore[arg-type]
        except OSError as error:
            self._broken = True
            if self._number == 1 and not isinstance(error, BrokenPipeError):
                raise _failure(error) from error
            return size


def _failure(error: OSError) -> OSError:
    from sabna.base.atomic import output_error

    return output_error("standard output", error)


def open_closed_streams() -> None:
    """Open what is closed; before any other file is opened."""
    for number, flags in sorted(_FLAGS_IF_CLOSED.items()):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, flags), True)  # takes the lowest free number: this one


def prepare_streams() -> None:
    """Replace Python's own streams."""
    sys.stdout = _text(1, sys.stdout)
    sys.stderr = _text(2, sys.stderr)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False))


def _text(number: int, old: io.TextIOBase | object) -> io.TextIOWrapper:
    encoding = getattr(old, "encoding", None) or "utf-8"
    raw = Descriptor(number)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding, errors="backslashreplace", line_buffering=number == 2 or raw.isatty()
    )


def leave(code: int) -> None:
    """End the process here and now, with everything written.

    Threads of libraries that still read ahead are not waited for: one that asks for Python while it is being taken down
    aborts the process, and the exit code would be lost.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)
    os._exit(code)

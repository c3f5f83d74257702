"""The folder of a run: a lock, named files that are whole or not there, and how often they are written.

Files are written in one step (sabna.base.atomic) and carry a checksum. What a reader finds damaged counts as missing:
whoever wrote it does that piece of work again. The manifest alone is refused when damaged: it says whose run this is.

The lock is an `flock` on the file `lock`: the system lets go of it when the process ends, however that happens, so
nothing has to be cleaned up after a kill. Where a system has no such locks, nothing keeps two runs apart.

How often: a save takes time, and saves together may take at most one part in `SHARE` of the run. So the next one waits
for `SHARE` times what the last one took, and at least a second; what a run tells never depends on when that was.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from sabna.base.atomic import atomic_write, output_error
from sabna.base.errors import SabnaError, UsageError
from sabna.workdir.plain import Unreadable, read_plain, write_plain

try:
    import fcntl
except ImportError:  # not a Unix: no locks
    fcntl = None  # type: ignore[assignment]

# A save may take one part in so many of the time since the one before; the promise is 3 %.
SHARE = 50
# Seconds between two saves, at least.
BETWEEN_SAVES = 1.0

# How often a lock that is taken is tried again, and seconds in between: who looks at it has it for an instant.
TRIES, BETWEEN_TRIES = 3, 0.05

LOCK, MANIFEST = "lock", "manifest.json"
# What the lock's file begins with when its last run ended by itself.
ENDED = "ended: "
SUFFIX = ".work"

Value = TypeVar("Value")


class WorkDir:
    """The folder of a run that this process has to itself."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Create the folder if there is none, and lock it; UsageError if another run has it."""
        self.path = Path(path)
        self.claimed = False  # whether the manifest is that of this run
        self.note: dict[str, Any] = {}  # what the command line wants to find again
        self.damaged: list[str] = []  # files that were there but could not be used
        self._before = b""  # what the lock's file said
        self.ended = "done"  # how the run ended, if it ends without an error
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise output_error(path, error) from error
        try:
            self._take_lock()
        except BaseException:
            os.close(self._lock)
            raise

    def _take_lock(self) -> None:
        if fcntl is not None:
            try:
                for _ in range(TRIES):
                    try:
                        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        break
                    except BlockingIOError:  # somebody may just be looking (`holder`)
                        time.sleep(BETWEEN_TRIES)
                else:
                    fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = _named(self._lock)
                raise UsageError(
                    f"{self.path}: another run works in this directory ({holder}); wait for it, or choose another one"
                ) from None
            except OSError:  # a file system without locks
                return
        try:
            self._before = os.pread(self._lock, 200, 0)
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        except OSError as error:
            raise output_error(self.path / LOCK, error) from error

    def close(self) -> None:
        """Let go of the lock."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __fspath__(self) -> str:
        return str(self.path)

    def __enter__(self) -> WorkDir:
        return self

    def __exit__(self, kind: object, error: BaseException | None, *_: object) -> None:
        if error is None or isinstance(error, SabnaError | KeyboardInterrupt):
            self._note_end(error)
        self.close()

    def _note_end(self, error: BaseException | None) -> None:
        """Leave in the lock's file how this run ended: one that was killed has no time for that.

        What was refused, or ended before it knew whose folder this is, leaves what stood there.
        """
        status = self.ended if error is None else getattr(error, "status", None)
        status = status or ("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
        left = f"{ENDED}{status}\n".encode() if self.claimed else self._before
        with suppress(OSError):  # a full disk: it will be told as killed
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, left, 0)

    def file(self, name: str) -> Path:
        """The place of a file with plain data."""
        return self.path / f"{name}{SUFFIX}"

    def save(self, name: str, value: Any, known: Mapping[str, Any] | None = None) -> None:
        """Write plain data to a named file, in one step; OutputError if that fails."""
        atomic_write(self.file(name), write_plain(value, known))

    def load(self, name: str, kind: type[Value], known: Mapping[str, Any] | None = None) -> Value | None:
        """What a named file holds; None if it is not there or damaged."""
        return self.reading(name, lambda: read_plain(self.file(name), kind, known))

    def reading(self, name: str, read: Callable[[], Value]) -> Value | None:
        """What `read` returns; None if the file is not there or damaged, which is noted."""
        try:
            return read()
        except FileNotFoundError:
            return None
        except (Unreadable, OSError, ValueError) as error:
            self.damaged.append(f"{name}: {error}")
            return None

    def remove(self, name: str) -> None:
        """Remove a file that is needed no more; one that is not there, or cannot be removed, does not matter."""
        try:
            self.file(name).unlink(missing_ok=True)
        except OSError:
            return


def _named(lock: int) -> str:
    """Who took a lock, as its file says."""
    return os.pread(lock, 200, 0).decode("utf-8", "replace").strip() or "another process"


def holder(folder: str | os.PathLike[str]) -> str | None:
    """The process that works in a folder now, None if there is none; "unknown" where the system has no locks."""
    if fcntl is None:
        return "unknown"
    try:
        lock = os.open(Path(folder) / LOCK, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None
    except BlockingIOError:
        return _named(lock)
    except OSError:
        return "unknown"
    finally:
        os.close(lock)


def ending(folder: str | os.PathLike[str]) -> str | None:
    """How the last run in a folder ended; None if it did not: it is running, or was killed."""
    try:
        words = (Path(folder) / LOCK).read_text("utf-8", "replace").strip()
    except OSError:
        return None
    return words.removeprefix(ENDED) if words.startswith(ENDED) else None


@contextmanager
def opened(work: Any) -> Iterator[WorkDir | None]:
    """The work directory of a call: None, a folder's name, or one that the caller has opened and will close."""
    if work is None or isinstance(work, WorkDir):
        yield work
        return
    with WorkDir(work) as own:
        yield own


class Saver:
    """Decides when the next save is due, by what the last one took."""

    def __init__(self, between: float = BETWEEN_SAVES, share: int = SHARE) -> None:
        self._between, self._share = between, share
        self._due = time.monotonic() + between

    def due(self) -> bool:
        """Whether it is time."""
        return time.monotonic() >= self._due

    @contextmanager
    def saving(self) -> Iterator[None]:
        """A save; what it takes says when the next one is due."""
        began = time.monotonic()
        yield
        now = time.monotonic()
        self._due = now + max(self._between, self._share * (now - began))

"""Time and memory limits of one run, shared by all its stations.

One `Limits` object is made when a run starts and handed from station to station, so that scoring, bounds and search
together keep one time limit and one memory limit. The core is given what is left of both.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from sabna._native import core
from sabna.base.errors import LimitReached, UsageError
from sabna.base.stop import Stop

# Without a limit a run takes at most this share of the memory that is free when it starts.
FREE_MEMORY_SHARE = 0.9

# Of the address space a process may still take (`ulimit -v`), the share for the core's accounts: the rest is for
# stacks of threads, and for what allocators set aside.
ADDRESS_SPACE_SHARE = 0.8

# Bytes of a limit that are kept back from the core for what is allocated outside its accounts: Python's own objects,
# thread stacks, the slack of the system's allocator.
MARGIN = 16_000_000

# As near to a memory limit as this, in bytes, what does not ask for its memory ends: the next round may take some more.
NEAR = MARGIN // 2

# Between two looks at the clock a run may go on for this many seconds beyond its time limit; the promise is one.
LATE = 0.5

_UNITS = {"": 1, "B": 1}
_UNITS |= {f"{prefix}B": 1000**k for k, prefix in enumerate("KMGT", start=1)}
_UNITS |= {f"{prefix}IB": 1024**k for k, prefix in enumerate("KMGT", start=1)}
_UNITS |= {prefix: 1000**k for k, prefix in enumerate("KMGT", start=1)}


def parse_size(text: str | int) -> int:
    """Bytes of a size such as `200MB` (10^6), `4GiB` (2^30) or `1000000`.

    >>> parse_size("200MB"), parse_size("4 GiB"), parse_size(1000)
    (200000000, 4294967296, 1000)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(text))
    if not match or match[2].upper() not in _UNITS:
        raise UsageError("write a number and a unit, such as 500MB or 4GiB")
    try:
        return int(float(match[1]) * _UNITS[match[2].upper()])
    except OverflowError:  # infinite
        raise UsageError("no machine has so much; write a smaller number") from None


def _checked_seconds(seconds: float) -> float:
    if not seconds >= 0:
        raise UsageError(f"time limit {seconds!r}: write seconds, 0 or more")
    return seconds


# The settings that are limits: the field of `Limits`, and the function that makes its value of the user's.
LIMIT_FIELDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "time_limit": ("seconds", _checked_seconds),
    "memory_limit": ("memory", parse_size),
}

# Bytes from which on the limit of a container is none: an unlimited one has about 2^63.
NO_LIMIT = 1 << 60

# A search asks for memory at nearly every step. Linux tells in files, which are read here in a third of the time that
# psutil takes; psutil is asked elsewhere.


def _told(path: str) -> bytes:
    """What the system tells in this file."""
    with open(path, "rb", buffering=0) as file:
        return file.read()


def process_memory() -> int:
    """Resident bytes of this process."""
    try:
        return int(_told("/proc/self/statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        import psutil

        return int(psutil.Process().memory_info().rss)


def peak_memory() -> int:
    """The most bytes this process has held so far; 0 where the system does not tell.

    Linux's own record of this program is read where there is one: what getrusage tells there starts with the size of
    the program that started this one.
    """
    try:
        return int(_told("/proc/self/status").partition(b"VmHWM:")[2].split(maxsplit=1)[0]) * 1024
    except (OSError, IndexError, ValueError):
        pass
    try:
        import resource
    except ImportError:  # not on Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def free_memory() -> int:
    """Bytes that are free on this machine, or in its container if that allows less."""
    free = _available_memory()
    for limit_file, usage_file in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            limit = int(_told(limit_file))
            left = free if limit >= NO_LIMIT else limit - int(_told(usage_file))
        except (OSError, ValueError):  # no such controller, or "max"
            continue
        free = min(free, max(left, 0))
    return free


def _available_memory() -> int:
    """Bytes that may be taken on this machine before it swaps."""
    try:
        return int(_told("/proc/meminfo").partition(b"MemAvailable:")[2].split(maxsplit=1)[0]) * 1024
    except (OSError, IndexError, ValueError):
        import psutil

        return int(psutil.virtual_memory().available)


def address_space_left() -> int | None:
    """Bytes of address space this process may still take; None if the system sets no limit, or does not tell."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit == resource.RLIM_INFINITY:
            return None
        taken = int(_told("/proc/self/statm").split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        return None
    return max(limit - taken, 0)


@dataclass(frozen=True)
class Limits:
    """What a run may take: `seconds` from `started` on, and `memory` bytes of the whole process (None: no limit).

    What works beside others in this process has one part in `sharing` of the bytes, and ends once `halt` is set.
    `counted` is what the steps of a search have counted so far, by their names for it (`expanded`, `pivots`), for a
    limit of such a number; all limits made of these share it.
    """

    seconds: float | None = None
    memory: int | None = None
    _: KW_ONLY
    started: float = field(default_factory=time.monotonic)
    sharing: int = 1
    halt: threading.Event | None = None
    counted: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float), compare=False)

    @staticmethod
    def of(**given: Any) -> Limits:
        """The limits a user gave, by the names of the settings; starts the clock."""
        made = dict[str, Any]()
        for name, value in given.items():
            place, make = LIMIT_FIELDS[name]
            made[place] = None if value is None else make(value)
        return Limits(**made)

    def as_settings(self) -> dict[str, Any]:
        """The limits as settings, for the record of a run."""
        return {name: getattr(self, place) for name, (place, _) in LIMIT_FIELDS.items()}

    def elsewhere(self) -> dict[str, Any]:
        """What is left, as plain data: `Limits(**these)` are the limits of another process, whose clock starts then.

        The memory limit holds for every process.
        """
        seconds = self.seconds_left()
        as_given = {place: getattr(self, place) for place, _ in LIMIT_FIELDS.values()}
        return {**as_given, "seconds": None if seconds < 0 else seconds}

    def memory_alone(self) -> Limits:
        """The memory limit and no other: for what is done before the run, or after another limit struck."""
        return Limits(memory=self.memory, sharing=self.sharing)

    def within(self, memory: int) -> Limits:
        """The same with at most so many bytes."""
        return replace(self, memory=memory if self.memory is None else min(memory, self.memory))

    def elapsed(self) -> float:
        """Seconds since the run started."""
        return time.monotonic() - self.started

    def left(self, *, seconds: float | None = None, memory: int | None = None) -> core.Limits:
        """What the core is given: seconds and bytes left, unless the caller gives it others."""
        return core.Limits(
            seconds=self.seconds_left() if seconds is None else seconds,
            bytes=self.bytes_left() if memory is None else memory,
            halted=None if self.halt is None else self.halt.is_set,
        )

    def seconds_left(self) -> float:
        """Seconds left, 0 if none are, -1 if there is no limit."""
        if self.halt is not None and self.halt.is_set():
            return 0.0
        return -1.0 if self.seconds is None else max(self.seconds - self.elapsed(), 0.0)

    def struck(self) -> Stop:
        """Which limit has struck, as far as this can be told outside the core; none of them: `Stop.none`.

        The core asks before it takes memory. Linear programs do not, so their rounds end here.
        """
        if self.seconds_left() == 0:
            return Stop.time_limit
        near = self.memory is not None and process_memory() > self.memory - NEAR
        return Stop.memory_limit if near else Stop.none

    def with_share_of_time(self, share: float) -> Limits:
        """The same with this share of the seconds left."""
        return self if self.seconds is None else replace(self, seconds=self.elapsed() + share * self.seconds_left())

    def bytes_left(self) -> int:
        """Bytes that may still be taken."""
        if self.memory is None:
            left = int(FREE_MEMORY_SHARE * free_memory())
        else:
            left = max(self.memory - process_memory() - MARGIN, 0)
        space = address_space_left()
        left = left if space is None else min(left, int(ADDRESS_SPACE_SHARE * space))
        return left // self.sharing

    def check_time(self, doing: str, begun: float = 0.0) -> None:
        """Raise LimitReached if the time is up while nothing can be returned yet; `doing` says at what.

        What began when the time was up already, `begun` seconds after the start, has a moment all the same.
        """
        if self.seconds is not None and self.elapsed() > max(self.seconds, begun) + LATE:
            raise LimitReached(
                f"the time limit of {self.seconds:g} s struck while {doing}, before there was a network; raise it",
                "time_limit",
            )

    def require_memory(self, more: int, doing: str) -> None:
        """Raise LimitReached, saying how much is needed, unless `more` bytes can be taken; `doing` says what for."""
        if self.memory is None:
            if more > self.bytes_left():
                raise LimitReached(
                    f"{doing} takes about {megabytes(more)} of memory more, and less is free on this machine; free "
                    "some, or leave out rows or columns",
                    "memory_limit",
                )
            return
        now = process_memory()
        if now + more + MARGIN > self.memory:
            raise LimitReached(
                f"{doing} takes about {megabytes(now + more + MARGIN)} of memory ({megabytes(now)} are taken already), "
                f"more than the memory limit of {megabytes(self.memory)}; raise it, or leave out rows or columns",
                "memory_limit",
            )


def megabytes(size: int) -> str:
    """Bytes rounded up, as a memory limit is written; few as they are.

    >>> megabytes(150_000_001), megabytes(5)
    ('151MB', '5B')
    """
    return f"{-(-size // 1_000_000)}MB" if size >= 1_000_000 else f"{size}B"


class Stopwatch:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def seconds(self) -> float:
        """Seconds gone by."""
        return time.monotonic() - self._started

"""Why a run ended."""

from __future__ import annotations

# Why a run of the core ended; the values of `Stop` in core/watch.h.
STOP_NONE, STOP_TIME, STOP_MEMORY, STOP_INTERRUPTED = range(4)

# The status of a result; the position is the value of `Stop`.
STATUSES = ("optimal", "time_limit", "memory_limit", "interrupted")

# What each status means, for people.
STATUS_TEXT = {
    "optimal": "proven optimal",
    "time_limit": "stopped at the time limit",
    "memory_limit": "stopped at the memory limit",
    "interrupted": "interrupted",
}


class Stopped(Exception):
    """A limit or an interrupt ended a piece of work; `stop` says which, `STOP_TIME` to `STOP_INTERRUPTED`."""

    def __init__(self, stop: int) -> None:
        super().__init__(stop)
        self.stop = stop

"""Why a run ended."""

from __future__ import annotations

from sabna._native import core

# Why a run ended: none (it came to its end), time_limit, memory_limit, interrupted; that of core/watch.h. It is at home
# here, whichever build of the core was loaded: pickled in one process it is read in another.
Stop = core.Stop
Stop.__module__ = __name__


def status_of(stop: Stop, ended: str = "optimal") -> str:
    """The status of a run that stopped for this reason; `ended` if it came to its end.

    >>> status_of(Stop.none), status_of(Stop.time_limit)
    ('optimal', 'time_limit')
    """
    return ended if stop == Stop.none else stop.name


def stop_of(status: str) -> Stop:
    """Why a run with this status stopped.

    >>> stop_of("time_limit") == Stop.time_limit
    True
    """
    return next((stop for stop in Stop if stop.name == status), Stop.none)


# The limits of a run: each is a setting of this name, and a reason to stop.
LIMITS = tuple(stop.name for stop in Stop if stop.name.endswith("_limit"))
# How a run ends that can go on.
PAUSED = tuple(stop.name for stop in Stop if stop != Stop.none)

# How a run of EM ends: with the optimum of its last round, which is not that of the data.
CONVERGED = "converged"
# The statuses of a result.
STATUSES = (*(status_of(stop) for stop in Stop), CONVERGED)

# What each status means, for people.
STATUS_TEXT = {
    "optimal": "proven optimal",
    **{limit: f"stopped at the {limit.replace('_', ' ')}" for limit in LIMITS},
    "interrupted": "interrupted",
    CONVERGED: "optimal given the completed counts of the last round of EM, a local method",
}


class Stopped(Exception):
    """A limit or an interrupt ended a piece of work; `stop` says which."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop)
        self.stop = stop

"""Options of running: limits, who is told, what is kept, and where work is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypedDict

from sabna.base.progress import ProgressReport
from sabna.settings.checks import callback, engine, folder, jobs, number, optional, size
from sabna.settings.setting import Setting

# About 30 years.
LONGEST_TIME = 1e9


class Limited(TypedDict, total=False):
    """Limits: what `Limits.of` takes."""

    time_limit: Annotated[
        float | None,
        Setting(None, optional(number(0, LONGEST_TIME)), "Stop after so many seconds.", "SECONDS", float),
    ]
    memory_limit: Annotated[
        str | int | None,
        Setting(None, optional(size), "Take at most so much memory, such as 500MB or 4GiB.", "SIZE"),
    ]


class Running(Limited, total=False):
    """Limits, and who is told."""

    progress: Annotated[
        Callable[[ProgressReport], object] | None,
        Setting(
            None, optional(callback), "Called with a ProgressReport, some times a second.", on_the_command_line=False
        ),
    ]


class Keeping(TypedDict, total=False):
    """What is kept on disk."""

    work: Annotated[
        Any,
        Setting(
            None,
            optional(folder),
            "Keep the run in this directory: killed or stopped, it goes on from there (`sabna resume`).",
            metavar="DIR",
            recorded=False,
        ),
    ]


class Spread(TypedDict, total=False):
    """Where work is done."""

    engine: Annotated[
        Any,
        Setting(
            None,
            optional(engine),
            "Spread the work: a Dask scheduler's address (tcp://host:8786), or local:N for N processes here.",
            metavar="ADDRESS",
            flags=("--scheduler",),
            recorded=False,
        ),
    ]


class Threads(TypedDict, total=False):
    """Threads."""

    n_jobs: Annotated[int, Setting(-1, jobs, "Number of threads; -1: all cores.", "N", int, flags=("--jobs", "-j"))]

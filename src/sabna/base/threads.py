"""How many threads a run may use."""

from __future__ import annotations

import os

from sabna.base.errors import UsageError


def threads_for(n_jobs: int) -> int:
    """Threads for `n_jobs`: -1 is all cores this process may use.

    >>> threads_for(2)
    2
    """
    if n_jobs == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs < 1:
        raise UsageError(f"number of jobs {n_jobs}: write 1 or more, or -1 for all cores")
    return n_jobs

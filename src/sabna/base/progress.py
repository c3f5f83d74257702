"""Progress: whoever runs long calls a function with a dictionary, some times a second.

    station                       what is being done: "parent graph", "upper bound", "pattern database", "search", ...
    seconds                       since the run began
    lower_bound, upper_bound      what the best network costs at least and at most, in nats; None while unknown
    lower, upper                  the same as integers, in quanta of 2^-30 nat
    evaluated                     local scores computed
    expanded, generated, stored   nodes of the search
    finished, total               parts of the work at hand that are done, and all of them (0: unknown)
    layer, bytes_in_files, bytes_to_come    of a breadth-first search whose layers are files: the last is an estimate of
                                  what this layer will still write (0: unknown)
    workers, running, bytes_held  of work that is spread: workers, tasks they have, bytes of data they hold

The bounds are about the whole, whatever station reports: the lower one never falls, the upper one never rises, and the
best network lies between. `learn` knows both from the first report on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ProgressCallback = Callable[[dict[str, Any]], None]

# What a report tells beside its bounds, where there is nothing to tell.
NOTHING = {"station": "", "evaluated": 0, "finished": 0, "total": 0, "expanded": 0, "generated": 0, "stored": 0}

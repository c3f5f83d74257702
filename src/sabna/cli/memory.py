"""A limit on the address space of a process (`ulimit -v`), as batch systems set it.

Libraries reserve much more of it than they use, and some end the process when they get none: OpenBLAS calls exit, a
thread pool that cannot start a thread calls abort. So under such a limit they are asked to be modest, and a limit below
what they need to load is told before they are loaded. Above it a lack of memory is an error like any other.
"""

from __future__ import annotations

import os

from sabna.base.errors import LimitReached
from sabna.base.limits import address_space_left

# Bytes: `sabna learn example:asia` takes 455 million, with the settings below.
LEAST_ADDRESS_SPACE = 500_000_000
# One thread for each library that starts one per core; Arrow's usual allocator reserves a gigabyte at a time.
MODEST = {"OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}


def prepare_for_limited_memory() -> None:
    """Call before libraries are loaded. Raises `LimitReached` if they would not fit."""
    left = address_space_left()
    if left is None:
        return
    for name, value in MODEST.items():
        os.environ.setdefault(name, value)
    if left < LEAST_ADDRESS_SPACE:
        raise LimitReached(
            f"the system lets this process take {left / 1e6:.0f} MB more of address space, and loading the libraries "
            f"takes {LEAST_ADDRESS_SPACE / 1e6:.0f} MB; raise its limit (ulimit -v)",
            "memory_limit",
        )

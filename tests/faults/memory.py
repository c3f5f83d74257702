"""Memory that the system refuses: runs under limits on the address space (`ulimit -v`), from tiny to ample."""

from __future__ import annotations

import resource
from pathlib import Path

from tests.faults.cases import Case
from tests.faults.runs import finished, started
from tests.faults.verdict import Ended

# Bytes below which Python itself may not start.
LEAST = 40_000_000
MOST = 1_600_000_000


def run_within(case: Case, inputs: Path, folder: Path, size: int) -> Ended:
    """Run the case with so many bytes of address space."""
    process = started(case, inputs, folder, lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
    run = finished(process, folder)
    return Ended(case, f"{size / 1e6:.0f} MB of address space", run.code, run.out, run.err, folder, (0, 10))

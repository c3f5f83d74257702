"""What reading may take: a look at the clock and at the memory between blocks.

After the first blocks of a file it is known what a row takes and about how many rows there are. If all of them will
not fit, reading ends there, with an error that says how much is needed; later looks find what could not be foreseen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sabna.base.limits import Limits

# Bytes of a cell in the finished table: codes, or numbers.
CODE_BYTES = 2
NUMBER_BYTES = 8
# Beside the table, bytes a row: what coding a column holds for a moment, and what scoring needs at the very least.
SCRATCH_BYTES = 24


# Up to so many cells the clock is not looked at: a small table is read whatever the time limit.
FEW_CELLS = 500_000


class Budget:
    """The limits of one reading; `cell_bytes` is what a cell of the finished table takes."""

    def __init__(self, limits: Limits, cell_bytes: int) -> None:
        self.limits, self.cell_bytes = limits, cell_bytes
        self._begun = limits.elapsed()
        self._looks = 0

    def begin(self, where: str) -> None:
        """Before the first byte, when all libraries are there: refuse a memory limit that they exceed already."""
        self.limits.require_memory(0, f"the program alone, before it reads {where},")

    def look(self, where: str, builders: Sequence[Any], share: float) -> None:
        """Between two blocks, when about this share of the rows is read."""
        read = builders[0].rows
        self.check_time(f"reading {where} ({share:.0%} of it)", read * len(builders))
        self._looks += 1
        if self._looks & (self._looks - 1):  # the whole is estimated at the 1st, 2nd, 4th, ... block only
            if self.limits.memory is not None or self._looks % 32 == 0:
                self.limits.require_memory(0, f"reading {where}")
            return
        rows = int(read / max(share, 1e-9)) if share < 1 else read
        each = sum(builder.bytes_per_row() for builder in builders)
        # The rows to come; then columns are coded one at a time, and given up.
        table = max(len(builders) * self.cell_bytes - each, 0) * rows
        self.need(where, rows, len(builders), int(each * (rows - read) + table + SCRATCH_BYTES * rows))

    def need(self, where: str, rows: int, columns: int, more: int) -> None:
        """Refuse a table that takes `more` bytes beyond what the process holds, if these are not left."""
        about = "about " if self._looks else ""
        self.limits.require_memory(more, f"reading {where} ({columns} columns, {about}{rows:,} rows)")

    def check_time(self, doing: str, cells: int) -> None:
        """Refuse to go on when time is up; so many cells are done."""
        if cells > FEW_CELLS:
            self.limits.check_time(doing, self._begun)

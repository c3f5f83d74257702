"""Standard streams closed, full, or read by nobody, in all combinations."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import product
from pathlib import Path

from tests.faults.cases import Case
from tests.faults.runs import finished, started
from tests.faults.verdict import Ended

GOOD, CLOSED, FULL, NO_READER = "good", "closed", "full", "no reader"
COMBINATIONS = list(product((GOOD, CLOSED, FULL, NO_READER), (GOOD, CLOSED, FULL, NO_READER), (GOOD, CLOSED)))


def _prepared(states: tuple[str, str, str]) -> Callable[[], None]:
    def prepare() -> None:
        for number, state in zip((1, 2, 0), states, strict=True):
            if state == CLOSED:
                os.close(number)
            elif state == FULL:
                os.dup2(os.open("/dev/full", os.O_WRONLY), number)
            elif state == NO_READER:
                reading, writing = os.pipe()
                os.dup2(writing, number)
                os.close(reading)
                os.close(writing)

    return prepare


def run_with_streams(case: Case, inputs: Path, folder: Path, states: tuple[str, str, str], expected: int = 0) -> Ended:
    """Run with standard output, error and input in these states; `expected` is the exit code where all are good."""
    out, err, _ = states
    run = finished(started(case, inputs, folder, _prepared(states)), folder)
    # A result that cannot be written is an error; a reader who has left does not want it.
    code = 6 if expected == 0 and out in (CLOSED, FULL) else expected
    ended = Ended(case, f"output, error, input: {', '.join(states)}", run.code, run.out, run.err, folder, (code,))
    ended.out_is_usable, ended.err_is_usable = out == GOOD, err == GOOD
    return ended

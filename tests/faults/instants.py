"""SIGINT, SIGTERM and SIGKILL at random instants, from the moment the command handles signals to its end.

Before that moment Python itself is starting, and a signal has its usual effect; when it has come is seen in /proc.
"""

from __future__ import annotations

import random
import signal
import subprocess
import time
from pathlib import Path

from tests.faults.cases import Case
from tests.faults.runs import finished, new_folder, started
from tests.faults.verdict import KILLED, Ended

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: KILLED}
# Of the interruptions, so many are repeated shortly after: terminals and `timeout` do so.
TWICE = 0.3


def handles_signals(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has a handler for SIGTERM (that for SIGINT comes before)."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return False
    caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def wait_for_handlers(process: subprocess.Popen[bytes]) -> None:
    """Return as soon as the command handles signals."""
    while process.poll() is None and not handles_signals(process):
        time.sleep(0.001)


def duration(case: Case, inputs: Path) -> float:
    """Seconds the case takes undisturbed, from its handlers to its end."""
    with new_folder(case, with_old=False) as folder:
        process = started(case, inputs, folder)
        wait_for_handlers(process)
        began = time.monotonic()
        finished(process, folder)
        return time.monotonic() - began


def signal_at(
    case: Case, inputs: Path, folder: Path, number: signal.Signals, after: float, again_after: float | None
) -> Ended:
    """Run the case and send it a signal after so many seconds, or two."""
    process = started(case, inputs, folder)
    wait_for_handlers(process)
    time.sleep(after)
    process.send_signal(number)
    if again_after is not None:
        time.sleep(again_after)
        process.send_signal(number)
    run = finished(process, folder)
    fault = f"{number.name} after {after:.3f} s" + (f" and {again_after:.3f} s" if again_after is not None else "")
    return Ended(case, fault, run.code, run.out, run.err, folder, (0, 10, CODES[number]))


def at_random(case: Case, inputs: Path, folder: Path, seconds: float, rng: random.Random) -> Ended:
    """A random signal at a random instant of a run that takes so many seconds."""
    number = rng.choice(list(CODES))
    after = rng.random() ** 2 * seconds * 1.1  # more of them early: there is more Python than core
    again = rng.random() * 0.1 if number != signal.SIGKILL and rng.random() < TWICE else None
    return signal_at(case, inputs, folder, number, after, again)

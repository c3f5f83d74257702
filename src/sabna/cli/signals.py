"""Ctrl-C (SIGINT) and SIGTERM, from the first moment of the `sabna` command to its last.

What a signal does depends on how far the command is:

    starting   nothing is open yet, libraries are being loaded: the process ends at once, with its exit code and, if
               asked for, its JSON object. An exception here would come out of the middle of somebody's import.
    running    KeyboardInterrupt is raised: the core stops, and what was found by then is the result.
    ending     the result or the error is being told: it is told to its end, so that no half of a JSON object stands
               on standard output. Only a third signal (a reader that does not read) ends the process at once.

Signals that follow each other within half a second are one request to stop: `timeout` sends two, and a terminal and
the program around this one may send one each; the second must not strike while the first is being obeyed.

This module is loaded before the handlers are there, so it imports what Python has loaded already: `_signal`, the part
of `signal` that is in C, without the enumerations on top, which take ten modules.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

STARTING, RUNNING, ENDING = range(3)

# Seconds within which two signals are one request.
ONE_REQUEST = 0.5
# Signals that end a process which is telling its result.
ENOUGH = 3


class Terminated(KeyboardInterrupt):
    """SIGTERM: ends a run as Ctrl-C does, with an exit code of its own."""


class Signals:
    """How far the command is, and which signal came first. One per process, since handlers are."""

    def __init__(self) -> None:
        self.phase = STARTING
        self.as_json = False
        self.received: int | None = None
        self._raised = -ONE_REQUEST
        self._while_ending = 0

    def install(self, as_json: bool) -> None:
        """Handle signals from now on. A signal that this process was started to ignore (`nohup`, `&`) stays ignored."""
        self.as_json = as_json
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self.handle)

    def begin(self) -> None:
        """A command line begins."""
        self.phase, self.received = STARTING, None

    def ignore(self) -> None:
        """Handle no more signals: all is told, and Python itself is ending."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)

    @property
    def exit_code(self) -> int:
        """143 after SIGTERM, 130 after Ctrl-C."""
        return 143 if self.received == signal.SIGTERM else 130

    def handle(self, number: int, frame: FrameType | None) -> None:
        """The handler."""
        self.received = self.received or number
        if self.phase == STARTING:
            self._end_at_once()
        elif self.phase == RUNNING and time.monotonic() - self._raised >= ONE_REQUEST:
            self._raised = time.monotonic()
            raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
        elif self.phase == ENDING:
            self._while_ending += 1
            if self._while_ending >= ENOUGH:
                os._exit(self.exit_code)

    def _end_at_once(self) -> None:
        message = "interrupted before the command began"
        document = f'{{"status": "error", "code": {self.exit_code}, "message": "{message}"}}\n'
        for descriptor, text in ((1, document if self.as_json else ""), (2, f"sabna: {message}\n")):
            try:  # noqa: SIM105, contextlib takes modules
                os.write(descriptor, text.encode())
            except OSError:
                pass  # closed or full: there is nobody to tell
        os._exit(self.exit_code)


signals = Signals()

"""Tells what ended a command before its result: a message on standard error, an exit code, and with `--json` the one
JSON object.

Two kinds of errors come in disguise. A signal during a call of a library may surface as that library's own error: once
a signal has come, an error is taken as its doing. And a system without memory to give makes itself heard in many ways,
MemoryError being only one: all of them end like a memory limit, which it is.
"""

from __future__ import annotations

import errno
import json
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from sabna.base.errors import Interrupted, LimitReached, OutputError, SabnaError
from sabna.cli.signals import ENDING, signals

# Words of errors that mean a lack of memory: the loader's, the allocator's, and of threads that found no room.
_OUT_OF_MEMORY = (
    "cannot allocate memory",
    "failed to map segment",
    "can't start new thread",
    "resource temporarily unavailable",
    "bad_alloc",
)
NO_MEMORY = (
    "the system gave no more memory; free some, or raise the limit of this process (ulimit -v). With --memory-limit "
    "a run stops in time and returns what it has"
)


def tell(error: BaseException, as_json: bool, arguments: Sequence[str] = ()) -> int:
    """Say what went wrong, where the user reads it; the exit code. A result that was told before stays the only one."""
    told_before = signals.phase == ENDING
    signals.phase = ENDING
    document, message = _described(error, arguments)
    if as_json and not told_before:
        with suppress(OSError):  # standard output is full or closed; the message may still reach the user
            print(json.dumps(document))
            sys.stdout.flush()
    if document["code"] == SabnaError.exit_code:
        traceback.print_exception(error)
    print(f"sabna: {message}", file=sys.stderr)
    code: int = document["code"]
    return code


def _described(error: BaseException, arguments: Sequence[str] = ()) -> tuple[dict[str, Any], str]:
    """The JSON object of an error, and its message."""
    if isinstance(error, LimitReached):
        from sabna.cli.speech import in_shell_words

        words = in_shell_words(str(error))
        return _document(error.status, error.exit_code, words, parent_graph=error.statistics)
    if _is_interruption(error):
        message = str(error) if isinstance(error, Interrupted) else ""
        return _document("error", signals.exit_code, message or "stopped before the result was complete")
    if is_out_of_memory(error):
        return _described(LimitReached(NO_MEMORY, "memory_limit"))
    if isinstance(error, SabnaError):
        from sabna.cli.speech import message_of

        return _document("error", error.exit_code, message_of(error, arguments))
    words = f"internal error: {type(error).__name__}: {error}; please report it with the lines above"
    return _document("error", SabnaError.exit_code, words)


def _document(status: str, code: int, message: str, **more: Any) -> tuple[dict[str, Any], str]:
    return {"status": status, "code": code, "message": message, **more}, message


def _is_interruption(error: BaseException) -> bool:
    signalled = signals.received is not None and not isinstance(error, OutputError)
    return signalled or isinstance(error, KeyboardInterrupt)


def is_out_of_memory(error: BaseException | None) -> bool:
    """Whether an error, or one that led to it, is a lack of memory."""
    while error is not None:
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return True
        if any(words in str(error).lower() for words in _OUT_OF_MEMORY):
            return True
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return False

"""A row of the table of options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sabna.settings.checks import Check


@dataclass(frozen=True)
class Setting:
    """One option. `check` returns the value as the package uses it, or raises UsageError without naming the option.

    On the command line `flags` (else `--the-name`) takes a `typed` value; a switch of something that is on by default
    is written `--no-the-name`.
    """

    default: Any
    check: Check
    help: str
    metavar: str | None = None
    typed: Any = str
    flags: tuple[str, ...] = ()
    on_the_command_line: bool = True
    recorded: bool = True  # whether a result tells it; what changes no answer is not told

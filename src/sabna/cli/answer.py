"""Runs what ends in a Result, shows its progress, prints and writes it, and says by the exit code how it ended."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sabna.cli.app import interrupted_exit_code
from sabna.cli.console import Console
from sabna.errors import Interrupted, UsageError

if TYPE_CHECKING:
    from sabna.data import Table
    from sabna.result import Result

STOPPED_AT_A_LIMIT = 10


def check_network_output(output: str | None, fitted: bool) -> None:
    """Tell of a suffix that cannot be written now, not after a long run."""
    from sabna.formats.networks import needs_parameters, network_format

    if output is None or _suffix(output) == ".html":
        return
    network_format(output)
    if needs_parameters(output) and not fitted:
        raise UsageError(
            f"{output}: this format holds probabilities, which need the data; use `sabna learn`, or write "
            ".json, .dot, .graphml, .gexf or .csv"
        )


def answer(
    work: Callable[[Callable[[dict[str, Any]], None] | None], Result],
    output: str | None,
    table: Table | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Do the work and give its result to the user; the exit code of the command."""
    console = Console(quiet, as_json)
    interrupted = False
    with console.progress("sabna") as progress:
        try:
            result = work(progress)
        except Interrupted as error:
            if error.result is None:
                raise
            result, interrupted = error.result, True
    if output is not None:
        _write(result, output, table)
    console.result(result.to_dict(), str(result))
    if interrupted:
        return interrupted_exit_code()
    return 0 if result.is_optimal else STOPPED_AT_A_LIMIT


def _write(result: Result, output: str, table: Table | None) -> None:
    if table is not None:
        result = result.with_details(table)
    result.save(output)


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()

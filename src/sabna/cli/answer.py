"""Runs what ends in a Result, shows its progress, prints and writes it, and says by the exit code how it ended."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sabna.base.atomic import atomic_write, refuse_replacing, refuse_unwritable
from sabna.base.environment import environment
from sabna.base.errors import Interrupted, UsageError, quoted
from sabna.base.stop import CONVERGED
from sabna.cli.app import interrupted_exit_code
from sabna.cli.console import Console
from sabna.cli.signals import ENDING, signals

if TYPE_CHECKING:
    from sabna.network import Network
    from sabna.report.watching import Watch
    from sabna.result.result import Result
    from sabna.table import Table

STOPPED_AT_A_LIMIT = 10


def refuse_one_file_for_two(output: str | None, certificate: Any) -> None:
    """The network and its proof have a file each."""
    if output is not None and certificate is not None and os.path.abspath(output) == os.path.abspath(certificate):
        raise UsageError(f"{output}: the network and its certificate cannot be the same file; name two")


def check_network_output(
    source: str,
    output: str | None,
    fitted: bool,
    quantities: bool = False,
    both: bool = False,
    dialect: str | None = None,
) -> None:
    """Tell of an output that cannot be now, not after a long run: a wrong suffix, no folder, the file that is read."""
    from sabna.network.files import check_dialect, check_kind, needs_parameters, network_format
    from sabna.result.result import FIGURES

    refuse_replacing(output, source)
    refuse_unwritable(output)
    if dialect is not None:
        check_dialect(output or "", dialect)
    if output is None or _suffix(output) in (".html", ".htm", *FIGURES):
        return
    network_format(output)
    check_kind(output, quantities, both)
    if needs_parameters(output) and not fitted:
        raise UsageError(
            f"{output}: this format holds parameters, which only a table gives (`sabna learn`); otherwise write .json, "
            ".dot, .graphml, .gexf or .csv"
        )


def answer(
    work: Callable[[Callable[[dict[str, Any]], None] | None], Result],
    output: str | None,
    as_json: bool,
    quiet: bool,
    source: str,
    data: Callable[[], Table] | None = None,
    explain: bool = False,
    dialect: str | None = None,
    watch: Watch | None = None,
) -> int:
    """Do the work and give its result to the user; the exit code of the command.

    `work` reads its input too, so that progress is shown from the first moment on. `data` gives the table where the
    result came from one.
    """
    console = Console(quiet, as_json)
    interrupted = False
    with console.progress("sabna") as progress:
        try:
            result = work(progress if watch is None else _both(progress, watch))
        except Interrupted as error:
            if error.result is None:
                raise
            result, interrupted = error.result, True
    run = {**environment(), **result.run, "source": source, "command": shlex.join(["sabna", *sys.argv[1:]])}
    run.pop("python_call", None)  # what was typed is the shell's
    result = replace(result, run=run)
    if watch is not None:
        watch.end(result)
    if explain:
        for line in result.statistics.get("search", {}).get("explain", ()):
            print(line, file=sys.stderr)
    if output is not None:
        _write(result, output, data, dialect)
    if not as_json and not quiet and sys.stdout.isatty():
        from rich.console import Console as Terminal

        from sabna.report.terminal import summary

        signals.phase = ENDING
        summary(result, Terminal())
    else:
        console.result(result.to_dict(), str(result))
    if output is not None:
        console.note(f"written: {output}")
        note_dialect(result.network, output, dialect, console)
    if interrupted:
        return interrupted_exit_code()
    return 0 if result.status in ("optimal", CONVERGED) else STOPPED_AT_A_LIMIT


def check_suffix(output: str | None, suffix: str) -> None:
    """Tell of a file that cannot be now, not after a long run: what is written there has one format."""
    if output is not None and _suffix(output) != suffix:
        raise UsageError(f"{output}: this is written as {suffix[1:].upper()}; name a file that ends in {suffix}")
    refuse_unwritable(output)


def tell_findings(
    console: Console, document: dict[str, Any], text: str, output: str | None, status: str = "done"
) -> int:
    """Print and write what is no single network: alternatives, frequencies, probabilities; the exit code."""
    if output is not None:
        atomic_write(output, json.dumps(document, indent=1).encode())
    console.result(document, text)
    if status == "interrupted":
        return interrupted_exit_code()
    return 0 if status == "done" else STOPPED_AT_A_LIMIT


def _both(progress: Callable[[dict[str, Any]], None] | None, watch: Watch) -> Callable[[Any], None]:
    """Tell the terminal and the page."""

    def tell(report: Any) -> None:
        if progress is not None:
            progress(report)
        watch.hear(report)

    return tell


def note_dialect(network: Network, output: str, dialect: str | None, console: Console) -> None:
    """Say where a BIF file has states that not every reader takes."""
    if dialect is not None or _suffix(output) != ".bif":
        return
    from sabna.network.files.bif import odd_states

    odd = odd_states(network)
    if odd:
        console.note(
            f"{output}: states such as {quoted(odd[0])} are written for bnlearn and pgmpy; for pyAgrum add "
            "--dialect pyagrum"
        )


def _write(result: Result, output: str, data: Callable[[], Table] | None, dialect: str | None) -> None:
    from sabna.network.files import needs_parameters

    if data is not None and needs_parameters(output) and not result.network.is_fitted:
        result = replace(result, network=result.network.fit(data()))
    result.save(output, dialect)


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()

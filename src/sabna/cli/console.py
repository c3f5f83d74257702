"""What commands print: results on standard output, everything else on standard error.

`--json` leaves standard output to one JSON object; `--quiet` silences all but that and errors. Progress is shown
while a terminal watches, and never otherwise.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sabna.base.errors import DataWarning, EngineWarning
from sabna.base.limits import peak_memory, process_memory
from sabna.cli.signals import ENDING, signals

if TYPE_CHECKING:
    from sabna.parents.graph import ParentGraph

ProgressCallback = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Console:
    """How one command speaks."""

    quiet: bool = False
    as_json: bool = False

    def result(self, document: dict[str, Any], text: str) -> None:
        """The result: as JSON, or as text for people."""
        self.show(json.dumps(document) if self.as_json else "" if self.quiet else text)

    def show(self, output: str) -> None:
        """Print the result, if there is anything to print; from now on the command is ending."""
        signals.phase = ENDING
        if output:
            print(output)
            sys.stdout.flush()

    def note(self, message: str) -> None:
        """Something worth knowing that is not the result."""
        if not self.quiet:
            print(f"sabna: {message}", file=sys.stderr)

    @contextmanager
    def warnings_as_notes(self) -> Iterator[None]:
        """Print warnings about the data as notes, and what the columns are taken for, as soon as they are known."""
        from sabna.cli.speech import in_shell_words

        def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
            if issubclass(category, DataWarning | EngineWarning):
                self.note(f"note: {in_shell_words(str(message))}")

        told = _Notes(self)
        logger = logging.getLogger("sabna")
        level = logger.level
        with warnings.catch_warnings():
            warnings.simplefilter("always", DataWarning)
            warnings.simplefilter("always", EngineWarning)
            warnings.showwarning = show
            logger.addHandler(told)
            logger.setLevel(logging.INFO)
            try:
                yield
            finally:
                logger.removeHandler(told)
                logger.setLevel(level)

    @contextmanager
    def progress(self, title: str) -> Iterator[ProgressCallback | None]:
        """A callback for the core's progress reports, shown as one line; None if nobody watches."""
        if self.quiet or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console as Terminal

        started = time.monotonic()
        with Terminal(stderr=True).status(f"{title}: reading") as status:
            yield lambda report: status.update(
                f"{title}: {progress_line(report, time.monotonic() - started, process_memory())}"
            )


class _Notes(logging.Handler):
    """What the package logs, as notes of a console."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.INFO)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        """Print one message."""
        self._console.note(record.getMessage())


def progress_line(report: dict[str, Any], seconds: float, memory: int = 0) -> str:
    """One line for a progress report of the core: how far, how fast, the bounds and their gap, time and memory.

    >>> progress_line({"evaluated": 12000, "lower_bound": 90.0, "upper_bound": 120.5}, 1.5, 80_000_000)
    'parent graph, 12,000 sets evaluated (8,000 a second), cost 90.00 to 120.50, gap 30.50, 1.5 s, 80 MB'
    """
    station = report.get("station", _SCORING)
    parts = [station]
    if report.get("total") and station not in (_SCORING, *_OF_THE_SEARCH):
        parts.append(f"{report['finished'] / report['total']:.0%}")
    parts += [*_of_workers(report), *_of_files(report)]
    for key, words in (
        ("evaluated", "sets evaluated"),
        ("expanded", "nodes expanded"),
        ("stored", "nodes stored"),
    ):
        if report.get(key):
            rate = f" ({report[key] / seconds:,.0f} a second)" if key == "evaluated" and seconds > 0 else ""
            parts.append(f"{report[key]:,} {words}{rate}")
    if report.get("expanded") and seconds > 0:
        parts.append(f"{report['generated'] / seconds / 1e6:.1f} million generated a second")
    lower, upper = report.get("lower_bound"), report.get("upper_bound")
    if lower is not None and upper is not None:
        parts.append(f"cost {lower:,.2f} to {upper:,.2f}, gap {upper - lower:,.2f}")
    return ", ".join([*parts, f"{seconds:.1f} s", *([f"{memory / 1e6:.0f} MB"] if memory else [])])


def _of_workers(report: dict[str, Any]) -> list[str]:
    """Of work that is spread.

    >>> _of_workers({"finished": 30, "total": 200, "running": 6, "workers": 2, "bytes_held": 12_000_000})
    ['30 of 200 tasks done', '6 with 2 workers', '12 MB held there']
    """
    if not report.get("workers"):
        return []
    count = report["workers"]
    told = [f"{report['finished']:,} of {report['total'] or 0:,} tasks done"]
    told.append(f"{report.get('running') or 0:,} with {count:,} worker{'' if count == 1 else 's'}")
    return told + ([f"{report['bytes_held'] / 1e6:,.0f} MB held there"] if report.get("bytes_held") else [])


def _of_files(report: dict[str, Any]) -> list[str]:
    """Of a search whose layers are files.

    >>> _of_files({"layer": 12, "bytes_in_files": 3_400_000_000, "bytes_to_come": 900_000_000})
    ['layer 12', '3.40 GB in files', 'about 0.90 GB more in this layer']
    """
    if not report.get("bytes_in_files"):
        return []
    told = [f"layer {report['layer']}", f"{report['bytes_in_files'] / 1e9:,.2f} GB in files"]
    return told + (
        [f"about {report['bytes_to_come'] / 1e9:,.2f} GB more in this layer"] if report["bytes_to_come"] else []
    )


# Scoring and search count within one level, which says nothing of the whole.
_SCORING = "parent graph"
_OF_THE_SEARCH = ("upper bound", "pattern database", "search")


def graph_document(
    graph: ParentGraph, output: str, seconds: float, table: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The JSON object about a parent graph that was written."""
    from sabna.base.cost import QUANTA_PER_NAT
    from sabna.base.version import __version__
    from sabna.table.missing import account_of

    return {
        "status": "done",
        "output": output,
        "n": graph.n,
        "rows": graph.rows,
        "score_type": graph.score,
        "quantum": 1 / QUANTA_PER_NAT,
        "parent_graph": {"sets": len(graph), **graph.statistics},
        **({**account_of(table), "table": table} if table is not None else {}),
        "seconds": seconds,
        "peak_memory_bytes": peak_memory(),
        "version": __version__,
    }

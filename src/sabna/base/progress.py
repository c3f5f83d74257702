"""Progress: whoever runs long calls a function with a `ProgressReport`, some times a second.

A `ProgressReport` is a dictionary whose entries are attributes too, with these types:

    station         str             what is being done: "parent graph", "upper bound", "pattern database", "search", ...
    seconds         float           since the run began; earlier parts of a run that was resumed included
    lower_bound     float | None    what the best network costs at least, in nats; None until something is proven
    upper_bound     float | None    what the best network found costs, in nats; None until there is one
    lower, upper    int | None      the same as integers, in quanta of 2^-30 nat
    evaluated       int             local scores computed
    expanded, generated, stored   int   nodes of the search
    finished        int             parts of the work at hand that are done: levels, components, replicates
    total           int | None      all of them; None where that is not known beforehand
    workers, running, bytes_held    int | None    of work that is spread: workers, tasks they have, bytes of data they
                                    hold; None where the work is done by threads of this process
    layer, bytes_in_files, bytes_to_come    int | None    of a breadth-first search whose layers are files: the layer,
                                    what is written, and an estimate of what this layer will still write; None elsewhere

The bounds are about the whole, whatever station reports: the lower one never falls, the upper one never rises, and the
best network lies between. `learn` knows both from its first report on; a bootstrap or a list of the k best networks has
no bounds of its own, and reports None. `best_parents()` is the best network of the search, None until it has one; at
first it may cost more than `upper_bound`, which the network that was found while scoring may have set.

A callback may end the run by raising KeyboardInterrupt: the best network so far is then the result, as after Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sabna.base.cost import INFINITE

Parents = dict[str, tuple[str, ...]]
# Under this key a report carries the function that tells the best network; it is not an entry of the report.
BEST = "best_parents"
# What a report tells beside its bounds, where there is nothing to tell.
NOTHING = {"station": "", "evaluated": 0, "finished": 0, "total": 0, "expanded": 0, "generated": 0, "stored": 0}
COUNTS = ("evaluated", "expanded", "generated", "stored", "finished")
SPREAD = ("workers", "running", "bytes_held")
IN_FILES = ("layer", "bytes_in_files", "bytes_to_come")
OPTIONAL = ("lower_bound", "upper_bound", "lower", "upper", "total", *SPREAD, *IN_FILES)


class ProgressReport(dict[str, Any]):
    """One report of a run under way, see the head of this module.

    >>> report = ProgressReport({"station": "search", "seconds": 1.5, "lower": -(2**62), "total": 0, "finished": 3})
    >>> report.station, report["seconds"], report.lower_bound, report.lower, report.total, report.expanded
    ('search', 1.5, None, None, None, 0)
    >>> ProgressReport({"lower_bound": 90.0, "upper_bound": 120.5}).gap
    30.5
    """

    def __init__(self, report: Mapping[str, Any]) -> None:
        entries = {"station": str(report.get("station") or ""), "seconds": float(report.get("seconds") or 0.0)}
        numbers: dict[str, Any] = {key: int(report.get(key) or 0) for key in COUNTS}
        known: dict[str, Any] = {key: _known(report.get(key)) for key in OPTIONAL}
        known["total"] = known["total"] or None
        super().__init__({**entries, **known, **numbers})
        self._best: Callable[[], Parents] | None = report.get(BEST)

    @property
    def station(self) -> str:
        """What is being done."""
        return str(self["station"])

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return float(self["seconds"])

    @property
    def lower_bound(self) -> float | None:
        """What the best network costs at least, in nats; None until something is proven."""
        return _float(self["lower_bound"])

    @property
    def upper_bound(self) -> float | None:
        """What the best network found costs, in nats; None until there is one."""
        return _float(self["upper_bound"])

    @property
    def gap(self) -> float | None:
        """The distance of the two bounds; None while one of them is unknown."""
        low, high = self.lower_bound, self.upper_bound
        return None if low is None or high is None else high - low

    @property
    def lower(self) -> int | None:
        """`lower_bound` in quanta."""
        return _int(self["lower"])

    @property
    def upper(self) -> int | None:
        """`upper_bound` in quanta."""
        return _int(self["upper"])

    @property
    def evaluated(self) -> int:
        """Local scores computed."""
        return int(self["evaluated"])

    @property
    def expanded(self) -> int:
        """Nodes of the search that were expanded."""
        return int(self["expanded"])

    @property
    def generated(self) -> int:
        """Nodes of the search that were generated."""
        return int(self["generated"])

    @property
    def stored(self) -> int:
        """Nodes of the search that are stored."""
        return int(self["stored"])

    @property
    def finished(self) -> int:
        """Parts of the work at hand that are done."""
        return int(self["finished"])

    @property
    def total(self) -> int | None:
        """All parts of the work at hand; None where that is not known beforehand."""
        return _int(self["total"])

    @property
    def workers(self) -> int | None:
        """Workers of an engine; None where the work is done by threads of this process."""
        return _int(self["workers"])

    @property
    def running(self) -> int | None:
        """Tasks that the workers of an engine have; None without one."""
        return _int(self["running"])

    @property
    def bytes_held(self) -> int | None:
        """Bytes of data that the workers of an engine hold; None where that is not known."""
        return _int(self["bytes_held"])

    @property
    def layer(self) -> int | None:
        """The layer of a search whose layers are files; None of others."""
        return _int(self["layer"])

    @property
    def bytes_in_files(self) -> int | None:
        """Bytes in the files of the layers; None where there are none."""
        return _int(self["bytes_in_files"])

    @property
    def bytes_to_come(self) -> int | None:
        """An estimate of what the layer will still write; None where that is not known."""
        return _int(self["bytes_to_come"])

    @property
    def share(self) -> float | None:
        """The finished part of the work at hand; None where the whole is not known."""
        return None if self.total is None else min(self.finished / self.total, 1.0)

    def best_parents(self) -> Parents | None:
        """The best network found so far, as parents by variable; None until the search has one."""
        return None if self._best is None else self._best()


def _known(value: Any) -> Any:
    """A bound or count; None if it is unknown, which the core writes as an infinite number."""
    return None if value is None or abs(value) >= INFINITE else value


def _float(value: Any) -> float | None:
    return None if value is None else float(value)


def _int(value: Any) -> int | None:
    return None if value is None else int(value)


ProgressCallback = Callable[[dict[str, Any]], None]


class Told:
    """A callback of the user's, which is given a `ProgressReport` whatever a station reports."""

    def __init__(self, callback: Callable[[ProgressReport], object]) -> None:
        self._callback = callback

    def __call__(self, report: Mapping[str, Any]) -> None:
        """Pass a report on."""
        self._callback(report if isinstance(report, ProgressReport) else ProgressReport(report))

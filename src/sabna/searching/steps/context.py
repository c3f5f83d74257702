"""What a step is given beside its part, and what it returns.

A step is a function of a part and a context. It never changes the part, and returns one of

    Narrowed   the part with better bounds, a better network, fewer parent sets
    Closed     no network below the target is left
    Solved     the best network below the target
    Split      components: their costs add
    Branch     alternatives: the cheapest counts

It raises `Stopped` where a limit or an interrupt leaves it unfinished; what it proved and found by then it has told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from sabna.base.cost import INFINITE
from sabna.base.limits import Limits
from sabna.base.progress import ProgressCallback
from sabna.base.stop import Stop, Stopped
from sabna.bounds.cuts import Cuts
from sabna.bounds.patterns import Pattern
from sabna.bounds.weights import Clusters
from sabna.searching.choices import Choice
from sabna.searching.events import Event, PartBounded, PartImproved, Reported, StepDone
from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Ints, Known, Part
from sabna.searching.steps.checkpoints import Checkpoints
from sabna.searching.steps.layer_files import LayerFiles


@dataclass(frozen=True, eq=False)
class Narrowed:
    """The part goes on, with fewer sets, better bounds or a better network."""

    part: Part


@dataclass(frozen=True)
class Closed:
    """No network of the part costs less than `lower` or its target, whichever is less."""

    lower: int


@dataclass(frozen=True, eq=False)
class Solved:
    """A network below the target, proven best up to `lower`; `choice` by positions in the whole graph."""

    cost: int
    choice: Ints
    lower: int


@dataclass(frozen=True, eq=False)
class Split:
    """Components of the part: one network of each makes a network of it, and costs add."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class Branch:
    """Alternatives: every network of the part below its target is a network of one of them, by the choice `how`."""

    parts: tuple[Part, ...]
    how: Choice | None = None


StepResult = Narrowed | Closed | Solved | Split | Branch


@dataclass(frozen=True)
class Effort:
    """What differs between those who use the steps: the default strategy, plain A*, the k best."""

    # Budget of dual ascent in parent sets looked at: so many, and so many more for every variable.
    ascent_work: int = 50_000_000
    ascent_work_per_variable: int = 0
    # Starts of the first local search.
    restarts: int = 8
    # Whether parent sets are struck out; without it bounds alone are raised, and a limit is left to the next step.
    strike: bool = True
    # Whether better networks are looked for on the way.
    improve: bool = False


class SearchFiles(Protocol):
    """Who has the files of searches of the order lattice."""

    def layers(self, part: Part) -> LayerFiles:
        """Where the layers of a part's breadth-first search are kept."""

    def checkpoints(self, part: Part) -> Checkpoints:
        """Where A*, and branch and bound, keep how far they are in a part."""


def _ignore(event: Event) -> None:
    """Nobody listens."""


@dataclass(frozen=True, eq=False)
class Context:
    """What a step needs that is no data of its part."""

    options: SearchOptions
    limits: Limits
    effort: Effort = Effort()
    emit: Callable[[Event], None] = _ignore
    # Whether someone listens who needs the weights behind every single struck set.
    ledger: bool = False
    # Seconds of the run until which a local search may go on even if the time limit is over.
    grace: float = 0.0
    # Where searches of the order lattice keep how far they are; None: nowhere.
    files: SearchFiles | None = None

    def core(self, part: Part) -> dict[str, Any]:
        """What the core is given: what is left of the limits, and the progress callback."""
        return {"limits": self.limits.left(), "progress": self.reports_of(part)}

    def reports_of(self, part: Part) -> ProgressCallback:
        """What takes the core's progress reports about a part."""

        def report(report: dict[str, Any]) -> None:
            if part.lower < report["lower"] < INFINITE:
                self.bounded(part, report["lower"])
            self.emit(Reported(part, report))

        return report

    def done(self, part: Part, step: str, **counts: float) -> None:
        """Tell that a step has been made."""
        self.emit(StepDone(part, step, counts))

    def bounded(
        self,
        part: Part,
        bound: int,
        clusters: Clusters | None = None,
        patterns: tuple[Pattern, ...] = (),
        cuts: Cuts | None = None,
    ) -> Part:
        """Tell a lower bound; the part with it."""
        part = part.raised(bound)
        self.emit(PartBounded(part, part.lower, clusters, patterns, cuts))
        return part

    def improved(self, part: Part, known: Known, source: str) -> Part:
        """Tell a network of the part; the part with it, if it is below the target."""
        if known.cost >= part.target:
            return part
        part = part.improved(known)
        self.emit(PartImproved(part, known.cost, known.choice, source))
        return part

    def check(self, stop: Stop) -> None:
        """Leave if a call of the core was stopped, or a limit has struck outside it."""
        if stop != Stop.none:
            raise Stopped(stop)


class Step(NamedTuple):
    """A step and its name."""

    name: str
    run: Callable[[Part, Context], StepResult]

"""What happens in a search, as data: one class for each kind of event.

    Started
      StepDone            a step has been made on a part, with what it counted
        PartBounded       a lower bound of the part, and the weights that prove it
        Fixed             parent sets struck out, and the weights or patterns that justify it
        Searched          a search of the order lattice, with the sets it expanded
        PartImproved      a network of the part
        Reported          a progress report of the core
      Narrower | SplitInto | BranchedInto | PartClosed     what became of the part
      BoundRaised | NetworkFound                           about the whole
    Ended

A listener is a function of one event. Whoever wants to check the proof finds here all that it rests on: the sets are
named by their positions in the whole graph (`Fixed.positions`), the weights are those of the part's own variables
(`part.members` has their numbers in the whole graph). Events refer to arrays and copy none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.stop import Stop
from sabna.bounds.cuts import Cuts
from sabna.bounds.patterns import Pattern
from sabna.bounds.weights import Clusters
from sabna.parents.graph import ParentGraph
from sabna.searching.choices import Choice
from sabna.searching.part import Ints, Part


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happened."""


Listener = Callable[[Event], None]


@dataclass(frozen=True, eq=False)
class Started(Event):
    """A search begins, or goes on; part 0 is the whole graph."""

    graph: ParentGraph
    tolerance: int  # quanta
    lower: int
    cost: int


@dataclass(frozen=True, eq=False)
class StepDone(Event):
    """A step has been made; `part` as it was then, before sets were struck out."""

    part: Part
    step: str
    counts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class PartBounded(Event):
    """`lower` bounds every network of the part below its target.

    By the cluster bound of `clusters`, by the bound of `cuts` (clusters and cuts derived from them) over the sets of
    `part` not struck out by then, or by the best of `patterns`, the first; by none of them where a search says so.
    """

    part: Part
    lower: int
    clusters: Clusters | None = None
    patterns: tuple[Pattern, ...] = ()
    cuts: Cuts | None = None


@dataclass(frozen=True, eq=False)
class Fixed(Event):
    """Parent sets of `part` (`struck` marks them) that no network of it below `target` has.

    Justified by the reduced costs under `clusters` or `cuts`, or by the tables of `patterns`, over all sets of `part`
    not struck out by then.
    """

    part: Part
    target: int
    struck: NDArray[np.bool_]
    clusters: Clusters | None = None
    patterns: tuple[Pattern, ...] = ()
    by: NDArray[np.uint8] | None = None  # bit j: pattern j strikes the set out
    cuts: Cuts | None = None

    @property
    def positions(self) -> Ints:
        """The struck sets' positions in the whole graph."""
        return self.part.origin[self.struck]


@dataclass(frozen=True, eq=False)
class Searched(Event):
    """A search of the order lattice proves `lower` of the part; `placed` are the sets it expanded, None if too many.

    Its heuristic is the best of `patterns`, or the cluster bound where there is none.
    """

    part: Part
    lower: int
    placed: NDArray[np.uint64] | None
    clusters: Clusters
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, eq=False)
class PartImproved(Event):
    """A network of the part that beats those known; `source` says what found it."""

    part: Part
    cost: int
    choice: Ints
    source: str


@dataclass(frozen=True, eq=False)
class Reported(Event):
    """A progress report of the core while it works on a part."""

    part: Part
    report: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Narrower(Event):
    """A step has struck out parent sets."""

    before: Part
    after: Part


@dataclass(frozen=True, eq=False)
class SplitInto(Event):
    """A part fell apart into components, whose costs add."""

    part: Part
    parts: tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class BranchedInto(Event):
    """A part was replaced by alternatives: every network of it below its target is a network of one of them.

    `how` says what each alternative strikes out, by variables of the whole graph; None if the parts alone say it. Where
    arcs were turned round, a network may be none of theirs, while another one is that costs no more (choices.py). An
    alternative that leaves some variable without a set is not among `parts`.
    """

    part: Part
    parts: tuple[Part, ...]
    how: Choice | None = None


@dataclass(frozen=True, eq=False)
class PartClosed(Event):
    """Nothing is left to do for the part: no network of it costs less than `lower`, as far as it is below the target.

    `how` is the step that closed it, "split" or "branch" where its own parts did, "bound" where the target fell to the
    bound. The step's weights are those of `part`. `cost` is what the best network known of it costs; None if none is.
    """

    part: Part
    how: str
    lower: int
    cost: int | None


@dataclass(frozen=True, eq=False)
class BoundRaised(Event):
    """A lower bound of the whole graph."""

    lower: int


@dataclass(frozen=True, eq=False)
class NetworkFound(Event):
    """A network of the whole graph; `choice[i]` is a position in its arrays."""

    cost: int
    choice: Ints


@dataclass(frozen=True, eq=False)
class Ended(Event):
    """The search ends, for the reason `stop` (sabna.base.stop), with these bounds."""

    stop: Stop
    lower: int
    cost: int

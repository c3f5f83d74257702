"""What a strategy is: the one who decides which step a part needs next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Part
from sabna.searching.steps.context import Context, Effort, Step


class Strategy(Protocol):
    """Decides by the data of a part alone, so that a search goes the same way wherever and whenever it goes on."""

    @property
    def effort(self) -> Effort:
        """How hard the steps are to try."""

    @property
    def networks_first(self) -> bool:
        """Whether every component of the whole gets a network before anything else."""

    @property
    def side_by_side(self) -> bool:
        """Whether components are worked on side by side, and not one after the other."""

    def network_first(self, part: Part) -> bool:
        """Whether the part's next step is such a first network."""

    def next_step(self, part: Part, context: Context) -> Step:
        """The next step of an open part."""

    def advance(self, step: str, before: Part, after: Part) -> Part:
        """What a step made of a part, with its progress noted."""

    def statistics(self, counts: Mapping[str, float], options: SearchOptions) -> dict[str, Any]:
        """What the result tells about the search, from what its steps counted."""

"""The result of a search: the best network known, the proof, and how it was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sabna.network import Network
from sabna.parentgraph import QUANTA_PER_NAT

# Why a run ended; the position is the value of `Stop` in core/watch.h.
STATUSES = ("optimal", "time_limit", "memory_limit", "interrupted")


@dataclass(frozen=True, eq=False)
class Result:
    """A network with its status and bounds. Costs are in quanta (2^-30 nat, lower is better).

    `status` is "optimal" when `cost_quanta - lower_bound_quanta` is at most the gap tolerance, otherwise it says what
    ended the run. `statistics` holds the sections "parent_graph" and "search" of the JSON output, and the "trace".
    """

    network: Network
    status: str
    cost_quanta: int
    lower_bound_quanta: int
    gap_tolerance: float = 1e-6
    rows: int | None = None
    score_type: str | None = None
    seconds: float = 0.0
    peak_memory_bytes: int = 0
    statistics: dict[str, Any] = field(default_factory=dict)

    @property
    def cost(self) -> float:
        """Cost of the network in nats; lower is better."""
        return self.cost_quanta / QUANTA_PER_NAT

    @property
    def score(self) -> float:
        """Score of the network with its usual sign: natural logarithm, higher is better."""
        return -self.cost

    @property
    def upper_bound(self) -> float:
        """Cost of the best network known."""
        return self.cost

    @property
    def lower_bound(self) -> float:
        """No network costs less than this."""
        return self.lower_bound_quanta / QUANTA_PER_NAT

    @property
    def gap(self) -> float:
        """How far the network may be from the optimum, in nats."""
        return (self.cost_quanta - self.lower_bound_quanta) / QUANTA_PER_NAT

    @property
    def is_optimal(self) -> bool:
        """Whether the network is proven to be optimal, within the gap tolerance."""
        return self.status == "optimal"

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of the command line."""
        from sabna import __version__

        return {
            "status": self.status,
            "score": self.score,
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "upper_bound": self.upper_bound,
            "gap": self.gap,
            "gap_tolerance": self.gap_tolerance,
            "quantum": 1 / QUANTA_PER_NAT,
            "cost_quanta": self.cost_quanta,
            "lower_bound_quanta": self.lower_bound_quanta,
            "n": len(self.network.variables),
            "rows": self.rows,
            "score_type": self.score_type,
            "parents": {child: list(parents) for child, parents in self.network.parents.items()},
            "order": list(self.network.order),
            **self.statistics,
            "seconds": self.seconds,
            "peak_memory_bytes": self.peak_memory_bytes,
            "version": __version__,
        }

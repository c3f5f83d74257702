"""The default strategy: bounds first, search last.

    components -> upper bound by local search
    few variables: dense tables, done
    repeat: dual ascent -> cluster program -> fixing -> pattern databases on reduced costs -> fixing -> components
    what is left: A* over these databases, and depth-first branch and bound when memory runs short

The target is what a network must cost less than to be of interest: the best cost known, less the tolerance. Fixing
strikes out parent sets that no network below the target uses. So from then on a part of the graph need not contain the
best network known; that one is kept aside, and "no network below the target is left" proves that it is optimal.

Which step is next is decided in `decisions`, by measured sizes and progress. `--explain` prints every step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sabna.searching import decisions
from sabna.searching.outcome import SearchOptions
from sabna.searching.part import Part
from sabna.searching.steps import STEPS
from sabna.searching.steps.context import Context, Effort, Step

# What its steps count.
COUNTED = (
    "expanded",
    "generated",
    "stored",
    "pruned",
    "pivots",
    "program_rounds",
    "group_rounds",
    "fixed_sets",
    "dense_components",
)


class Auto:
    """Bounds, fixing and, where still needed, search."""

    effort = Effort(
        ascent_work=decisions.ASCENT_WORK,
        ascent_work_per_variable=decisions.ASCENT_WORK_PER_VARIABLE,
        restarts=decisions.RESTARTS,
        improve=True,
    )
    networks_first = True
    side_by_side = True

    def network_first(self, part: Part) -> bool:
        """So that from the first second on there is a network of the whole."""
        return decisions.network_first(part)

    def next_step(self, part: Part, context: Context) -> Step:
        """As `decisions` says."""
        return STEPS[decisions.next_step(part, context.limits, context.options.threads)]

    def advance(self, step: str, before: Part, after: Part) -> Part:
        """As `decisions` says."""
        return decisions.advance(step, before, after)

    def statistics(self, counts: Mapping[str, float], options: SearchOptions) -> dict[str, Any]:
        """Nodes searched, pivots, rounds, sets struck out, components solved by tables."""
        whole = {key: int(counts.get(key, 0)) for key in COUNTED}
        return {**whole, "bytes_per_node": counts.get("bytes_per_node", 0.0), "heuristic": "dual-pattern"}

"""Steps: what can be done to a part, one file each, as functions `(part, context) -> result` (context.py).

To add one, write its file, list it here, and let `decisions` ask for it by its name.
"""

from __future__ import annotations

from sabna.searching.steps import (
    branching,
    cluster_program,
    components,
    cut_program,
    dense_tables,
    dual_ascent,
    group_program,
    lattice,
    local_search,
    only_choice,
    pattern_tables,
    sources,
)

STEPS = {
    step.name: step
    for step in (
        components.STEP,
        only_choice.STEP,
        only_choice.CLOSING,
        local_search.STEP,
        dense_tables.STEP,
        dual_ascent.STEP,
        cluster_program.STEP,
        cut_program.STEP,
        group_program.STEP,
        pattern_tables.STEP,
        branching.STEP,
        sources.PROGRAM,
        sources.BRANCHING,
        lattice.TRIAL_STEP,
        lattice.ASTAR_STEP,
        lattice.BRANCH_AND_BOUND_STEP,
    )
}

__all__ = ["STEPS"]

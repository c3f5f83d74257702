"""Dual ascent: cluster weights raised greedily (core/bounds/dual_ascent.h), and fixing by them.

On many variables with long lists greedy weights end far below the target; there the volume algorithm goes on from them
(core/bounds/volume.h) before the linear program is begun, and a second local search lowers the target after that: so
that a time limit of some seconds finds a bound first.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sabna._native import core
from sabna.bounds.weights import dual_ascent, volume_ascent
from sabna.searching.decisions import DUAL_ASCENT, RESTARTS, second_work, volume_limits, volume_pays, volume_work
from sabna.searching.part import Part
from sabna.searching.steps import striking
from sabna.searching.steps.context import Closed, Context, Narrowed, Step
from sabna.searching.steps.local_search import look


def run(part: Part, context: Context) -> Narrowed | Closed:
    """Raise the weights at hand; from here on only networks that beat the known one count."""
    part = part.below_known()
    effort = context.effort
    work = effort.ascent_work + effort.ascent_work_per_variable * part.n
    bound, clusters = dual_ascent(part.graph, part.clusters, part.raise_to, context.limits, work=work, seed=1)
    if effort.improve and bound < part.raise_to and volume_pays(part):
        part = context.bounded(replace(part, clusters=clusters), bound, clusters)
        limits, threads = volume_limits(part, context.limits), context.options.threads
        bound, clusters = volume_ascent(part.graph, clusters, part.raise_to, limits, volume_work(part), threads)
        part = context.bounded(replace(part, clusters=clusters), bound, clusters)
        known = look(part, context, context.options.seed, second_work(part.n), RESTARTS)
        if known is not None:
            part = context.improved(part, known, "local search")
    part = context.bounded(replace(part, clusters=clusters), bound, clusters)
    context.done(part, DUAL_ASCENT, clusters=len(clusters))
    if not effort.strike:
        return Narrowed(part)
    context.check(context.limits.struck())
    keep = np.asarray(core.fix_by_reduced_costs(*part.graph.arrays, *clusters.arrays, part.target))
    striking.tell(part, keep == 0, context, clusters)
    return striking.left_of(part, keep)


STEP = Step(DUAL_ASCENT, run)

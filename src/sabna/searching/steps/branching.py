"""Branching: a part is replaced by two, of which every network of it is in one (choices.py).

What to branch on is read off the point of the linear program: arcs, and orders of two variables, that it leaves
fractional. Of a few candidates both sides are tried in the program itself, warm (strong branching: Applegate, Bixby,
Chvatal and Cook 1995), and the one whose sides raise the bound most is taken: by the product of the two gains, each at
most the gap, for a closed side is closed. Nothing of this needs trust. The alternatives inherit weights, cuts and
pattern; fixing by them is the first thing that happens to each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import QUANTA_PER_NAT
from sabna.bounds.cut_program import CutProgram, Solution
from sabna.bounds.cuts import Cuts
from sabna.searching import decisions
from sabna.searching.choices import Arc, Choice, Order, alternatives, struck_by
from sabna.searching.part import Part
from sabna.searching.steps.context import Branch, Closed, Context, Narrowed, Step
from sabna.searching.steps.local_search import look

Floats = NDArray[np.float64]
# Candidates tried of each kind.
TRIED = 8
# Solves until no column and no cluster enters any more.
MOST_SOLVES = 20
# Arcs and orders whose shares are nearer to 0 and 1 are no candidates.
LEAST_SHARE = 1e-3
# Gains count at least this share of the gap: a product with 0 would tell nothing about the other side.
LEAST_GAIN = 1e-3


def run(part: Part, context: Context) -> Branch | Closed | Narrowed:
    """Branch on the choice whose sides raise the bound most."""
    if context.effort.improve and not part.branches:
        part = _with_better_network(part, context)
    start = Cuts.of(part.n, part.clusters) if part.cuts is None else part.cuts
    program = CutProgram(part.graph, start)
    solution = _solved(program, context)
    choices = [] if solution is None else _candidates(part, program, solution)
    context.check(context.limits.struck())
    how = _best(part, program, solution, choices, context) if solution is not None and choices else None
    context.done(part, decisions.BRANCHING, pivots=program.pivots, branchings=int(how is not None))
    if how is None:
        return Narrowed(part)
    parts = alternatives(how, part)
    return Branch(parts, how) if parts else Closed(part.target)


def _with_better_network(part: Part, context: Context) -> Part:
    """What a long local search finds: every node to come depends on the target."""
    work, crossings = decisions.WORK_BEFORE_BRANCHING * part.n, decisions.CROSSINGS_BEFORE_BRANCHING * part.n
    known = look(part, context, context.options.seed, work, decisions.RESTARTS, crossings)
    return part if known is None else context.improved(part, known, "local search")


def _solved(program: CutProgram, context: Context) -> Solution | None:
    """The program solved over all parent sets, its point without cycles that a cluster can cut off.

    The part has kept the rows with weights only. A point of those may be whole, with a cycle: nothing to branch on.
    """
    for _ in range(MOST_SOLVES):
        solution = program.solve(context.limits)
        if solution is None:
            return None
        new = program.entering(program.reduced(program.weights(solution.duals)), solution.duals)
        clusters = program.broken_clusters(solution, 1)
        if not len(new) and not len(clusters):
            return solution
        program.add_columns(new)
        program.add_clusters(clusters, 1)
    return program.solve(context.limits)


def _candidates(part: Part, program: CutProgram, solution: Solution) -> list[Choice]:
    """Arcs and orders, the most fractional first; if none is, on many variables arcs of the point that are open."""
    members = np.unpackbits(part.graph.sets.view(np.uint8), axis=1, bitorder="little", count=part.n)
    share = np.zeros((part.n, part.n))  # [a, b]: how much of a's parent sets have b
    np.add.at(share, program.variable[program.columns], solution.share[:, None] * members[program.columns])
    arcs = _largest(np.minimum(share, 1 - share))
    orders = _largest(np.triu(np.minimum(share, share.T)))
    if not arcs and not orders and part.n > decisions.SEARCHED_AT_WHOLE_POINTS:
        having = np.add.reduceat(members, part.graph.offsets[:-1], axis=0, dtype=np.int64)
        open_ = (having > 0) & (having < np.diff(part.graph.offsets)[:, None])
        arcs = _largest(open_ * (1 + share))
    number = part.members.tolist()
    return [*(Arc(number[a], number[b]) for a, b in arcs), *(Order(number[a], number[b]) for a, b in orders)]


def _largest(value: Floats) -> list[tuple[int, int]]:
    """The places of the largest values."""
    order = np.argsort(-value, axis=None, kind="stable")[:TRIED]
    places = np.stack(np.unravel_index(order, value.shape), axis=1).tolist()
    return [(a, b) for a, b in places if value[a, b] > LEAST_SHARE]


def _best(part: Part, program: CutProgram, solution: Solution, choices: list[Choice], context: Context) -> Choice:
    """The choice with the largest product of gains."""
    gap = max((part.target - part.lower) / QUANTA_PER_NAT, 1e-9)
    gains = []
    for choice in choices:
        context.check(context.limits.struck())
        sides = [program.without(struck) - solution.objective for struck in struck_by(choice, part)]
        low, high = sorted(min(max(gain, LEAST_GAIN * gap), gap) for gain in sides)
        gains.append(round(low * high / gap**2, 9))
    return choices[int(np.argmax(gains))]


STEP = Step(decisions.BRANCHING, run)

"""Strongly connected components (core/search/components.h): a part that has fallen apart is solved in pieces."""

from __future__ import annotations

from dataclasses import replace

from sabna.searching.decisions import COMPONENTS
from sabna.searching.part import Part
from sabna.searching.steps.context import Context, Narrowed, Split, Step


def run(part: Part, context: Context) -> Narrowed | Split:
    """Split the part; the whole graph is split even if it is one component."""
    parts = part.components()
    if len(parts) > 1:
        return Split(tuple(parts))
    return Narrowed(part) if part.depth > 0 else Split((replace(part, depth=1),))


STEP = Step(COMPONENTS, run)

"""Striking out parent sets (fixing, core/bounds/fixing.h): what follows once a step has marked those that may stay."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.bounds.cuts import Cuts
from sabna.bounds.patterns import Pattern
from sabna.bounds.weights import Clusters
from sabna.searching.events import Fixed
from sabna.searching.part import Part
from sabna.searching.steps.context import Closed, Context, Narrowed


def tell(
    part: Part,
    struck: NDArray[np.bool_],
    context: Context,
    clusters: Clusters | None = None,
    patterns: tuple[Pattern, ...] = (),
    by: NDArray[np.uint8] | None = None,
    cuts: Cuts | None = None,
) -> None:
    """Tell which sets go, and by which weights or patterns."""
    if context.ledger and struck.any():
        context.emit(Fixed(part, part.target, struck, clusters, patterns, by, cuts))


def left_of(part: Part, keep: NDArray[Any]) -> Narrowed | Closed:
    """The part with the marked sets only; closed if its bound has reached the target, or some variable has none."""
    left = part.keeping(keep.astype(bool)) if part.lower < part.target else None
    return Closed(part.target) if left is None else Narrowed(left)

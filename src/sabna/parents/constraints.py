"""What limits the parents of each variable: prior knowledge, `max_parents`, and how near the best a set must be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import LARGEST_SLACK, QUANTA_PER_NAT
from sabna.base.errors import UsageError
from sabna.base.varsets import MAX_VARIABLES
from sabna.parents.knowledge import Constraints, Knowledge

PLAIN_DOMINANCE = -1  # slack in quanta: a set must beat all its subsets (core/parents/slack.h)


def parent_limits(max_parents: int | Mapping[str, int] | None, names: tuple[str, ...]) -> NDArray[np.int64]:
    """The most parents of each variable; a mapping limits those it names."""
    n = len(names)
    limits = np.full(n, n, dtype=np.int64)
    if isinstance(max_parents, Mapping):
        for name, limit in max_parents.items():
            if name not in names:
                raise UsageError(f"max_parents: unknown variable {name!r}")
            limits[names.index(name)] = _parent_limit(limit)
    elif max_parents is not None:
        limits[:] = _parent_limit(max_parents)
    return limits


def _parent_limit(limit: int) -> int:
    if isinstance(limit, bool) or int(limit) != limit or limit < 0:
        raise UsageError(f"max_parents {limit!r}: write a whole number, 0 or more")
    return min(int(limit), MAX_VARIABLES)


def slack_quanta(slack: float | None) -> int:
    """Slack in nats as the core takes it; None is plain dominance."""
    if slack is None:
        return PLAIN_DOMINANCE
    if not (slack >= 0 and math.isfinite(slack)):
        raise UsageError(f"slack {slack!r}: write nats, 0 or more")
    return min(round(slack * QUANTA_PER_NAT), LARGEST_SLACK)


def constraints_of(
    knowledge: Any, names: tuple[str, ...], max_parents: int | Mapping[str, int] | None
) -> tuple[Knowledge, Constraints]:
    """The knowledge, and what it means together with `max_parents`."""
    known = Knowledge.of(knowledge)
    if isinstance(max_parents, Mapping):
        parent_limits(max_parents, names)  # checks names and numbers
        tighter = {v: min(k, known.max_parents.get(v, k)) for v, k in max_parents.items()}
        both = Knowledge(**{**known.to_dict(), "max_parents": {**known.max_parents, **tighter}})
        return known, both.compile(names)
    return known, known.compile(names, None if max_parents is None else int(parent_limits(max_parents, names[:1])[0]))

"""What limits the parents of each variable: prior knowledge, `max_parents`, and how near the best a set must be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import LARGEST_SLACK, QUANTA_PER_NAT
from sabna.base.errors import UsageError, quoted
from sabna.base.varsets import MAX_VARIABLES
from sabna.parents.knowledge import Constraints, Knowledge

PLAIN_DOMINANCE = -1  # slack in quanta: a set must beat all its subsets (core/parents/slack.h)


# One limit for all, limits by name, or texts such as "3" and "age=1".
ParentLimits = int | Mapping[str, int] | Iterable[str] | None


def limits_by_name(max_parents: ParentLimits, names: Sequence[str]) -> int | Mapping[str, int] | None:
    """Texts as a number or a mapping; a variable's own limit replaces the limit for all.

    >>> limits_by_name(["3", "age=1"], ["age", "sex"])
    {'age': 1, 'sex': 3}
    """
    if max_parents is None or isinstance(max_parents, Mapping) or not isinstance(max_parents, Iterable):
        return max_parents
    overall: int | None = None
    by_name: dict[str, int] = {}
    for text in max_parents:
        name, equals, number = text.rpartition("=")  # a name may hold "="
        if not number.isascii() or not number.isdigit():
            raise UsageError(f"max_parents {text!r}: write a number, or NAME=NUMBER")
        if equals and name not in names:
            raise UsageError(f"max_parents {text!r}: there is no variable {name!r}; check its name")
        before = by_name.get(name) if equals else overall
        if before not in (None, int(number)):
            raise UsageError(f"max_parents {text!r}: the limit before it was {before}; give one of the two")
        if equals:
            by_name[name] = int(number)
        else:
            overall = int(number)
    if overall is None or not by_name:
        return by_name or overall
    return {**dict.fromkeys(names, overall), **by_name}


def parent_limits(max_parents: ParentLimits, names: tuple[str, ...]) -> NDArray[np.int64]:
    """The most parents of each variable; a mapping limits those it names."""
    n = len(names)
    max_parents = limits_by_name(max_parents, names)
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
    if isinstance(limit, bool) or not limit >= 0 or limit != limit // 1:
        raise UsageError(f"max_parents {limit!r}: write a whole number, 0 or more")
    return min(int(limit), MAX_VARIABLES)


def slack_quanta(slack: float | None) -> int:
    """Slack in nats as the core takes it; None is plain dominance."""
    if slack is None:
        return PLAIN_DOMINANCE
    if isinstance(slack, bool) or not isinstance(slack, int | float) or not (slack >= 0 and math.isfinite(slack)):
        raise UsageError(f"slack {quoted(slack, 40)}: write nats, 0 or more")
    return min(round(slack * QUANTA_PER_NAT), LARGEST_SLACK)


def constraints_of(knowledge: Any, names: tuple[str, ...], max_parents: ParentLimits) -> tuple[Knowledge, Constraints]:
    """The knowledge, and what it means together with `max_parents`."""
    known = Knowledge.of(knowledge)
    max_parents = limits_by_name(max_parents, names)
    if isinstance(max_parents, Mapping):
        parent_limits(max_parents, names)  # checks names and numbers
        tighter = {v: min(k, known.max_parents.get(v, k)) for v, k in max_parents.items()}
        both = Knowledge(**{**known.to_dict(), "max_parents": {**known.max_parents, **tighter}})
        return known, both.compile(names)
    return known, known.compile(names, None if max_parents is None else int(parent_limits(max_parents, names[:1])[0]))

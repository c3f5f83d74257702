"""Scores in text files: decimal numbers to be maximised, against costs in quanta to be minimised.

Written with 10 decimals, a score is off by at most 0.06 of a quantum (2^-30 nat, about 9.3e-10), so that reading finds
the same integer again. Read scores are rounded once, to the nearest quantum; below 2^20 nats a double carries them with
12 bits to spare, larger ones are rounded exactly as fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sabna.base.cost import LARGEST_TOTAL, QUANTA_PER_NAT

DECIMALS = 10
_UNIT = 10**DECIMALS
_SAFE_FOR_DOUBLE = float(1 << 20)


def score_text(cost: int) -> str:
    """A cost in quanta as a score.

    >>> score_text(3 << 29), score_text(-1)
    ('-1.5000000000', '0.0000000009')
    """
    scaled = (abs(cost) * _UNIT * 2 + QUANTA_PER_NAT) // (2 * QUANTA_PER_NAT)
    return f"{'-' if cost > 0 else ''}{scaled // _UNIT}.{scaled % _UNIT:0{DECIMALS}d}"


def costs_of_scores(scores: Sequence[float], words: Sequence[bytes]) -> NDArray[np.int64]:
    """Quanta of finite scores, given as doubles and as they stand in the file (`words`, for those a double cannot
    hold).

    Costs beyond LARGEST_TOTAL come back as LARGEST_TOTAL, for the caller to refuse.
    """
    values = np.asarray(scores, dtype=np.float64)
    large = np.abs(values) >= _SAFE_FOR_DOUBLE
    costs: NDArray[np.int64] = np.rint(np.where(large, 0.0, values) * -QUANTA_PER_NAT).astype(np.int64)
    for k in np.flatnonzero(large).tolist():
        exact = round(Fraction(words[k].decode()) * -QUANTA_PER_NAT) if abs(values[k]) < 2.0**40 else LARGEST_TOTAL
        costs[k] = max(-LARGEST_TOTAL, min(LARGEST_TOTAL, exact))
    return costs

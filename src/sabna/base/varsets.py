"""Sets of variables as bits in 64-bit words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `sabna --help` needs the constant below, and not numpy
    import numpy as np
    from numpy.typing import NDArray

# The widest set the core is compiled for.
MAX_VARIABLES = 2048


def words_for(n: int) -> int:
    """64-bit words of a set of n variables: 1, 2, 4 or 32, the widths that the core is compiled for."""
    return next(words for words in (1, 2, 4, 32) if n <= 64 * words)


def words_in_files(n: int) -> int:
    """64-bit words of a set of n variables in files and fingerprints, whatever the core is compiled for."""
    return next(words for words in (1, 2, 4, 8, 32) if n <= 64 * words)


def members(words: NDArray[np.uint64]) -> tuple[int, ...]:
    """The variables in a set.

    >>> import numpy as np
    >>> members(np.array([0b1010, 1], dtype=np.uint64))
    (1, 3, 64)
    """
    bits = 0
    for k, word in enumerate(words.tolist()):
        bits |= word << (64 * k)
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return tuple(found)


def set_words(sets: Sequence[Iterable[int]], n: int) -> NDArray[np.uint64]:
    """Sets of variables as the core takes them: bits in 64-bit words, one row per set."""
    import numpy as np

    words = np.zeros((len(sets), words_for(n)), dtype=np.uint64)
    for row, members in zip(words, sets, strict=True):
        for v in members:
            row[v >> 6] |= np.uint64(1 << (v & 63))
    return words

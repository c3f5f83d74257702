"""The average of a program's points, beside a plain definition."""

from __future__ import annotations

import numpy as np
import pytest

from sabna.bounds.average_point import LEAST_AVERAGE, AveragePoint


@pytest.mark.parametrize("seed", range(5))
def test_the_average_is_what_its_definition_says(seed: int) -> None:
    """Protects from shares of sets that were struck out: cuts would seem broken that are not."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, 6)
    average, plain = AveragePoint(np.concatenate([[0], np.cumsum(sizes)]), 0.3), [np.zeros(size) for size in sizes]
    for _ in range(12):
        keep = [rng.random(len(shares)) < 0.9 for shares in plain]
        for marks in keep:
            marks[rng.integers(len(marks))] = True
        point = [np.where(marks & (rng.random(len(marks)) < 0.5), rng.random(len(marks)), 0.0) for marks in keep]
        point = [p / p.sum() if p.any() else marks / marks.sum() for p, marks in zip(point, keep, strict=True)]
        plain = [shares * marks for shares, marks in zip(plain, keep, strict=True)]
        plain = [
            0.7 * shares / shares.sum() + 0.3 * p if shares.sum() > 1e-6 else p
            for shares, p in zip(plain, point, strict=True)
        ]
        marks = np.concatenate(keep)
        every = np.concatenate(point)
        columns = np.flatnonzero(every > 0)
        average.remember(columns, every[columns], marks)
        assert np.allclose(average.share, np.concatenate(plain))
        if rng.random() < 0.3:
            plain = [shares[m] for shares, m in zip(plain, keep, strict=True)]
            average.restrict(np.concatenate([[0], np.cumsum([len(shares) for shares in plain])]), marks)
        which, share = average.support()
        assert (average.share[which] > LEAST_AVERAGE).all()
        assert np.allclose(np.bincount(average.variable[which], share), 1)

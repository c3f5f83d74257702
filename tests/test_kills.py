"""Runs that are really killed: a hundred times SIGKILL, each resumed to the answer of an unbroken run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kills import trials


@pytest.mark.slow
def test_a_hundred_kills_change_no_answer(tmp_path: Path) -> None:
    found = list(trials(100, seed=1, folder=tmp_path))
    assert all(right for _, _, right in found)
    assert sum(len(struck) for _, struck, _ in found) == 100

"""A fixed small part of the faults; all of them: `make faults`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.repeats import few_or_many

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and /dev/full")


@few_or_many("parts", ["--part", "writes"], [])
def test_faults_leave_what_is_promised(parts: list[str]) -> None:
    """Streams, signals and limits of memory that are named are in tests/test_cli_ending.py, those drawn are slow."""
    command = [sys.executable, "-m", "tests.faults", "--short", "--seed", "1", *parts]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "0 failures" in ended.stdout

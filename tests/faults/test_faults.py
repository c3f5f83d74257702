"""A fixed small part of the faults; all of them: `make faults`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and /dev/full")


@pytest.mark.slow
def test_faults_leave_what_is_promised() -> None:
    """Drawn at random; those that are named are in tests/test_cli_ending.py and tests/test_workdir.py."""
    command = [sys.executable, "-m", "tests.faults", "--short", "--seed", "1"]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "0 failures" in ended.stdout

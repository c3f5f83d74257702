"""What the tests share: where the benchmark data lies, if it does."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# Tests run side by side, and threads of numpy wait in a loop: the command does without them too (sabna/cli).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A slow machine must not fail a test.
hypothesis.settings.register_profile("sabna", deadline=None)
hypothesis.settings.load_profile("sabna")

# A shell starts what it runs in the background with SIGINT ignored, and children inherit that: tests of Ctrl-C need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Files of tests are kept in memory where there is plenty: a disk takes a good part of the time of tests of files.
# Some of them are run as commands.
MEMORY = Path("/dev/shm")
if (
    MEMORY.is_dir()
    and os.access(MEMORY, os.W_OK | os.X_OK)
    and shutil.disk_usage(MEMORY).free > 4 << 30
    and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

SHARED = Path(os.environ.get("SABNA_SHARED", Path(__file__).resolve().parents[2] / "shared"))


# Who owns nothing: permissions bind this user where they do not bind root.
NOBODY = 65534


# Loading the libraries of all tests leaves little garbage; looking for it takes an eighth of the time of collecting.
gc.disable()


def pytest_collection_finish() -> None:
    """The libraries of all tests are loaded now: nobody need look through them for garbage again and again."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left_in_the_project() -> Iterator[None]:
    """A test that writes to a relative path leaves its file where it was started, and somebody commits it."""
    root = Path(__file__).resolve().parents[1]
    before = set(os.listdir(root))
    yield
    left = {name for name in set(os.listdir(root)) - before if not name.startswith(".")} - {"build", "dist"}
    assert not left, f"files that a test left in {root}: {sorted(left)}"


@pytest.fixture
def ordinary_folder() -> Iterator[Path]:
    """A folder of a user whom permissions bind; as root the test runs as nobody meanwhile."""
    with tempfile.TemporaryDirectory() as name:
        root = os.geteuid() == 0
        if root:
            os.chown(name, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield Path(name)
        finally:
            if root:
                os.seteuid(0)


@pytest.fixture(scope="session")
def benchmark_data() -> Path:
    """The folder of benchmark data beside the project; a test that needs it is skipped without."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the benchmark data is not there")
    return SHARED / "data"

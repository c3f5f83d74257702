"""Sizes as users write them, and what is left of a run's limits."""

from __future__ import annotations

import pickle
import threading
import time
from dataclasses import replace

import pytest

import sabna
from sabna.base import limits as limits_module
from sabna.base.errors import UsageError
from sabna.base.limits import Limits, parse_size, process_memory
from sabna.base.stop import Stop


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("17", 17), ("5kB", 5000), ("1.5GB", 1_500_000_000), ("2 MiB", 2 << 20), ("3g", 3 * 10**9)],
)
def test_sizes_users_write(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-5MB", "5XB", "1e9", "5 M B", "nan"])
def test_sizes_that_cannot_be(text: str) -> None:
    with pytest.raises(UsageError, match="write a number and a unit"):
        parse_size(text)


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_time_limits_that_cannot_be(seconds: float) -> None:
    with pytest.raises(UsageError, match="time limit"):
        Limits.of(time_limit=seconds)


def test_time_runs_out_and_never_below_zero() -> None:
    limits = Limits.of(time_limit=0)
    assert limits.seconds_left() == 0
    assert Limits.of().seconds_left() == -1  # the core's word for "no limit"


def test_what_is_left_is_kept_elsewhere() -> None:
    """Protects workers from a clock that starts again with all of the time, and from a part that lifts a limit."""
    limits = Limits(100.0, 5000, started=time.monotonic() - 60)
    there = Limits(**pickle.loads(pickle.dumps(limits.elsewhere())))
    assert there.seconds is not None
    assert 0 < there.seconds <= 40
    assert there.memory == 5000
    assert (there.within(10**9).memory, there.within(70).memory) == (5000, 70)
    assert Limits(**Limits().elsewhere()).as_settings() == Limits().as_settings()


def test_memory_of_the_process_counts_against_its_limit() -> None:
    assert Limits.of(memory_limit=1).bytes_left() == 0
    room = 10**12
    left = Limits.of(memory_limit=room).bytes_left()
    assert room - 2 * process_memory() < left < room


def test_without_a_limit_some_memory_stays_free() -> None:
    import psutil

    assert 0 < Limits.of().bytes_left() < psutil.virtual_memory().total


MACHINE = {"/proc/meminfo": b"MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:    5000 kB\nBuffers:  7 kB\n"}
V2, V1 = "/sys/fs/cgroup/memory.", "/sys/fs/cgroup/memory/memory."


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({}, 5_120_000),
        ({f"{V2}max": b"max\n", f"{V2}current": b"4000\n"}, 5_120_000),
        ({f"{V2}max": b"10000\n", f"{V2}current": b"4000\n"}, 6000),
        ({f"{V2}max": b"10000\n", f"{V2}current": b"14000\n"}, 0),
        ({f"{V1}limit_in_bytes": b"10000\n", f"{V1}usage_in_bytes": b"4000\n"}, 6000),
        ({f"{V1}limit_in_bytes": b"9223372036854771712\n", f"{V1}usage_in_bytes": b"4000\n"}, 5_120_000),
        ({f"{V1}limit_in_bytes": b"10000000\n", f"{V1}usage_in_bytes": b"4000\n"}, 5_120_000),
    ],
)
def test_free_memory_is_that_of_the_machine_or_of_its_container(
    files: dict[str, bytes], free: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(path: str) -> bytes:
        try:
            return {**MACHINE, **files}[path]
        except KeyError:
            raise FileNotFoundError(path) from None

    monkeypatch.setattr(limits_module, "_told", told)
    assert limits_module.free_memory() == free


def test_memory_where_the_system_tells_nothing_in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    import psutil

    here = process_memory()
    for files in ({}, {"/proc/meminfo": b"MemTotal: 9000 kB\n"}):
        monkeypatch.setattr(limits_module, "_told", lambda path, files=files: files.get(path, b""))
        assert here / 2 < process_memory() < 2 * here
        assert 0 < limits_module.free_memory() < psutil.virtual_memory().total
        assert limits_module.peak_memory() > here / 2


def test_limits_hear_what_the_steps_of_a_search_count() -> None:
    """A limit of expanded nodes, say, needs their number over all steps; limits made of those of the run share it."""
    limits = Limits.of()
    found = sabna.learn("example:asia", strategy="astar", limits=limits, n_jobs=1)
    assert limits.counted["expanded"] == found.statistics["search"]["expanded"] > 0
    assert replace(limits, sharing=2).counted is limits.counted


def test_a_limit_that_has_struck_is_told_by_its_name() -> None:
    """Protects loops outside the core, which ask here and nowhere else."""
    over = threading.Event()
    assert Limits(halt=over).struck() == Stop.none
    over.set()
    assert Limits(halt=over).struck() == Limits(0.0).struck() == Stop.time_limit
    assert Limits(memory=process_memory()).struck() == Stop.memory_limit
    assert Limits(memory=2 * process_memory() + limits_module.MARGIN).struck() == Stop.none
    assert Limits(0.0, 5).memory_alone().as_settings() == Limits(memory=5).as_settings()

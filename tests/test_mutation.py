"""Mutated files, a few of each format with a fixed seed; `make fuzz` tries many more (tests/mutation)."""

from __future__ import annotations

import io
import random
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sabna.base.errors import DataError
from tests.mutation import __main__ as program
from tests.mutation.checks import Refused, read
from tests.mutation.formats import BY_NAME, Format, mutant, pool
from tests.mutation.shrink import script, shrunk
from tests.mutation.tables import make_xlsx
from tests.mutation.worker import Failure, capped, outcome, scratch
from tests.repeats import few_or_many

SEED = 1


@few_or_many("mutants", 30, 40)
@pytest.mark.parametrize("name", BY_NAME)
def test_mutated_files_are_read_or_refused(name: str, mutants: int) -> None:
    form, contents = BY_NAME[name], [mutant(name, SEED, number) for number in range(mutants)]
    with scratch() as folder, capped():
        found = [outcome(form, content, Path(folder)) for content in contents]
    for content, what in zip(contents, found, strict=True):
        assert isinstance(what, str), f"{what}\n{script(form, content)}"
    assert {"read", "refused"} == set(found)  # both happen, or the mutants are none


def test_workers_count_what_they_try_and_a_dead_one_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    tried, whole, failures = program.batch("uai", SEED, 0, 5)
    assert (tried, failures) == (5, [])
    assert whole <= 5
    says = "print('try 7', flush=True); import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    dead = [sys.executable, "-c", says]
    monkeypatch.setattr(program, "started", lambda *_: subprocess.Popen(dead, stdout=subprocess.PIPE))
    _, _, failures = program.batch("uai", SEED, 7, 1)
    assert [(f["number"], f["kind"]) for f in failures] == [(7, "process ended with -11")]


@pytest.mark.parametrize("name", BY_NAME)
def test_the_files_that_mutants_begin_with_are_fine(name: str) -> None:
    form = BY_NAME[name]
    made = pool(name, SEED)[len(form.samples) + len(form.hostile) :]
    with scratch() as folder, capped():
        for content in form.samples:
            assert outcome(form, content, Path(folder)) == "read"
        outcomes = [outcome(form, content, Path(folder)) for content in made[:8]]
        if "table" in name:  # tables are made with missing values and mixed notations, which are rightly refused
            assert set(outcomes) <= {"read", "refused"}
            assert "read" in outcomes
        else:
            assert set(outcomes) <= {"read"}
        for content in form.hostile[:8]:
            assert outcome(form, content, Path(folder)) == "refused"


def test_a_mutant_is_always_the_same() -> None:
    assert mutant("bif", 3, 14) == mutant("bif", 3, 14) != mutant("bif", 3, 15)


def test_mutated_workbooks_were_others_every_second() -> None:
    """Their parts had the time of day in them: a failure could not be found again, and a count of those read varied."""
    made = make_xlsx(random.Random(1))
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert {part.date_time[0] for part in archive.infolist()} == {1980}
        dates = re.findall(rb"(\d{4}-\d\d-\d\d)T[\d:]+Z", archive.read("docProps/core.xml"))
    assert set(dates) == {b"2020-01-01"}


def refuses_unnamed(path: Path) -> None:
    if b"x" in path.read_bytes():
        raise Refused from DataError("no name here")


def broken(path: Path) -> None:
    content = path.read_bytes()
    if b"boom" in content and b"}" in content:
        raise KeyError("of this test")


def out_of_memory(path: Path) -> None:
    def reader() -> None:
        try:
            bytearray(1 << 60)
        except MemoryError:
            raise DataError(f"{path.name}: too large") from None

    read(reader)


def a_format(check: object) -> Format:
    return Format("toy", ".toy", lambda rng: b"", check, "sabna.read({path!r})")  # type: ignore[arg-type]


def test_failures_are_seen_and_made_small(tmp_path: Path) -> None:
    form = a_format(broken)
    found = outcome(form, b"line one\n{ boom }\nline three\n", tmp_path)
    assert isinstance(found, Failure)
    assert found.kind.startswith("KeyError")

    def fails(content: bytes) -> bool:
        return isinstance(outcome(form, content, tmp_path), Failure)

    small = shrunk(b"line one\n{ boom }\nline three\n" * 20, fails)
    assert sorted(small) == sorted(b"boom}")
    assert "write_bytes(b'" in script(form, small)


def test_a_refusal_without_the_name_of_the_file_is_a_failure(tmp_path: Path) -> None:
    assert outcome(a_format(refuses_unnamed), b"", tmp_path) == "read"
    found = outcome(a_format(refuses_unnamed), b"x", tmp_path)
    assert isinstance(found, Failure)
    assert found.kind.startswith("no file named")


def test_a_want_of_memory_in_disguise_is_a_failure(tmp_path: Path) -> None:
    found = outcome(a_format(out_of_memory), b"", tmp_path)
    assert isinstance(found, Failure)
    assert found.kind.startswith("refused for want of memory")

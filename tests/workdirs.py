"""What tests of work directories share: runs that are cut at any write of a file, and files that are damaged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna.base import atomic
from sabna.base.errors import UsageError
from sabna.cli.app import run as command
from sabna.table import Table
from sabna.workdir import folder


class Killed(BaseException):
    """In place of kill -9: nothing of ours catches it, and nothing is cleaned up."""


@pytest.fixture
def saves_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every chance to save is taken."""
    monkeypatch.setattr(folder.Saver, "due", lambda self: True)


@pytest.fixture
def at_write(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int, BaseException | None, bool], list[int]]]:
    """`at_write(k, error, done)`: the k-th write of a file ends with an error, before or after the file is in place."""
    replace = atomic._replace

    def arrange(k: int, error: BaseException | None, done: bool) -> list[int]:
        count = [0]

        def write(*arguments: Any) -> None:
            count[0] += 1
            if count[0] == k and error is not None and not done:
                raise error
            replace(*arguments)
            if count[0] == k and error is not None and done:
                raise error

        monkeypatch.setattr(atomic, "_replace", write)
        return count

    yield arrange
    monkeypatch.setattr(atomic, "_replace", replace)


def table_of(seed: int, n: int = 6, rows: int = 60) -> Table:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (n, rows), dtype=np.uint16)
    codes[1:] ^= codes[:-1] & rng.integers(0, 2, (n - 1, rows), dtype=np.uint16)
    return Table(tuple(f"V{i}" for i in range(n)), codes, (("0", "1"),) * n)


def answers(result: sabna.Result) -> tuple[Any, ...]:
    return result.status, result.cost_quanta, result.network.parents


def damages(path: Path) -> Iterator[Callable[[], Any]]:
    content = path.read_bytes()
    for at in (0, len(content) // 2, len(content) - 1):
        yield lambda at=at: path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    yield lambda: path.write_bytes(content[: len(content) // 2])
    yield lambda: path.write_bytes(b"")
    yield path.unlink


def check_every_damage(work: Path, again: Callable[[], Any], expected: Any) -> None:
    """After any damage to any file the answer is the same, or the run is refused in words."""
    names = [p.name for p in work.iterdir()]
    kept = {name: (work / name).read_bytes() for name in names}
    for name in names:
        (work / name).write_bytes(kept[name])
        for damage in list(damages(work / name)):
            for path in work.iterdir():
                path.unlink()
            for other, content in kept.items():
                (work / other).write_bytes(content)
            damage()
            if name == "manifest.json":
                with pytest.raises(UsageError, match="manifest"):
                    again()
            else:
                assert again() == expected, name


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    code = command([*map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)

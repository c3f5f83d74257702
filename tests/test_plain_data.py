"""What work directories are made of: plain data come back as they were written, and nothing damaged is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sabna.workdir.plain import Unreadable, classes_of, read_plain, write_plain
from sabna.workdir.record import Record


@dataclass(frozen=True, eq=False)
class Inner:
    bits: NDArray[np.uint64]
    more: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Outer:
    inner: Inner | None
    numbers: tuple[int, ...] = ()
    others: list[Inner] = field(default_factory=list)
    shared: Any = None


def test_plain_data_come_back_as_they_were(tmp_path: Path) -> None:
    bits = np.array([[2**64 - 1, 0], [1, 7]], dtype=np.uint64)
    inner = Inner(
        bits,
        {"a": (1, None, True), "b": [1.5, float("inf")], "c": frozenset({("x", "y")}), "d": {}, "e": {0: 1, 0.5: "x"}},
    )
    outside = object()
    value = Outer(inner, (2**62, -(2**62)), [inner, Inner(np.zeros((0, 2), np.uint64)), Inner(bits)], outside)
    path = tmp_path / "x"
    path.write_bytes(b"".join(write_plain(value, {"outside": outside})))
    back = read_plain(path, Outer, {"outside": outside})
    assert back.inner is not None
    assert back.numbers == value.numbers
    assert back.inner.more == inner.more
    assert back.shared is outside
    assert back.inner.bits.dtype == np.uint64
    assert (back.inner.bits == bits).all()
    assert back.others[1].bits.shape == (0, 2)
    assert not back.inner.bits.flags.writeable
    assert set(classes_of(Outer)) == {"Outer", "Inner"}
    assert path.stat().st_size < 1000  # the array that three hold is there once


def test_a_flipped_bit_a_cut_or_an_unknown_class_is_never_read(tmp_path: Path) -> None:
    path = tmp_path / "x"
    content = b"".join(write_plain(Outer(Inner(np.arange(3, dtype=np.uint64)), (1, 2))))
    for at in range(0, len(content), 7):
        path.write_bytes(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :])
        with pytest.raises(Unreadable):
            read_plain(path, Outer)
        path.write_bytes(content[:at])
        with pytest.raises(Unreadable):
            read_plain(path, Outer)
    path.write_bytes(b"".join(write_plain(Record("x"))))
    with pytest.raises(Unreadable):
        read_plain(path, Outer)


def test_what_is_no_plain_data_is_refused() -> None:
    for value in (object(), np.array(["a"]), lambda: 1):
        with pytest.raises(TypeError):
            write_plain(value)

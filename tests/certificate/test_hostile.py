"""Protects from files made to hurt: whatever the checker is given, it ends with a verdict, in bounded memory."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from sabna.certificate.checker import check_certificate as checker
from tests.certificate.mutants import LISTS, Record, parsed, written
from tests.certificate.runs import certified, graph_for, options_for, verdict, without_easy_ways_out
from tests.certificate.test_rules import claim, three_in_a_ring
from tests.graphs import random_graph

DEFAULT_FILES, SLOW_FILES = 150, 20_000
# What a field may be changed to: nothing, signs, numbers at the edges of 64 bits and beyond, other digits, damage.
STRANGE = ("", "-", "-1", "0", "1e3", "9" * 25, "-" + "9" * 25, str(1 << 62), str(-(1 << 63)), "٣", "1,,2", "~",
           "~eJw=", "~!!", "0x10", "nan", "None", "1_0", "=", "\0", "%", "1,2,3" * 50)  # fmt: skip


def mangled(data: bytes, rng: random.Random) -> bytes:
    """Bytes changed, cut out, doubled, or taken from nowhere."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        at, kind = rng.randrange(len(out) + 1), rng.randrange(5)
        if kind == 0:
            out[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            del out[at : at + rng.choice((1, 8, 64, 4000))]
        elif kind == 2:
            out[at:at] = rng.randbytes(rng.choice((1, 8, 64)))
        elif kind == 3:
            out[at:at] = out[: rng.randrange(len(out) + 1)]
        else:
            out[at : at + 8] = struct.pack("<q", rng.choice((-1, 0, 1, 1 << 40, -(1 << 63), (1 << 63) - 1)))
    return bytes(out[: 1 << 20])


def strange_fields(records: list[Record], rng: random.Random) -> list[Record]:
    """Fields of well-formed lines that say strange things; words that there are not."""
    out = [(word, dict(fields)) for word, fields in records]
    for _ in range(rng.randint(1, 4)):
        word, fields = out[rng.randrange(len(out) - 1)]
        name = rng.choice([*fields, *LISTS, "id", "part"])
        fields[name] = rng.choice(STRANGE)
        if rng.random() < 0.2:
            out.insert(rng.randrange(len(out)), (rng.choice((word, "_by", "apply", "_on_note", "")), dict(fields)))
    return out


def with_checksum(data: bytes) -> bytes:
    """A .pg file whose checksum fits again."""
    return data[:-32] + hashlib.sha256(data[:-32]).digest()


def attack(count: int, seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """How often each exit code came; anything but a verdict is an error."""
    rng, codes = random.Random(seed), dict[int, int]()
    for at in range(count):
        if at % 25 == 0:
            with monkeypatch.context() as patched:
                without_easy_ways_out(patched, rng)
                graph = graph_for(rng, largest=7)
                options = {k: v for k, v in options_for(rng).items() if k in ("n_jobs", "seed")}
                _, proof, file = certified(graph, folder, options)
            graphs = [file, file.with_suffix(".jkl"), file.with_suffix(".pss")]
            for other in graphs[1:]:
                graph.save(other)
            sound, whole = proof.read_bytes(), {other: other.read_bytes() for other in graphs}
        other, kind = rng.choice(graphs), rng.randrange(4)
        if kind == 0:
            proof.write_bytes(mangled(sound, rng))
        elif kind == 1:
            proof.write_bytes(b"sabna-certificate 2\n" + mangled(sound[20:], rng))
        elif kind == 2:
            text = written(strange_fields(parsed(sound.decode()), rng))
            proof.write_text(text)
        else:
            broken = mangled(whole[other], rng)
            other.write_bytes(with_checksum(broken) if other.suffix == ".pg" else broken)
        code, words = verdict(proof, other)
        assert code in (0, 1, 2), words
        codes[code] = codes.get(code, 0) + 1
        proof.write_bytes(sound)
        other.write_bytes(whole[other])
    return codes


def test_random_files_end_with_a_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = attack(DEFAULT_FILES, 1, tmp_path, monkeypatch)
    assert codes[1]
    assert codes[2]


@pytest.mark.slow
def test_many_random_files_end_with_a_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    print(attack(SLOW_FILES, 2, tmp_path, monkeypatch))


def list_of(numbers: np.ndarray) -> str:
    return "~" + base64.b64encode(zlib.compress(np.diff(numbers, prepend=0).astype("<i8").tobytes(), 9)).decode()


def test_numbers_that_many_short_lists_unpack_to_are_counted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each list alone would be allowed; a thousand of them fill the memory."""
    monkeypatch.setattr(checker, "MOST_NUMBERS", 1 << 16)
    cluster = ("cluster", {"id": 1, "k": 1, "members": (0, 1)})
    many = list_of(np.ones(1 << 14, np.int64))
    lines = [cluster, *(("weights", {"id": k, "rows": many, "y": many}) for k in range(8))]
    code, words = claim(tmp_path, three_in_a_ring(), 20, lines)  # type: ignore[arg-type]
    assert code == 1
    assert "damaged or too long" in words


def test_cuts_of_cuts_of_cuts_are_summed_once(tmp_path: Path) -> None:
    """Each is made of the one before, sixty times: 60^60 sums if nothing were remembered."""
    lines: list[tuple[str, dict[str, object]]] = [("cluster", {"id": 0, "k": 1, "members": (0, 1, 2)})]
    lines += [("cut", {"id": 1, "rows": (0,), "times": (2,), "divisor": 2})]
    for k in range(2, 61):
        lines.append(("cut", {"id": k, "rows": (k - 1,) * 60, "times": (1,) * 60, "divisor": 60}))
    lines += [("weights", {"id": 1, "rows": (60,), "y": (8,)}), ("bound", {"part": 0, "by": 1})]
    assert claim(tmp_path, three_in_a_ring(), 20, lines)[0] == 0
    lines[-2:-2] = [("cut", {"id": k, "rows": (k - 1,), "times": (1,), "divisor": 2}) for k in range(61, 71)]
    assert claim(tmp_path, three_in_a_ring(), 20, lines)[0] == 1, "there is a limit to the depth"


def test_branches_of_branches_neither_overflow_nor_pile_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deeper than Python's stack; and parts are counted, so that their number ends before the memory does."""
    graph = random_graph(3, 5, sets=10, costs=100)
    lines: list[tuple[str, dict[str, object]]] = []
    for k in range(1100):
        fields = {"part": 2 * k, "parts": (2 * k + 1, 2 * k + 2), "kind": "arc", "variables": (0, 1)}
        lines.append(("branch", fields))
    assert claim(tmp_path, graph, -(10**9), lines)[0] == 0
    monkeypatch.setattr(checker, "MOST_BYTES", 1 << 12)
    code, words = claim(tmp_path, graph, -(10**9), lines)
    assert code == 2
    assert "memory" in words


@pytest.mark.parametrize(
    "change",
    [{"n": 1 << 40}, {"n": -1}, {"n": 2.5}, {"sets": 1 << 40}, {"sets": -3}, {"names": [1, 2, 3]}, {"names": "abc"}],
)
def test_headers_that_lie_about_the_graph_are_unreadable(tmp_path: Path, change: dict[str, object]) -> None:
    file, proof = tmp_path / "graph.pg", tmp_path / "proof.cert"
    three_in_a_ring().save(file)
    data = file.read_bytes()
    length = struct.unpack("<I", data[12:16])[0]
    header = json.dumps({**json.loads(data[16 : 16 + length]), **change}, separators=(",", ":")).encode()
    head = data[:12] + struct.pack("<I", len(header)) + header
    body = head + bytes(-len(head) % 64) + data[-(-(16 + length) // 64) * 64 :]
    file.write_bytes(with_checksum(body))
    proof.write_text("sabna-certificate 2\n")
    assert verdict(proof, file)[0] == 2


@pytest.mark.parametrize(
    "text",
    [
        "1\nA 999999999999\n-1 0\n", "99999999999\nA 1\n-1 0\n", "1\nA 1\n-1e999999999 0\n", "1\nA 1\nnan 0\n",
        "2\nA 1\n-1 0\nA 1\n-1 0\n", "1\nA 1\n-1 1 A\n",
        "1\nA 1\n-1 1 B\n", "1\nA 1\n-1099511627776 0\n", "1\nA 0\n", "1\nA 1\n-1 2 B\n", "1\n", "",
    ],
)  # fmt: skip
def test_score_files_that_lie_are_unreadable(tmp_path: Path, text: str) -> None:
    file, proof = tmp_path / "graph.jkl", tmp_path / "proof.cert"
    file.write_text(text)
    proof.write_text("sabna-certificate 2\n")
    assert verdict(proof, file)[0] == 2

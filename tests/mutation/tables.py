"""Tables for the mutation tests: CSV, ARFF, parquet and Excel files, ways to break them, what must hold once read.

A format here has the attributes that the other formats have (name, suffix, make, check, call, samples, hostile, words,
mutators); it stands by itself, and so do its tests.
"""

from __future__ import annotations

import csv
import io
import random
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

import sabna

try:
    from .checks import Refused
except ImportError:

    class Refused(Exception):  # type: ignore[no-redef]
        """Wraps the error of a reader."""


Mutator = Callable[[bytes, random.Random, Sequence[bytes], Sequence[bytes]], bytes]

MAX_BYTES = 400_000
CELLS = (
    "", "0", "1", "2", "x", "yes", "no", "1.5", "2,5", "1,234", "1.234,5", "1 234", "1e5", "1e308", "1e309", "-1e308",
    "nan", "NaN", "inf", "-Infinity", "?", "NA", "None", "9" * 400, "7" * 5000, "9223372036854775808", "-0", "+3",
    "1_000", "0x10", "٣", "²", "é", "\u202e", " a ", "\t", '"', "'", ";", "|", "%", "#", "{", "}", "@data", "\\",
    "x" * 140_000, "two\nlines", "a\rb",
)  # fmt: skip
BYTES = (
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r",
    b"\r\n",
    b"\n\n",
    b'"',
    b'""',
    b",",
    b";",
    b"\t",
    b"?",
)
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1", "cp037")


# --- valid files -----------------------------------------------------------------------------------------------------


def _values(rng: random.Random, rows: int) -> list[str]:
    """One column of texts of one kind."""
    kind = rng.randrange(7)
    if kind == 0:
        return [rng.choice("abc") for _ in range(rows)]
    if kind == 1:
        return [str(rng.randrange(4)) for _ in range(rows)]
    if kind == 2:
        return [f"{rng.gauss(0, 3):.3f}" for _ in range(rows)]
    if kind == 3:
        return [f"{rng.gauss(0, 3):.1f}".replace(".", ",") for _ in range(rows)]
    if kind == 4:
        return [rng.choice(("true", "false", "?", "NA", "")) for _ in range(rows)]
    if kind == 5:
        return [rng.choice(("x,y", 'say "hi"', "z;w", "two\nlines", "é")) for _ in range(rows)]
    return [str(rng.choice((10**17, 10**17 + 1, -5, 2**63, 2**64))) for _ in range(rows)]


def make_csv(rng: random.Random) -> bytes:
    """A CSV file of a few columns, with a random delimiter."""
    rows, names = rng.choice((1, 2, 5, 30)), [f"c{k}" for k in range(rng.randrange(1, 6))]
    columns = [_values(rng, rows) for _ in names]
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=rng.choice(",;\t|"), lineterminator=rng.choice(("\n", "\r\n")))
    writer.writerows([names, *zip(*columns, strict=True)])
    return text.getvalue().encode()


def make_arff(rng: random.Random) -> bytes:
    """An ARFF file, dense or sparse."""
    rows, lines, kinds = rng.choice((1, 3, 20)), ["@relation r"], []
    for k in range(rng.randrange(1, 5)):
        kinds.append(rng.choice(("{a,b,c}", "{'a b','c,d'}", "numeric", "integer", "real", "string")))
        lines.append(f"@attribute c{k} {kinds[-1]}")
    lines.append("@data")
    for _ in range(rows):
        cells = [_arff_cell(rng, kind) for kind in kinds]
        sparse = rng.random() < 0.1
        lines.append("{" + ", ".join(f"{k} {c}" for k, c in enumerate(cells)) + "}" if sparse else ",".join(cells))
    return "\n".join([*lines, ""]).encode()


def _arff_cell(rng: random.Random, kind: str) -> str:
    if rng.random() < 0.05:
        return "?"
    if kind.startswith("{"):
        return rng.choice(kind[1:-1].split(",") if "'" not in kind else ("'a b'", "'c,d'"))
    return rng.choice(("1", "2.5", "-3", "1e3", "0")) if kind != "string" else rng.choice(("x", "'y z'", "w"))


def make_parquet(rng: random.Random) -> bytes:
    """A parquet file of columns of several types."""
    import pyarrow as pa
    import pyarrow.parquet

    rows = rng.choice((1, 4, 50))
    made: tuple[Callable[[], Any], ...] = (
        lambda: pa.array([rng.randrange(3) for _ in range(rows)]),
        lambda: pa.array([rng.choice((0.5, None, 2.0)) for _ in range(rows)], pa.float64()),
        lambda: pa.array([rng.choice(("a", "b", None)) for _ in range(rows)], pa.string()),
        lambda: pa.array([rng.choice("ab") for _ in range(rows)]).dictionary_encode(),
        lambda: pa.array([rng.random() < 0.5 for _ in range(rows)]),
        lambda: pa.array([[1, 2], None, [3]][: rows % 3 + 1] * rows, pa.list_(pa.int64()))[:rows],
        lambda: pa.array([b"\xff\xfe", b"x"] * rows, pa.binary())[:rows],
        lambda: pa.array([rng.randrange(10**9) for _ in range(rows)], pa.timestamp("s")),
        lambda: pa.nulls(rows),
    )
    columns = [rng.choice(made)() for _ in range(rng.randrange(1, 5))]
    out = io.BytesIO()
    codec = rng.choice(("snappy", "none", "gzip"))
    pa.parquet.write_table(pa.table(columns, names=[f"c{k}" for k in range(len(columns))]), out, compression=codec)
    return out.getvalue()


def make_xlsx(rng: random.Random) -> bytes:
    """A workbook with numbers, texts, dates, truth values and empty cells."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    kinds: tuple[Callable[[], Any], ...] = (
        lambda: rng.randrange(3),
        lambda: rng.choice((0.5, None, 2.0)),
        lambda: rng.choice(("a", "b", "1,5", "=A1")),
        lambda: datetime(2020, rng.randint(1, 12), rng.randint(1, 28), tzinfo=None),
        lambda: rng.random() < 0.5,
    )
    columns = [rng.choice(kinds) for _ in range(rng.randrange(1, 5))]
    sheet.append([f"c{k}" for k in range(len(columns))])
    for _ in range(rng.choice((1, 4, 30))):
        sheet.append([make() for make in columns])
    out = io.BytesIO()
    book.save(out)
    parts = unpacked(out.getvalue())
    for name, data in parts.items():  # it notes when it was made
        parts[name] = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"2020-01-01T00:00:00Z", data)
    return packed(parts)


def unpacked(content: bytes) -> dict[str, bytes]:
    """The files of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts: dict[str, bytes]) -> bytes:
    """An archive of these files; the same whenever it is made."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)  # of 1980
    return out.getvalue()


# --- changes ---------------------------------------------------------------------------------------------------------


def flip_bytes(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """Some bytes become others."""
    out = bytearray(content or b"x")
    for _ in range(rng.choice((1, 1, 2, 8))):
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def insert_bytes(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """Something nasty somewhere."""
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice((*BYTES, *words)) * rng.choice((1, 1, 2, 50)) + content[at:]


def cut(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """A part is gone; often the end."""
    a, b = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:a] if rng.random() < 0.5 else content[:a] + content[b:]


def splice(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """The beginning of one file and the end of another."""
    other = rng.choice(others)
    return content[: rng.randrange(len(content) + 1)] + other[rng.randrange(len(other) + 1) :]


def replace_cell(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """A cell becomes another."""
    parts = re.split(rb"([,;\t|\n])", content)
    parts[rng.randrange(len(parts))] = rng.choice(CELLS).encode()
    return b"".join(parts)


def change_lines(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """Lines are dropped, doubled or exchanged."""
    lines = content.split(b"\n")
    a, b = (rng.randrange(len(lines)) for _ in range(2))
    kind = rng.randrange(4)
    if kind == 0:
        del lines[a]
    elif kind == 1:
        lines[a:a] = [lines[b]] * rng.choice((1, 2, 300))
    elif kind == 2:
        lines[a], lines[b] = lines[b], lines[a]
    else:
        lines[a] = lines[a] * rng.choice((2, 600))
    return b"\n".join(lines)


def encode(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """The same text in another encoding."""
    return content.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


def change_part(content: bytes, rng: random.Random, words: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """One file of an archive is changed, and all are packed again."""
    try:
        parts = unpacked(content)
    except Exception:  # no archive any more
        return flip_bytes(content, rng, words, others)
    name = rng.choice([*parts, *[name for name in parts if "sheet" in name or "shared" in name]])
    texts = re.split(rb"(<[^>]*>|\"[^\"]*\")", parts[name])
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(texts))
        other = rng.choice((b"", rng.choice(words), rng.choice(texts), texts[at] * rng.choice((2, 30))))
        texts[at] = b'"' + other + b'"' if texts[at].startswith(b'"') else other
    parts[name] = b"".join(texts)
    if rng.random() < 0.05:
        del parts[rng.choice(list(parts))]
    return packed(parts)


TEXT = (flip_bytes, insert_bytes, cut, splice, replace_cell, replace_cell, change_lines, change_lines, encode)
BINARY = (flip_bytes, flip_bytes, insert_bytes, cut, splice)
ARCHIVE = (*[change_part] * 6, *BINARY)


# --- what must hold --------------------------------------------------------------------------------------------------


def options_for(content: bytes) -> tuple[str, dict[str, Any]]:
    """How to read a file, chosen by its content: the function's name, and its options."""
    rng = random.Random(zlib.crc32(content))
    options: dict[str, Any] = {"missing": rng.choice(("error", "drop", "drop")), "header": rng.random() < 0.9}
    options["decimal"] = rng.choice((None, None, None, ".", ","))
    if rng.random() < 0.3:
        return "read_numeric", options
    options["missing"] = rng.choice(("error", "drop", "category"))
    options["discretize"] = rng.choice(("none", "mean", "quantile:3", "uniform:2"))
    return "read_table", options


def check(path: Path) -> None:
    """Read a table; it is consistent in itself, or refused by an error of ours that names the file."""
    function, options = options_for(path.read_bytes())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            table = getattr(sabna, function)(path, **options)
        except sabna.SabnaError as error:
            refused = error
        else:
            refused = None
    if refused is not None:
        assert path.name in str(refused), f"the file is not named: {refused}"
        assert len(str(refused)) < 3000, "a message that nobody can read"
        raise Refused(str(refused)) from refused
    assert 0 < len(set(table.names)) == len(table.names) <= 2048
    assert all(name.encode() and name.strip() for name in table.names)
    assert table.rows == table.statistics["rows_read"] - table.statistics["dropped_rows"] > 0
    if function == "read_numeric":
        assert np.isfinite(table.values).all()
        return
    for codes, states in zip(table.codes, table.states, strict=True):
        assert 0 <= int(codes.max()) < len(states) == len(set(states)) <= 65535
        assert all(isinstance(state, str) and state.encode() for state in states)


@dataclass(frozen=True)
class TableFormat:
    """A format of tables, with the attributes of the other formats."""

    name: str
    suffix: str
    make: Callable[[random.Random], bytes]
    mutators: tuple[Mutator, ...]
    words: tuple[bytes, ...]
    check: Callable[[Path], None] = check
    call: str = "sabna.read_table({path!r})"
    samples: tuple[bytes, ...] = ()
    hostile: tuple[bytes, ...] = ()


FORMATS = (
    TableFormat("csv table", ".csv", make_csv, TEXT, tuple(cell.encode() for cell in CELLS)),
    TableFormat("tsv table", ".tsv", make_csv, TEXT, tuple(cell.encode() for cell in CELLS)),
    TableFormat(
        "arff table",
        ".arff",
        make_arff,
        TEXT,
        (
            b"@attribute",
            b"@data",
            b"@relation",
            b"{",
            b"}",
            b"{a,b}",
            b"numeric",
            b"integer",
            b"%",
            b"'",
            b"?",
            b"{0 1}",
        ),
    ),
    TableFormat("xlsx table", ".xlsx", make_xlsx, ARCHIVE, (b"0", b"-1", b"nan", b"9" * 400, b"s", b"e", b"XFD99999")),
    TableFormat("parquet table", ".parquet", make_parquet, BINARY, (b"PAR1", b"\xff\xff\xff\x7f", b"\x15\x19")),
)


def mutant(form: TableFormat, seed: int, number: int) -> bytes:
    """The mutant of this number; always the same."""
    rng = random.Random(f"{seed}/{form.name}/{number}")
    files = [form.make(rng) for _ in range(2)]
    content = files[0]
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        content = rng.choice(form.mutators)(content, rng, form.words, files)[:MAX_BYTES]
    return content

"""The text of a CSV file before it is parsed: its bytes checked as they are read, its delimiter, its header.

Nothing here holds more than a part of the file, so a header of a million names is counted, not stored.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

from sabna.base.errors import DataError, UsageError, quoted
from sabna.base.texts import LONGEST_NAME
from sabna.base.varsets import MAX_VARIABLES

# In the order of preference if the first lines leave a choice. Commas come last: within cells they are decimal signs.
DELIMITERS = ("\t", ";", "|", ",")
# How users may write what cannot be typed.
NAMED_DELIMITERS = {"\\t": "\t", "tab": "\t"}
# Bytes of the beginning that are looked at. A header must end within them: 512 names of 500 characters do.
HEAD = 1 << 18
# Columns that a table may have before some are taken of it: the genes of most species.
MOST_READ = 1 << 15
_SAMPLE_BYTES = 1 << 16
_SAMPLE_RECORDS = 20
_OTHER_FILES = {
    codecs.BOM_UTF16_LE: "text in UTF-16; save it as CSV in UTF-8",
    codecs.BOM_UTF16_BE: "text in UTF-16; save it as CSV in UTF-8",
    b"\x1f\x8b": "packed by gzip; unpack it first",
    b"PK\x03\x04": "a workbook or an archive; save the table as CSV in UTF-8",
    b"PAR1": "a parquet file; name it .parquet",
}


class CheckedFile:
    """A file of text, read once from its beginning; bytes that cannot be are refused with their line.

    It is what pyarrow takes for a file.
    """

    def __init__(self, where: str, file: BinaryIO) -> None:
        self.where, self._file = where, file
        self.size = max(os.fstat(file.fileno()).st_size, 1)
        self.consumed = 0
        self.closed = False
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._lines = 0  # ended before what comes next
        self._line_start = 0  # where the line at hand began

    def read(self, count: int = -1) -> bytes:
        """The next bytes; fewer at the end."""
        content = self._file.read(count)
        nul = content.find(b"\0")
        if nul >= 0:
            line = self._lines + content.count(b"\n", 0, nul) + 1
            raise DataError(
                f"{self.where}, line {line}: there is a NUL byte, so this is no text file; save it as CSV in UTF-8"
            )
        try:
            self._decoder.decode(content, final=not content)
        except UnicodeDecodeError as error:
            raise self._not_utf8(error, content) from None
        self._lines += content.count(b"\n")
        if b"\n" in content:
            self._line_start = self.consumed + content.rfind(b"\n") + 1
        self.consumed += len(content)
        return content

    def _not_utf8(self, error: UnicodeDecodeError, content: bytes) -> DataError:
        before = len(error.object) - len(content)  # bytes of a character that began in the last block
        at = error.start - before  # in `content`
        line = self._lines + content.count(b"\n", 0, max(at, 0)) + 1
        ended = content.rfind(b"\n", 0, max(at, 0))
        byte = at - ended if ended >= 0 else self.consumed + at - self._line_start + 1
        return DataError(
            f"{self.where}, line {line}: byte {byte} of the line is not UTF-8; save the file in UTF-8, "
            "e.g. with: iconv -f latin1 -t utf-8 OLD.csv > NEW.csv"
        )

    def readable(self) -> bool:
        """Yes."""
        return True

    def writable(self) -> bool:
        """No."""
        return False

    def seekable(self) -> bool:
        """No: it is read once."""
        return False

    def close(self) -> None:
        """Close the file."""
        self.closed = True
        self._file.close()


def read_head(where: str, path: str) -> str:
    """The beginning of a file, checked."""
    with open(path, "rb") as file:
        start = file.read(4)
        for mark, kind in _OTHER_FILES.items():
            if start.startswith(mark):
                raise DataError(f"{where}, line 1: this is {kind}")
        file.seek(0)
        head = CheckedFile(where, file).read(HEAD).removeprefix(codecs.BOM_UTF8)
    if not head or (head.isspace() and len(head) < HEAD // 2):
        raise DataError(f"{where}: the file is empty; it must hold a header row and rows of data")
    return head.decode("utf-8", "ignore")  # the last character may be cut


def check_delimiter(delimiter: str) -> str:
    """The delimiter a user wrote."""
    delimiter = NAMED_DELIMITERS.get(delimiter, delimiter)
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise UsageError(f"delimiter {delimiter!r}: give one character, such as ',' or ';' (tab for a tab)")
    return delimiter


def guess_delimiter(head: bytes | str) -> str:
    """The delimiter under which the first lines agree best with the header.

    >>> guess_delimiter(b'a;"b;c"\\n1,5;2\\n')
    ';'
    """
    text = head.decode("utf-8", "replace") if isinstance(head, bytes) else head
    sample = text[:_SAMPLE_BYTES]
    if len(text) > _SAMPLE_BYTES:
        sample = sample[: sample.rfind("\n") + 1] or sample
    best, choice = (0.0, -1, 1), ","
    for preference, delimiter in enumerate(reversed(DELIMITERS)):
        try:
            records = [r for r, _ in zip(_records(sample, delimiter), range(_SAMPLE_RECORDS + 1), strict=False)]
        except csv.Error:
            continue
        width = len(records[0]) if records else 0
        agreeing = sum(len(record) == width for record in records[1:]) / max(len(records) - 1, 1)
        if width > 1 and (agreeing, preference, width) > best:
            best, choice = (agreeing, preference, width), delimiter
    return choice


def _records(text: str, delimiter: str) -> Iterator[list[str]]:
    """The non-empty records of CSV text, as Python's csv module sees them."""
    return (record for record in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if record)


def header_cells(where: str, head: str, path: str, delimiter: str) -> list[str]:
    """The cells of the first record, of which there may be too many: the caller looks."""
    lines = io.StringIO(head, newline="")
    try:
        names = next((record for record in csv.reader(lines, delimiter=delimiter) if record), None)
        whole = len(head.encode()) < HEAD // 2 or lines.read(1) != ""
    except csv.Error as error:
        if len(head) < HEAD // 2:
            raise DataError(f"{where}, line 1: the header cannot be read ({error}); is a quote not closed?") from None
        names, whole = [], False
    if names is None:
        raise DataError(f"{where}: the file is empty; it must hold a header row and rows of data")
    if whole:
        return names
    count = _count_cells(path, delimiter.encode())
    if count <= MOST_READ:
        raise DataError(
            f"{where}, line 1: the header does not end within {HEAD:,} bytes; is a quote not closed, or `delimiter` "
            "wrong?"
        )
    raise too_many_columns(where, count, names[MAX_VARIABLES] if len(names) > MAX_VARIABLES else None)


def _count_cells(path: str, delimiter: bytes) -> int:
    """Cells of the first line, by its delimiters."""
    count = 1
    with open(path, "rb") as file:
        while block := file.read(HEAD):
            end = block.find(b"\n")
            count += block.count(delimiter, 0, len(block) if end < 0 else end)
            if end >= 0:
                break
    return count


# Of the names of all columns those that are wanted; the first argument is the name of the source, for messages.
Choose = Callable[[str, Sequence[str]], list[str]]


def check_names(where: str, names: list[Any]) -> list[str]:
    """The names of the columns as text; refuses too many, none at all, empty and repeated ones."""
    if not names:
        raise DataError(f"{where}: there is no column; a table needs at least one")
    if len(names) > MOST_READ:
        raise too_many_columns(where, len(names), str(names[MAX_VARIABLES]))
    texts = [str(name) for name in names]
    seen: dict[str, int] = {}
    for k, name in enumerate(texts, start=1):
        if not name.strip():
            raise DataError(f"{where}: column {k} has no name; name every column in the first row")
        if len(name) > LONGEST_NAME:
            raise DataError(f"{where}: the name of column {k} has {len(name):,} characters; shorten it")
        try:
            name.encode("utf-8")
        except UnicodeEncodeError:
            raise DataError(f"{where}: the name of column {k} is no valid text; rename it") from None
        if name in seen:
            raise DataError(
                f"{where}: columns {seen[name]} and {k} are both named {quoted(name)}; rename one "
                "(a file without a header row is read with header=False)"
            )
        seen[name] = k
    return texts


def too_many_columns(where: str, count: int, first: str | None) -> DataError:
    """The error for more columns than there can be variables."""
    which = "" if first is None else f", the first too many being {quoted(first)}"
    return DataError(
        f"{where}: {count} columns{which}; at most {MAX_VARIABLES} variables are possible, so leave some out, or name "
        f"those to take (`columns`, of up to {MOST_READ:,})"
    )

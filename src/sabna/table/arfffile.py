"""ARFF files (Weka), parsed by liac-arff, some thousand rows at a time.

A nominal attribute declares its states, `?` is a missing value. Numbers are handed to the parser as strings and read by
our own rules: its own would cut 1.7 to 1 in an integer attribute, and round whole numbers beyond 2^53.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, TextIO

import numpy as np

from sabna.base.errors import DataError, quoted
from sabna.base.varsets import MAX_VARIABLES
from sabna.table.budget import Budget
from sabna.table.builder import ColumnBuilder, Growing, NotNumbers
from sabna.table.columns import AnyColumn, Column, declared_column, narrowest
from sabna.table.csvtext import MOST_READ, check_names, too_many_columns
from sabna.table.numbers import number_of

# The declaration of a nominal attribute up to its states, and these; one state and what ends it.
_NOMINAL = re.compile(r"""(\s*@attribute\s+(?:"[^"]*"|'[^']*'|[^\s{},%]*)\s*)\{(.*)""", re.IGNORECASE | re.DOTALL)
_STATE = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^,\s"'{}]*)\s*([,}])""", re.DOTALL)
# Rows parsed at a time.
BLOCK = 4096
# A longer line is a sign of something else than ARFF.
LONGEST_LINE = 1 << 24
_NUMERIC = re.compile(r"(\s*@attribute\s.*\s)(?:integer|numeric|real)\s*", re.IGNORECASE | re.DOTALL)


class _Nominal:
    """A column of declared states on its way."""

    def __init__(self, name: str, states: list[str]) -> None:
        self.name, self.states = name, states
        self._place = {state: k for k, state in enumerate(states)}
        self._positions = Growing(narrowest(len(states)))

    @property
    def rows(self) -> int:
        return self._positions.size

    def bytes_per_row(self) -> float:
        return float(np.dtype(narrowest(len(self.states))).itemsize)

    def add_values(self, values: list[Any]) -> None:
        place = self._place  # the parser refuses values that are not declared
        self._positions.extend(np.array([-1 if v is None else place[v] for v in values], dtype=np.int32))

    def finish(self) -> AnyColumn:
        return declared_column(self.name, self.states, self._positions.take())


class _Numeric(ColumnBuilder):
    """A column of numbers on its way, as texts."""

    def add_values(self, values: Any) -> None:
        super().add_values([None if v is None or v.strip().lower() == "nan" else v for v in values])


def read_arff(where: str, path: str, budget: Budget) -> list[AnyColumn]:
    """The columns of an ARFF file."""
    import arff  # noqa: F401

    budget.begin(where)
    try:
        with open(path, encoding="utf-8-sig") as text:
            _count_attributes(where, text)
        try:
            columns = _read(where, path, budget, exact=False)
        except NotNumbers:
            columns = _read(where, path, budget, exact=True)
    except UnicodeDecodeError:
        raise DataError(f"{where}, line {_line_not_utf8(path)}: not UTF-8; save the file in that encoding") from None
    return columns


def _read(where: str, path: str, budget: Budget, exact: bool) -> list[AnyColumn]:
    with open(path, encoding="utf-8-sig") as text:
        size = max(os.fstat(text.fileno()).st_size, 1)
        file = _Arff(where, text)
        names = check_names(where, [name for name, _ in file.attributes])
        builders = [file.builder(k, name, exact) for k, name in enumerate(names)]
        for rows in file.blocks():
            for k, builder in enumerate(builders):
                builder.add_values([row[k] for row in rows])
            budget.look(where, builders, min(os.lseek(text.fileno(), 0, os.SEEK_CUR) / size, 1.0))
    if not builders[0].rows:
        raise DataError(f"{where}: there is no row of data; add rows after @data")
    columns = [builder.finish() for builder in builders]
    for k in file.numeric:
        _check_numeric(where, columns[k])
    return columns


class _Arff:
    """A file at its data: the attributes with their types (lists of states, or words), and which are numeric."""

    def __init__(self, where: str, text: TextIO) -> None:
        import arff

        self._where, self._text = where, text
        self.numeric: list[int] = []
        self._decoder = arff.ArffDecoder()
        document = self._tried(lambda: self._decoder.decode(self._lines(), return_type=arff.DENSE_GEN))
        self.attributes: list[tuple[str, Any]] = document["attributes"]
        self._rows = iter(document["data"])

    def builder(self, k: int, name: str, exact: bool) -> Any:
        """The builder of a column."""
        kind = self.attributes[k][1]
        if isinstance(kind, list):
            return _Nominal(name, kind)
        return (_Numeric if k in self.numeric else ColumnBuilder)(name, exact)

    def blocks(self) -> Iterator[list[list[Any]]]:
        """The rows; the parser checks that each has as many cells as there are attributes."""
        while block := self._tried(lambda: list(islice(self._rows, BLOCK))):
            yield block

    def _lines(self) -> Iterator[str]:
        """The lines, numeric attributes declared as strings."""
        attributes, data = 0, False
        while line := self._text.readline(LONGEST_LINE):
            if len(line) == LONGEST_LINE:
                raise DataError(f"{self._where}: a line has more than {LONGEST_LINE:,} characters; correct it")
            if not data and _starts(line, "@attribute"):
                if match := _NUMERIC.fullmatch(line):
                    self.numeric.append(attributes)
                    line = f"{match[1]}string\n"
                elif "{" in line:
                    line = self._nominal(line, attributes + 1)
                attributes += 1
            data = data or _starts(line, "@data")
            yield line

    def _nominal(self, line: str, number: int) -> str:
        """The declaration of a nominal attribute without blanks around its states: the parser takes none before a
        quote. It takes exponential time to find that a declaration is not well-formed, so that is found here."""
        match = _NOMINAL.fullmatch(line)
        states, at = [], 0
        while match and (state := _STATE.match(match[2], at)):
            at = state.end()
            states.append(state[1])
            if state[2] == "}" and not match[2][at:].strip():
                return f"{match[1]}{{{','.join(states)}}}\n"
            if state[2] == "}":
                break
        raise DataError(
            f"{self._where}: attribute {number} ({quoted(line.strip(), 40)}) is not well-formed; write @attribute NAME "
            "{STATE, STATE, ...}, with quotes around states with blanks"
        )

    def _tried(self, parse: Any) -> Any:
        """What the parser gives; whatever it raises is the file's fault."""
        try:
            return parse()
        except (DataError, UnicodeDecodeError, MemoryError):
            raise
        except Exception as error:
            line = getattr(self._decoder, "_current_line", 0)
            reason = type(error).__name__
            try:
                if hasattr(error, "line"):
                    error.line = line
                reason = str(error).rstrip(".")[:200] or reason
            except (TypeError, ValueError):  # its messages break on a % in the data
                pass
            at = "" if f"line {line}" in reason else f", line {line}"
            raise DataError(f"{self._where}{at}: not a sound ARFF file: {reason}; correct it") from None


def _starts(line: str, word: str) -> bool:
    return line.lstrip()[: len(word)].lower() == word


def _count_attributes(where: str, text: TextIO) -> None:
    """Refuse too many columns before their declarations are stored."""
    count, first = 0, None
    while line := text.readline(LONGEST_LINE):
        if _starts(line, "@data"):
            break
        if _starts(line, "@attribute"):
            count += 1
            words = line.split(maxsplit=2)
            first = words[1] if count == MAX_VARIABLES + 1 and len(words) > 1 else first
    if count > MOST_READ:
        raise too_many_columns(where, count, first)


def _check_numeric(where: str, column: AnyColumn) -> None:
    """Refuse texts in a numeric attribute."""
    for k, value in enumerate(column.values if isinstance(column, Column) else ()):
        if number_of(value) is None:
            assert isinstance(column, Column)
            raise DataError(
                f"{where}, row {column.row_of(k)}, column {quoted(column.name)}: {str(value)[:40]!r} is no number, "
                "but the attribute is numeric; correct it, or write ? for a missing value"
            )


def _line_not_utf8(path: str) -> int:
    """The first line that is not UTF-8."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 0

"""Parquet files, read by pyarrow some thousand rows at a time."""

from __future__ import annotations

import os

from sabna.base.errors import DataError
from sabna.table.budget import Budget
from sabna.table.builder import ColumnBuilder, NotNumbers, typed
from sabna.table.columns import AnyColumn
from sabna.table.csvtext import MOST_READ, Choose, check_names, too_many_columns

# Rows decoded at a time.
BLOCK = 1 << 14
# Bytes of pages, packed and unpacked, that are in memory at a time.
PAGES = 1 << 22
# Bytes that a cell takes at least until the table is finished: 2.6 were measured for small categories.
CELL = 2
# A parsed footer takes about this many times its bytes.
FOOTER_FACTOR = 12
MAGIC = b"PAR1"


def read_parquet(where: str, path: str, budget: Budget, choose: Choose | None = None) -> list[AnyColumn]:
    """The columns of a parquet file, or those that are chosen."""
    import pyarrow as pa
    import pyarrow.parquet

    budget.begin(where)
    _check_footer(where, path, budget)
    try:
        try:
            return _read(where, path, budget, choose, exact=False)
        except NotNumbers:
            return _read(where, path, budget, choose, exact=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError, OverflowError) as error:
        if isinstance(error, DataError):
            raise
        reason = str(error).split("\n")[0][:200]
        raise DataError(f"{where}: not a parquet file that can be read: {reason}; write it again") from None


def _read(where: str, path: str, budget: Budget, choose: Choose | None, exact: bool) -> list[AnyColumn]:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    with parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 16, memory_map=False) as file:
        names = check_names(where, file.schema_arrow.names)
        wanted = names if choose is None else choose(where, names)
        rows, kinds = file.metadata.num_rows, [file.schema_arrow.field(name).type for name in wanted]
        if rows <= 0:
            raise DataError(f"{where}: there is no row of data; add rows")
        budget.need(where, rows, len(wanted), CELL * rows * len(wanted) + PAGES)
        builders = [ColumnBuilder(name, exact) for name in wanted]
        for batch in file.iter_batches(BLOCK, columns=None if wanted == names else wanted, use_threads=False):
            for builder in builders:  # by name: for "a" pyarrow reads a column named "a.b", too
                builder.add_arrow(batch.column(builder.name))
            budget.look(where, builders, min(builders[0].rows / rows, 1.0))
    pa.default_memory_pool().release_unused()
    if not builders[0].rows:
        raise DataError(f"{where}: there is no row of data; add rows")
    return [typed(builder.finish(), kind) for builder, kind in zip(builders, kinds, strict=True)]


def _check_footer(where: str, path: str, budget: Budget) -> None:
    """Refuse a file that is no parquet, one of too many columns, and a footer too large to be parsed."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(size - 8, 0))
        end = file.read(8)
        length = int.from_bytes(end[:4], "little")
        if size < 12 or end[4:] != MAGIC or length > size - 12:
            raise DataError(f"{where}: not a parquet file that can be read: it does not end as one does")
        file.seek(size - 8 - length)
        count = _schema_elements(file.read(min(length, 64)))
    if count is not None and count > 2 * MOST_READ:  # nested columns have more than one; they are counted later
        raise too_many_columns(where, count - 1, None)
    budget.limits.require_memory(FOOTER_FACTOR * length, f"reading the footer of {where}")


def _schema_elements(footer: bytes) -> int | None:
    """How many elements the schema has: the root, and one for each column unless it is nested.

    The footer is a Thrift structure in compact form: version (field 1, an integer), then the schema (field 2, a list).
    None if it begins otherwise.
    """
    try:
        at = 0
        if footer[at] != 0x15:
            return None
        _, at = _varint(footer, at + 1)
        if footer[at] != 0x19:
            return None
        count = footer[at + 1] >> 4
        return count if count < 15 else _varint(footer, at + 2)[0]
    except IndexError:
        return None


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80 or shift > 63:
            return value, at

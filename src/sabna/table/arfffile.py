"""ARFF files (Weka), parsed by liac-arff. A nominal attribute declares its states, `?` is a missing value."""

from __future__ import annotations

import os
from typing import Any

from sabna.base.errors import DataError
from sabna.table.columns import Column, column_of_list
from sabna.table.csvfile import check_names


def read_arff(path: str | os.PathLike[str], content: bytes) -> list[Column]:
    """The columns of an ARFF file's content."""
    import arff

    where = os.fspath(path)
    try:
        document: dict[str, Any] = arff.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(f"{where}, line {line}: not UTF-8; save the file in that encoding") from None
    except arff.ArffException as error:
        raise DataError(f"{where}: not a sound ARFF file: {str(error).rstrip('.')}; correct it") from None
    except (ValueError, IndexError, TypeError) as error:  # liac-arff does not catch all that can be wrong
        raise DataError(f"{where}: not a sound ARFF file ({error}); correct it") from None
    attributes, rows = document["attributes"], document["data"]
    check_names(where, [name for name, _ in attributes])
    if not rows:
        raise DataError(f"{where}: there is no row of data; add rows after @data")
    columns = []
    for k, (name, kind) in enumerate(attributes):
        states = list(kind) if isinstance(kind, list) else None
        columns.append(column_of_list(name, [row[k] for row in rows], states))
    return columns

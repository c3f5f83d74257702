"""The content of a table as one number: what a result and a work directory know a table by."""

from __future__ import annotations

import hashlib

import numpy as np

from sabna.table.mixed import MixedTable
from sabna.table.numeric import NumericTable
from sabna.table.table import Table


def table_hash(table: Table | NumericTable | MixedTable) -> str:
    """SHA-256 of a table as it is scored: names, states and codes, row by row; or names and numbers."""
    digest = hashlib.sha256()
    if table.was_set is not None:
        digest.update(b"set")
        digest.update(np.ascontiguousarray(table.was_set, dtype=np.uint8).data)
    if isinstance(table, NumericTable):
        digest.update(repr((table.names, table.values.shape)).encode("utf-8", "surrogatepass"))
        for row in table.values:  # one at a time: a copy of the whole may be more than a memory limit allows
            digest.update(np.ascontiguousarray(row, dtype="<f8").data)
        return digest.hexdigest()
    if isinstance(table, MixedTable):
        digest.update(repr((table.names, table.states, table.rows)).encode("utf-8", "surrogatepass"))
        for column in table.columns:
            digest.update(np.ascontiguousarray(column, dtype="<f8" if column.dtype == np.float64 else "<u2").data)
        return digest.hexdigest()
    digest.update(repr((table.names, table.states, table.codes.shape)).encode("utf-8", "surrogatepass"))
    for row in table.codes:
        digest.update(np.ascontiguousarray(row, dtype="<u2").data)
    return digest.hexdigest()

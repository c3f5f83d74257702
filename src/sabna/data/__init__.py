"""From files, data frames and arrays to a table of categories."""

from sabna.data.reading import read_table
from sabna.data.table import Table

__all__ = ["Table", "read_table"]

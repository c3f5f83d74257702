"""From files, data frames and arrays to a table of categories."""

from sabna.table.numeric import NumericTable, read_numeric
from sabna.table.reading import read_table
from sabna.table.table import Table

__all__ = ["NumericTable", "Table", "read_numeric", "read_table"]

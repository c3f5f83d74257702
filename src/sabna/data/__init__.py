"""From files, data frames and arrays to a table of categories."""

from sabna.data.numeric import NumericTable, read_for_score, read_numeric
from sabna.data.reading import read_table
from sabna.data.table import Table

__all__ = ["NumericTable", "Table", "read_for_score", "read_numeric", "read_table"]

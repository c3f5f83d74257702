"""From files, data frames and arrays to a table of categories, of numbers, or of both."""

from sabna.table.mixed import MixedTable, read_mixed
from sabna.table.numeric import NumericTable, read_numeric
from sabna.table.reading import read_table
from sabna.table.table import Table

__all__ = ["MixedTable", "NumericTable", "Table", "read_mixed", "read_numeric", "read_table"]

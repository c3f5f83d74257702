"""The adjacency matrix as CSV: names in the first row and column, 1 where the row is a parent of the column.

    pandas.read_csv(path, index_col=0)

Names stand as they are in the data, also one that a spreadsheet would take for a formula (`=1+1`): a mark before it
would be another name to every program that reads the file, and the data it came from holds the same text.
"""

from __future__ import annotations

import csv
import io

from sabna.base.errors import DataError
from sabna.base.texts import shown
from sabna.network import Network
from sabna.network.files.text import decode_text


def write(network: Network) -> str:
    """The network as a matrix of 0 and 1."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["", *network.variables])
    for name, row in zip(network.variables, network.adjacency_matrix.tolist(), strict=True):
        writer.writerow([name, *row])
    return out.getvalue()


def read(content: bytes, path: str) -> Network:
    """The structure of an adjacency matrix."""
    try:
        rows = [row for row in csv.reader(io.StringIO(decode_text(content, path), newline="")) if row]
    except csv.Error as error:
        raise DataError(f"{path}: not read as CSV: {error}") from error
    if not rows or len(rows[0]) < 2 or [row[0] for row in rows[1:]] != rows[0][1:]:
        raise DataError(f"{path}: an adjacency matrix needs the same names in its first row and its first column")
    names = rows[0][1:]
    parents: dict[str, list[str]] = {name: [] for name in names}
    for row in rows[1:]:
        if len(row) != len(names) + 1 or any(cell.strip() not in ("0", "1") for cell in row[1:]):
            raise DataError(f"{path}: row {shown(row[0])} must hold {len(names)} entries, each 0 or 1")
        for child, cell in zip(names, row[1:], strict=True):
            if cell.strip() == "1":
                parents[child].append(row[0])
    return Network(names, parents)

"""How a result came about: enough to make it again, and to see why another machine might differ."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from sabna.base.environment import environment
from sabna.table.fingerprint import table_hash

if TYPE_CHECKING:
    from sabna.table import MixedTable, NumericTable, Table


def run_record(
    data: Any, table: Table | NumericTable | MixedTable, options: dict[str, Any], function: str = "learn"
) -> dict[str, Any]:
    """The `run` of a result: where the data came from, the options that were not left at their defaults, versions."""
    source = fspath(data) if isinstance(data, str | PathLike) else None
    arguments = [repr(source) if source else "data", *(f"{name}={value!r}" for name, value in options.items())]
    return {
        "source": source,
        "python_call": f"sabna.{function}({', '.join(arguments)})",
        "options": options,
        "data_sha256": table_hash(table),
        **environment(),
    }

"""How a result came about: enough to make it again, and to see why another machine might differ."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import PackageNotFoundError, version
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from sabna.base.version import __version__
from sabna.table import NumericTable

if TYPE_CHECKING:
    from sabna.table import NumericTable, Table

# Libraries whose version can matter for which of several equally good networks is returned.
LIBRARIES = ("numpy", "highspy")


def run_record(data: Any, table: Table | NumericTable, options: dict[str, Any]) -> dict[str, Any]:
    """The `run` of a result: where the data came from, the options that were not left at their defaults, versions."""
    source = fspath(data) if isinstance(data, str | PathLike) else None
    arguments = [repr(source) if source else "data", *(f"{name}={value!r}" for name, value in options.items())]
    return {
        "source": source,
        "python_call": f"sabna.learn({', '.join(arguments)})",
        "options": options,
        "data_sha256": table_hash(table),
        **environment(),
    }


def environment() -> dict[str, Any]:
    """Versions and the kind of machine."""
    return {
        "sabna": __version__,
        "versions": {"python": platform.python_version()} | {name: _version(name) for name in LIBRARIES},
        "platform": f"{platform.system()} {platform.machine()}",
    }


def table_hash(table: Table | NumericTable) -> str:
    """SHA-256 of a table as it is scored: names, states and codes, row by row; or names and numbers."""
    digest = hashlib.sha256()

    if isinstance(table, NumericTable):
        digest.update(repr((table.names, table.values.shape)).encode("utf-8", "surrogatepass"))
        for row in table.values:  # one at a time: a copy of the whole may be more than a memory limit allows
            digest.update(np.ascontiguousarray(row, dtype="<f8").data)
        return digest.hexdigest()
    digest.update(repr((table.names, table.states, table.codes.shape)).encode("utf-8", "surrogatepass"))
    for row in table.codes:
        digest.update(np.ascontiguousarray(row, dtype="<u2").data)
    return digest.hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"

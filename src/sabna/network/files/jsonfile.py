"""JSON: a network with all it has, under the same keys as in the result of a run, so that either can be read here."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from sabna.base.errors import DataError, UsageError
from sabna.network import Network


def network_fields(network: Network) -> dict[str, Any]:
    """The keys that describe a network: variables, parents, and if known states and tables."""
    fields: dict[str, Any] = {
        "variables": list(network.variables),
        "parents": {child: list(parents) for child, parents in network.parents.items()},
    }
    if network.states is not None:
        fields["states"] = {name: list(states) for name, states in network.states.items()}
    if network.tables is not None:
        fields["tables"] = {name: table.tolist() for name, table in network.tables.items()}
    return fields


def network_from_fields(fields: Any, path: str = "the JSON object") -> Network:
    """The network of these keys."""
    if not isinstance(fields, dict) or not isinstance(fields.get("parents"), dict):
        raise DataError(f"{path}: no network: the key 'parents' is missing")
    try:
        tables = fields.get("tables")
        return Network(
            fields.get("variables") or fields["parents"],
            fields["parents"],
            fields.get("states"),
            None if tables is None else {name: np.array(table, dtype=np.float64) for name, table in tables.items()},
        )
    except (UsageError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"{path}: {error}") from error


def write(network: Network) -> str:
    """The network as JSON."""
    return json.dumps(network_fields(network), indent=1, ensure_ascii=False) + "\n"


def load(content: bytes, path: str) -> Any:
    """The JSON of a file."""
    try:
        return json.loads(content)
    except ValueError as error:
        raise DataError(f"{path}: not JSON: {error}") from error


def read(content: bytes, path: str) -> Network:
    """The network of a JSON file, be it a network or a result."""
    return network_from_fields(load(content, path), path)

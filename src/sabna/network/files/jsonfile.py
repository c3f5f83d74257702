"""JSON: a network with all it has, under the same keys as in the result of a run, so that either can be read here."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from sabna.base.errors import DataError
from sabna.base.jsontext import load_json
from sabna.base.texts import shown
from sabna.network import Network
from sabna.network.conditional import MixedParameters
from sabna.network.files.assemble import probabilities_of, texts_of
from sabna.network.gaussian import LinearGaussian
from sabna.table.preparation import Preparation

T = TypeVar("T")


def network_fields(network: Network) -> dict[str, Any]:
    """The keys that describe a network: variables, parents; if known states and tables, regressions, preparation."""
    fields: dict[str, Any] = {
        "variables": list(network.variables),
        "parents": {child: list(parents) for child, parents in network.parents.items()},
    }
    if network.states is not None:
        fields["states"] = {name: list(states) for name, states in network.states.items()}
    if network.tables is not None:
        fields["tables"] = {name: table.tolist() for name, table in network.tables.items()}
    if network.gaussian is not None:
        fields["gaussian"] = {name: regression.to_dict() for name, regression in network.gaussian.items()}
    if network.mixed is not None:
        fields["mixed"] = network.mixed.to_dict()
    if network.preparation is not None:
        fields["preparation"] = network.preparation.to_dict()
    return fields


def network_from_fields(fields: Any, path: str = "the JSON object") -> Network:
    """The network of these keys."""
    if not isinstance(fields, dict) or not isinstance(fields.get("parents"), dict):
        raise DataError(f"{path}: no network: the key 'parents' is missing")
    try:
        states, tables, gaussian = fields.get("states"), fields.get("tables"), fields.get("gaussian")
        preparation = fields.get("preparation")
        variables = texts_of(fields["variables"]) if fields.get("variables") is not None else list(fields["parents"])
        _refuse_unknown({"states": states, "tables": tables}, set(variables))
        return Network(
            variables,
            _each(fields["parents"], texts_of, "parents"),
            None if states is None else _each(states, texts_of, "states"),
            None if tables is None else _each(tables, probabilities_of, "tables"),
            None if gaussian is None else _each(gaussian, LinearGaussian.from_dict, "gaussian"),
            None if preparation is None else Preparation.from_dict(preparation),
            None if fields.get("mixed") is None else MixedParameters.from_dict(fields["mixed"]),
        )
    except ValueError as error:  # UsageError is one
        raise DataError(f"{path}: {error}") from error


def _refuse_unknown(parts: dict[str, Any], variables: set[str]) -> None:
    """Names under `states` or `tables` that are no variables; Network itself sees to those of parents."""
    for key, part in parts.items():
        unknown = [name for name in part if name not in variables] if isinstance(part, dict) else []
        if unknown:
            raise ValueError(f"{key} of {shown(unknown[0])}, which is no variable of this network")


def _each(fields: Any, convert: Callable[[Any], T], key: str) -> dict[str, T]:
    """What stands under a key for every variable, converted."""
    if not isinstance(fields, dict):
        raise ValueError(f"{key} must be an object with an entry for each variable, not {shown(fields)}")
    converted = {}
    for name, value in fields.items():
        try:
            converted[name] = convert(value)
        except ValueError as error:
            raise ValueError(f"{key} of {shown(name)}: {error}") from error
    return converted


def write(network: Network) -> str:
    """The network as JSON."""
    return json.dumps(network_fields(network), indent=1, ensure_ascii=False) + "\n"


def load(content: bytes, path: str) -> Any:
    """The JSON of a file."""
    try:
        return load_json(content)
    except ValueError as error:
        raise DataError(f"{path}: not JSON: {error}") from error


def read(content: bytes, path: str) -> Network:
    """The network of a JSON file, be it a network or a result."""
    return network_from_fields(load(content, path), path)

"""Calls in the words of Python: what would go through instead of a call that was refused.

A refusal of a table carries options that would let it through. The function that was called knows the rest: its own
name, and what it was given. `suggesting` puts the two together, so that the message ends with a call to copy.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, TypeVar, cast

from sabna.base.errors import DataError

Function = TypeVar("Function", bound=Callable[..., Any])


def suggesting(function: Function) -> Function:
    """Complete the suggestion of a refusal by the call that was made: its first argument is the data."""

    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except DataError as error:
            if error.options:
                first, rest = (given[0], given[1:]) if given else (None, ())
                error.call = call_text(function.__name__, first, rest, added_to(named, error.options))
            raise

    return cast(Function, call)


def call_text(function: str, data: Any, given: Sequence[Any], named: Mapping[str, Any]) -> str:
    """A call of a public function.

    >>> call_text("learn", "x.csv", ["bdeu"], {"missing": "drop"})
    'sabna.learn("x.csv", "bdeu", missing="drop")'
    """
    words = [literal(fspath(data)) if isinstance(data, str | PathLike) else "data", *map(literal, given)]
    words += [f"{name}={literal(value, name)}" for name, value in named.items()]
    return f"sabna.{function}({', '.join(words)})"


def literal(value: Any, name: str = "...") -> str:
    """A value as Python writes it, texts in double quotes; the name of what cannot be written.

    >>> literal({"day": "month"}), literal(["a", 2]), literal(print, "progress")
    ('{"day": "month"}', '["a", 2]', 'progress')
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple | set):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, PathLike):
        value = fspath(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(value) if value is None or isinstance(value, bool | int | float) else name


def added_to(given: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Options that were given, and some more.

    >>> added_to({"drop": "a", "discretize": "mean"}, {"drop": ["b"], "discretize": {"c": "quantile:3"}})
    {'drop': ['a', 'b'], 'discretize': ['mean', 'c=quantile:3']}
    """
    out = dict(given)
    for name, value in more.items():
        before = given.get(name)
        if name == "discretize" and before not in (None, "none"):
            out[name] = _joined_plan(before, value)
        elif isinstance(value, list) and before:
            out[name] = [*([before] if isinstance(before, str) else before), *value]
        else:
            out[name] = value
    return out


def _joined_plan(given: Any, more: Any) -> Any:
    """The methods of discretisation that were given, and some more."""
    if isinstance(given, Mapping) and isinstance(more, Mapping):
        return {**given, **more}
    texts: list[str] = []
    for plan in (given, more):
        if isinstance(plan, Mapping):
            texts += [f"{name}={method}" for name, method in plan.items()]
        else:
            texts += [plan] if isinstance(plan, str) else plan
    return texts

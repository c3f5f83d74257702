"""Options of the functions that read tables: their defaults, their types, and how they are shown in signatures."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict, TypeVar, cast

import numpy as np

from sabna.base.calls import suggesting
from sabna.base.errors import UsageError, quoted
from sabna.base.limits import Limits

Function = TypeVar("Function", bound=Callable[..., Any])


class HowToRead(TypedDict, total=False):
    """Options of every reader, whatever kind of table it makes; a row of settings/groups/reading.py tells of each."""

    delimiter: str | None
    decimal: str | None
    header: bool
    columns: Iterable[str] | None
    drop: Iterable[str]
    leave_out: Iterable[str]
    sheet: str | int | None
    limits: Limits | None


_HOW = tuple(HowToRead.__annotations__)
_DEFAULTS = {"header": True, "drop": (), "leave_out": ()}  # of the others None
# What options of reading are if nobody gives them; those of HowToRead that are not here None.
USUAL = {**_DEFAULTS, "categorical": (), "discretize": "none", "missing": "error"}


def is_given(option: str, value: Any) -> bool:
    """Whether an option of reading asks for something.

    >>> is_given("drop", []), is_given("header", False)
    (False, True)
    """
    return value is not None and not (isinstance(value, str | bool | list | tuple) and value in (USUAL.get(option), []))


def refuse_too_late(options: Mapping[str, Any]) -> None:
    """Refuse options of reading that come with a table that is read already."""
    given = [name for name, value in options.items() if name != "limits" and is_given(name, value)]
    if given:
        raise UsageError(
            f"{given[0]}: it says how data are read, and this is a table that is read already (a coded table); give "
            f"`{given[0]}` together with the data as a file, frame or mapping"
        )


def _texts(value: Any) -> Any:
    """Several texts, or one."""
    if isinstance(value, str):
        return [value]
    texts = list(value) if isinstance(value, Iterable) else [None]
    if not all(isinstance(text, str) for text in texts):
        raise UsageError("write texts")
    return texts


def _plan(value: Any) -> Any:
    """A method, or methods by column."""
    if isinstance(value, Mapping):
        _texts([text for pair in value.items() for text in pair])
        return value
    return value if isinstance(value, str) else _texts(value)


def _of_type(words: str, *types: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise UsageError(words)
        return value

    return check


_TEXT = _of_type("write a text", str)
# What the values of options may be. Options of `learn` and its like are checked before they come here (sabna.settings).
_CHECKS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("categorical", "columns", "drop", "leave_out"), _texts),
    **dict.fromkeys(("delimiter", "decimal", "missing", "kinds"), _TEXT),
    "discretize": _plan,
    "sheet": _of_type("write the name of a sheet, or its number counted from 1", str, int),
    "header": _of_type("write True or False", bool, np.bool_),
    "limits": _of_type("these are those of a run that has begun; leave them out", Limits),
}


def _checked(option: str, value: Any) -> Any:
    """The value of an option; UsageError if it is of a type that cannot be. None is as if it were not given."""
    if value is None and USUAL.get(option) is None:
        return None
    try:
        return _CHECKS[option](value)
    except UsageError as error:
        raise UsageError(f"{option} {quoted(value, 40)}: {error}") from None


def reader(function: Function) -> Function:
    """Show the options of HowToRead in the signature of a function that takes them as `**how`; refuse other names."""
    own = inspect.signature(function).parameters
    shown = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(name)) for name in _HOW]
    first = [p for p in own.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    last = [p for p in own.values() if p.kind is p.KEYWORD_ONLY]
    signature = inspect.Signature([*first, *shown, *last])

    @functools.wraps(function)
    def read(*given: Any, **named: Any) -> Any:
        unknown = [name for name in named if name not in signature.parameters]
        if unknown:
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {unknown[0]!r}")
        by_position = dict(zip(list(signature.parameters)[1:], given[1:], strict=False))
        named = {name: _checked(name, value) for name, value in (by_position | named).items()}
        return function(*given[:1], **named)

    read.__signature__ = signature  # type: ignore[attr-defined]
    return cast(Function, suggesting(read))

"""Messages of the package in the words of the command line.

The package speaks Python: `missing="drop"`, `discretize={"age": "quantile:3"}`, `header=False`, and `` `decimal` ``
where an option is named without a value. Here that becomes `--missing drop`, `--discretize age=quantile:3`,
`--no-header` and `--decimal`. Only names of the table of settings are looked at, and only values written as above, so
that names of columns in a message stay as they are.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from sabna.base.errors import DataError, UsageError, with_suggestion
from sabna.settings.table import BY_POSITION, all_settings

_TEXT = r'"(?:[^"\\]|\\.)*"'
_GIVEN = r"'(?:[^'\\]|\\.)*'|" + _TEXT + r"|\[[^\]]*\]|[-+.\w]+"
_VALUE = rf"{_TEXT}|\[{_TEXT}(?:, {_TEXT})*\]|\{{{_TEXT}: {_TEXT}(?:, {_TEXT}: {_TEXT})*\}}|False|True"


def in_shell_words(message: str) -> str:
    """A message with its options as flags.

    >>> in_shell_words('use missing="drop", or categorical=["day of birth"]; check `decimal`')
    "use --missing drop, or --categorical 'day of birth'; check --decimal"
    >>> in_shell_words('discretize={"age": "quantile:3"}; header=False; no option="x"')
    '--discretize age=quantile:3; --no-header; no option="x"'
    """
    names = "|".join(all_settings())
    message = re.sub(rf"\b({names})=({_VALUE})", lambda match: _flags(match[1], match[2]), message)
    return re.sub(rf"`({names})`", lambda match: _flag(match[1]), message)


def about_a_flag(message: str) -> str:
    """A message that begins with an option and what was given for it, with the option as it was typed.

    >>> about_a_flag("n_jobs 0: write a number of threads")
    '--jobs 0: write a number of threads'
    >>> about_a_flag("columns, drop: no column is left"), about_a_flag("upper_bound: not used")
    ('--columns, --drop: no column is left', '--no-upper-bound: not used')
    """
    names = "|".join([*all_settings(), *BY_POSITION, "dialect", "path"])
    several = re.match(rf"({names})(?:, ({names}))+: ", message)
    if several:
        flags = map(_flag, several[0].removesuffix(": ").split(", "))
        return f"{', '.join(flags)}: {message[several.end() :]}"
    return re.sub(rf"^({names})(?: ({_GIVEN}))?: ", lambda match: _typed(match[1], match[2]), message)


def _flag(name: str) -> str:
    flags = all_settings()[name].flags if name in all_settings() else ()
    return flags[0] if flags else f"--{name.replace('_', '-')}"


def _typed(name: str, given: str | None) -> str:
    """What was typed: the head of a message about an option.

    >>> _typed("max_parents", "['three']"), _typed("folds", None)
    ('--max-parents three: ', '--folds: ')
    """
    try:
        value = ast.literal_eval(given or "()")
    except (ValueError, SyntaxError):  # cut for its length
        value = given
    texts = value if isinstance(value, list | tuple) else [value]
    switched_off = name in all_settings() and all_settings()[name].default is True
    return " ".join([_flag(f"no-{name}" if switched_off else name), *(shlex.quote(str(text)) for text in texts)]) + ": "


def _flags(name: str, value: str) -> str:
    if value in ("True", "False"):
        return _flag(name) if value == "True" else _flag(f"no-{name}")
    given = json.loads(value)
    if isinstance(given, dict):
        given = [f"{key}={text}" for key, text in given.items()]
    texts = given if isinstance(given, list) else [given]
    return " ".join(f"{_flag(name)} {shlex.quote(text)}" for text in texts)


def flags_of(options: Mapping[str, Any]) -> list[str]:
    """Options as they are typed; a settings file may give a number, or a table of limits by name.

    >>> flags_of({"score": "bcg", "drop": ["-k", "day of birth"], "header": False, "max_parents": {"a": 2}})
    ['--score', 'bcg', '--drop=-k', '--drop', 'day of birth', '--no-header', '--max-parents', 'a=2']
    """
    words = []
    for name, value in options.items():
        if isinstance(value, bool):
            words.append(_flag(name) if value else _flag(f"no-{name}"))
            continue
        if isinstance(value, Mapping):
            value = [f"{key}={part}" for key, part in value.items()]
        for text in map(str, value if isinstance(value, list | tuple) else [] if value is None else [value]):
            words += [f"{_flag(name)}={text}"] if text.startswith("-") else [_flag(name), text]
    return words


def _without(arguments: Sequence[str], flags: Sequence[str]) -> list[str]:
    """The arguments without the treatment of gaps and the decimal sign where flags name another.

    >>> _without(["learn", "a.csv", "--missing", "error", "-q"], ["--missing", "drop"])
    ['learn', 'a.csv', '-q']
    """
    words = list(arguments)
    for flag in {"--missing", "--decimal"} & set(flags):
        while flag in words:
            at = words.index(flag)
            del words[at : at + 2]
        words = [word for word in words if not word.startswith(f"{flag}=")]
    return words


def message_of(error: BaseException, arguments: Sequence[str]) -> str:
    """What an error says; a table that would go through otherwise gets the command that was typed, with more flags."""
    if not isinstance(error, DataError):
        return in_shell_words(about_a_flag(str(error)) if isinstance(error, UsageError) else str(error))
    command = shlex.join(["sabna", *_without(arguments, error.flags), *error.flags]) if error.flags else ""
    return with_suggestion(in_shell_words(str(error.args[0]) if error.args else ""), command)

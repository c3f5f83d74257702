"""Options from a file: TOML, or the JSON of a result, which says what it was learned with."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from sabna.base.errors import UsageError
from sabna.base.jsontext import load_json, load_toml
from sabna.settings.choose import checked
from sabna.settings.table import Score, rows, settings_of


def read_settings(path: str | os.PathLike[str], taker: str, others: Sequence[str] = ()) -> dict[str, Any]:
    """Options from a TOML file, or from the JSON of a result; `data` among them names the table.

    `others` are names that the taker knows beside those of the table of settings.
    """
    where = os.fspath(path)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, ValueError) as error:  # the latter: the encoding, or no name of a file
        raise UsageError(f"{where}: the settings cannot be read: {error}; check the name of the file") from None
    try:
        content = load_json(text) if where.lower().endswith(".json") else load_toml(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: no settings file: {error}; write TOML, or give the JSON of a result") from None
    if isinstance(content, dict) and ("run" in content or "status" in content):
        content = _of_result(content.get("run"), where, taker)
    if not isinstance(content, dict):
        raise UsageError(f"{where}: no settings: write one option a line, such as max_parents = 3")
    functions = {"progress", "limits"} & content.keys()
    if functions:
        raise UsageError(f"{where}: {min(functions)} is for programs, and no value of a file")
    data = {"data": content.pop("data")} if "data" in content else {}
    if data and not isinstance(data["data"], str):
        raise UsageError(f"{where}: data {data['data']!r}: write the name of a file")
    known = {name: content.pop(name) for name in others if name in content}
    checked(taker, content, f"{where}: ", ["data", *others])
    return {**content, **known, **data}


def _of_result(run: Any, where: str, taker: str) -> dict[str, Any]:
    if not isinstance(run, dict) or not isinstance(run.get("options"), dict):
        raise UsageError(f"{where}: this result does not say which options it was made with; results from tables do")
    source = run.get("source")
    # A record leaves out the usual score of `learn`, which is not that of `posterior`.
    score = {"score": rows(Score)["score"].default} if "score" in settings_of(taker) else {}
    return {**score, **run["options"], **({"data": source} if source else {})}


def table_of_result(path: str | os.PathLike[str]) -> str | None:
    """The checksum of the table that a result was made from; None if the file is no result, or does not tell."""
    with open(path, encoding="utf-8") as file:
        content = load_json(file.read()) if os.fspath(path).lower().endswith(".json") else {}
    run = content.get("run") if isinstance(content, dict) else None
    told = run.get("data_sha256") if isinstance(run, dict) else None
    return told if isinstance(told, str) else None

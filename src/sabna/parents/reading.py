"""The rows that are scored: those of a table, or with `time` the transitions of repeated measurements."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from sabna.base.limits import Limits
from sabna.parents.knowledge import Knowledge
from sabna.scores.reading import read_for_score
from sabna.scores.series import past_names, read_series
from sabna.settings import only
from sabna.settings.table import Intervening, Reading
from sabna.table import MixedTable, NumericTable, Table
from sabna.table.missing import kinds_text


def read_rows(data: Any, settings: Mapping[str, Any], limits: Limits) -> Any:
    """The table to learn from: that of the data, or with `time` that of its transitions."""
    score, reading = settings["score"], only(settings, Reading, Intervening)
    if settings.get("time") is None:
        table = read_for_score(data, score, **reading, limits=limits)
    else:
        steps = settings["time"], settings.get("id"), settings.get("lags", 1)
        table = read_series(data, score, *steps, **reading, limits=limits)
    kinds = kinds_text(table.statistics)
    if kinds and not isinstance(data, Table | NumericTable | MixedTable):  # before anything is scored, once
        logging.getLogger("sabna").info(kinds)
    return table


def with_past(settings: dict[str, Any], table: Any) -> dict[str, Any]:
    """The settings; with `time` their knowledge also says that nothing leads into the past."""
    if settings.get("time") is None:
        return settings
    known = Knowledge.of(settings["knowledge"]).to_dict()
    roots = list(dict.fromkeys([*known.get("roots", ()), *past_names(table)]))
    return {**settings, "knowledge": {**known, "roots": roots}}

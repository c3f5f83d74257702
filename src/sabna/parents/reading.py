"""The rows that are scored: those of a table, or with `time` the transitions of repeated measurements.

Options that say how data are read are refused where they cannot be used, before anything is read: all of them with a
table that is read already, some with sources of one kind (table/sources.py has the table of readers).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from sabna.base.limits import Limits
from sabna.parents.knowledge import Knowledge
from sabna.scores.reading import read_for_score
from sabna.scores.series import past_names, read_series
from sabna.settings import only
from sabna.settings.table import Intervening, Reading, Time
from sabna.table import MixedTable, NumericTable, Table
from sabna.table.missing import kinds_text
from sabna.table.mixed import STAYING
from sabna.table.options import HowToRead, refuse_too_late
from sabna.table.sources import check_form


@dataclass(frozen=True, eq=False)
class TableOf:
    """The table of a source, read with the options that are given together with it: they are not used again."""

    table: Table | NumericTable | MixedTable
    source: Any


def source_of(data: Any) -> Any:
    """Where data came from."""
    return data.source if isinstance(data, TableOf) else data


def check_reading(data: Any, settings: Mapping[str, Any]) -> None:
    """Refuse options of reading that are of no use for the data."""
    if isinstance(data, Table | NumericTable | MixedTable):
        given = only(settings, Reading, Intervening, Time)
        if given["missing"] in STAYING:  # it says how holes are scored, too
            del given["missing"]
        refuse_too_late({name: value for name, value in given.items() if name != "lags"})  # without `time` 1
    elif not isinstance(data, TableOf):
        check_form(data, cast(HowToRead, settings))


def read_rows(data: Any, settings: Mapping[str, Any], limits: Limits) -> Any:
    """The table to learn from: that of the data, or with `time` that of its transitions."""
    if isinstance(data, TableOf):
        return data.table
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

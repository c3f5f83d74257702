"""Options of reading a table: columns, missing values, repeated measurements, interventions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Annotated, TypedDict

from sabna.settings.checks import (
    character,
    column_name,
    column_names,
    interventions,
    one_of,
    optional,
    plan,
    several_of,
    sheet_name,
    switch,
    whole,
)
from sabna.settings.setting import Setting

# As in sabna.table, which is not imported for the sake of a quick start; a test compares.
MISSING = ("error", "drop", "category", "available", "em")
DECIMALS = (".", ",")
LEAVE_OUT = ("identifiers", "text", "dates")


class Reading(TypedDict, total=False):
    """How a table is read."""

    categorical: Annotated[
        Iterable[str],
        Setting(
            (),
            column_names,
            "Take a column's values as categories although it looks continuous, or holds numbers in a mixed table. "
            "Repeatable.",
            metavar="COLUMN",
            typed=list[str],
        ),
    ]
    discretize: Annotated[
        str | Mapping[str, str] | Iterable[str],
        Setting(
            "none",
            plan,
            "none, mean (1 above the mean, else 0), quantile:K or uniform:K, for all columns or for one; of dates "
            "COLUMN=year, quarter, month, weekday, day or hour. Repeatable.",
            metavar="[COLUMN=]METHOD",
            typed=list[str],
        ),
    ]
    missing: Annotated[
        str,
        Setting(
            "error",
            one_of(*MISSING),
            "What to do with missing values. error: refuse; drop: leave out their rows; category: make them a state; "
            "available: score every family on the rows where it is complete (scores pnal, pnal-g, pnal-cg); em: "
            "complete them by EM (learn with bic only).",
            metavar="|".join(MISSING),
        ),
    ]
    delimiter: Annotated[
        str | None,
        Setting(
            None,
            optional(character),
            "What separates the cells of a CSV file (`tab` for a tab); guessed if not given.",
            metavar="CHARACTER",
        ),
    ]
    decimal: Annotated[
        str | None,
        Setting(
            None,
            optional(one_of(*DECIMALS)),
            "The decimal sign of numbers in text; if not given, found where it is clear.",
            metavar="|".join(DECIMALS),
        ),
    ]
    columns: Annotated[
        Iterable[str] | None,
        Setting(
            None,
            optional(column_names),
            "Take only this column. Repeatable.",
            metavar="COLUMN",
            typed=list[str],
        ),
    ]
    drop: Annotated[
        Iterable[str],
        Setting((), column_names, "Leave this column out. Repeatable.", metavar="COLUMN", typed=list[str]),
    ]
    leave_out: Annotated[
        Iterable[str],
        Setting(
            (),
            several_of(*LEAVE_OUT),
            "Leave out all columns of a kind: identifiers, text (free text) or dates. Repeatable.",
            metavar="KIND",
            typed=list[str],
        ),
    ]
    sheet: Annotated[
        str | int | None,
        Setting(None, optional(sheet_name), "The sheet of a workbook (.xlsx), by name or number.", metavar="SHEET"),
    ]
    header: Annotated[
        bool,
        Setting(True, switch, "The CSV file has no header row; columns are called V1, V2, ...", typed=bool),
    ]


class Intervening(TypedDict, total=False):
    """Which variables were set from outside, and where."""

    interventions: Annotated[
        str | os.PathLike[str] | Mapping[str, Mapping[str, Iterable[str]]] | None,
        Setting(
            None,
            optional(interventions),
            "A column that names the variables that were set from outside in each row (`none`: no variable; several: "
            "separated by `;`), or a TOML or JSON file that says which condition sets what. Such rows do not count "
            "for these variables.",
            metavar="COLUMN|FILE",
        ),
    ]


class Expectation(TypedDict, total=False):
    """Structural EM."""

    em_starts: Annotated[
        int,
        Setting(5, whole(1, 1000), "With --missing em: number of starts; the best result is returned.", "N", int),
    ]


class Time(TypedDict, total=False):
    """Repeated measurements."""

    time: Annotated[
        str | None,
        Setting(
            None,
            optional(column_name),
            "The column of times: rows are repeated measurements, and variables may have parents at earlier steps.",
            metavar="COLUMN",
        ),
    ]
    id: Annotated[
        str | None,
        Setting(
            None,
            optional(column_name),
            "With --time: the column that says which series a row belongs to.",
            metavar="COLUMN",
        ),
    ]
    lags: Annotated[
        int, Setting(1, whole(1, 100), "With --time: how many earlier steps parents may come from.", "K", int)
    ]

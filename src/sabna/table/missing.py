"""Missing values: refused, their rows dropped, made a state, or left as they are; and an account of what was done.

The account goes into the statistics of the table and from there into every result, because a network of 450 of 569
rows is not a network of the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sabna.base.errors import DataError, UsageError, quoted
from sabna.table.columns import AnyColumn

TREATMENTS = ("error", "drop", "category", "available", "em")
# What a complete table of categories can be made by.
COMPLETING = ("error", "drop", "category")
# The keys of the account in `statistics`, and in the JSON object of every command that reads a table.
ACCOUNT = ("rows_read", "dropped_rows", "missing", "interventions", "kinds", "time")


def check_treatment(missing: str, allowed: tuple[str, ...] = COMPLETING) -> None:
    """Refuse what is no treatment of missing values, or none of this kind of table."""
    if missing not in TREATMENTS:
        raise UsageError(f"missing {missing!r}: write one of {', '.join(TREATMENTS)}")
    if missing == "em" and missing not in allowed:
        raise UsageError("missing 'em': only learn completes tables by EM, with the score bic")
    if missing == "available" and missing not in allowed:
        raise UsageError("missing 'available': the score must be one of incomplete data: pnal, pnal-g or pnal-cg")
    if missing not in allowed:
        raise UsageError(f"missing {missing!r}: for continuous data write {' or '.join(allowed)}")


# What can be done about missing values, in a table of categories and in one with quantities.
OF_CATEGORIES = (
    'missing="drop" to leave out such rows, missing="category" to make missing a state of its own, or '
    'missing="available" to score every family on the rows where it is complete'
)
OF_QUANTITIES = (
    'missing="drop" to leave out such rows, or missing="available" without a score, which becomes pnal, pnal-g or '
    "pnal-cg: every family is then scored on the rows where it is complete"
)


def treat_missing(where: str, columns: list[AnyColumn], missing: str, remedies: str = OF_CATEGORIES) -> dict[str, Any]:
    """Refuse missing values, drop their rows from `columns`, or leave them to others; returns the account.

    `remedies` is what the refusal tells to use.
    """
    rows = columns[0].rows
    gaps: dict[str, int] = {}
    complete = np.ones(rows, dtype=bool)
    for column in columns:
        gone = column.missing()
        count = int(np.count_nonzero(gone))
        if count:
            gaps[column.name] = count
            complete &= ~gone
    account: dict[str, Any] = {"rows_read": rows, "dropped_rows": 0}
    if not gaps:
        return account
    gaps = dict(sorted(gaps.items(), key=lambda item: -item[1]))  # equal counts stay in the order of the columns
    if missing == "error":
        raise _refusal(where, gaps, int(np.argmin(complete)) + 1, remedies)
    account["missing"] = {"treatment": missing, "cells": sum(gaps.values()), "columns": gaps}
    if missing == "drop":
        if not complete.any():
            worst = next(iter(gaps))
            other = 'missing="category" or ' if remedies == OF_CATEGORIES else ""
            raise DataError(
                f"{where}: every row has a missing value, so that none is left; leave out the columns with the most, "
                f'such as {quoted(worst)} ({gaps[worst]:,}), or use {other}missing="available" without a score'
            )
        for k, column in enumerate(columns):  # one after the other, so that only one is there twice
            columns[k] = column.keep_rows(complete)
        account["dropped_rows"] = rows - columns[0].rows
    return account


def _refusal(where: str, gaps: dict[str, int], first: int, remedies: str) -> DataError:
    return DataError(
        f"{where}: missing values in column{'s' if len(gaps) > 1 else ''} {listed(gaps, 10)}, first in row {first}; "
        f"use {remedies}"
    )


def listed(gaps: Mapping[str, int], most: int) -> str:
    """Columns with their counts of missing values, those with the most first.

    >>> listed({"a": 7, "b": 2, "c": 1}, 2)
    "'a' (7), 'b' (2) and 1 more"
    """
    shown = ", ".join(f"{quoted(name)} ({count:,})" for name, count in list(gaps.items())[:most])
    return shown + (f" and {len(gaps) - most} more" if len(gaps) > most else "")


def account_of(statistics: Mapping[str, Any]) -> dict[str, Any]:
    """The account of rows, columns and missing values among the statistics of a table."""
    return {key: statistics[key] for key in ACCOUNT if key in statistics}


def account_text(statistics: Mapping[str, Any]) -> str:
    """The account in words; empty if all columns are of one kind, every row was used as it is, and nothing was set.

    >>> gaps = {"treatment": "drop", "cells": 130, "columns": {"age": 100, "sex": 30}}
    >>> account_text({"rows_read": 569, "dropped_rows": 119, "missing": gaps})
    "450 of 569 rows used, 119 with missing values dropped: 'age' (100), 'sex' (30)"
    """
    parts = (kinds_text, _time_text, _missing_text, _set_text)
    return "; ".join(said for part in parts if (said := part(statistics)))


def kinds_text(statistics: Mapping[str, Any]) -> str:
    """Which columns are categories and which are quantities, if there are both."""
    kinds = statistics.get("kinds")
    if not isinstance(kinds, Mapping):  # a result may come from a file
        return ""
    said = []
    for kind, words in (("discrete", "categories"), ("continuous", "quantities")):
        names = [str(name) for name, of in kinds.items() if of == kind]
        if not names:
            return ""
        shown = ", ".join(map(quoted, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        said.append(f"{words} {shown}")
    return "; ".join(said)


def _time_text(statistics: Mapping[str, Any]) -> str:
    """How many transitions of how many series."""
    about = statistics.get("time")
    counts = [about.get(key) for key in ("transitions", "series")] if isinstance(about, Mapping) else []
    if not counts or not all(isinstance(count, int) for count in counts):
        return ""
    one = counts[1] == 1
    short = about.get("short") if isinstance(about, Mapping) else 0
    none = f", {short:,} of them too short for one" if isinstance(short, int) and short else ""
    return f"{counts[0]:,} transitions of {'one' if one else f'{counts[1]:,}'} series{none}"


def _set_text(statistics: Mapping[str, Any]) -> str:
    """What was set, in words."""
    account = statistics.get("interventions")
    counts = account.get("rows") if isinstance(account, Mapping) else None
    if not isinstance(counts, Mapping) or not counts or not all(isinstance(count, int) for count in counts.values()):
        return ""
    said = f"rows that do not count for a variable because it was set in them: {listed(counts, 12)}"
    directed = account.get("directed") if isinstance(account, Mapping) else None
    if not isinstance(directed, list) or not directed:
        return said
    shown = ", ".join(" -> ".join(map(str, edge)) for edge in directed[:6] if isinstance(edge, list))
    more = f" and {len(directed) - 6} more" if len(directed) > 6 else ""
    return f"{said}; directions that they settle: {shown}{more}"


def _missing_text(statistics: Mapping[str, Any]) -> str:
    """What was missing, in words."""
    gaps, read, dropped = (statistics.get(key) for key in ("missing", "rows_read", "dropped_rows"))
    if not isinstance(gaps, Mapping) or not isinstance(gaps.get("columns"), Mapping):
        return ""
    cells = gaps.get("cells")
    if not all(isinstance(count, int) for count in gaps["columns"].values()):  # a result may come from a file
        return ""
    if not isinstance(cells, int) or not isinstance(read, int) or not isinstance(dropped, int):
        return ""
    names = listed(gaps["columns"], 3)
    if gaps.get("treatment") == "drop":
        return f"{read - dropped:,} of {read:,} rows used, {dropped:,} with missing values dropped: {names}"
    if gaps.get("treatment") == "available":
        return f"{cells:,} values missing, every family scored on the rows where it is complete: {names}"
    if gaps.get("treatment") == "em":
        return f"{cells:,} values missing, completed by EM: {names}"
    return f"{cells:,} missing values made a state of their own: {names}"

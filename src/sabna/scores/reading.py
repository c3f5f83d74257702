"""Reads a table as the score needs it: categories, numbers, or both side by side."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from sabna.base.errors import UsageError, warn
from sabna.base.limits import Limits
from sabna.scores.registry import ScoreType, fitting_score, score_type
from sabna.table import MixedTable, NumericTable, Table, read_mixed, read_numeric, read_table
from sabna.table.budget import NUMBER_BYTES, Budget
from sabna.table.interventions import Plan, plan_columns, set_cells, with_interventions
from sabna.table.mixed import mixed_of
from sabna.table.options import HowToRead, refuse_too_late
from sabna.table.sources import columns_of, selected


def read_for_score(source: Any, score: str, *, interventions: Plan | None = None, **options: Any) -> Any:
    """What the score works on: a MixedTable for bcg, bic-cg and pnal, a NumericTable for bic-g and bge, else a Table.

    Options as for `read_table`. With `missing="available"` the score may be left at bic: a MixedTable of the kinds that
    the columns have is returned, and `score_for` says which score that is. `interventions` says which variables were
    set in which rows (sabna.table.interventions).
    """
    if interventions is not None:
        return _read_intervened(source, score, interventions, options)
    return _read(source, score, options)


def _read_intervened(source: Any, score: str, plan: Plan, options: dict[str, Any]) -> Any:
    """The table without the columns of the plan, and what they say of its rows."""
    if isinstance(source, MixedTable | NumericTable | Table):
        refuse_too_late({"interventions": plan})
    budget = Budget(options.get("limits") or Limits(), NUMBER_BYTES)
    read = columns_of(source, cast(HowToRead, options), budget)
    own = [name for name in plan_columns(plan) if name in [column.name for column in read.columns]]
    chosen = options.get("columns")
    options = options | {
        "drop": [*(options.get("drop") or ()), *own],
        "columns": None if chosen is None else [name for name in chosen if name not in own],
    }
    used = selected(read, cast(HowToRead, options)).columns
    if options.get("leave_out"):
        options |= {"columns": [column.name for column in used], "drop": (), "leave_out": ()}
    flags = set_cells(read, plan, [column.name for column in used])
    if options.get("missing") == "drop":
        flags = flags[:, ~np.logical_or.reduce([column.missing() for column in used])]
    return with_interventions(_read(read, score, options), np.ascontiguousarray(flags), read.where)


def _read(source: Any, score: str, options: dict[str, Any]) -> Any:
    """The table, of whatever kind the score asks for."""
    kind = score_type(fitting_score(score, options.get("missing", "error")))
    if options.get("missing") == "em":
        read = isinstance(source, MixedTable | NumericTable | Table)
        table = mixed_of(source) if read else read_mixed(source, **options, kinds="discrete")
        if set(table.kinds.values()) != {"discrete"}:
            raise UsageError("missing 'em': for tables of categories only; discretize the numbers")
        return table
    if kind.mixed is not None:
        return _read_mixed(source, score, kind, options)
    if isinstance(source, MixedTable):
        if score_for(source, score) != score:
            return source
        raise UsageError(f"the score {score} is for tables of one kind; use bcg, bic-cg or a pnal")
    if not kind.continuous:
        if isinstance(source, NumericTable):
            raise UsageError(f"the score {score} is for categories, the table holds numbers; discretize it first")
        return read_table(source, **options)
    if isinstance(source, NumericTable):
        return source
    if isinstance(source, Table):
        raise UsageError(f"the score {score} is for numbers, the table holds categories; read it with read_numeric")
    if options.get("discretize") not in (None, "none", (), []) or options.get("categorical"):
        raise UsageError(f"the score {score} takes the columns as numbers: leave out `discretize` and `categorical`")
    kept = {key: value for key, value in options.items() if key not in ("discretize", "categorical")}
    return read_numeric(source, **kept)


def _read_mixed(source: Any, score: str, kind: ScoreType, options: dict[str, Any]) -> MixedTable:
    kinds = score_type(score).mixed or "any"
    if isinstance(source, MixedTable | NumericTable | Table):
        table = mixed_of(source)
        found = set(table.kinds.values())
        if kinds in ("discrete", "continuous") and found != {kinds}:
            raise UsageError(f"the score {score} is for {kinds} columns only; use pnal-cg")
        return table
    if kind.incomplete and options.get("missing", "error") == "error":
        options = options | {"missing": "available"}
    table = read_mixed(source, **options, kinds=kinds)
    if not score_type(score).incomplete and kind.incomplete:
        warn(
            f'missing="available": the score is {score_for(table, score)}, as rows differ from family to family, where '
            f"{score} is not defined; its default penalty lets in edges by chance, a `pnal_k` of about "
            f"{table.rows**0.5:.0f} (the square root of the rows) hardly any",
        )
    return table


def score_for(table: Any, score: str) -> str:
    """The score that is computed on the table: bic on a table with holes stands for the pnal of its columns.

    >>> score_for(read_mixed([["a", 0.5], ["b", None]], missing="available"), "bic")
    'pnal-cg'
    """
    if not isinstance(table, MixedTable) or score_type(score).id != "bic":
        return score
    kinds = set(table.kinds.values())
    return {"discrete": "pnal", "continuous": "pnal-g"}.get(kinds.pop(), "pnal-cg") if len(kinds) == 1 else "pnal-cg"

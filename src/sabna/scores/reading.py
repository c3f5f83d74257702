"""Reads a table as the score needs it: categories or numbers."""

from __future__ import annotations

from typing import Any

from sabna.base.errors import UsageError
from sabna.scores.registry import score_type
from sabna.table import NumericTable, Table, read_numeric, read_table


def read_for_score(source: Any, score: str, **options: Any) -> Any:
    """What the score works on: a NumericTable for bic-g and bge, otherwise a Table. Options as for `read_table`."""
    if not score_type(score).continuous:
        if isinstance(source, NumericTable):
            raise UsageError(f"the score {score} is for categories, the table holds numbers; discretize it first")
        return read_table(source, **options)
    if isinstance(source, NumericTable):
        return source
    if isinstance(source, Table):
        raise UsageError(f"the score {score} is for numbers, the table holds categories; read it with read_numeric")
    if options.get("discretize") not in (None, "none", (), []) or options.get("categorical"):
        raise UsageError(f"the score {score} takes the columns as numbers: leave out discretize and categorical")
    kept = {key: value for key, value in options.items() if key not in ("discretize", "categorical")}
    return read_numeric(source, **kept)

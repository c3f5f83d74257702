"""What became of missing values is said wherever a result is shown: rows used of rows read, and which columns lack."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna.cli.app import run
from sabna.report.page import render_page
from sabna.report.terminal import summary_text

SAID = "450 of 569 rows used, 119 with missing values dropped: 'b' (100), 'c' (30)"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """569 rows; 100 lack b, 30 lack c, 11 of them both."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 2, (569, 4)).astype(str), columns=list("abcd"))
    frame.loc[:99, "b"] = None
    frame.loc[89:118, "c"] = None
    path = tmp_path_factory.mktemp("gaps") / "gaps.csv"
    frame.to_csv(path, index=False)
    return path


def test_dropped_rows_were_never_told(table: Path) -> None:
    result = sabna.learn(table, missing="drop")
    assert result.rows == 450
    assert result.statistics["rows_read"] == 569
    assert result.statistics["dropped_rows"] == 119
    document = result.to_dict()
    gaps = {"treatment": "drop", "cells": 130, "columns": {"b": 100, "c": 30}}
    assert (document["rows"], document["rows_read"], document["dropped_rows"]) == (450, 569, 119)
    assert document["missing"] == gaps
    assert SAID in str(result)
    assert "450 of 569 rows" in summary_text(result)
    page = render_page(result)
    assert "450 of 569 rows" in page
    assert "119 with missing values dropped: &#39;b&#39; (100), &#39;c&#39; (30)." in page
    assert "450 of 569 rows" in result._repr_html_()
    again = sabna.Result.from_dict(json.loads(json.dumps(document)))
    assert str(again) == str(result)


def test_missing_values_made_a_state_are_told(table: Path) -> None:
    result = sabna.learn(table, missing="category")
    assert (result.rows, result.statistics["rows_read"], result.statistics["dropped_rows"]) == (569, 569, 0)
    assert result.statistics["missing"] == {"treatment": "category", "cells": 130, "columns": {"b": 100, "c": 30}}
    assert "130 missing values made a state of their own: 'b' (100), 'c' (30)" in str(result)


def test_nothing_missing_nothing_said() -> None:
    result = sabna.learn("example:asia", missing="drop")
    assert result.statistics["rows_read"] == result.rows
    assert result.statistics["dropped_rows"] == 0
    assert "missing" not in result.statistics
    assert "missing" not in str(result)


@pytest.mark.parametrize("command", ["learn", "kbest", "bootstrap", "score", "estimate"])
def test_every_command_tells(command: str, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = {"kbest": ["-k", "2"], "bootstrap": ["-B", "2"], "score": ["-o", str(tmp_path / "g.pg")]}.get(command, [])
    arguments = [command, str(table), "--missing", "drop", *more]
    assert run([*arguments, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["rows_read"], document["dropped_rows"]) == (569, 119)
    assert document["missing"]["columns"] == {"b": 100, "c": 30}
    assert run(arguments) == 0
    assert SAID in capsys.readouterr().out


def test_numbers_tell_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(50, 3))
    values[:5, 1] = np.nan
    result = sabna.learn(values, "bic-g", missing="drop")
    assert (result.rows, result.statistics["rows_read"], result.statistics["dropped_rows"]) == (45, 50, 5)
    assert "45 of 50 rows used, 5 with missing values dropped: 'V2' (5)" in str(result)


def test_a_table_that_was_read_before_tells_as_well(table: Path) -> None:
    read = sabna.read_table(table, missing="drop")
    assert SAID in str(sabna.learn(read))
    assert SAID in str(sabna.kbest(read, 2))


def test_an_account_from_a_file_cannot_break_the_summary() -> None:
    document = sabna.learn("example:asia").to_dict()
    for gaps in ("x", {"columns": 5}, {"columns": {"a": "many"}, "cells": 1}, {"columns": {}, "cells": None}):
        result = sabna.Result.from_dict({**document, "missing": gaps, "rows_read": "?", "dropped_rows": None})
        assert "proven optimal" in str(result)
        assert "<html" in render_page(result)

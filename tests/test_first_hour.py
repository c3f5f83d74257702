"""What a newcomer meets in the first hour: help, looks at tables, refusals, warnings."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna.base.errors import DataError, DataWarning
from sabna.cli.app import run
from sabna.cli.commands import COMMANDS


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS if name != "bench")])
def test_help_shows_what_is_to_be_typed_and_nothing_else(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Once flags were shown as `--watch <bool>`, arguments as `DATA <str>`, defaults as `(bic)`."""
    assert run([*command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert "<" not in shown
    assert "default: (" not in shown


def test_the_commands_of_newcomers_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    """Once the benchmarks did."""
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    places = [shown.index(f"│ {name} ") for name in ("learn", "predict", "look", "convert", "bench")]
    assert places == sorted(places)


def test_look_names_no_command_where_every_column_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once it said that a command that drops all columns goes through."""
    path = tmp_path / "t.csv"
    path.write_text("x;y\n" + "0.284;1,5\n2,977;2.25\n" * 9)
    assert run(["look", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["command"], found["command_for_quantities"]) == (None, None)
    assert "goes through: nothing" in str(sabna.look(path))
    path.write_text("x,y\n" + ",\n" * 9)
    assert sabna.look(path).call is None


def test_look_at_quantities_alone_names_their_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once it named only how to cut them."""
    path = tmp_path / "genes.csv"
    pd.DataFrame(np.random.default_rng(0).normal(size=(40, 4)), columns=list("abcd")).to_csv(path, index=False)
    assert run(["look", str(path), "--columns", "a", "--columns", "b", "--columns", "c", "--drop", "b", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [column["name"] for column in told["columns"]] == ["a", "c"]
    assert told["command_for_quantities"].endswith("--columns a --columns b --columns c --drop b --score bic-g")
    assert run(told["command_for_quantities"].split()[1:]) == 0
    assert sabna.look(path).call_for_quantities == f'sabna.learn("{path}", score="bic-g")'


def test_the_refusal_of_a_wide_table_is_short() -> None:
    with pytest.raises(DataError) as refusal:
        sabna.learn(np.random.default_rng(0).normal(size=(30, 300)))
    assert "and 280 more columns; look shows them all" in str(refusal.value)
    assert len(str(refusal.value).splitlines()) < 30


def test_warnings_point_at_the_line_of_the_caller() -> None:
    """Once they named a line inside sabna."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        network = sabna.learn({"a": ["x"] * 9 + ["y"], "b": ["x"] * 10, "c": list("uvuvuvuvuv")}).network
        network.predict({"a": ["z"]}, "c")
        sabna.read_table({"a": ["x", "y"] * 5, "b": ["x"] * 10})
    assert len([w for w in caught if w.category is DataWarning]) == 3
    assert {w.filename for w in caught} == {__file__}

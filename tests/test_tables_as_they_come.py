"""Tables with several things wrong at once: all of it told in one message, with what would go through."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna.base.errors import DataError, DataWarning, UsageError
from sabna.cli.app import run
from tests.repeats import few_or_many


def messy(rows: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    age = rng.normal(50, 10, rows).round(1)
    smoke = rng.choice(["yes", "no", None], rows, p=[0.4, 0.5, 0.1])
    return pd.DataFrame(
        {
            "row no": np.arange(1000, 1000 + rows),
            "day": pd.date_range("2024-01-01", periods=rows).strftime("%Y-%m-%d"),
            "age": age,
            "smoke": smoke,
            "note": [f"patient said thing {k} today" for k in range(rows)],
            "ill": np.where(age > 55, "yes", "no"),
        }
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "messy.csv"
    messy().to_csv(path, index=False)
    return path


def test_all_problems_come_in_one_message_with_the_command_that_goes_through(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once each problem cost a run of its own: first the gaps, then one column after the other."""
    assert run(["learn", str(file)]) == 3
    message = capsys.readouterr().err.strip()
    command = shlex.split(message.split("try: ")[1])
    expected = "--missing drop --drop 'row no' --drop note --discretize day=month --discretize age=quantile:3"
    assert command == ["sabna", "learn", str(file), *shlex.split(expected)]
    assert run([*command[1:], "-q"]) == 0


def test_in_python_the_message_speaks_python() -> None:
    with pytest.raises(DataError, match="try: sabna") as caught:
        sabna.learn(messy())
    call = str(caught.value).split("try: ")[1]
    result = eval(call, {"sabna": sabna, "data": messy()})
    assert set(result.network.variables) == {"day", "age", "smoke", "ill"}
    with pytest.raises(DataError, match=r'try: sabna\.learn\(data, discretize=\{"age": "quantile:3"\}\)'):
        sabna.learn(messy()[["age", "ill"]])


def test_in_python_a_path_gets_a_call_too_and_options_that_were_given_stay(file: Path) -> None:
    """Once the message of a path spoke the shell's words, and left out what had been given."""
    given: dict[str, Any] = {"missing": "drop", "drop": ["row no"], "discretize": ["age=mean"]}
    with pytest.raises(DataError) as caught:
        sabna.learn(str(file), **given)
    assert "--" not in str(caught.value)
    call = str(caught.value).split("try: ")[1]
    assert 'missing="drop"' in call
    assert eval(call, {"sabna": sabna}).network.variables == ("day", "age", "smoke", "ill")
    with pytest.raises(DataError, match=r'use missing="drop" to leave out such rows'):
        sabna.learn(str(file))


def test_the_command_that_goes_through_is_the_one_typed_with_more_options(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once it was always `sabna learn` without the options that had been given."""
    out = str(tmp_path / "graph.jkl")
    typed = ["score", str(file), "-o", out, "--missing", "drop", "--drop", "row no", "--max-parents", "1"]
    assert run(typed) == 3
    message = capsys.readouterr().err.strip()
    command = shlex.split(message.split("try: ")[1])
    assert command[: len(typed) + 1] == ["sabna", *typed]
    assert "--leave-out identifiers" in message
    assert "--categorical" in message
    assert run([*command[1:], "-q"]) == 0
    assert "discretize=" not in message


def test_kinds_of_columns_are_left_out_on_request(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = ["--missing", "drop", "--discretize", "quantile:3"]
    kinds = ["--leave-out", "identifiers", "--leave-out", "text", "--leave-out", "dates"]
    assert run(["learn", str(file), *plan, *kinds, "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["n"] == 3
    assert "left out: 'row no' (identifier), 'day' (dates), 'note' (free text)" in said.err
    assert run(["learn", str(file), "--leave-out", "names"]) == 2


def test_a_column_that_is_different_in_every_row_is_told() -> None:
    frame = pd.DataFrame({"name": [f"n{k}" for k in range(30)], "x": ["a", "b"] * 15})
    with pytest.warns(DataWarning, match=r'column \'name\' has another value in every row.*drop=\["name"\]'):
        sabna.learn(frame)


def test_scores_of_quantities_get_the_options_that_go_through_too(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once each column of text cost a run of its own."""
    typed = ["learn", str(file), "--score", "bic-g"]
    assert run(typed) == 3
    command = shlex.split(capsys.readouterr().err.strip().split("try: ")[1])
    dropped = shlex.split("--drop day --drop smoke --drop note --drop ill")
    assert command == ["sabna", *typed, *dropped]
    assert run([*command[1:], "-q"]) == 0
    with pytest.raises(DataError, match=r'try: sabna\.learn\(data, "bic-g", drop=\["ill"\]\)'):
        sabna.learn(messy()[["age", "ill"]], "bic-g")
    with pytest.raises(DataError, match=r'try: sabna\.learn\(data, "bcg", missing="drop"\)'):
        sabna.learn(messy()[["age", "smoke"]], "bcg")


def test_gaps_become_a_state_where_dropping_would_cost_half_of_the_rows() -> None:
    frame = pd.DataFrame({"a": ["x", None, None] * 20, "b": ["u", "v", "w"] * 20})
    with pytest.raises(DataError, match='missing="category"'):
        sabna.learn(frame)


def test_look_tells_the_kind_of_every_column(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["look", str(file), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    kinds = {column["name"]: column["kind"] for column in document["columns"]}
    assert kinds == {
        "row no": "identifier",
        "day": "dates",
        "age": "quantity",
        "smoke": "categories",
        "note": "free text",
        "ill": "categories",
    }
    by_name = {column["name"]: column for column in document["columns"]}
    assert by_name["smoke"]["missing"] == messy()["smoke"].isna().sum()
    assert by_name["age"]["distinct"] == messy()["age"].nunique()
    assert run([*shlex.split(document["command"])[1:], "-q"]) == 0
    capsys.readouterr()
    assert run(["look", str(file)]) == 0
    assert "goes through: sabna learn" in capsys.readouterr().out


def test_columns_and_drop(file: Path) -> None:
    plan: dict[str, Any] = {"missing": "drop", "discretize": {"age": "mean"}}
    some = sabna.learn(file, columns=["age", "ill", "smoke"], **plan)
    others = sabna.learn(file, drop=["row no", "day", "note"], **plan)
    assert some.network.variables == others.network.variables == ("age", "smoke", "ill")
    assert some.cost_quanta == others.cost_quanta
    with pytest.raises(UsageError, match=r"drop: there is no column 'smoek' in .*did you mean 'smoke'"):
        sabna.learn(file, drop=["smoek"])
    with pytest.raises(UsageError, match=r"no column of .* is left"):
        sabna.learn(file, columns=["ill"], drop=["ill"])
    numbers = sabna.read_numeric(file, columns=["age"])
    assert numbers.values[0].tolist() == messy()["age"].tolist()


def test_standard_input(file: Path) -> None:
    arguments = [sys.executable, "-m", "sabna", "learn", "-", "--columns", "ill", "--columns", "smoke", "--json", "-q"]
    code = "import sys; from sabna.cli import main; sys.argv[0] = 'sabna'; main()"
    arguments[1:3] = ["-c", code]
    done = subprocess.run([*arguments, "--missing", "drop"], input=file.read_bytes(), capture_output=True)
    assert json.loads(done.stdout)["n"] == 2
    direct = sabna.learn(file, columns=["ill", "smoke"], missing="drop")
    assert json.loads(done.stdout)["cost_quanta"] == direct.cost_quanta


def test_columns_that_are_not_wanted_are_not_read(tmp_path: Path) -> None:
    """A column that cannot be read stood in the way of the others; all of a million cells were read for two columns."""
    frame = pd.DataFrame({"a": [1, 2, 1], "odd": [{"x": 1}, [2], 3], "b": ["u", "v", "v"]})
    with pytest.raises(DataError, match="column 'odd': values of different kinds"):
        sabna.read_table(frame)
    for options in ({"columns": ["b", "a"]}, {"drop": ["odd"]}):
        table = sabna.read_table(frame, **options)
        assert (table.names, table.states) == (("a", "b"), (("1", "2"), ("u", "v")))
    with pytest.raises(UsageError, match="there is no column 'c' in data frame"):
        sabna.read_table(frame, columns=["a", "c"])


@pytest.mark.parametrize("wanted", [["a"], ["a.b"], ["a.b.c", "a"], ["list"], ["a.b.list.item", "list"]])
def test_columns_of_a_parquet_file_are_taken_by_their_whole_names(wanted: list[str], tmp_path: Path) -> None:
    """pyarrow takes a name with a point for a path: for "a" it reads "a.b" and "a.b.c" as well."""
    names = ["a.b.c", "a", "list", "a.b", "a.b.list.item", "b"]
    frame = pd.DataFrame({name: np.roll([0, 1, 2, 3, 4, 5], k) for k, name in enumerate(names)})
    frame.to_parquet(tmp_path / "t.parquet")
    table = sabna.read_table(tmp_path / "t.parquet", columns=wanted)
    assert table.names == tuple(name for name in names if name in wanted)
    for name, codes, states in zip(table.names, table.codes, table.states, strict=True):
        assert [int(states[code]) for code in codes] == frame[name].tolist()


@few_or_many("n", 2100, 3000)
def test_two_of_three_thousand_columns_could_not_be_taken(n: int, tmp_path: Path) -> None:
    wide = pd.DataFrame(np.add.outer(np.arange(3), np.arange(n)) % 2, columns=[f"g{k}" for k in range(n)])
    wide.to_csv(tmp_path / "wide.csv", index=False)
    wide.to_parquet(tmp_path / "wide.parquet")
    for source in (wide, tmp_path / "wide.csv", tmp_path / "wide.parquet"):
        table = sabna.read_table(source, columns=["g7", f"g{n - 1}"])
        assert table.names == ("g7", f"g{n - 1}")
        assert table.states == (("0", "1"), ("0", "1"))
        assert sabna.read_table(source, drop=[f"g{k}" for k in range(2, n)]).n == 2
        with pytest.raises(DataError, match=rf"{n} columns, the first too many being 'g2048'; .*name those to take"):
            sabna.read_table(source)


def test_a_table_with_its_variables_in_the_rows_was_taken_without_a_word(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(20, 30))
    genes = pd.DataFrame(values, columns=[f"sample {k}" for k in range(30)])
    genes.insert(0, "gene", [f"G{k}" for k in range(20)])
    assert "transpose the table" in str(sabna.look(genes))
    upright = genes.set_index("gene").T
    assert "transpose" not in str(sabna.look(upright))
    with pytest.raises(DataError, match="transpose it"):
        sabna.learn(genes, "bic-g", drop=["gene"])


def test_ages_became_sixty_states_without_a_word() -> None:
    rng = np.random.default_rng(0)
    ages = rng.integers(20, 60, 300)
    frame = pd.DataFrame({"age": ages, "ill": np.where(rng.random(300) < (ages - 20) / 40, "yes", "no")})
    with pytest.warns(DataWarning, match=r"'age' \(40 values\); .*discretize=\{\"age\": \"quantile:3\"\}"):
        assert sabna.learn(frame).network.edges == ()
    assert len(sabna.learn(frame, discretize={"age": "quantile:3"}).network.edges) == 1
    assert "better cut it (quantile:3)" in str(sabna.look(frame))
    assert sabna.look(frame).call == 'sabna.learn(data, discretize={"age": "quantile:3"})'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sabna.read_table(frame, categorical=["age"])
        sabna.read_table(frame, discretize={"age": "uniform:4"})
        sabna.read_table(frame.assign(age=frame.age // 3))

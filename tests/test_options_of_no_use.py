"""Options that would not be used are refused before anything is read, or named; the run record tells what was used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna.base.errors import UsageError
from sabna.cli.app import run
from sabna.settings.table import Intervening, Reading, Time, rows
from sabna.table.options import HowToRead
from sabna.table.sources import READERS

FRAME = pd.DataFrame({"a": list("xyxyxyxy"), "b": list("xxyyxxyy"), "c": list("xxxxyyyy")})

# Of every option that says how data are read a value that asks for something.
ASKED: dict[str, Any] = {
    "categorical": ["a"],
    "discretize": {"a": "mean"},
    "missing": "drop",
    "delimiter": ";",
    "decimal": ",",
    "columns": ["a", "b"],
    "drop": ["a"],
    "leave_out": ["text"],
    "sheet": 1,
    "header": False,
    "interventions": "a",
    "time": "a",
}
TAKERS = {
    "learn": sabna.learn,
    "build_parent_graph": sabna.build_parent_graph,
    "kbest": sabna.kbest,
    "bootstrap": lambda data, **options: sabna.bootstrap(data, 2, **options),
    "posterior": sabna.posterior,
    "estimate": sabna.estimate,
    "read_table": sabna.read_table,
    "Network.score": lambda data, **options: sabna.Network(["a", "b"], {}).score(data, **options),
}
NOT_THERE = {"estimate": ("interventions", "time"), "read_table": ("interventions", "time")}


def test_every_option_of_reading_is_tried_below() -> None:
    assert set(ASKED) == set(rows(Reading, Intervening, Time)) - {"id", "lags"}  # which need `time`


@pytest.mark.parametrize("option", ASKED)
@pytest.mark.parametrize("taker", TAKERS)
def test_options_of_reading_were_ignored_with_a_table_that_is_read(taker: str, option: str) -> None:
    """And told by the run record as if they had been used."""
    if option in NOT_THERE.get(taker, ()):
        return
    table = sabna.read_table(FRAME)
    with pytest.raises(UsageError, match=f"^{option}: .*read already.*as a file, frame or mapping"):
        TAKERS[taker](table, **{option: ASKED[option]})


@pytest.mark.parametrize("read", [sabna.read_numeric, sabna.read_mixed])
def test_options_were_ignored_with_tables_of_numbers(read: Any) -> None:
    table = read({"a": [0.5, 1.5, 2.25], "b": [1.5, 0.25, 0.0]})
    for options in ({"columns": ["a"]}, {"missing": "drop"}, {"drop": ["a"]}):
        with pytest.raises(UsageError, match="read already"):
            read(table, **options)


def test_options_that_ask_for_nothing_go_with_any_table() -> None:
    table = sabna.read_table(FRAME)
    usual = {"columns": None, "drop": [], "categorical": [], "missing": "error", "header": True, "discretize": []}
    result = sabna.learn(table, **usual)  # type: ignore[arg-type]
    assert not set(result.run["options"]) & set(usual)
    assert sabna.learn(table, missing="available").score_type == "pnal"  # which says how it is scored


# A source of every kind that is read, or its name; no such file is there.
SOURCES: dict[str, Any] = {
    "a text file": "no-such-file.csv",
    "a workbook": "no-such-file.xlsx",
    "a parquet file": "no-such-file.parquet",
    "an ARFF file": "no-such-file.arff",
    "a data frame": FRAME,
    "an array": np.array([[0, 1], [1, 0]]),
}


@pytest.mark.parametrize("option", ["delimiter", "header", "sheet"])
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.kind)
def test_options_that_a_reader_does_not_take_were_ignored(reader: Any, option: str) -> None:
    if option in reader.takes:
        return
    told = f"^{option}: .* is {reader.kind}; only .*; leave `{option}` out"
    for function in (sabna.learn, sabna.kbest, sabna.posterior, sabna.estimate, sabna.read_table, sabna.look):
        with pytest.raises(UsageError, match=told):
            function(SOURCES[reader.kind], **{option: ASKED[option]})  # type: ignore[operator]


@pytest.mark.parametrize("command", ["learn", "look", "estimate", "posterior", "bootstrap", "kbest"])
@pytest.mark.parametrize("flags", [["--delimiter", ";"], ["--no-header"]])
def test_commands_name_the_flag(command: str, flags: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "no-such-file.parquet", *flags]) == 2
    assert f"sabna: {flags[0]}: no-such-file.parquet is a parquet file" in capsys.readouterr().err


def test_a_decimal_sign_was_ignored_where_no_column_is_text(tmp_path: Path) -> None:
    numbers = pd.DataFrame({"a": [1, 2, 1, 2], "b": [1, 1, 2, 2]})
    numbers.to_parquet(tmp_path / "t.parquet")
    for source in (numbers, numbers.to_numpy(), tmp_path / "t.parquet"):
        with pytest.raises(UsageError, match=r"^decimal: no column of .* that is taken is text"):
            sabna.learn(source, decimal=",")
    texts = numbers.assign(b=["0,5", "1,25", "0,5", "1,25"])
    assert sabna.read_table(texts, decimal=",", categorical=["b"]).n == 2
    texts.to_parquet(tmp_path / "t.parquet")
    assert sabna.read_numeric(tmp_path / "t.parquet", decimal=",").values[1].tolist() == [0.5, 1.25, 0.5, 1.25]


def test_every_option_of_one_reader_is_named_by_the_table_of_readers() -> None:
    own = set(HowToRead.__annotations__) - {"decimal", "columns", "drop", "leave_out", "limits"}
    assert own == {option for reader in READERS for option in reader.takes}


def test_columns_that_are_not_wanted_were_built_all_the_same(tmp_path: Path, monkeypatch: Any) -> None:
    """Two of 20,000 columns took a minute."""
    from sabna.table import csvfile

    built: list[str] = []

    class Builder(csvfile.ColumnBuilder):
        def __init__(self, name: str, exact: bool) -> None:
            built.append(name)
            super().__init__(name, exact)

    monkeypatch.setattr(csvfile, "ColumnBuilder", Builder)
    path = tmp_path / "wide.csv"
    lines = [",".join(str((row * k) % 3) for k in range(300)) for row in range(1, 20)]
    path.write_text("\n".join([",".join(f"g{k}" for k in range(300)), *lines]))
    table = sabna.read_table(path, columns=["g200", "g7"], drop=["g7"])
    assert (table.names, built) == (("g200",), ["g200"])
    assert sabna.read_table(path, columns=["g7", "g3"]).names == ("g3", "g7")  # as they stand in the file
    built.clear()
    path.write_text("\n".join(lines))
    table = sabna.read_table(path, header=False, columns=["V300", "V2"])
    assert (table.names, built) == (("V2", "V300"), ["V2", "V300"])
    whole = sabna.read_table(path, header=False, columns=[f"V{k}" for k in range(1, 201)])
    assert (table.codes[0] == whole.codes[1]).all()
    with pytest.raises(UsageError, match="no column 'V301'"):
        sabna.read_table(path, header=False, columns=["V301"])
    path.write_text("a,b,c\n1,2,3\n1,2\n")
    with pytest.raises(sabna.SabnaError, match="row 2"):
        sabna.read_table(path, columns=["a"])


def test_a_run_that_goes_on_tells_its_source_and_the_options_it_was_read_with(tmp_path: Path) -> None:
    """`kbest` told no source after `sabna resume`, so that its result could not be made again."""
    data, work, out = tmp_path / "t.csv", tmp_path / "work", tmp_path / "out.json"
    FRAME.to_csv(data, index=False)
    given = ["kbest", str(data), "-k", "2", "--columns", "a", "--columns", "b", "--work", str(work), "-o", str(out)]
    assert run([*given, "-q"]) == 0
    first = json.loads(out.read_text())["run"]
    assert run(["resume", str(work), "-q"]) == 0
    again = json.loads(out.read_text())["run"]
    assert first["source"] == again["source"] == str(data)
    assert first["options"] == again["options"] == {"k": 2, "columns": ["a", "b"]}
    assert run(["kbest", "--settings", str(out), "-q"]) == 0


def test_probabilities_tell_how_they_were_made_and_are_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`sabna posterior -o` wrote no run record; with kbest that of `kbest`."""
    data, out, again = tmp_path / "t.csv", tmp_path / "p.json", tmp_path / "again.json"
    FRAME.to_csv(data, index=False)
    for given, options in (
        (["--score", "bic", "--samples", "20", "--prior", "order"], {"score": "bic", "prior": "order", "samples": 20}),
        (["--method", "kbest", "-k", "5"], {"score": "bdeu", "method": "kbest", "k": 5}),
        ([], {"score": "bdeu"}),
    ):
        assert run(["posterior", str(data), *given, "-o", str(out), "-q"]) == 0
        first = json.loads(out.read_text())
        assert first["run"]["options"] == options
        assert first["run"]["source"] == str(data)
        assert first["run"]["python_call"].startswith("sabna.posterior(")
        assert run(["posterior", "--settings", str(out), "-o", str(again), "-q"]) == 0
        second = json.loads(again.read_text())
        assert (first["pairs"], first["score_type"]) == (second["pairs"], second["score_type"])
        assert sabna.posterior(str(data), **options).edges.tolist() == sabna.posterior(data, **options).edges.tolist()
    FRAME.head(6).to_csv(data, index=False)
    capsys.readouterr()
    assert run(["posterior", "--settings", str(out)]) == 0
    assert "has changed since" in capsys.readouterr().err


def test_a_result_of_another_command_is_read_with_the_score_it_had(tmp_path: Path) -> None:
    """The default score of `posterior` is another than that of `learn`, and a record leaves out defaults."""
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    for first, second, score in (("learn", "posterior", "bic"), ("posterior", "learn", "bdeu")):
        assert run([first, "example:asia", "-o", str(one), "-q"]) == 0
        assert run([second, "--settings", str(one), "-o", str(other), "-q"]) == 0
        assert json.loads(other.read_text())["score_type"] == score


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"method": "kbest", "prior": "order"}, "prior"),
        ({"method": "kbest", "samples": 5}, "samples"),
        ({"method": "exact", "k": 7}, "k: the method exact"),
        ({"score": "aic"}, "marginal likelihood"),
    ],
)
def test_combinations_were_checked_after_the_data_were_read(options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        sabna.posterior("no-such-file.csv", **options)


def test_paths_were_checked_when_all_was_summed_up(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    import sabna.averaging.posterior as station

    monkeypatch.setattr(station, "_over_all", None)
    assert run(["posterior", "example:asia", "--path", "smoking -> lung"]) == 2
    assert "--path: there is no variable 'smoking'; did you mean 'smoke'?" in capsys.readouterr().err
    assert run(["posterior", "no-such-file.csv", "--path", "a -> a"]) == 2
    assert "networks have no cycles" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "typed", "left_out"),
    [
        ('strategy = "astar"\nheuristic = "simple"', ["--strategy", "auto"], ["heuristic"]),
        (
            'strategy = "bfs"\nheuristic = "pattern"\npattern_groups = 2\nupper_bound = false',
            ["--strategy", "auto"],
            ["heuristic", "upper_bound", "pattern_groups"],
        ),
        (
            'strategy = "bfs"\nheuristic = "pattern"\npattern_groups = 2',
            ["--heuristic", "simple"],
            ["pattern_groups"],
        ),
        ('score = "bdeu"\nequivalent_sample_size = 3.0', ["--score", "bic"], ["equivalent_sample_size"]),
    ],
)
def test_what_is_typed_overrides_a_file_with_all_that_belongs_to_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, typed: list[str], left_out: list[str]
) -> None:
    """`--strategy auto` could not be said over a file with a heuristic: it clashed, and nothing takes one back."""
    settings, out = tmp_path / "run.toml", tmp_path / "out.json"
    settings.write_text(f'data = "example:asia"\n{file}\n')
    assert run(["learn", "--settings", str(settings), *typed, "-o", str(out)]) == 0
    err = capsys.readouterr().err
    record = json.loads(out.read_text())["run"]["options"]
    for name in left_out:
        assert f"note: {settings}: {name} is left out: " in err
        assert name not in record
    assert run(["learn", "--settings", str(settings), *typed, "--pattern-groups", "3"]) == 2  # typed: refused


@pytest.mark.parametrize(
    ("command", "text", "told"),
    [
        ("learn", "dta = 'x.csv'", "did you mean 'data'?"),
        ("kbest", "bayes-factor = 3", "did you mean 'bayes_factor'?"),
        ("bootstrap", "replicate = 3", "did you mean 'replicates'?"),
        ("bootstrap", "B = 3", "write replicates"),
        ("learn", "scheduler = 'local:2'", "write engine"),
        ("learn", "no_header = true", "write header = false"),
        ("learn", "time-limit = 3", "did you mean 'time_limit'?"),
        ("learn", "output = 'x'", "it is for the command line alone"),
        ("learn", "[learn]\nscore = 'bic'", "without tables for commands"),
    ],
)
def test_a_wrong_name_in_a_settings_file_ended_in_a_list_of_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, text: str, told: str
) -> None:
    (tmp_path / "run.toml").write_text(text)
    assert run([command, "example:asia", "--settings", str(tmp_path / "run.toml")]) == 2
    assert told in capsys.readouterr().err


def test_how_many_networks_at_most_was_not_recorded_and_forgotten_by_resume(tmp_path: Path) -> None:
    data, out = tmp_path / "t.csv", tmp_path / "out.json"
    FRAME.to_csv(data, index=False)
    given = ["kbest", str(data), "--bayes-factor", "1000", "--at-most", "3", "--work", str(tmp_path / "work")]
    assert run([*given, "-o", str(out), "-q"]) == 0
    for again in (["resume", str(tmp_path / "work")], ["kbest", "--settings", str(out), "-o", str(out)]):
        assert run([*again, "-q"]) == 0
        told = json.loads(out.read_text())
        assert told["run"]["options"] == {"bayes_factor": 1000.0, "at_most": 3}
        assert told["count"] == 3
    assert run(["kbest", "--settings", str(out), "--at-most", "2", "-o", str(out), "-q"]) == 0
    assert json.loads(out.read_text())["count"] == 2


def test_options_of_the_other_kind_of_file_were_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph, network = str(tmp_path / "g.pg"), str(tmp_path / "n.json")
    sabna.build_parent_graph(FRAME).save(graph)
    sabna.learn(FRAME).save(network)
    for arguments, told in (
        (["convert", graph, str(tmp_path / "g.jkl"), "--dialect", "pyagrum"], "--dialect pyagrum: "),
        (["convert", network, str(tmp_path / "n.bif"), "--keep-dominated"], "--keep-dominated is for parent graphs"),
        (["kbest", graph, "--scheduler", "local:1"], "--scheduler: this is for tables"),
    ):
        assert run(arguments) == 2
        assert told in capsys.readouterr().err
    with pytest.raises(UsageError, match=r"^engine"):
        sabna.kbest(graph, engine="local:1")

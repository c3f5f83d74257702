"""Settings files of the commands that answer with more than a network, and results that are made again."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import numpy as np
import pytest

import sabna
from sabna.alternatives.kbest import NETWORKS
from sabna.base.errors import UsageError
from sabna.cli.app import run
from sabna.estimating import estimate


def written(path: Path) -> dict:
    return json.loads(path.read_text())


def table(path: Path, rows: int) -> Path:
    lines = [f"{k % 2},{k % 2 ^ (k % 7 == 0)},{k % 3}" for k in range(rows)]
    path.write_text("\n".join(["a,b,c", *lines]) + "\n")
    return path


@pytest.mark.parametrize(
    ("command", "option", "told"),
    [
        ("kbest", {"k": 3}, lambda found: found["count"] == 3),
        ("kbest", {"bayes_factor": 1.5}, lambda found: found["bayes_factor"] == 1.5 and found["complete"]),
        ("bootstrap", {"replicates": 2}, lambda found: found["asked"] == 2),
    ],
)
def test_a_settings_file_names_what_a_command_takes_by_itself_and_its_result_is_made_again(
    tmp_path: Path, command: str, option: dict, told
) -> None:
    """Once "kbest has no option 'k'", and of its results that they do not say how they were made."""
    data = table(tmp_path / "t.csv", 60)
    name, value = next(iter(option.items()))
    (tmp_path / "run.toml").write_text(f'data = "{data}"\nscore = "bdeu"\n{name} = {value}\n')
    first, again = tmp_path / "first.json", tmp_path / "again.json"
    assert run([command, "--settings", str(tmp_path / "run.toml"), "-o", str(first), "-q"]) == 0
    assert told(written(first))
    record = written(first)["run"]
    assert record["source"] == str(data)
    assert record["options"] == {name: value, "score": "bdeu"}
    assert run([command, "--settings", str(first), "-o", str(again), "-q"]) == 0
    one, other = written(first), written(again)
    assert one["edges"]
    assert one["edges"] == other["edges"]
    assert one.get("networks") == other.get("networks")
    assert record["python_call"] == f"sabna.{command}({str(data)!r}, {name}={value}, score='bdeu')"
    by_python = getattr(sabna, command)(str(data), **record["options"]).to_dict()
    assert by_python["edges"] == one["edges"]


def test_what_is_typed_overrides_the_file(tmp_path: Path) -> None:
    data = table(tmp_path / "t.csv", 60)
    (tmp_path / "run.toml").write_text(f'data = "{data}"\nbayes_factor = 2.0\n')
    out = tmp_path / "out.json"
    assert run(["kbest", "--settings", str(tmp_path / "run.toml"), "-k", "4", "-o", str(out), "-q"]) == 0
    assert written(out)["count"] == 4
    assert written(out)["bayes_factor"] is None


def test_how_many_and_how_near_are_refused_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once -k was dropped without a word, and of a settings file the factor."""
    for lines in ("k = 3\nbayes_factor = 10\n", "bayes_factor = 10\nk = 3\n"):
        (tmp_path / "run.toml").write_text(lines)
        assert run(["kbest", "example:asia", "--settings", str(tmp_path / "run.toml")]) == 2
        assert "give one of the two" in capsys.readouterr().err
    assert run(["kbest", "example:asia", "-k", "2", "--bayes-factor", "3"]) == 2
    assert "-k, --bayes-factor: how many networks, or all within a factor" in capsys.readouterr().err
    with pytest.raises(UsageError, match="give one of the two"):
        sabna.kbest("example:asia", k=2, bayes_factor=3.0)


@pytest.mark.parametrize("command", [["learn"], ["kbest", "-k", "2"], ["bootstrap", "-B", "2"]])
def test_a_table_that_has_changed_since_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    """Once another result came out as if it were the same."""
    data, out = table(tmp_path / "t.csv", 60), tmp_path / "out.json"
    assert run([*command, str(data), "-o", str(out), "-q"]) == 0
    again = [command[0], "--settings", str(out)]
    assert run(again) == 0
    assert "has changed since" not in capsys.readouterr().err
    table(data, 40)
    assert run(again) == 0
    assert f"{data} has changed since that result was made from it" in capsys.readouterr().err
    assert run([*again, str(data)]) == 0  # a table that is named is meant
    assert "has changed since" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["kbest", "example:asia", "-o", "x.csv"], "x.csv: this is written as JSON"),
        (["bootstrap", "example:asia", "-o", "x.html"], "x.html: this is written as JSON"),
        (["posterior", "example:asia", "-o", "x.bif"], "x.bif: this is written as JSON"),
        (["predict", "n.json", "rows.csv", "--target", "a", "-o", "x.json"], "x.json: this is written as CSV"),
    ],
)
def test_a_suffix_of_another_format_is_refused_before_any_work(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["kbest", "example:asia", "--bayes-factor", "0.5"], "--bayes-factor 0.5: "),
        (["bootstrap", "example:asia", "--replicates", "0"], "--replicates 0: "),
        (["estimate", "example:asia", "--seconds", "-1"], "--seconds -1.0: "),
        (["learn", "example:asia", "--no-upper-bound"], "--no-upper-bound: the strategy auto chooses"),
        (["learn", "example:asia", "--alpha-mu", "2"], "has no parameter --alpha-mu"),
        (["learn", "example:asia", "--em-starts", "3"], "it belongs to --missing em"),
        (["learn", "example:asia", "--columns", "asia", "--drop", "asia"], "--columns, --drop: no column"),
    ],
)
def test_messages_name_flags_as_they_are_typed(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert told in capsys.readouterr().err


def test_a_quiet_run_says_nothing_of_its_work_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once the note how to go on was printed all the same."""
    rows = "\n".join(",".join(str((k * k * (j + 3) + k // (j + 1)) % 3) for j in range(14)) for k in range(400))
    data = tmp_path / "t.csv"
    data.write_text(",".join(f"v{j}" for j in range(14)) + "\n" + rows + "\n")
    limited = ["learn", str(data), "--score", "bdeu", "--time-limit", "0.01", "--work"]
    assert run([*limited, str(tmp_path / "quiet"), "-q"]) == 10
    assert "is kept, and" not in capsys.readouterr().err
    assert run([*limited, str(tmp_path / "loud")]) == 10
    assert "is kept, and" in capsys.readouterr().err


def test_a_forecast_has_no_more_parent_sets_than_there_can_be() -> None:
    """Once up to a thousand times what was seen by then: 117,000 sets of 8 variables."""
    generator = np.random.default_rng(1)
    data = {f"v{j}": generator.integers(0, 4, 3000).astype(str) for j in range(9)}
    forecast = estimate(data, seconds=1e-4)
    assert forecast.sets.high <= 9 * 2**8
    assert forecast.evaluated.high <= 9 * 2**8
    assert sabna.estimate is estimate


def test_the_help_tells_the_defaults_of_the_functions(capsys: pytest.CaptureFixture[str]) -> None:
    defaults = {"kbest": NETWORKS, "bootstrap": 200, "estimate": 6.0}
    assert inspect.signature(sabna.bootstrap).parameters["replicates"].default == defaults["bootstrap"]
    assert inspect.signature(sabna.estimate).parameters["seconds"].default == defaults["estimate"]
    for command, default in defaults.items():
        assert run([command, "--help"]) == 0
        assert f"[default: {default:g}]" in " ".join(capsys.readouterr().out.replace("│", " ").split())


def test_a_certificate_of_another_run_is_told_where_none_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once it stood beside the result of a run that a limit had struck, and was accepted."""
    proof, data = tmp_path / "p.cert", table(tmp_path / "t.csv", 60)
    command = ["learn", str(data), "--certificate", str(proof), "-o", str(tmp_path / "r.json")]
    assert run([*command, "--time-limit", "0"]) == 10
    assert "none is written" in capsys.readouterr().out
    assert not proof.exists()
    assert run(command) == 0
    capsys.readouterr()
    assert run([*command, "--time-limit", "0"]) == 10
    assert f"none is written, and {proof} is of another run" in capsys.readouterr().out.replace("\n", " ")

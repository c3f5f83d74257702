"""What people met with tables of both kinds, with holes and over time: each test is named after what went wrong."""

from __future__ import annotations

import datetime
import io
import json
import shlex
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna import Network
from sabna.base.errors import DataError, DataWarning, UsageError
from sabna.cli.app import run
from sabna.network.strengths import strengths
from sabna.report.words import proof_text, strength_text
from tests.test_em import frame as holes


def series(rows: int = 120) -> dict[str, list[Any]]:
    """soil follows the water of the day before."""
    rng = np.random.default_rng(2)
    water = rng.integers(0, 2, rows)
    soil = np.where(rng.random(rows) < 0.9, np.roll(water, 1), rng.integers(0, 2, rows))
    words = np.array(["no", "yes"])
    return {"day": list(range(rows)), "water": words[water].tolist(), "soil": words[soil].tolist()}


def test_available_replaced_bic_without_a_word() -> None:
    with pytest.warns(DataWarning, match="the score is pnal, as rows differ from family to family, where bic is not"):
        assert sabna.learn(holes(), "bic", missing="available").score_type == "pnal"


def test_kbest_and_bootstrap_refused_the_price_of_pnal() -> None:
    result = sabna.learn(holes(), "pnal", pnal_k=5.0)
    with pytest.warns(DataWarning, match="pnal"):
        found = sabna.kbest(holes(), k=1, missing="available", pnal_k=5.0)
    assert float(found.scores[0]) == result.score
    with pytest.warns(DataWarning, match="pnal"):
        assert sabna.bootstrap(holes(), replicates=1, missing="available", pnal_k=5.0).replicates == 1


def test_posterior_pointed_to_scores_that_it_refuses() -> None:
    with pytest.raises(UsageError, match="no score of incomplete rows is one; write drop or category"):
        sabna.posterior(holes(), missing="available")


def test_a_network_of_time_predicted_base_rates_silently() -> None:
    data = series()
    network = sabna.learn(data, time="day").network
    with pytest.warns(DataWarning, match=r"no column of the past \('water\[t-1\]'"):
        network.predict({"water": data["water"]}, "soil")
    shown = network.predict({"water[t-1]": ["yes", "no"]}, "soil")
    assert shown.tolist() == ["yes", "no"]


def test_the_score_of_a_network_of_time_is_that_of_learn_and_every_command_takes_time() -> None:
    data = series()
    result = sabna.learn(data, "bdeu", time="day")
    assert result.network.score(data, "bdeu", time="day").cost_quanta == result.cost_quanta
    assert float(sabna.kbest(data, k=2, score="bdeu", time="day").scores[0]) == result.score
    found = sabna.posterior(data, time="day")
    assert found.probability("water[t-1]", "soil") > 0.99
    assert found.probability("soil", "water[t-1]") == 0.0
    again = sabna.bootstrap(data, replicates=2, score="bdeu", time="day")
    assert again.edges["water[t-1]", "soil"] == 1.0
    with pytest.raises(UsageError, match="it belongs to `time`"):
        sabna.kbest(data, lags=2)


def test_whole_numbers_beyond_eight_bytes_became_one() -> None:
    big = [2**53 + k for k in range(30)]
    data = {"d": ["a", "b"] * 15, "x": big}
    for score in ("bcg", "bge"):
        with pytest.raises(DataError, match="more digits than a number to compute with"):
            sabna.learn(data if score == "bcg" else {"x": big, "y": np.arange(30.0)}, score)


def test_dates_were_told_as_seconds_and_months_were_irregular() -> None:
    data = series(48)
    days = [str(datetime.date(2020 + k // 12, k % 12 + 1, 1)) for k in range(48)]
    monthly = sabna.learn({**data, "day": days}, time="day")
    assert monthly.statistics["time"]["step"] == 1.0
    assert monthly.statistics["time"]["unit"] == "months"
    assert monthly.statistics["time"]["transitions"] == 47
    with pytest.warns(DataWarning, match=r"not the step of 1 month \(2021-03 to 2021-05\)"):
        gap = sabna.learn({v: column[:15] + column[16:] for v, column in {**data, "day": days}.items()}, time="day")
    assert gap.statistics["time"]["gaps"] == [{"series": "", "after": "2021-03", "before": "2021-05"}]
    daily = [str(datetime.date(2020, 1, 1) + datetime.timedelta(days=k)) for k in range(48)]
    with pytest.warns(DataWarning, match=r"not the step of 1 day \(2020-01-15 to 2020-01-17\)"):
        sabna.learn({v: column[:15] + column[16:] for v, column in {**data, "day": daily}.items()}, time="day")
    with pytest.raises(DataError, match="dates and numbers"):
        sabna.learn({**data, "day": [*days[:-1], "5"]}, time="day")


def test_messages_of_time_named_a_data_frame_where_a_file_was_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plants.csv"
    path.write_text("day,x\n" + "\n".join(f"{k},{k * 0.37:.2f}" for k in range(200)) + "\n")
    assert run(["learn", str(path), "--time", "day"]) != 0
    told = capsys.readouterr().err
    assert "plants.csv: column 'x' looks continuous" in told
    assert "data frame" not in told


def test_constant_columns_of_mixed_tables_were_not_named() -> None:
    with pytest.warns(DataWarning, match=r"1 constant column \('x'\)"):
        sabna.learn({"d": ["a", "b"] * 5, "x": [1.5] * 10}, "bcg")


def test_strengths_of_node_averages_were_all_0_point_0() -> None:
    assert strength_text(0.0421, 0.3) == "0.0421"
    assert strength_text(1234.56, 5000) == "1,234.6"


def test_an_edge_without_which_there_is_no_value_was_told_to_be_worth_nothing(tmp_path: Path) -> None:
    def costs(families: Any) -> list[int | None]:
        return [None if family == ("b", ()) else 5 for family in families]

    (arc,) = strengths(Network(["a", "b"], {"b": ["a"]}), costs)
    assert (arc.removal, arc.reversal, arc.to_dict()["removal_quanta"]) == (None, None, None)
    result = replace(sabna.learn({"a": ["x", "y"] * 20, "b": ["x", "y"] * 20}), arcs=(arc,))
    result = replace(result, network=Network(["a", "b"], {"b": ["a"]}))
    assert "no value without it" in str(result)
    result.save(tmp_path / "net.json")
    sabna.read_result(tmp_path / "net.json").save(tmp_path / "net.html")
    assert "no value without it" in (tmp_path / "net.html").read_text()


def test_a_column_that_the_network_does_not_have_kept_it_from_being_scored() -> None:
    data = {"a": ["x", "y"] * 20, "b": ["x", "y"] * 20, "z": np.random.default_rng(0).normal(size=40).tolist()}
    network = Network(["a", "b"], {"b": ["a"]})
    assert float(network.score(data)) == float(network.score({v: data[v] for v in "ab"}))
    with pytest.raises(DataError, match="no column 'c'"):
        Network(["a", "c"], {}).score(data, categorical=["z"])


# --- tables of a ward -----------------------------------------------------------------------------------------------


def ward(rows: int = 60) -> dict[str, list[Any]]:
    """An identifier, a date, integer codes, a quantity with holes, a comment that hardly any row has."""
    rng = np.random.default_rng(2)
    stage = rng.integers(1, 5, rows)
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=k) for k in range(rows)]
    return {
        "Patient ID": [f"P{k}" for k in range(rows)],
        "adm. date": [day.strftime("%d.%m.%Y") for day in days],
        "T-stage": stage.tolist(),
        "CRP, mg/l": [None if k % 9 == 0 else round(float(v), 1) for k, v in enumerate(stage + rng.normal(size=rows))],
        "died?": np.where(rng.random(rows) < 0.3, "yes", "no").tolist(),
        "note": [f"complains of {k}" if k % 5 == 0 else None for k in range(rows)],
    }


def test_score_took_the_column_of_interventions_for_a_variable_and_had_no_time(tmp_path: Path) -> None:
    """Also so that a certificate of such a run can be checked against the graph."""
    rng = np.random.default_rng(0)
    x = np.cumsum(rng.normal(size=40)).round(2)
    rows = zip(range(40), x, (x + rng.normal(size=40)).round(2), ["none", "b"] * 20, strict=True)
    (tmp_path / "t.csv").write_text("t,a,b,INT\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n")
    told = ["--score", "bge", "--interventions", "INT"]
    for name, options in (("plain", ["--drop", "t"]), ("steps", ["--time", "t"])):
        graph, proof = str(tmp_path / f"{name}.pg"), str(tmp_path / f"{name}.cert")
        assert run(["score", str(tmp_path / "t.csv"), "-o", graph, *told, *options]) == 0
        assert run(["learn", str(tmp_path / "t.csv"), "--certificate", proof, "-q", *told, *options]) == 0
        assert run(["check", proof, graph]) == 0
    assert sabna.read_parent_graph(tmp_path / "steps.pg").names == ("a[t-1]", "b[t-1]", "a", "b")


def test_days_first_are_times_and_unclear_ones_are_refused() -> None:
    data = series(40)
    days = [datetime.date(2024, 2, 1) + datetime.timedelta(days=k) for k in range(40)]
    first = sabna.learn({**data, "day": [day.strftime("%d.%m.%Y") for day in days]}, time="day")
    assert first.statistics["time"]["transitions"] == 39
    assert first.statistics["time"]["step"] == 86400.0
    clock = [f"{day.strftime('%m/%d/%Y')} 10:{k % 2 * 30:02d}" for k, day in enumerate(days)]
    with pytest.warns(DataWarning, match="not the step"):
        timed = sabna.learn({**data, "day": clock}, time="day")
    assert timed.statistics["time"]["step"] in (84600.0, 88200.0)
    with pytest.raises(DataError, match="the day or the month first is not clear"):
        sabna.learn({v: column[:11] for v, column in {**data, "day": clock}.items()}, time="day")


def test_columns_of_times_and_series_may_be_named_among_those_left_out() -> None:
    data = {**series(40), "id": ["p"] * 40, "day": list(range(40))}
    whole = sabna.learn(data, time="day", id="id")
    assert sabna.learn(data, time="day", id="id", drop=["id", "day"]).cost_quanta == whole.cost_quanta


def test_series_without_a_transition_are_counted() -> None:
    data = {**series(40), "id": ["p"] * 39 + ["q"], "day": list(range(40))}
    result = sabna.learn(data, time="day", id="id")
    assert "38 transitions of 2 series, 1 of them too short for one" in str(result)


def test_a_condition_in_another_spelling_set_nothing_without_a_word() -> None:
    data = {"a": ["x", "y"] * 20, "b": ["x", "y"] * 20, "c": ["KO a"] * 10 + ["ko  a"] * 10 + ["dose 10"] * 20}
    with pytest.warns(DataWarning, match="'ko  a' in 10 rows, which is not in the mapping and sets nothing; is it 'KO"):
        sabna.learn(data, interventions={"c": {"KO a": ["a"]}})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sabna.learn({**data, "c": ["dose 10", "dose 11"] * 20}, interventions={"c": {"dose 11": ["a"]}})
    with pytest.warns(DataWarning, match="nothing was set in any row"):
        sabna.learn({**data, "c": ["none"] * 40}, interventions="c")


def test_kinds_are_told_and_codes_that_are_taken_as_quantities() -> None:
    data = {v: ward()[v] for v in ("T-stage", "CRP, mg/l", "died?")}
    with pytest.warns(DataWarning, match=r"taken as quantities, for they are numbers: 'T-stage' \(4 values\)"):
        result = sabna.learn(data, "bcg", missing="drop")
    assert "categories 'died?'; quantities 'T-stage', 'CRP, mg/l'" in str(result)
    assert result.statistics["kinds"]["T-stage"] == "continuous"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sabna.learn(data, "bcg", missing="drop", categorical=["T-stage"])


def test_what_to_do_about_holes_is_what_the_score_can_do() -> None:
    with pytest.raises(DataError, match=r"missing=\"drop\".* or missing=\"available\" without a score") as refused:
        sabna.learn(ward(), "bcg")
    assert "category" not in str(refused.value)
    options = {"missing": "drop", "drop": ["Patient ID", "note"], "discretize": {"adm. date": "month"}}
    assert refused.value.options == options
    assert sabna.learn(ward(), "bcg", **options).status == "optimal"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"missing": "available", "interventions": "note"}, 'interventions: not together with missing="available"'),
        ({"missing": "em", "time": "adm. date"}, 'not together with missing="em".*; leave one of them out'),
        ({"missing": "drop"}, r"beside the categories \(score=\"bcg\"\)"),
        ({"score": "pnal"}, r"score=\"pnal-cg\""),
        ({"score": "pnal-g"}, r"score=\"pnal-cg\""),
    ],
)
def test_refusals_name_a_way_out_that_is_open(options: dict[str, Any], words: str) -> None:
    data = {v: column for v, column in ward().items() if v not in ("Patient ID", "adm. date")}
    with pytest.raises((DataError, UsageError), match=words):
        sabna.learn({**data, "adm. date": list(range(60))}, drop=["adm. date"], **options)


def test_look_had_no_command_for_quantities(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ward()
    lines = [",".join(f'"{name}"' for name in data)]
    lines += [",".join("" if cell is None else str(cell) for cell in row) for row in zip(*data.values(), strict=True)]
    (tmp_path / "ward.csv").write_text("\n".join(lines) + "\n")
    assert run(["look", str(tmp_path / "ward.csv"), "--json"]) == 0
    command = json.loads(capsys.readouterr().out)["command_for_quantities"]
    assert "--score bcg --missing drop --drop 'Patient ID' --drop note" in command
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # none of the columns is one to be named
        assert run(shlex.split(command)[1:]) == 0
    assert "quantities 'CRP, mg/l'" in capsys.readouterr().out
    assert run(["look", "example:asia"]) == 0
    assert "beside categories" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("cells", "hint"),
    [
        ("WATER", "did you mean 'water'"),
        ("water,soil", "separate several by `;`"),
        ("drought", "give a file that says"),
    ],
)
def test_names_of_variables_that_were_set_are_helped_along(cells: str, hint: str) -> None:
    data = {**series(20), "INT": ["none", cells] * 10}
    with pytest.raises(DataError, match=hint):
        sabna.learn(data, interventions="INT", drop=["day"])


def test_series_and_times_that_are_missing_have_a_way_out() -> None:
    data = {**series(20), "id": [1.0] * 20}
    for column in ("id", "day"):
        with pytest.raises(DataError, match=r'(series is known|no time is given).*leave out.*missing="drop"'):
            sabna.learn({**data, column: [*data[column][:-1], None]}, time="day", id="id")
        sabna.learn({**data, column: [*data[column][:-1], None]}, time="day", id="id", missing="drop")
    twice = {v: [*column, column[0]] for v, column in data.items()}
    with pytest.raises(DataError, match=r"both of time 0 of series 1; a series has one row at a time: leave one"):
        sabna.learn(twice, time="day", id="id")


def test_kinds_and_notes_were_told_when_the_run_was_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.csv").write_text("d,x,n\n" + "".join(f"{'ab'[k % 2]},{k * 0.37:.2f},{k % 3}\n" for k in range(60)))

    def scored(*_: Any, **__: Any) -> Any:
        told = capsys.readouterr().err
        assert "sabna: categories 'd'; quantities 'x', 'n'\n" in told
        assert "taken as quantities, for they are numbers: 'n'" in told
        raise UsageError("scored")

    monkeypatch.setattr("sabna.learning.build_partial_graph", scored)
    assert run(["learn", str(tmp_path / "m.csv"), "--score", "bcg"]) == 2
    assert capsys.readouterr().err == "sabna: scored\n"
    monkeypatch.undo()
    for command in ("posterior", "kbest", "bootstrap"):  # they read a table, and pass it on
        assert run([command, str(tmp_path / "m.csv"), "--score", "bcg"]) == 0
        assert capsys.readouterr().err.count("categories 'd'") == 1
    assert run(["learn", str(tmp_path / "m.csv"), "--score", "bic", "--discretize", "x=quantile:2"]) == 0  # one kind
    assert "categories" not in capsys.readouterr().err


def test_kinds_of_many_columns_were_cut_off_in_a_terminal() -> None:
    from rich.console import Console

    from sabna.report.terminal import summary

    data = {**ward(), "died?": ward()["died?"]}
    result = sabna.learn({v: data[v] for v in ("T-stage", "died?")}, "bcg")
    narrow = Console(width=30, file=io.StringIO())
    summary(result, narrow)
    assert isinstance(narrow.file, io.StringIO)
    assert "".join(narrow.file.getvalue().split()).count("categories'died?';quantities'T-stage'") == 1


def test_times_without_a_step_made_one_transition_of_the_two_nearest_rows() -> None:
    data = series(30)
    days = np.cumsum(np.random.default_rng(0).random(30)).tolist()
    with pytest.raises(DataError, match=r"the times have no step: no two of the 29 distances .* round the times"):
        sabna.learn({**data, "day": days}, time="day")


def test_what_to_do_when_no_row_is_complete_is_what_the_score_can_do() -> None:
    data = {"x": [1.5, 2.5, 3.0, 4.0], "y": [None] * 4}
    with pytest.raises(DataError, match=r'\(4\), or use missing="available" without a score'):
        sabna.learn(data, "bge", missing="drop")
    with pytest.raises(DataError, match=r"'y' is constant: pnal-g has no value for it; leave the column out$"):
        sabna.learn({**data, "y": [None, 1.0, 1.0, 1.0]}, "pnal-g")


def test_a_price_beyond_all_scores_was_blamed_on_the_units_of_the_columns() -> None:
    with pytest.raises(DataError, match="the scores are too large; use a smaller pnal_k"):
        sabna.learn(holes(), "pnal", pnal_k=1e12)


def test_reports_of_mixed_networks_had_no_regressions(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    kind = rng.integers(0, 2, 200)
    weight = rng.normal(10, 2, 200)
    length = np.where(kind == 1, 3 + 2 * weight, 50 - weight) + rng.normal(0, 0.5, 200)
    words = np.array(["<cod>", "eel"])
    result = sabna.learn({"kind": words[kind].tolist(), "weight": weight.tolist(), "length": length.tolist()}, "bcg")
    assert set(result.network.parents["length"]) == {"kind", "weight"}
    result.save(tmp_path / "fish.html")
    page = (tmp_path / "fish.html").read_text()
    assert result.network.mixed is not None
    line = result.network.mixed.regressions["length"]
    for k, state in enumerate(["&lt;cod&gt;", "eel"]):
        cells = [line.intercepts[k], line.coefficients[k, 0], line.variances[k] ** 0.5]
        numbers = "".join(f'<td class="number">{cell:.4g}</td>' for cell in cells)
        assert f'<tr><td class="given">{state}</td>{numbers}</tr>' in page
    assert '<th scope="col" class="number">× weight</th>' in page


def test_the_past_was_told_as_prior_knowledge(tmp_path: Path) -> None:
    result = sabna.learn(series(), time="day")
    result.save(tmp_path / "steps.html")
    page = (tmp_path / "steps.html").read_text()
    assert "No network over these variables without edges into the past has a better score" in page
    assert "Steps of time stand side by side" in page
    known = sabna.learn(series(), time="day", knowledge={"forbidden": ["water -> soil"]}, max_parents=2)
    assert "with at most 2 parents each and without edges into the past and that obeys the prior" in proof_text(known)

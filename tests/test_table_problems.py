"""Random messy tables: whatever a refusal says would go through does go through, in Python and in the shell."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna.base.errors import DataError
from sabna.cli.app import run
from sabna.cli.speech import message_of

READERS: dict[str, Callable[..., Any]] = {
    "read_table": sabna.read_table,
    "read_mixed": sabna.read_mixed,
    "read_numeric": sabna.read_numeric,
}


def texts(numbers: Any, sign: str) -> list[str]:
    return [f"{number:.2f}".replace(".", sign) for number in numbers]


def columns(rng: np.random.Generator, rows: int, sign: str) -> dict[str, Callable[[], Any]]:
    """A maker of a column for each thing that people have in their tables."""
    other = "," if sign == "." else "."
    days = pd.Timestamp("2023-05-01") + pd.to_timedelta(rng.integers(0, 500, rows), unit="D")
    remarks = [f"seen {k}, nothing to say" for k in range(rows)]
    some_text = texts(rng.normal(0, 50, rows), sign)
    return {
        "row": lambda: np.arange(5000, 5000 + rows),
        "case": lambda: [f"P{k:04d}" for k in rng.permutation(rows)],
        "post code": lambda: [f"{k:05d}" for k in rng.integers(0, 100_000, rows)],
        "sex": lambda: rng.choice(["f", "m"], rows),
        "yes": lambda: rng.random(rows) < 0.5,
        "grade": lambda: rng.integers(1, 6, rows),
        "weight": lambda: texts(rng.normal(70, 9, rows), sign),
        "other sign": lambda: texts(rng.normal(70, 9, rows), other),
        "few of the other sign": lambda: rng.choice([f"1{other}5", f"2{other}5"], rows),
        "count": lambda: rng.integers(0, 400, rows),
        "limit": lambda: [*["<5"] * 3, *some_text[3:]],
        "age": lambda: [*rng.integers(20, 60, rows - 1).astype(str), "unknown"],
        "day": lambda: days.strftime("%Y-%m-%d"),
        "moment": lambda: days.strftime("%d.%m.%Y 10:30"),
        "unclear day": lambda: [f"{rng.integers(1, 12)}/{rng.integers(1, 12)}/{2000 + k}" for k in range(rows)],
        "remark": lambda: remarks,
        "rare remark": lambda: [remark if k % 5 == 0 else None for k, remark in enumerate(remarks)],
        "empty": lambda: [None] * rows,
        "constant": lambda: ["x"] * rows,
        "thousands": lambda: [f"{k // 1000 + 1}'{k % 1000:03d}" for k in rng.integers(0, 90_000, rows)],
        "height": lambda: [f"{k:.1f} cm" for k in rng.normal(170, 9, rows)],
        "change": lambda: [f"\u2212{k:.1f}" for k in rng.gamma(2, 3, rows)],
        "town": lambda: [f"town{k}" for k in rng.integers(0, 90, rows)],
        "infinite": lambda: ["inf", *texts(rng.normal(0, 1, rows - 1), sign)],
        "kind": lambda: pd.Categorical(rng.choice(["a", "b"], rows), categories=["a", "b", "c"]),
    }


def messy(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(70, 200))
    makers = columns(rng, rows, rng.choice([".", ","]))
    chosen = rng.choice(list(makers), size=int(rng.integers(2, 10)), replace=False)
    if {"other sign", "few of the other sign"} & set(chosen):
        chosen = chosen[chosen != "infinite"]  # whose sign is not known until the row of `inf` is dropped
    frame = pd.DataFrame({name: makers[name]() for name in chosen})
    for name in chosen[rng.random(len(chosen)) < 0.4]:
        frame[name] = frame[name].mask(rng.random(rows) < rng.choice([0.02, 0.6]))
    return frame


def check(seed: int, reader: str, given: dict[str, Any]) -> bool:
    """Whether the table was refused; if so, the call of the message must go through, if any column can stay."""
    data = messy(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            READERS[reader](data, **given)
        except DataError as error:
            refusal = error
        else:
            return False
        message = str(refusal)
        if not refusal.options:
            assert all(repr(name) in message for name in data)
            return True
        assert f"sabna.{reader}(data" in refusal.call
        assert eval(refusal.call, {"sabna": sabna, "data": data}).rows > 0
        assert "\n" not in message or all(repr(name) in message for name in refusal.options.get("drop", ()))
    return True


@pytest.mark.parametrize("reader", READERS)
def test_the_call_of_a_refusal_goes_through(reader: str) -> None:
    assert sum(check(seed, reader, {} if seed % 3 else {"missing": "drop"}) for seed in range(24)) > 15


@pytest.mark.slow
def test_the_call_of_a_refusal_goes_through_at_length() -> None:
    for seed in range(1000, 4000):
        for reader in READERS:
            check(seed, reader, {} if seed % 3 else {"missing": "drop"})


@pytest.mark.parametrize(("seed", "delimiter"), [(1, ","), (2, ";")])
def test_the_command_of_a_refusal_goes_through(
    seed: int, delimiter: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "my table.csv"
    messy(seed).to_csv(path, index=False, sep=delimiter)
    typed = ["look", str(path)]
    assert run(typed) == 0
    shown = shlex.split(capsys.readouterr().out.split("goes through: ")[1].splitlines()[0])
    assert run(["estimate", *shown[2:], "--seconds", "0.01", "-q"]) == 0
    typed = ["estimate", str(path), "--seconds", "0.01"]
    if run(typed) == 3:
        message = capsys.readouterr().err
        command = shlex.split(message.split("try: ")[1])
        assert command[: len(typed) + 1] == ["sabna", *typed]
        assert run([*command[1:], "-q"]) == 0


def test_cells_that_are_no_numbers_are_shown() -> None:
    """Once a measurement with `<5` in one cell was told to be an identifier."""
    numbers = [f"{k / 7:.3f}" for k in range(100)]
    with pytest.raises(DataError, match=r"'<5' is no number; correct such cells") as caught:
        sabna.learn({"crp": ["<5", *numbers], "age": [k / 3 for k in range(101)]})
    assert caught.value.options == {"drop": ["crp"], "discretize": {"age": "quantile:3"}}


def test_an_empty_column_does_not_make_missing_a_state() -> None:
    """Once a column without any value had `missing="category"` suggested for the whole table."""
    data = {"empty": [None] * 20, "a": ["x", "y"] * 10, "b": [None, *["u", "v", "w"] * 6, "u"]}
    with pytest.raises(DataError) as caught:
        sabna.learn(data)
    assert caught.value.options == {"missing": "drop", "drop": ["empty"]}


def test_the_call_keeps_what_was_given() -> None:
    """Once the suggestion forgot the score and every option that is not one of reading."""
    data = {"age": [k / 3 for k in range(100)], "ill": ["yes", "no"] * 50}
    with pytest.raises(DataError) as caught:
        sabna.kbest(data, 3, score="bdeu", max_parents=1)
    call = 'sabna.kbest(data, 3, score="bdeu", max_parents=1, discretize={"age": "quantile:3"})'
    assert caught.value.call == call
    assert len(eval(call, {"sabna": sabna, "data": data}).networks) == 3


def test_columns_with_decimal_commas_were_left_out_as_identifiers(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{50 + k / 3:.2f};{'fm'[k % 2]}".replace(".", ",") for k in range(100)]
    path.write_text("\n".join(["weight;sex", *rows]))
    with pytest.warns(UserWarning, match="decimal comma"):
        table = sabna.read_table(path, leave_out=["identifiers"], discretize="quantile:3")
    assert table.names == ("weight", "sex")


def test_many_quantities_are_cut_together_and_many_identifiers_left_out_as_a_kind() -> None:
    rng = np.random.default_rng(0)
    data: dict[str, Any] = {f"gene{k}": rng.normal(size=90) for k in range(20)}
    data |= {f"id{k}": [f"{k}-{i}" for i in rng.permutation(90)] for k in range(14)}
    with pytest.raises(DataError) as caught:
        sabna.read_table(data)
    assert caught.value.options == {"leave_out": ["identifiers"], "discretize": ["quantile:3"]}
    assert message_of(caught.value, ["learn", "x"]).endswith(
        "try: sabna learn x --leave-out identifiers --discretize quantile:3"
    )
    with pytest.warns(UserWarning, match="left out"):
        assert eval(caught.value.call, {"sabna": sabna, "data": data}).n == 20

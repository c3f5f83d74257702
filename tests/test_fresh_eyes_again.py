"""What a fresh pair of eyes stumbled over in prediction and options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sabna
from sabna.base.errors import DataError, UsageError
from sabna.cli.app import run
from sabna.network.inference.quality import quality, quality_text


def test_true_states_that_the_network_has_not_seen_are_misses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once such rows were left out of the accuracy without a word."""
    network = sabna.learn({"a": ["x", "y"] * 20, "b": ["u", "v"] * 20}).network
    rows = {"a": ["x", "y", "x", "x"], "b": ["u", "v", "new", "other"]}
    found = network.predict_proba(rows, "b")
    with pytest.warns(sabna.base.errors.DataWarning):
        measured = quality(network, rows, "b", found)
    assert measured is not None
    assert (measured["rows"], measured["unseen"], measured["accuracy"]) == (4, 2, 0.5)
    assert measured["base"]["accuracy"] == 0.25
    assert "2 rows with states that the network does not know are misses" in quality_text(measured)
    network.save(tmp_path / "n.json")
    (tmp_path / "rows.csv").write_text("a,b\nx,u\ny,w\n")
    assert run(["predict", str(tmp_path / "n.json"), str(tmp_path / "rows.csv"), "--target", "b", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["quality"]["accuracy"] == 0.5


def test_rows_that_hold_the_target_alone_are_told_so() -> None:
    """Once the message said that none of the columns was a variable of the network, the target being one."""
    network = sabna.learn("example:asia").network
    with pytest.raises(DataError, match=r"it has 'dysp' alone, which is not looked at"):
        network.predict({"dysp": ["yes"]}, "dysp")


def test_folds_without_a_target_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Once they were ignored without a word."""
    assert run(["learn", "example:asia", "--folds", "3"]) == 2
    assert "folds: it belongs to" in capsys.readouterr().err
    with pytest.raises(UsageError, match="folds: it belongs to"):
        sabna.learn("example:asia", folds=3)


def test_a_variable_that_is_not_there_is_named() -> None:
    """Once a bare KeyError."""
    network = sabna.learn("example:asia").network
    with pytest.raises(UsageError, match=r"the network has no variable 'zz'; it has asia, tub"):
        network.markov_blanket("zz")
    with pytest.raises(UsageError, match=r"no variable 'dsyp'; did you mean 'dysp'\?"):
        network.children("dsyp")

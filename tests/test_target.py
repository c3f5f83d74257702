"""Target mode: the numbers of cross-validation against folds made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna.base.errors import Interrupted, UsageError
from sabna.cli.app import run
from sabna.result.target import dealt
from tests.network.test_gaussian_networks import linear


def clinic(rows: int = 150) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    a, b, c = rng.integers(0, 3, (3, rows))
    ill = np.where(rng.random(rows) < 0.8, a == 2, rng.random(rows) < 0.5)
    return pd.DataFrame({"a": a, "b": b, "c": np.where(ill, c, 0), "ill": np.where(ill, "yes", "no")})


def test_the_folds_by_hand() -> None:
    frame, table = clinic(), sabna.read_table(clinic())
    result = sabna.learn(frame, target="ill", folds=4, seed=3)
    section: Any = result.statistics["target"]
    fold_of = dealt(table, 3, 4, 3)
    chances, base = np.zeros((150, 2)), np.zeros((150, 2))
    truth = (frame["ill"] == "yes").to_numpy().astype(int)
    for fold in range(4):
        train, test = frame[fold_of != fold], fold_of == fold
        chances[test] = sabna.learn(train).network.predict_proba(frame[test], "ill")
        share = (truth[~test].sum() + 0.5) / ((~test).sum() + 1)
        base[test] = [1 - share, share]
        assert abs(truth[test].mean() - truth.mean()) < 0.03  # dealt evenly
    quality = section["quality"]
    assert section["folds_optimal"] == section["folds_done"] == 4
    assert section["markov_blanket"] == list(result.network.markov_blanket("ill"))
    assert quality["accuracy"] == (chances.argmax(axis=1) == truth).mean()
    assert quality["log_loss"] == pytest.approx(-np.log(chances[np.arange(150), truth]).mean())
    assert quality["brier"] == pytest.approx(2 * ((chances[:, 1] - truth) ** 2).mean())
    assert quality["base"]["log_loss"] == pytest.approx(-np.log(base[np.arange(150), truth]).mean())
    sure = chances.max(axis=1)
    hit = chances.argmax(axis=1) == truth
    error = sum(
        (which := (sure >= k / 10) & ((sure < (k + 1) / 10) | (k == 9))).sum()
        * abs(sure[which].mean() - hit[which].mean())
        for k in range(10)
        if ((sure >= k / 10) & ((sure < (k + 1) / 10) | (k == 9))).any()
    )
    assert quality["calibration_error"] == pytest.approx(error / 150)


def test_a_quantity_as_target() -> None:
    frame = linear(4, 120, 2)
    frame["X3"] = 2 * frame["X1"] + frame["X1"].std() * np.random.default_rng(0).normal(size=120)
    section = sabna.learn(frame, "bic-g", target="X3").statistics["target"]
    quality = section["quality"]
    assert quality["rmse"] < quality["base"]["rmse"] == pytest.approx(frame["X3"].std(), rel=0.1)
    assert quality["inside"]["90"] == pytest.approx(0.9, abs=0.08)
    assert quality["log_loss"] < quality["base"]["log_loss"]


def test_the_command_tells_and_its_json_comes_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clinic().to_csv(tmp_path / "x.csv", index=False)
    out = tmp_path / "x.json"
    assert run(["learn", str(tmp_path / "x.csv"), "--target", "ill", "--folds", "3", "-o", str(out)]) == 0
    assert "ill depends on" in capsys.readouterr().out
    assert sabna.read_result(out).statistics["target"] == json.loads(out.read_text())["target"]
    broken = json.loads(out.read_text()) | {"target": {"name": 3}}
    out.write_text(json.dumps(broken))
    assert "depends on" not in str(sabna.read_result(out))


def test_targets_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="'nobody': there is no such column"):
        sabna.learn(clinic(), target="nobody")
    with pytest.raises(UsageError, match="only 150 rows"):
        sabna.learn(clinic(), target="ill", folds=151)


def test_the_network_of_all_rows_is_kept_when_a_fold_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    import sabna.learning as learning

    def stopped(*args: Any) -> None:
        raise Interrupted("stopped", result="that of a fold")

    monkeypatch.setattr(learning, "target_section", stopped)
    with pytest.raises(Interrupted) as caught:
        sabna.learn(clinic(), target="ill")
    assert caught.value.result.network == sabna.learn(clinic()).network


def both_kinds(rows: int = 160) -> pd.DataFrame:
    rng = np.random.default_rng(9)
    ill = rng.random(rows) < 0.4
    fever = rng.normal(37, 0.6, rows) + 1.8 * ill
    return pd.DataFrame({"ill": np.where(ill, "yes", "no"), "fever": fever, "age": rng.normal(50, 9, rows)})


@pytest.mark.parametrize("target", ["ill", "fever"])
@pytest.mark.parametrize("gaps", [False, True])
def test_tables_of_both_kinds_and_with_gaps_by_hand(target: str, gaps: bool) -> None:
    """Once refused: "tables of both kinds, or with holes, are not predicted"."""
    frame = both_kinds()
    if gaps:
        frame = frame.mask(np.random.default_rng(1).random(frame.shape) < 0.1)
    options: dict[str, Any] = {"missing": "available", "pnal_k": 3.0} if gaps else {"score": "bcg"}
    known = frame[target].notna().to_numpy()
    section: Any = sabna.learn(frame, target=target, folds=4, **options).statistics["target"]
    fold_of = dealt(sabna.read_mixed(frame, missing="available"), list(frame).index(target), 4, 0)
    assert np.ptp([(known & (fold_of == k)).sum() for k in range(4)]) <= 1
    nets = {k: sabna.learn(frame[fold_of != k], **options).network for k in range(4)}
    parts = [(nets[k], frame[known & (fold_of == k)]) for k in range(4)]
    quality = section["quality"]
    assert section["folds_optimal"] == 4
    assert quality["rows"] == known.sum()
    if target == "ill":
        right = sum((net.predict(rows, "ill") == rows["ill"]).sum() for net, rows in parts)
        assert quality["accuracy"] == pytest.approx(right / known.sum())
        assert quality["accuracy"] > quality["base"]["accuracy"]
        assert quality["log_loss"] < quality["base"]["log_loss"]
    else:
        squares = sum(((net.predict(rows, "fever") - rows["fever"]) ** 2).sum() for net, rows in parts)
        assert quality["rmse"] == pytest.approx(np.sqrt(squares / known.sum()))
        assert quality["rmse"] < quality["base"]["rmse"]


def test_folds_beyond_the_rows_that_show_the_target_are_refused() -> None:
    frame = both_kinds()
    frame.loc[3:, "ill"] = None
    with pytest.raises(UsageError, match="only 3 rows that show 'ill'"):
        sabna.learn(frame, missing="available", target="ill")

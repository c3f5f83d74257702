"""The classifier and the density estimator in scikit-learn's own tools."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn")
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

import sabna
from sabna import ExactBayesianNetwork, ExactBayesianNetworkClassifier


@parametrize_with_checks([ExactBayesianNetworkClassifier(), ExactBayesianNetworkClassifier("bdeu", missing="category")])
def test_scikit_learn_checks_of_the_classifier(estimator: Any, check: Any) -> None:
    check(estimator)


def clinic(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a, b, noise = rng.integers(0, 2, (3, rows))
    ill = np.where(rng.random(rows) < 0.9, a ^ b, 1 - (a ^ b))
    return pd.DataFrame({"a": a, "b": b, "noise": noise, "ill": np.where(ill == 1, "ill", "well")})


def test_the_class_is_predicted_as_the_network_of_all_columns_says() -> None:
    frame, new = clinic(400, 0), clinic(200, 1)
    net = ExactBayesianNetworkClassifier().fit(frame.drop(columns="ill"), frame["ill"])
    direct = sabna.learn(frame)
    assert net.target_ == "ill"
    assert net.network_ == direct.network
    assert net.is_optimal_
    features = new.drop(columns="ill")
    assert net.predict_proba(features) == pytest.approx(direct.network.predict_proba(features, "ill"), abs=1e-12)
    assert net.predict(features).tolist() == direct.network.predict(features, "ill").tolist()
    assert net.score(features, new["ill"]) > 0.85
    assert net.classes_.tolist() == ["ill", "well"]


def test_values_that_no_training_row_showed_say_nothing() -> None:
    frame = clinic(300, 0)
    net = ExactBayesianNetworkClassifier().fit(frame[["a", "b"]], frame["ill"])
    odd = net.predict_proba(pd.DataFrame({"a": [7], "b": [1]}))
    assert odd == pytest.approx(net.network_.predict_proba({"b": [1]}, "ill"), abs=1e-12)


def test_pipeline_grid_cross_validation_and_calibration() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(240, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=240) > 0).astype(int)
    bins = KBinsDiscretizer(n_bins=4, encode="ordinal", quantile_method="linear")
    pipe = make_pipeline(bins, ExactBayesianNetworkClassifier(n_jobs=1))
    assert cross_val_score(pipe, X, y, cv=3).mean() > 0.8
    grid = {"exactbayesiannetworkclassifier__scoring_method": ["bic", "bdeu"], "kbinsdiscretizer__n_bins": [2, 4]}
    found = GridSearchCV(pipe, grid, cv=3).fit(X, y)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    calibrated = CalibratedClassifierCV(ExactBayesianNetworkClassifier(n_jobs=1), cv=2).fit(X, y)
    assert calibrated.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(240))
    copy = pickle.loads(pickle.dumps(found.best_estimator_))
    assert (copy.predict(X) == found.best_estimator_.predict(X)).all()


@pytest.mark.slow
def test_joblib_with_processes() -> None:
    frame = clinic(120, 5)
    X, y = frame.drop(columns="ill"), frame["ill"]
    one = cross_val_score(ExactBayesianNetworkClassifier(n_jobs=1), X, y, cv=2, n_jobs=1)
    two = cross_val_score(ExactBayesianNetworkClassifier(n_jobs=1), X, y, cv=2, n_jobs=2)
    assert one.tolist() == two.tolist()


def test_rows_that_are_drawn_look_like_the_training_rows() -> None:
    frame = clinic(500, 2)
    net = ExactBayesianNetwork().fit(frame)
    drawn = net.sample(2000, random_state=1)
    assert drawn.shape == (2000, 4)
    assert (drawn == net.sample(2000, random_state=1)).all()
    assert (drawn[:, 3] == "ill").mean() == pytest.approx((frame["ill"] == "ill").mean(), abs=0.06)
    assert np.isfinite(net.score_samples(drawn)).all()
    numbers = ExactBayesianNetwork("bge").fit(np.random.default_rng(0).normal(3, 1, (100, 2))).sample(1000, 4)
    assert numbers.dtype == np.float64
    assert numbers.mean(axis=0) == pytest.approx([3, 3], abs=0.3)


def test_mistakes_of_the_classifier_are_told() -> None:
    frame = clinic(50, 1)
    with pytest.raises(ValueError, match="a class is no number"):
        ExactBayesianNetworkClassifier("bic-g").fit(frame[["a"]], frame["ill"])
    named = ExactBayesianNetworkClassifier().fit(frame[["a"]].rename(columns={"a": "class"}), frame["ill"].tolist())
    assert named.target_ == "class_"


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow", "category"])
def test_types_of_pandas_beside_text_were_made_floats(backend: str) -> None:
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        {"amount": rng.gamma(2, 300, 90), "region": rng.choice(["N", "S"], 90), "age": rng.integers(18, 80, 90)}
    )
    label = np.where(rows["amount"] > 500, "high", "low")
    typed = rows.astype({"region": "category", "age": "Int64"})
    if backend != "category":
        typed = rows.convert_dtypes(dtype_backend=backend)  # type: ignore[arg-type]
    plain = ExactBayesianNetworkClassifier(discretize="quantile:3").fit(rows, label)
    other = ExactBayesianNetworkClassifier(discretize="quantile:3").fit(typed, label)
    assert other.network_ == plain.network_
    assert other.predict(typed).tolist() == plain.predict(rows).tolist()
    with pytest.raises(ValueError, match=r"Input X contains NaN: 1 missing values, the first in row 4 of column 'age'"):
        other.fit(typed.assign(age=typed["age"].mask(typed.index == 3)), label)

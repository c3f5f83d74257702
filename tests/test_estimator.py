"""The scikit-learn estimator: scikit-learn's own checks, and what sabna promises besides."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna.base.errors import DataError, UsageError

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, ParameterGrid, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from sabna import ExactBayesianNetwork


@parametrize_with_checks(
    [
        ExactBayesianNetwork(),
        ExactBayesianNetwork("bge"),
        ExactBayesianNetwork("bdeu", missing="drop", max_parents=2),
    ]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_the_fitted_attributes() -> None:
    frame = pd.DataFrame({"a": [0, 1] * 50, "b": [0, 1] * 50, "c": ["x", "y", "y", "x"] * 25})
    net = ExactBayesianNetwork().fit(frame)
    direct = sabna.learn(frame)
    assert net.network_ == direct.network
    assert net.score_ == direct.score
    assert net.lower_bound_ == direct.lower_bound
    assert net.is_optimal_
    assert net.adjacency_matrix_.tolist() == direct.network.adjacency_matrix.tolist()
    assert list(net.feature_names_in_) == ["a", "b", "c"]
    assert net.n_features_in_ == 3
    copy = pickle.loads(pickle.dumps(net))
    assert copy.network_ == net.network_
    assert copy.score(frame) == net.score(frame)


def test_pipeline_clone_and_grid() -> None:
    X = np.random.default_rng(0).normal(size=(120, 4))
    X[:, 1] += 2 * X[:, 0]
    pipe = make_pipeline(KBinsDiscretizer(n_bins=2, encode="ordinal", quantile_method="linear"), ExactBayesianNetwork())
    pipe.fit(X)
    assert pipe[-1].adjacency_matrix_[:2, :2].sum() == 1
    assert np.isfinite(pipe.score(X))
    assert clone(pipe[-1]).get_params() == pipe[-1].get_params()
    for parameters in ParameterGrid({"scoring_method": ["bic", "bdeu", "aic"], "max_parents": [1, None]}):
        assert ExactBayesianNetwork(**parameters).fit(X).is_optimal_


def test_a_wrong_parameter_is_told_when_fitting() -> None:
    with pytest.raises(ValueError, match="unknown score"):
        ExactBayesianNetwork(scoring_method="nonsense").fit(np.zeros((4, 2), dtype=int))


# --- scoring held-out rows in scikit-learn's tools -------------------------------------------------------------------


def exclusive_or(rows: int, seed: int) -> Any:
    """C is A xor B nine times in ten, D is noise: one parent tells nothing of C, two tell nearly all."""
    rng = np.random.default_rng(seed)
    a, b, d = rng.integers(0, 2, (3, rows))
    return np.column_stack([a, b, np.where(rng.random(rows) < 0.9, a ^ b, 1 - (a ^ b)), d])


def test_grid_search_had_no_scores_and_took_the_first() -> None:
    """`score` was a parameter and hid the method: every mean was nan."""
    found = GridSearchCV(ExactBayesianNetwork(), {"max_parents": [1, 2]}, cv=3).fit(exclusive_or(300, 1))
    one, two = found.cv_results_["mean_test_score"]
    assert np.isfinite([one, two]).all()
    # Of ln 2 nats that C has, the noise leaves 0.325.
    assert two - one == pytest.approx(np.log(2) - 0.325, abs=0.06)
    assert found.best_params_ == {"max_parents": 2}
    assert found.best_estimator_.network_.parents["x2"] == ("x0", "x1")


def test_grid_search_picks_the_score_that_does_not_fit_noise() -> None:
    noise = np.random.default_rng(4).integers(0, 3, (90, 6))
    found = GridSearchCV(ExactBayesianNetwork(), {"scoring_method": ["aic", "bic"]}, cv=5).fit(noise)
    assert found.best_params_ == {"scoring_method": "bic"}
    assert found.cv_results_["mean_test_score"][1] <= -6 * np.log(3) + 0.3


def test_cross_validation_prefers_the_edges_of_linear_data() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=400)
    X = np.column_stack([x, x + 0.5 * rng.normal(size=400), rng.normal(size=400)])
    none, one = (cross_val_score(ExactBayesianNetwork("bic-g", max_parents=k), X, cv=4).mean() for k in (0, 1))
    assert one - none == pytest.approx(0.5 * np.log(5), abs=0.1)  # the mutual information: variance 1.25 against 0.25


def test_y_is_ignored() -> None:
    X = exclusive_or(100, 3)
    plain, given = ExactBayesianNetwork().fit(X), ExactBayesianNetwork().fit(X, X[:, 2])
    assert plain.network_ == given.network_
    assert plain.score(X) == given.score(X, X[:, 2])
    assert "ignored" in (ExactBayesianNetwork.fit.__doc__ or "")


# --- the renamed parameter ------------------------------------------------------------------------------------------


def test_the_old_name_of_the_parameter_is_accepted_with_a_warning() -> None:
    with pytest.warns(FutureWarning, match="scoring_method"):
        net = ExactBayesianNetwork(score="bdeu")
    assert net.scoring_method == "bdeu"
    assert callable(net.score)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "score" not in net.get_params()
        assert clone(net).get_params() == net.get_params()
        assert "scoring_method='bdeu'" in repr(net)
    with pytest.warns(FutureWarning, match="scoring_method"):
        net.set_params(score="k2", max_parents=1)
    assert (net.scoring_method, net.max_parents) == ("k2", 1)
    with pytest.warns(FutureWarning, match="scoring_method"):
        pipe = make_pipeline(ExactBayesianNetwork()).set_params(exactbayesiannetwork__score="aic")
    assert pipe[0].scoring_method == "aic"


def test_both_names_and_unknown_names_are_refused() -> None:
    with pytest.raises(TypeError, match="old name"):
        ExactBayesianNetwork(scoring_method="bic", score="k2")
    with pytest.raises(TypeError, match="scor"):
        ExactBayesianNetwork(scor="bic")
    with pytest.raises(ValueError, match="scor"):
        ExactBayesianNetwork().set_params(scor="bic")


# --- knowledge, categorical, missing --------------------------------------------------------------------------------


def test_knowledge_is_obeyed() -> None:
    net = ExactBayesianNetwork(knowledge={"leaves": ["x0"], "required": ["x2 -> x0"]})
    assert clone(net).fit(exclusive_or(300, 1)).network_.parents["x0"] == ("x1", "x2")
    alone = ExactBayesianNetwork(knowledge=sabna.Knowledge(roots=["x2"], leaves=["x2"]))
    assert alone.fit(exclusive_or(300, 1)).adjacency_matrix_.sum() == 0


def test_a_categorical_column_is_not_cut() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"code": rng.integers(0, 30, 200), "size": rng.normal(size=200)})
    cut, kept = ExactBayesianNetwork().fit(X), ExactBayesianNetwork(categorical=["code"]).fit(X)
    assert [len(s) for s in cut.network_.states.values()] == [3, 3]
    assert [len(s) for s in kept.network_.states.values()] == [30, 3]


def test_fractions_beside_text_are_cut() -> None:
    """A data frame with text in it becomes an array of objects; its numbers are numbers all the same."""
    X = pd.DataFrame({"kind": ["a", "b"] * 30, "size": np.random.default_rng(1).normal(size=60)})
    assert len(ExactBayesianNetwork().fit(X).network_.states["size"]) == 3


def with_gaps() -> pd.DataFrame:
    frame = pd.DataFrame(exclusive_or(200, 5), columns=list("abcd")).astype(float)
    frame.loc[::10, "a"] = np.nan
    frame.loc[5, "c"] = np.nan
    return frame


def test_missing_values_are_refused_dropped_or_a_state() -> None:
    frame = with_gaps()
    with pytest.raises(ValueError, match="NaN"):
        ExactBayesianNetwork().fit(frame)
    dropped, state = (ExactBayesianNetwork(missing=how).fit(frame) for how in ("drop", "category"))
    whole = frame.dropna()
    assert dropped.score_ == ExactBayesianNetwork().fit(whole).score_
    assert dropped.network_.states["a"] == ("0", "1")
    assert state.network_.states["a"] == ("0", "1", "missing")
    assert dropped.score(frame) == pytest.approx(dropped.score(whole))
    assert np.isnan(dropped.score_samples(frame)).tolist() == frame.isna().any(axis=1).tolist()
    assert np.isfinite(state.score_samples(frame)).all()
    with pytest.raises(DataError, match="none is left"):
        dropped.score(frame.iloc[[0, 10]])
    with pytest.raises(ValueError, match="NaN"):
        ExactBayesianNetwork().fit(whole).score(frame)


@pytest.mark.parametrize("empty", [None, np.nan, pd.NA])
def test_gaps_between_texts(empty: Any) -> None:
    X = np.array([["u", "v"], ["u", "w"], [empty, "v"], ["t", "v"]] * 5, dtype=object)
    with pytest.raises(ValueError, match=r"missing|NaN"):
        ExactBayesianNetwork().fit(X)
    assert ExactBayesianNetwork(missing="category").fit(X).network_.states["x0"] == ("t", "u", "missing")
    assert len(ExactBayesianNetwork(missing="drop").fit(X).network_.states["x0"]) == 2


def test_options_that_numbers_do_not_have() -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    for wrong in ({"missing": "category"}, {"discretize": "mean"}, {"categorical": ["x0"]}):
        with pytest.raises(UsageError):
            ExactBayesianNetwork("bge", **wrong).fit(X)  # type: ignore[arg-type]
    gaps = X.copy()
    gaps[3, 1] = np.nan
    dropped = ExactBayesianNetwork("bge", missing="drop").fit(gaps)
    assert dropped.score_ == ExactBayesianNetwork("bge").fit(np.delete(X, 3, axis=0)).score_
    assert dropped.score(gaps) == pytest.approx(dropped.score(np.delete(X, 3, axis=0)))


@pytest.mark.parametrize("names", [["a", "b"], [0, 1]])
def test_states_that_no_row_shows_are_not_lost(names: list[Any]) -> None:
    """A Categorical declares its states; as an array of values it had only those that were seen, and other scores."""
    values = {names[0]: pd.Categorical(["x", "y"] * 20, categories=["x", "y", "z", "w"]), names[1]: ["u", "v"] * 20}
    frame = pd.DataFrame(values)
    net = ExactBayesianNetwork().fit(frame)
    assert net.score_ == sabna.learn(frame.set_axis(["a", "b"], axis=1)).score
    assert net.score_ < ExactBayesianNetwork().fit(frame.astype(str)).score_
    assert np.isfinite(net.score(frame))
    numbers = pd.DataFrame({"a": pd.Categorical(range(40)), "b": [0, 1] * 20})
    assert ExactBayesianNetwork().fit(numbers).score_ == sabna.learn(numbers).score

"""The scikit-learn estimator: scikit-learn's own checks, and what sabna promises besides."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import sabna

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

# `score` names the score to optimise, as everywhere in sabna; scikit-learn takes such an attribute for a method.
SCORE_IS_A_PARAMETER = "calls estimator.score, which is a parameter here; the estimator does not score new data"
EXPECTED_FAILURES = {
    "check_fit_score_takes_y": SCORE_IS_A_PARAMETER,
    "check_n_features_in_after_fitting": SCORE_IS_A_PARAMETER,
    "check_pipeline_consistency": SCORE_IS_A_PARAMETER,
}


@parametrize_with_checks([sabna.ExactBayesianNetwork()], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_the_fitted_attributes() -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": [0, 1] * 50, "b": [0, 1] * 50, "c": ["x", "y", "y", "x"] * 25})
    net = sabna.ExactBayesianNetwork().fit(frame)
    direct = sabna.learn(frame)
    assert net.network_ == direct.network
    assert net.score_ == direct.score
    assert net.lower_bound_ == direct.lower_bound
    assert net.is_optimal_
    assert net.adjacency_matrix_.tolist() == direct.network.adjacency_matrix.tolist()
    assert list(net.feature_names_in_) == ["a", "b", "c"]
    assert net.n_features_in_ == 3
    assert pickle.loads(pickle.dumps(net)).network_ == net.network_


def test_pipeline_clone_and_grid() -> None:
    X = np.random.default_rng(0).normal(size=(120, 4))
    X[:, 1] += 2 * X[:, 0]
    pipe = make_pipeline(
        KBinsDiscretizer(n_bins=2, encode="ordinal", quantile_method="linear"), sabna.ExactBayesianNetwork()
    )
    pipe.fit(X)
    assert pipe[-1].adjacency_matrix_[:2, :2].sum() == 1
    assert clone(pipe[-1]).get_params() == pipe[-1].get_params()
    for parameters in ParameterGrid({"score": ["bic", "bdeu", "aic"], "max_parents": [1, None]}):
        assert sabna.ExactBayesianNetwork(**parameters).fit(X).is_optimal_


def test_a_wrong_parameter_is_told_when_fitting() -> None:
    with pytest.raises(ValueError, match="unknown score"):
        sabna.ExactBayesianNetwork(score="nonsense").fit(np.zeros((4, 2), dtype=int))

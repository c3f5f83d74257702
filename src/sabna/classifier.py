"""A scikit-learn classifier: the exact network of the features and the class, asked for the class.

`fit(X, y)` learns the best network of all columns of `X` and `y` together; the class is a variable among others. The
probabilities of a row are P(class | row): by the Markov blanket of the class, so that features outside it do not matter
and are ignored. A value that no training row showed says nothing about its variable, and is summed over (see
network/rows.py), and so is a gap unless `missing` is "error"; probabilities are never 0, as the tables are the
posterior mean under a prior worth one row.

It is a generative classifier: the network is the best for the whole table, not the one that separates classes best.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataWarning, UsageError
from sabna.estimator import NetworkEstimator
from sabna.network.inference.predict import distribution
from sabna.network.rows import UNKNOWN, Evidence
from sabna.table import Table
from sabna.table.preparation import Preparation
from sabna.table.recode import Coding

try:
    from sklearn.base import ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, column_or_1d
except ImportError as error:
    raise ImportError(
        "ExactBayesianNetworkClassifier needs scikit-learn 1.6 or later: pip install 'sabna[sklearn]'"
    ) from error

# The name of the class among the variables of the network, if y has none and no feature is called so.
TARGET = "class"


class ExactBayesianNetworkClassifier(ClassifierMixin, NetworkEstimator):  # type: ignore[misc]
    """Predict a class by the optimal Bayesian network of the features and the class.

    Parameters are those of ExactBayesianNetwork (`scoring_method`, `random_state`, ...); the score must be one of
    categories. After `fit`: `classes_`,
    `target_` (the name of the class in the network), `network_`, `score_`, `lower_bound_`, `is_optimal_`, `result_`.

    >>> import numpy as np
    >>> X, y = np.array([[0, 1], [1, 0]] * 20), np.array(["no", "yes"] * 20)
    >>> ExactBayesianNetworkClassifier().fit(X, y).predict([[1, 0]])
    array(['yes'], dtype='<U3')
    """

    def fit(self, X: Any, y: Any) -> ExactBayesianNetworkClassifier:
        """Learn the network of the columns of `X` and of `y`."""
        if self._checked_kind().continuous:
            raise UsageError(
                f"scoring_method {self.scoring_method!r}: a class is no number; use a score of categories, such as bic"
            )
        if y is None:
            raise ValueError("ExactBayesianNetworkClassifier requires y to be passed, but the target y is None")
        values, labels = self._validated(X, reset=True, y=y)
        labels = column_or_1d(labels, warn=True)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        names = self._names(values)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # constant features are a matter of course in folds
            table = self._categories(X, values, names)
            complete = self._complete(values)
            self.target_ = _name_of(y, names)
            self._learned(_with_class(table, self.target_, self.classes_, codes[complete]))
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes, in the order of `classes_`."""
        check_is_fitted(self)
        values = self._validated(X, reset=False)
        names = self._names(values)
        codes = self._codes(values, names)
        unseen = [len((self.network_.states or {})[name]) for name in names]
        known = {v: np.where(c >= most, UNKNOWN, c) for v, c, most in zip(names, codes, unseen, strict=True)}
        found: NDArray[np.float64] = distribution(self.network_, Evidence(len(values), known), self.target_)  # type: ignore[assignment]
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        chances = self.predict_proba(X)
        out: NDArray[Any] = self.classes_[chances.argmax(axis=1)]
        return out


def _name_of(y: Any, taken: list[str]) -> str:
    """What the class is called in the network."""
    name = getattr(y, "name", None)
    name = name if isinstance(name, str) and name else TARGET
    while name in taken:
        name += "_"
    return name


def _with_class(table: Table, name: str, classes: NDArray[Any], codes: NDArray[np.int64]) -> Table:
    """The table of the features with one more column."""
    labels = [str(label) for label in classes.tolist()]
    states = tuple(labels if len(set(labels)) == len(labels) else map(str, range(len(labels))))
    old = table.preparation
    preparation = None
    if old is not None:
        preparation = Preparation({**old.columns, name: Coding.of_states(states, False)}, old.missing, old.decimal)
    return Table(
        (*table.names, name),
        np.vstack([table.codes, codes.astype(np.uint16)]),
        (*table.states, states),
        preparation=preparation,
    )

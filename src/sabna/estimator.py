"""A scikit-learn estimator around `sabna.learn`, for pipelines, grids and clones.

Parameters are only kept in `__init__`, as scikit-learn asks; everything happens in `fit`. Arrays of numbers are the
rule there, so columns that look continuous are cut into three quantiles unless told otherwise (`discretize="auto"`);
integers and text are categories. The scores of continuous data (bic-g, bge) take the numbers as they are. Needs
scikit-learn (extra `sklearn`), which is imported when the class is first used.
"""

from __future__ import annotations

from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from sabna.learning import learn
from sabna.scores.registry import score_type
from sabna.table import read_table
from sabna.table.numeric import NumericTable

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import validate_data
except ImportError as error:
    raise ImportError("ExactBayesianNetwork needs scikit-learn: pip install 'sabna[sklearn]'") from error

from sabna.base.errors import DataError

if TYPE_CHECKING:
    from sabna.network import Network
    from sabna.result.result import Result

# What `discretize="auto"` does with a column that looks continuous.
AUTO_METHOD = "quantile:3"
# More distinct whole numbers than this are a measurement, not categories.
AUTO_MAX_STATES = 20


class ExactBayesianNetwork(BaseEstimator):  # type: ignore[misc]
    """Learn an optimal Bayesian network from `X`.

    After `fit`: `network_` (sabna.Network, with its tables), `score_`, `lower_bound_` (a cost: no network costs less),
    `is_optimal_`, `adjacency_matrix_` (row: parent, column: child), `result_` with all the rest, and scikit-learn's
    `n_features_in_` and `feature_names_in_`.

    >>> import numpy as np
    >>> X = np.array([[0, 0], [1, 1]] * 20)
    >>> net = ExactBayesianNetwork(score="bic").fit(X)
    >>> net.is_optimal_, int(net.adjacency_matrix_.sum())
    (True, 1)
    """

    def __init__(
        self,
        score: str = "bic",
        *,
        max_parents: int | None = None,
        equivalent_sample_size: float | None = None,
        alpha_mu: float | None = None,
        alpha_w: float | None = None,
        discretize: Any = "auto",
        strategy: str = "auto",
        time_limit: float | None = None,
        memory_limit: str | int | None = None,
        gap_tolerance: float = 1e-6,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.score = score
        self.max_parents = max_parents
        self.equivalent_sample_size = equivalent_sample_size
        self.alpha_mu = alpha_mu
        self.alpha_w = alpha_w
        self.discretize = discretize
        self.strategy = strategy
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.gap_tolerance = gap_tolerance
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> ExactBayesianNetwork:
        """Learn the network of the columns of `X`; `y` is not used."""
        values = validate_data(self, X, dtype=None, ensure_min_samples=2)
        if np.iscomplexobj(values):
            raise ValueError("Complex data not supported: a network is learned from categories or real numbers")
        names = getattr(self, "feature_names_in_", None)
        names = [f"x{k}" for k in range(values.shape[1])] if names is None else [str(name) for name in names]
        result = learn(
            _numbers(values, names) if score_type(self.score).continuous else _table(values, names, self.discretize),
            self.score,
            max_parents=self.max_parents,
            equivalent_sample_size=self.equivalent_sample_size,
            alpha_mu=self.alpha_mu,
            alpha_w=self.alpha_w,
            strategy=self.strategy,
            time_limit=self.time_limit,
            memory_limit=self.memory_limit,
            gap_tolerance=self.gap_tolerance,
            n_jobs=-1 if self.n_jobs is None else self.n_jobs,
            seed=_seed(self.random_state),
        )
        self.result_: Result = result
        self.network_: Network = result.network
        self.score_ = result.score
        self.lower_bound_ = result.lower_bound
        self.is_optimal_ = result.is_optimal
        self.adjacency_matrix_ = result.network.adjacency_matrix
        return self


def _seed(random_state: Any) -> int:
    """sabna's seed: a number as it is, nothing as 0, a generator's next number."""
    if random_state is None:
        return 0
    return int(random_state.randint(2**31)) if hasattr(random_state, "randint") else int(random_state)


def _table(values: Any, names: list[str], discretize: Any) -> Any:
    """The table of the columns, cut where asked for."""
    import pyarrow as pa

    plan = discretize
    if isinstance(discretize, str) and discretize == "auto":
        plan = {name: AUTO_METHOD for k, name in enumerate(names) if _continuous(values[:, k])}
    columns = [values[:, k] if values.dtype.kind in "biuf" else _texts(values[:, k]) for k in range(len(names))]
    categorical = () if isinstance(plan, str) else [name for name in names if name not in plan]
    return read_table(pa.table(dict(zip(names, map(pa.array, columns), strict=True))), categorical, plan)


def _numbers(values: Any, names: list[str]) -> Any:
    """The columns as they are, for the scores of continuous data."""
    try:
        columns = np.ascontiguousarray(values.T, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the scores bic-g and bge need columns of numbers: {error}") from None
    return NumericTable(tuple(names), columns)


def _texts(column: Any) -> list[str]:
    """Objects as text; scikit-learn asks for a TypeError where they are neither text nor numbers."""
    for value in column:
        if not isinstance(value, str | bytes | Number | np.generic):
            raise TypeError(f"argument must be a string or a number, not {type(value).__name__!r}")
    return [str(value) for value in column]


def _continuous(column: Any) -> bool:
    """Whether a column holds fractions, or more whole numbers than categories have."""
    if column.dtype.kind not in "iuf":
        return False
    return bool((column != np.floor(column)).any()) or len(np.unique(column)) > AUTO_MAX_STATES

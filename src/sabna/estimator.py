"""A scikit-learn estimator around `sabna.learn`, for pipelines, grids, cross-validation and clones.

Parameters are only kept in `__init__`, as scikit-learn asks; everything happens in `fit`. Arrays of numbers are the
rule there, so columns that look continuous are cut into three quantiles unless told otherwise (`discretize="auto"`);
integers and text are categories. The scores of continuous data (bic-g, bge) take the numbers as they are.

`score(X)` is the mean log-likelihood of the rows of `X`, what scikit-learn's density estimators return: with it grid
search and cross-validation compare parameters on rows that were held out. New rows are coded with the states and cuts
of the training rows (table/preparation.py), and no row has the probability 0 (network/heldout/). `sample` draws rows.
Needs scikit-learn (extra `sklearn`), which is imported when the class is first used. The classifier beside it stands in
classifier.py.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import wraps
from numbers import Number
from typing import TYPE_CHECKING, Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, UsageError
from sabna.learning import learn
from sabna.network.gaussian import complete_log_densities
from sabna.network.heldout.categories import CategoryModel
from sabna.network.heldout.numbers import NumberModel
from sabna.scores.registry import Parameters, ScoreType, score_type
from sabna.settings import checked
from sabna.settings.table import Limited, rows
from sabna.table import read_table
from sabna.table.frames import declares_states
from sabna.table.interventions import rows_apart, told_by_rows, with_interventions
from sabna.table.numeric import NumericTable

try:
    from sklearn.base import BaseEstimator, DensityMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError("ExactBayesianNetwork needs scikit-learn 1.6 or later: pip install 'sabna[sklearn]'") from error

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from sabna.network import Network
    from sabna.result.result import Result

# What `discretize="auto"` does with a column that looks continuous.
AUTO_METHOD = "quantile:3"
# More distinct whole numbers than this are a measurement, not categories.
AUTO_MAX_STATES = 20


class Further(Limited, Parameters, total=False):
    """Parameters that are options of `learn` as they are, all of them: a new limit, or a new score, brings its own."""


FURTHER = rows(Further)


def _by_new_names(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters by the names they have now: `score` was that of `scoring_method`."""
    if "score" not in parameters:
        return parameters
    if "scoring_method" in parameters:
        raise TypeError("score is the old name of scoring_method: give one of them")
    warnings.warn(
        "the parameter `score` is called `scoring_method`; `score` is the method that scores rows",
        FutureWarning,
        stacklevel=3,
    )
    return {"scoring_method" if name == "score" else name: value for name, value in parameters.items()}


def _with_all_names(init: Any) -> Any:
    """An `__init__` that takes the further parameters by name, and old names; scikit-learn sees the signature."""

    @wraps(init)
    def accepting(self: Any, *args: Any, **given: Any) -> None:
        given = _by_new_names(given)
        unknown = [name for name in given if name not in signature.parameters]
        if unknown:
            raise TypeError(f"ExactBayesianNetwork has no parameter {unknown[0]!r}")
        init(self, *args, **{**defaults, **given})

    defaults = {name: row.default for name, row in FURTHER.items()}
    types = get_type_hints(Further)
    own = [p for p in inspect.signature(init).parameters.values() if p.kind is not p.VAR_KEYWORD]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=types[name])
        for name, default in defaults.items()
    ]
    signature = inspect.Signature([*own, *added])
    accepting.__signature__ = signature  # type: ignore[attr-defined]
    return accepting


class NetworkEstimator(BaseEstimator):  # type: ignore[misc]
    """What the estimators share: parameters, checks of the input, and the run itself."""

    @_with_all_names
    def __init__(
        self,
        scoring_method: str = "bic",
        *,
        max_parents: int | Mapping[str, int] | None = None,
        knowledge: Any = None,
        categorical: Iterable[str] = (),
        discretize: Any = "auto",
        missing: str = "error",
        strategy: str = "auto",
        gap_tolerance: float = 1e-6,
        n_jobs: int | None = None,
        random_state: int | None = None,
        **further: Unpack[Further],
    ) -> None:
        self.scoring_method = scoring_method
        self.max_parents = max_parents
        self.knowledge = knowledge
        self.categorical = categorical
        self.discretize = discretize
        self.missing = missing
        self.strategy = strategy
        self.gap_tolerance = gap_tolerance
        self.n_jobs = n_jobs
        self.random_state = random_state
        for name, value in further.items():
            setattr(self, name, value)

    def set_params(self, **params: Any) -> NetworkEstimator:
        """Set parameters by name, as scikit-learn does; `score` sets `scoring_method`, with a warning."""
        super().set_params(**_by_new_names(params))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def _names(self, values: Any) -> list[str]:
        """The names of the columns."""
        names = getattr(self, "feature_names_in_", None)
        return [f"x{k}" for k in range(values.shape[1])] if names is None else [str(name) for name in names]

    def _checked_kind(self) -> ScoreType:
        """The score, which must be one of tables of one kind without holes; how columns are read is checked too."""
        reading = (
            {} if isinstance(self.discretize, str) and self.discretize == "auto" else {"discretize": self.discretize}
        )
        checked(
            "learn", {"score": self.scoring_method, "categorical": self.categorical, "missing": self.missing, **reading}
        )
        kind = score_type(self.scoring_method)
        if kind.mixed is not None or self.missing in ("available", "em"):
            raise UsageError(
                f"the score {self.scoring_method} with missing={self.missing!r}: the estimator takes tables of one "
                "kind without holes; use sabna.learn"
            )
        return kind

    def _learned(self, table: Any) -> Result:
        """Learn, and keep what was found."""
        result = learn(
            table,
            self.scoring_method,
            max_parents=self.max_parents,
            knowledge=self.knowledge,
            strategy=self.strategy,
            gap_tolerance=self.gap_tolerance,
            n_jobs=-1 if self.n_jobs is None else self.n_jobs,
            seed=_seed(self.random_state),
            **{name: getattr(self, name) for name in FURTHER},
        )
        self.result_: Result = result
        self.network_: Network = result.network
        self.score_ = result.score
        self.lower_bound_ = result.lower_bound
        self.is_optimal_ = result.is_optimal
        self.adjacency_matrix_ = result.network.adjacency_matrix
        return result

    def _validated(self, X: Any, reset: bool, y: Any = None) -> Any:
        """`X`, or `X` and `y`, as arrays."""
        # Missing values are looked for below, as scikit-learn does not know all of them.
        given = {} if y is None else {"y": y}
        checked = validate_data(
            self,
            _plain(X),
            reset=reset,
            dtype=None,
            ensure_min_samples=2 if reset else 1,
            ensure_all_finite="allow-nan",
            **given,
        )
        values = checked if y is None else checked[0]
        if np.iscomplexobj(values):
            raise ValueError("Complex data not supported: a network is learned from categories or real numbers")
        if self.missing == "error" and (found := np.argwhere(_missing_cells(values)).tolist()):
            known = getattr(self, "feature_names_in_", None)
            where = found[0][1] + 1 if known is None else repr(str(known[found[0][1]]))
            other = "" if score_type(self.scoring_method).continuous else ', or missing="category"'
            raise DataError(
                f"Input X contains NaN: {len(found)} missing values, the first in row {found[0][0] + 1} of column "
                f'{where}; use missing="drop" to leave out such rows{other}'
            )
        return checked

    def _complete(self, values: Any) -> NDArray[np.bool_]:
        """The rows that count: with `missing="drop"` those without a gap."""
        whole = np.ones(len(values), dtype=bool)
        if self.missing == "drop":
            whole &= ~_missing_cells(values).any(axis=1)
        return whole

    def _categories(self, X: Any, values: Any, names: list[str]) -> Any:
        """The table of the columns, cut where asked for; it says how, for new rows."""
        spared = {self.categorical} if isinstance(self.categorical, str) else set(self.categorical)
        source, plan = _frame(values, names), self.discretize
        declared = {name for name, declares in zip(names, declares_states(X), strict=False) if declares}
        if isinstance(plan, str) and plan == "auto":
            cut = [name for name in names if name not in spared | declared and _continuous(source.column(name))]
            plan = dict.fromkeys(cut, AUTO_METHOD)
        if declared:  # an array of their values has lost the states that no row shows
            source = X.set_axis(names, axis=1) if hasattr(X, "set_axis") else X
        if isinstance(plan, Mapping):
            spared |= set(names) - set(plan)
        return read_table(source, spared, plan, self.missing)

    def _codes(self, values: Any, names: Sequence[str]) -> NDArray[np.int64]:
        """New rows in the states of the training rows; what these do not show has one code more."""
        preparation = self.network_.preparation
        assert preparation is not None
        found = preparation.new_rows(_frame(values, names), names)
        unseen = [coding.unseen for name in names if (coding := preparation.columns[name]) is not None]
        return np.stack(
            [np.where(found[name] < 0, most, found[name]) for name, most in zip(names, unseen, strict=True)]
        )

    def _numbers(self, values: Any, names: list[str]) -> NumericTable:
        """The columns as they are, for the scores of continuous data."""
        if self.missing not in ("error", "drop"):
            raise UsageError(f"missing {self.missing!r}: for continuous data write error or drop")
        as_they_are = isinstance(self.discretize, str) and self.discretize in ("auto", "none")
        if not as_they_are or self.categorical:
            raise UsageError(
                f"the score {self.scoring_method} takes the columns as numbers: leave out `discretize` "
                "and `categorical`"
            )
        kept = values[~_missing_cells(values).any(axis=1)] if self.missing == "drop" else values
        return NumericTable(tuple(names), _as_numbers(kept))


class ExactBayesianNetwork(DensityMixin, NetworkEstimator):  # type: ignore[misc]
    """Learn an optimal Bayesian network from `X`.

    `scoring_method` names the score to optimise ("bic", "bdeu", "bge", ...; it was called `score`, which is accepted
    with a warning); its parameters (`equivalent_sample_size`, `alpha_mu`, ...) are taken by name. `knowledge`,
    `categorical`, `missing`, `time_limit` and `memory_limit` are those of `learn`; columns have the names of a data
    frame, or x0, x1, ... With `missing="drop"` rows with a missing value are left out, of `score` too; with "category"
    missing is a state. `random_state` is the seed of all random choices.

    After `fit`: `network_` (sabna.Network, with its tables), `score_` (that of the network on the training rows),
    `lower_bound_` (a cost: no network costs less), `is_optimal_`, `adjacency_matrix_` (row: parent, column: child),
    `result_` with all the rest, and scikit-learn's `n_features_in_` and `feature_names_in_`.

    >>> import numpy as np
    >>> X = np.array([[0, 0], [1, 1]] * 20)
    >>> net = ExactBayesianNetwork(scoring_method="bic").fit(X)
    >>> net.is_optimal_, int(net.adjacency_matrix_.sum())
    (True, 1)
    >>> bool(net.score([[0, 0]]) > net.score([[0, 1]]) > -np.inf)
    True
    """

    def fit(self, X: Any, y: Any = None, interventions: Any = None) -> ExactBayesianNetwork:
        """Learn the network of the columns of `X`. `y` is ignored: to have it in the network, put it into `X`.

        `interventions` says of each row which columns were set in it: a name, several separated by `;`, or nothing.
        """
        values = self._validated(X, reset=True)
        names = self._names(values)
        continuous = self._checked_kind().continuous
        table: Any = self._numbers(values, names) if continuous else self._categories(X, values, names)
        if interventions is not None:
            told = told_by_rows(interventions, names, len(values))[:, self._complete(values)]
            table = with_interventions(table, np.ascontiguousarray(told), "interventions")
        result = self._learned(table)
        self._model = _model_of(result.network, table)
        return self

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Log-likelihood of every row of `X`, natural logarithm; never minus infinity.

        Categories: the posterior mean under a Dirichlet prior of equivalent sample size 1, in which every column has
        one more state for values that the training rows do not show. Numbers (bic-g, bge): a normal density, with a
        prior worth one row. With `missing="drop"` a row with a missing value has none: nan.
        """
        check_is_fitted(self)
        values = self._validated(X, reset=False)
        complete = self._complete(values)
        out = np.full(len(values), np.nan)
        if isinstance(self._model, NumberModel):
            out[complete] = self._model.log_likelihoods(_as_numbers(values[complete]))
        elif self._model is None:
            numbers = dict(zip(self.network_.variables, _as_numbers(values[complete]), strict=True))
            out[complete] = complete_log_densities(self.network_, numbers)
        elif complete.any():
            out[complete] = self._model.log_likelihoods(self._codes(values[complete], self.network_.variables))
        return out

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray[Any]:
        """Rows drawn from the fitted network: numbers, or the names of states (of cut columns: their intervals).

        `random_state` is a number or a generator; the parameter of the estimator if not given.
        """
        check_is_fitted(self)
        chosen = self.random_state if random_state is None else random_state
        drawn = self.network_.sample(n_samples, _seed(chosen))
        return np.column_stack([np.array(column.to_pylist()) for column in drawn.columns])

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of the rows of `X`, higher is better; `y` is ignored. See `score_samples`.

        Compare by it what gives the columns the same states: other `discretize` options, and numbers instead of
        categories, change what a likelihood is the probability of.
        """
        found = self.score_samples(X)
        found = found[~np.isnan(found)]
        if not len(found):
            raise DataError('every row has a missing value, so that none is left to score; use missing="category"')
        return float(found.mean())


def _model_of(network: Network, table: Any) -> CategoryModel | NumberModel | None:
    """What scores new rows; None: the regressions of the network itself, where quantities were set in some rows."""
    if isinstance(table, NumericTable):
        return None if table.was_set is not None else NumberModel.of(network, table.values)
    states = [arity + 1 for arity in table.arities]
    families: dict[int, Any] = {}
    for members, own in rows_apart(table):
        codes = (table if own is None else own).codes.astype(np.int64)
        found = CategoryModel.of(network, codes, states).families
        families |= {i: found[i] for i in members}
    return CategoryModel(tuple(families[i] for i in range(table.n)))


def _seed(random_state: Any) -> int:
    """sabna's seed: a number as it is, nothing as 0, a generator's next number."""
    if random_state is None:
        return 0
    return int(random_state.randint(2**31)) if hasattr(random_state, "randint") else int(random_state)


def _is_missing(value: Any) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _plain(X: Any) -> Any:
    """A pandas frame of text beside types of pandas (Int64, boolean, category, pyarrow) as one of objects.

    scikit-learn would make floats of all its columns.
    """
    if type(X).__module__.partition(".")[0] != "pandas" or not hasattr(X, "select_dtypes"):
        return X
    own = any(not isinstance(dtype, np.dtype) for dtype in X.dtypes)
    return X.astype(object) if own and X.shape[1] > X.select_dtypes("number").shape[1] else X


def _missing_cells(values: Any) -> NDArray[np.bool_]:
    """Where an array has no value."""
    if values.dtype.kind == "f":
        out: NDArray[np.bool_] = np.isnan(values)
        return out
    if values.dtype.kind != "O":
        return np.zeros(values.shape, dtype=bool)
    return np.array([[_is_missing(value) for value in row] for row in values], dtype=bool).reshape(values.shape)


def _as_numbers(values: Any) -> NDArray[np.float64]:
    try:
        return np.ascontiguousarray(values.T, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the scores bic-g and bge need columns of numbers: {error}") from None


def _frame(values: Any, names: Iterable[str]) -> Any:
    """The columns as an arrow table, numbers as numbers."""
    import pyarrow as pa

    columns = [_column(values[:, k]) for k in range(values.shape[1])]
    return pa.table([pa.array(column, from_pandas=True) for column in columns], names=list(names))


def _column(column: Any) -> Any:
    """A column of objects as numbers, if it holds only numbers, or as text; nan becomes None.

    scikit-learn asks for a TypeError where objects are neither text nor numbers.
    """
    if column.dtype.kind in "biuf":
        return column
    known = [value for value in column.tolist() if not _is_missing(value)]
    for value in known:
        if not isinstance(value, str | bytes | Number | np.generic):
            raise TypeError(f"argument must be a string or a number, not {type(value).__name__!r}")
    numbers = known and all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in known)
    return [None if _is_missing(v) else v if numbers else str(v) for v in column.tolist()]


def _continuous(column: Any) -> bool:
    """Whether a column holds fractions, or more whole numbers than categories have."""
    import pyarrow as pa

    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        return False
    values = column.drop_null().to_numpy()
    return bool((values != np.floor(values)).any()) or len(np.unique(values)) > AUTO_MAX_STATES

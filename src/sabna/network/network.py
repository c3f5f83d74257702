"""A Bayesian network: variables, their parents and, once fitted, their tables.

The structure is what a search finds; `fit` adds the states and the conditional probabilities. Each thing one can do
with a network has a file of its own in this folder; the methods here only lead there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import UsageError, quoted
from sabna.base.texts import LONGEST_NAME, did_you_mean, is_storable, shown
from sabna.network.compare import compare
from sabna.network.conditional import MixedParameters, checked_mixed
from sabna.network.drawing import standalone_svg
from sabna.network.equivalence import cpdag
from sabna.network.files import write_network
from sabna.network.gaussian import LinearGaussian, checked_gaussian
from sabna.network.inference.predict import predict, predict_proba, row_log_likelihoods
from sabna.network.interop import from_networkx, to_networkx, to_pgmpy, to_pyagrum
from sabna.network.meek import direct_by_interventions, direct_by_knowledge
from sabna.network.modelstring import from_model_string, to_model_string
from sabna.network.parameters import MAX_PARENTS, fit, sample
from sabna.network.scoring import score_network
from sabna.network.strengths import arc_strengths
from sabna.network.unrolling import unrolled_parts
from sabna.table.preparation import Preparation

if TYPE_CHECKING:
    from sabna.network.compare import Difference
    from sabna.network.equivalence import CPDAG
    from sabna.network.parameters import Dirichlet
    from sabna.network.scoring import NetworkScore
    from sabna.network.strengths import ArcStrength

# Tables must add up to 1 within this: files of other programs round their probabilities to a few digits.
SUM_TOLERANCE = 1e-3


class Network:
    """A directed acyclic graph over named variables, with parameters if it is fitted.

    `tables[v]` has one axis per parent of v, in the order of `parents[v]`, and a last one for v itself. A network of
    quantities has `gaussian[v]` instead: intercept, coefficients by parent, variance. One of both kinds has `mixed`:
    `states` and `tables` of the categories, `regressions` of the quantities. `preparation` says how the rows
    were read that it was learned from; every method that takes rows treats new ones the same way. Two networks are
    equal when the same variables have the same parents; the order of the variables and the tables do not count.

    >>> net = Network(["rain", "sprinkler", "wet"], {"wet": ["rain", "sprinkler"]})
    >>> net.edges
    (('rain', 'wet'), ('sprinkler', 'wet'))
    >>> net.order
    ('rain', 'sprinkler', 'wet')
    """

    def __init__(
        self,
        variables: Iterable[str],
        parents: Mapping[str, Iterable[str]],
        states: Mapping[str, Iterable[str]] | None = None,
        tables: Mapping[str, Any] | None = None,
        gaussian: Mapping[str, LinearGaussian] | None = None,
        preparation: Preparation | None = None,
        mixed: MixedParameters | None = None,
    ) -> None:
        self.variables = tuple(variables)
        _check_texts(self.variables, "the name of a variable")
        position = {name: k for k, name in enumerate(self.variables)}
        if len(position) != len(self.variables):
            raise UsageError("a network's variables must have different names")
        given = {name: tuple(ps) for name, ps in parents.items()}
        unknown = [name for name in (*given, *(p for ps in given.values() for p in ps)) if name not in position]
        if unknown:
            raise UsageError(f"unknown variable {shown(unknown[0])} in a network of {len(self.variables)} variables")
        self.parents = {
            name: tuple(sorted(set(given.get(name, ())), key=position.__getitem__)) for name in self.variables
        }
        self.order = self._topological_order()
        self.states = None if states is None else self._checked_states(states)
        self.tables = None if tables is None else self._checked_tables(tables)
        if sum(part is not None for part in (states, gaussian, mixed)) > 1:
            raise UsageError("a network has either states and tables, or regressions, or both in `mixed`")
        self.gaussian = None if gaussian is None else checked_gaussian(self, gaussian)
        self.mixed = None if mixed is None else checked_mixed(self, mixed)
        self.preparation = preparation
        if preparation is not None and self.states is not None:
            self._check_preparation(preparation, self.states)
        elif preparation is not None and self.mixed is not None:
            self._check_preparation(preparation, self.mixed.states)

    def _topological_order(self) -> tuple[str, ...]:
        """Parents first: by the longest way from a root, then in the order of `variables`."""
        children: dict[str, list[str]] = {v: [] for v in self.variables}
        for child, parents in self.parents.items():
            for parent in parents:
                children[parent].append(child)
        missing = {v: len(parents) for v, parents in self.parents.items()}
        order: list[str] = []
        ready = [v for v in self.variables if not missing[v]]
        position = {v: k for k, v in enumerate(self.variables)}
        while ready:
            order += ready
            reached = []
            for child in (c for v in ready for c in children[v]):
                missing[child] -= 1
                if not missing[child]:
                    reached.append(child)
            ready = sorted(reached, key=position.__getitem__)
        if len(order) < len(self.variables):
            stuck = next(v for v in self.variables if missing[v])
            raise UsageError(f"a network must have no cycle; one runs through or into {shown(stuck)}")
        return tuple(order)

    def _checked_states(self, states: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
        checked = {}
        for name in self.variables:
            if name not in states:
                raise UsageError(f"the states of variable {shown(name)} are missing")
            checked[name] = tuple(states[name])
            _check_texts(checked[name], f"a state of {shown(name)}")
            if not checked[name] or len(set(checked[name])) != len(checked[name]):
                raise UsageError(f"variable {shown(name)} must have at least one state, all of them different")
        return checked

    def _checked_tables(self, tables: Mapping[str, Any]) -> dict[str, NDArray[np.float64]]:
        if self.states is None:
            raise UsageError("tables need states: pass both")
        checked = {}
        for name in self.variables:
            if len(self.parents[name]) > MAX_PARENTS:
                raise UsageError(
                    f"{shown(name)} has {len(self.parents[name])} parents; a table can have at most {MAX_PARENTS}"
                )
            shape = tuple(len(self.states[v]) for v in (*self.parents[name], name))
            table = np.asarray(tables.get(name, ()), dtype=np.float64)
            if table.shape != shape:
                raise UsageError(f"the table of {shown(name)} has the shape {table.shape}; its parents ask for {shape}")
            if not (table >= 0).all() or not np.allclose(table.sum(axis=-1), 1, rtol=0, atol=SUM_TOLERANCE):
                raise UsageError(f"the table of {shown(name)} must hold probabilities that add up to 1 in every row")
            checked[name] = table
        return checked

    def _check_preparation(self, preparation: Preparation, states: Mapping[str, tuple[str, ...]]) -> None:
        for name in states:
            coding = preparation.columns.get(name)
            if coding is None or coding.states != states[name]:
                raise UsageError(f"the preparation of {shown(name)} does not make the states of the variable")

    def with_parameters(self, **parts: Any) -> Network:
        """The same structure with `states` and `tables`, `gaussian`, or `mixed`, and the `preparation` of rows."""
        return Network(self.variables, self.parents, **parts)

    # --- structure -------------------------------------------------------------------------------------------------

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All (parent, child) pairs, by child."""
        return tuple((p, child) for child in self.variables for p in self.parents[child])

    def check_name(self, name: Any) -> None:
        """UsageError unless there is such a variable."""
        if name not in self.parents:
            hint = did_you_mean(name, self.variables) or f"it has {', '.join(self.variables[:8])}"
            raise UsageError(f"the network has no variable {quoted(name)}; {hint}")

    def children(self, name: str) -> tuple[str, ...]:
        """The variables that `name` is a parent of."""
        self.check_name(name)
        return tuple(child for child in self.variables if name in self.parents[child])

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """Parents, children and the children's other parents: given these, `name` depends on nothing else."""
        self.check_name(name)
        blanket = set(self.parents[name])
        for child in self.children(name):
            blanket |= {child, *self.parents[child]}
        return tuple(v for v in self.variables if v in blanket and v != name)

    @property
    def adjacency_matrix(self) -> NDArray[np.int8]:
        """`[p, c]` is 1 where an edge runs from variable p to variable c."""
        position = {name: k for k, name in enumerate(self.variables)}
        matrix = np.zeros((len(self.variables), len(self.variables)), dtype=np.int8)
        for parent, child in self.edges:
            matrix[position[parent], position[child]] = 1
        return matrix

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network) or set(self.variables) != set(other.variables):
            return False
        return all(set(self.parents[v]) == set(other.parents[v]) for v in self.variables)

    def __hash__(self) -> int:
        return hash((frozenset(self.variables), frozenset(self.edges)))

    def __repr__(self) -> str:
        fitted = ", fitted" if self.is_fitted else ""
        return f"Network({len(self.variables)} variables, {len(self.edges)} edges{fitted})"

    def _repr_svg_(self) -> str:
        return standalone_svg(self)

    # --- comparison ------------------------------------------------------------------------------------------------

    def cpdag(self, knowledge: Any = None, targets: Iterable[Iterable[str]] | None = None) -> CPDAG:
        """The Markov equivalence class; of it only the members that obey `knowledge`, if there is any.

        With `targets`, the sets of variables that experiments set, it is the interventional class.
        """
        found = cpdag(self)
        if targets is not None:
            found = direct_by_interventions(found, self.edges, targets)
        return found if knowledge is None else direct_by_knowledge(found, knowledge)

    def equivalent_to(self, other: Network) -> bool:
        """Whether both networks state the same independencies, so that no data can tell them apart."""
        return set(self.variables) == set(other.variables) and self.cpdag() == other.cpdag()

    def compare(self, other: Network) -> Difference:
        """The edges that are added, missing and reversed in `other`, and whether it is of the same class."""
        network = getattr(other, "network", other)
        if not isinstance(network, Network):
            raise UsageError(f"a network is compared with another, not with {shown(other)}")
        return compare(self, network)

    def shd(self, other: Network) -> int:
        """Structural Hamming distance: edges to add, remove or turn round to make one network the other."""
        return self.compare(other).shd

    # --- parameters ------------------------------------------------------------------------------------------------

    @property
    def is_fitted(self) -> bool:
        """Whether the network has parameters: tables, regressions, or both."""
        return self.tables is not None or self.gaussian is not None or self.mixed is not None

    def fit(self, data: Any, prior: Dirichlet | None = None) -> Network:
        """The network with tables from `data`: maximum likelihood, or the posterior mean under a Dirichlet prior.

        Where no row shows a configuration of the parents, maximum likelihood says nothing; the row of the table is
        then uniform. Of quantities maximum likelihood is least squares, and the prior's equivalent sample size the
        number of rows it is worth. The parameters that `learn` adds are those of `Dirichlet(equivalent_sample_size=1)`.
        """
        return fit(self, data, prior)

    def log_likelihood(self, data: Any) -> float:
        """Natural logarithm of the probability of the rows of `data`; minus infinity if one is impossible.

        Cells that are missing, or hold a value that the network does not know, are summed over. Of quantities it is
        the density.
        """
        return float(row_log_likelihoods(self, data).sum())

    def predict(self, rows: Any, target: str) -> NDArray[Any]:
        """The most probable state of `target` for each row, given all that the row shows of the other variables.

        `rows` is what `read_table` takes, or a mapping such as {"smoke": "yes"}. It may lack columns and cells, and may
        hold the target, which is not looked at. Of a quantity it is the mean.
        """
        return predict(self, rows, target)

    def predict_proba(self, rows: Any, target: str) -> Any:
        """Probabilities of the states of `target` (`network.states[target]`, in this order), one row for each row.

        Of a quantity: its normal distributions, as a pair of arrays `mean` and `deviation`.
        """
        return predict_proba(self, rows, target)

    def sample(self, rows: int, seed: int = 0) -> Any:
        """Rows drawn from the network, as a pyarrow table (`.to_pandas()` makes a data frame of it)."""
        return sample(self, rows, seed)

    def score(self, data: Any, score: str = "bic", **options: Any) -> NetworkScore:
        """The score of this network on `data`, under any of our scores: a float with the exact `cost_quanta`.

        `options` are those of reading (`missing`, `categorical`, ...) and the parameters of the score. The integers are
        those of `learn`: the score of a network it finds is `result.score`, to the bit.
        """
        return score_network(self, data, score, options)

    def unrolled(self, steps: int) -> Network:
        """A network of transitions (learned with `time`) over so many steps: one row of it is one sequence."""
        variables, parents, parameters = unrolled_parts(self, steps)
        return Network(variables, parents, **parameters)

    def arc_strengths(self, data: Any, score: str = "bic", **options: Any) -> tuple[ArcStrength, ...]:
        """What the score loses when an edge is removed or turned round, each re-scored exactly."""
        return arc_strengths(self, data, score, **options)

    # --- other programs --------------------------------------------------------------------------------------------

    def to_networkx(self) -> Any:
        """A networkx.DiGraph; states and tables, if any, are attributes of its nodes."""
        return to_networkx(self)

    @staticmethod
    def from_networkx(graph: Any) -> Network:
        """The network of a networkx.DiGraph; what `to_networkx` made comes back whole."""
        return from_networkx(Network, graph)

    def to_pgmpy(self) -> Any:
        """A pgmpy DiscreteBayesianNetwork, with its tables if fitted; of quantities a LinearGaussianBayesianNetwork."""
        return to_pgmpy(self)

    def to_pyagrum(self) -> Any:
        """A pyAgrum BayesNet; the network must be fitted."""
        return to_pyagrum(self)

    def to_bnlearn(self) -> str:
        """The model string of R's bnlearn.

        >>> Network(["A", "B", "C"], {"C": ["A", "B"]}).to_bnlearn()
        '[A][B][C|A:B]'
        """
        return to_model_string(self)

    @staticmethod
    def from_bnlearn(text: str) -> Network:
        """The network of a model string.

        >>> Network.from_bnlearn("[A][B][C|A:B]").parents["C"]
        ('A', 'B')
        """
        return from_model_string(Network, text)

    def save(
        self,
        path: str | os.PathLike[str],
        knowledge: Any = None,
        targets: Iterable[Iterable[str]] | None = None,
        dialect: str | None = None,
    ) -> None:
        """Write the network to a file; the suffix picks the format (docs/network-files.md).

        Formats that mark compelled edges (.dot, .graphml, .gexf) mark those that are so under `knowledge`, and by
        interventions on `targets`. `dialect` is for .bif: "bnlearn" (states as they are, for bnlearn and pgmpy) or
        "pyagrum".
        """
        told = knowledge is not None or targets is not None
        write_network(self, path, self.cpdag(knowledge, targets) if told else None, dialect)


def _check_texts(names: Iterable[Any], what: str) -> None:
    """UsageError unless all are texts that a file can hold."""
    for name in names:
        if not isinstance(name, str):
            raise UsageError(f"{what} must be a text, not {shown(name)}")
        if len(name) > LONGEST_NAME:
            raise UsageError(
                f"{what}, {shown(name)}, has {len(name):,} characters; at most {LONGEST_NAME:,} fit a file"
            )
        if not is_storable(name):
            raise UsageError(f"{what}, {shown(name)}, holds half of a surrogate pair, which is no character")

"""Log-probabilities of new rows of categories: the posterior mean under a Dirichlet prior.

The prior is that of BDeu with an equivalent sample size of 1: a table of q configurations of the parents and r states
has 1 / (q r) in every cell before anything is counted, so that

    P(x | configuration) = (N(configuration, x) + 1 / (q r)) / (N(configuration) + 1 / q).

Every variable has one more state than the training rows show, for whatever else a new row may hold. It counts in r,
and in q for the children; so probabilities add up to 1 over all that can come, and none is 0. A configuration that no
training row shows, in particular one with such a value in it, leaves all states equally likely.

Tables are not laid out: only the cells that training rows show are kept. So the number of parents does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sabna.network.network import Network

EQUIVALENT_SAMPLE_SIZE = 1.0

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cells:
    """The distinct rows of some columns, numbered, and how often each occurs.

    Columns are taken one after the other: a row's number so far and its next code make a key, and the distinct keys,
    sorted, its next number. Keys stay below rows times codes, however many columns there are.
    """

    steps: tuple[tuple[int, Ints], ...]  # codes of the column, distinct keys
    counts: Ints

    @staticmethod
    def of(columns: Sequence[Ints], codes: Sequence[int], rows: int) -> Cells:
        """The cells of the training rows."""
        number, steps = np.zeros(rows, np.int64), []
        for column, most in zip(columns, codes, strict=True):
            keys, number = np.unique(number * most + column, return_inverse=True)
            steps.append((most, keys))
        return Cells(tuple(steps), np.bincount(number, minlength=1))

    def occurrences(self, columns: Sequence[Ints], rows: int) -> Ints:
        """For every new row: how many training rows agree with it in these columns."""
        number, known = np.zeros(rows, np.int64), np.ones(rows, bool)
        for column, (most, keys) in zip(columns, self.steps, strict=True):
            key = number * most + column
            number = np.searchsorted(keys, key).clip(max=len(keys) - 1)
            known &= keys[number] == key
        return np.where(known, self.counts[number], 0)


@dataclass(frozen=True, eq=False)
class Family:
    """One variable and its parents."""

    child: int
    parents: tuple[int, ...]
    above: Cells  # of the parents
    whole: Cells  # of the parents and the child
    states: int  # of the child, the one for unseen values included
    log_configurations: float

    def log_probabilities(self, codes: Ints) -> NDArray[np.float64]:
        """Of the child's value given the parents', row by row."""
        rows = codes.shape[1]
        columns = [codes[p] for p in self.parents]
        above = self.above.occurrences(columns, rows).astype(np.float64)
        whole = self.whole.occurrences([*columns, codes[self.child]], rows).astype(np.float64)
        # In logarithms, as the prior of a cell may be too small for a floating point number.
        log_prior = math.log(EQUIVALENT_SAMPLE_SIZE) - self.log_configurations
        log_cell = log_prior - math.log(self.states)
        with np.errstate(divide="ignore"):
            log_whole = np.logaddexp(np.log(whole), log_cell)
            log_above = np.logaddexp(np.log(above), log_prior)
        return np.where(above > 0, log_whole - log_above, -math.log(self.states))


@dataclass(frozen=True, eq=False)
class CategoryModel:
    """A network with what its training rows showed."""

    families: tuple[Family, ...]

    @staticmethod
    def of(network: Network, codes: Ints, states: Sequence[int]) -> CategoryModel:
        """`codes[i, r]`: the code of variable i in training row r; `states[i]`: one more than are seen."""
        rows = codes.shape[1]
        place = {name: k for k, name in enumerate(network.variables)}
        families = []
        for child, name in enumerate(network.variables):
            parents = tuple(place[p] for p in network.parents[name])
            columns, most = [codes[p] for p in parents], [states[p] for p in parents]
            families.append(
                Family(
                    child,
                    parents,
                    Cells.of(columns, most, rows),
                    Cells.of([*columns, codes[child]], [*most, states[child]], rows),
                    states[child],
                    sum(math.log(r) for r in most),
                )
            )
        return CategoryModel(tuple(families))

    def log_likelihoods(self, codes: Ints) -> NDArray[np.float64]:
        """Log-probability of every row, natural logarithm; code `states[i] - 1` stands for an unseen value."""
        total = np.zeros(codes.shape[1])
        for family in self.families:
            total += family.log_probabilities(codes)
        return total

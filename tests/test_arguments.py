"""Arguments of single calls, which are no options of the table: refused as these are, never by an error of Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna.base.errors import UsageError
from sabna.estimating import estimate
from sabna.network.parameters import Dirichlet
from sabna.parents.constraints import limits_by_name

FRAME = pd.DataFrame({"A": list("abab"), "B": list("aabb")})
NETWORK = sabna.Network(["A", "B"], {"B": ["A"]})
NO_NUMBERS = [1.5, -1, "x", "", None, True, [], {}, float("nan"), float("inf"), 10**30, Ellipsis, b"3"]
ASKED: dict[str, Any] = {
    "k": lambda value: sabna.kbest(FRAME, value),
    "k of alternatives": lambda value: sabna.learn(FRAME).alternatives(FRAME, k=value),
    "k of a graph": lambda value: sabna.kbest(sabna.build_parent_graph(FRAME), value),
    "at_most": lambda value: sabna.kbest(FRAME, bayes_factor=3, at_most=value),
    "rows": lambda value: NETWORK.fit(FRAME).sample(value),
    "seed": lambda value: NETWORK.fit(FRAME).sample(1, seed=value),
    "seconds": lambda value: estimate(FRAME, seconds=value if value != 1.5 else 0),
    "replicates": lambda value: sabna.bootstrap(FRAME, value),
}


@pytest.mark.parametrize("asked", ASKED, ids=str)
@pytest.mark.parametrize("value", NO_NUMBERS, ids=ascii)
def test_counts_that_cannot_be_were_errors_of_python(asked: str, value: Any) -> None:
    if value is None and asked.startswith("k"):  # as many as nobody says
        assert len(ASKED[asked](value)) >= 1
        return
    with pytest.raises(UsageError, match=asked.split()[0]):
        ASKED[asked](value)


@pytest.mark.parametrize(("two", "before"), [(["a=1", "a=2"], 1), (["3", "a=1", "2"], 3)], ids=str)
def test_the_last_of_two_limits_of_parents_counted(two: list[str], before: int) -> None:
    with pytest.raises(UsageError, match=f"{two[-1]}': the limit before it was {before}"):
        limits_by_name(two, ["a", "b"])
    assert limits_by_name([*two[:-1], two[0]], ["a", "b"]) in ({"a": 1}, {"a": 1, "b": 3})


def test_more_networks_than_at_most_were_listed() -> None:
    assert len(sabna.kbest(FRAME, 2, at_most=2)) == len(sabna.kbest(FRAME, at_most=2)) == 2
    with pytest.raises(UsageError, match="3 networks, and at most 2 of them"):
        sabna.kbest(FRAME, 3, at_most=2)


@pytest.mark.parametrize("value", [*NO_NUMBERS[1:4], *NO_NUMBERS[5:10], 0.5, Ellipsis], ids=ascii)
def test_factors_and_priors_that_cannot_be_were_errors_of_python(value: Any) -> None:
    with pytest.raises(UsageError, match="bayes_factor"):
        sabna.kbest(FRAME, bayes_factor=value)
    with pytest.raises(UsageError, match="prior"):
        NETWORK.fit(FRAME, prior=value)
    if value != 0.5:
        with pytest.raises(UsageError, match="prior"):
            Dirichlet(count=value)


def test_an_unrolled_network_is_no_larger_than_memory() -> None:
    series = pd.DataFrame({"t": range(30), "A": list("ababb") * 6})
    network = sabna.learn(series, time="t").network
    for steps in (10**12, 10**400, 1.5, "x", None, True):
        with pytest.raises(UsageError, match="steps"):
            network.unrolled(steps)  # type: ignore[arg-type]


@pytest.mark.parametrize("score", [5, None, "x", [], {"A": None}, {5: 1}, {5: {(): 1.0}}, {"A": {5: 1.0}}], ids=str)
def test_own_scores_that_are_none_were_errors_of_python(score: Any) -> None:
    with pytest.raises(UsageError, match="own score"):
        sabna.graph_from_scores(["A", "B"], score)
    value = score if score != 5 else "5"
    with pytest.raises(UsageError, match="own score"):
        sabna.graph_from_scores(["A"], lambda child, parents: value)


def test_a_variable_without_a_score_was_an_index_error() -> None:
    for scores in ({}, {"A": {(): 1.0}}, {"B": {(): 1.0}}, {"A": {(): 1.0}, "B": {(): float("-inf")}}):
        with pytest.raises(UsageError, match="no parent set"):
            sabna.graph_from_scores(["A", "B"], scores)
    for names in (5, None, [["A"]], [5]):
        with pytest.raises(UsageError, match="names"):
            sabna.graph_from_scores(names, lambda child, parents: 1.0)  # type: ignore[arg-type]
    for limit in (b"3", [5], {"A": None}, object()):
        with pytest.raises(UsageError, match="max_parents"):
            sabna.graph_from_scores(["A", "B"], lambda child, parents: 1.0, max_parents=limit)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [
        {"scoring_method": 5},
        {"categorical": 5},
        {"categorical": [["A"]]},
        {"discretize": 5},
        {"discretize": [5]},
        {"discretize": {"A": None}},
    ],
    ids=str,
)
def test_the_estimator_told_wrong_parameters_as_errors_of_python(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        sabna.ExactBayesianNetwork(**options).fit(FRAME)


def test_numbers_of_numpy_are_numbers() -> None:
    assert len(sabna.kbest(FRAME, np.int64(2))) == 2
    found = sabna.kbest(FRAME, bayes_factor=np.float32(2))
    assert found.bayes_factor == 2
    sabna.learn(FRAME, "bdeu", equivalent_sample_size=np.int64(3), gap_tolerance=np.float32(0.5))
    assert sabna.graph_from_scores("A", lambda child, parents: np.float32(1)).costs.tolist() == [-(2**30)]

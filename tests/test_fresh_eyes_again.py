"""What a fresh pair of eyes stumbled over in prediction and options."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import sabna
from sabna.base.errors import DataError, KnowledgeError, UsageError
from sabna.cli.app import run
from sabna.network.inference.quality import quality, quality_text
from sabna.report.page import render_page


def test_true_states_that_the_network_has_not_seen_are_misses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once such rows were left out of the accuracy without a word."""
    network = sabna.learn({"a": ["x", "y"] * 20, "b": ["u", "v"] * 20}).network
    rows = {"a": ["x", "y", "x", "x"], "b": ["u", "v", "new", "other"]}
    found = network.predict_proba(rows, "b")
    with pytest.warns(sabna.base.errors.DataWarning):
        measured = quality(network, rows, "b", found)
    assert measured is not None
    assert (measured["rows"], measured["unseen"], measured["accuracy"]) == (4, 2, 0.5)
    assert measured["base"]["accuracy"] == 0.25
    assert "2 rows with states that the network does not know are misses" in quality_text(measured)
    network.save(tmp_path / "n.json")
    (tmp_path / "rows.csv").write_text("a,b\nx,u\ny,w\n")
    assert run(["predict", str(tmp_path / "n.json"), str(tmp_path / "rows.csv"), "--target", "b", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["quality"]["accuracy"] == 0.5


def test_rows_that_hold_the_target_alone_are_told_so() -> None:
    """Once the message said that none of the columns was a variable of the network, the target being one."""
    network = sabna.learn("example:asia").network
    with pytest.raises(DataError, match=r"it has 'dysp' alone, which is not looked at"):
        network.predict({"dysp": ["yes"]}, "dysp")


def test_folds_without_a_target_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Once they were ignored without a word."""
    assert run(["learn", "example:asia", "--folds", "3"]) == 2
    assert "folds: it belongs to" in capsys.readouterr().err
    with pytest.raises(UsageError, match="folds: it belongs to"):
        sabna.learn("example:asia", folds=3)


def test_a_variable_that_is_not_there_is_named() -> None:
    """Once a bare KeyError."""
    network = sabna.learn("example:asia").network
    with pytest.raises(UsageError, match=r"the network has no variable 'zz'; it has asia, tub"):
        network.markov_blanket("zz")
    with pytest.raises(UsageError, match=r"no variable 'dsyp'; did you mean 'dysp'\?"):
        network.children("dsyp")


def test_what_a_tolerance_allows_is_not_called_optimal() -> None:
    """`--gap-tolerance 6000` ended with "proven optimal", and with "no network that was considered scores better"."""
    result = sabna.learn("example:asia", gap_tolerance=6000, time_limit=0)
    best = sabna.learn("example:asia")
    assert result.status == "optimal"
    assert 0 < best.score - result.score <= result.gap <= 6000
    for text in (str(result), render_page(result)):
        assert f"ithin {result.gap:,.4g} of the best possible score" in text
        assert "roven optimal" not in text
        assert "scores better" not in text
    assert "proven optimal" in str(best)


@pytest.mark.parametrize("score", ["k2", "bic"])
def test_a_direction_that_the_score_prefers_is_not_said_to_be_open(score: str) -> None:
    frame = pd.DataFrame({"A": [0] * 150 + [1] * 50 + [0] * 20 + [1] * 180, "B": [0] * 200 + [1] * 200})
    told = str(sabna.learn(frame, score=score))
    assert "A – B" in told or "B – A" in told
    assert ("direction not settled" in told) == (score == "bic")
    assert ("K2 may prefer one of the two" in told) == (score == "k2")


def test_not_a_number_in_a_table_of_scores_is_told_as_that() -> None:
    """Was told as two scores for the same parents, as nan is not equal to itself."""
    with pytest.raises(UsageError, match="nan"):
        sabna.graph_from_scores(["A", "B"], {"A": {(): float("nan")}, "B": {(): -5.0}})


def test_sums_over_all_networks_take_no_k() -> None:
    frame = pd.DataFrame({"a": [0, 1, 0, 1], "b": [0, 1, 1, 0]})
    with pytest.raises(UsageError, match="k 5: the sums are over all networks"):
        sabna.posterior(frame, k=5)
    assert sabna.posterior(frame, k=5, method="kbest").names == ("a", "b")


def test_remedies_that_can_be_followed() -> None:
    with pytest.raises(KnowledgeError, match="no variable can be its own parent: drop it"):
        sabna.learn(pd.DataFrame({"a": [0, 1], "b": [1, 0]}), knowledge={"required": ["a -> a"]})
    with pytest.raises(UsageError, match="target 'a': 1 row cannot tell"):
        sabna.learn(pd.DataFrame({"a": [0], "b": [1]}), target="a")
    with pytest.raises(DataError, match=r'missing="drop" to leave out such rows$'):
        sabna.ExactBayesianNetwork(scoring_method="bge").fit(
            pd.DataFrame({"a": [0.5, None, 2.0], "b": [1.0, 2.0, 0.0]})
        )
    with pytest.raises(UsageError, match=r"only \.bif has dialects"):
        sabna.learn("example:asia").network.save("unwritten.net", dialect="pyagrum")

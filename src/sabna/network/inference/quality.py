"""How good predictions are, where the truth is known, beside a base rate that looks at no other column.

Of categories: accuracy (share of rows whose most probable state is the true one), log-loss (mean of minus the natural
logarithm of the probability given to the true state), Brier score (mean squared distance from the truth), and
calibration: predictions in ten bins by the probability of the predicted state; the expected calibration error is the
mean distance between that probability and the share of hits, weighted by rows. The base predicts what the network says
of the target when it is shown nothing (in cross-validation: the distribution of the target in the other rows). A row
whose true state the network has never seen is a miss, and `unseen` counts such rows; log-loss, Brier score and
calibration are those of the other rows. A row that the network calls impossible has no prediction: a miss.

Of quantities: root mean squared error, log-loss (minus the log-density), and calibration as the share of rows inside
the central intervals of 50 and 90 per cent; the base is one normal for all rows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.network.inference.normal import Normal
from sabna.network.inference.predict import distribution
from sabna.network.rows import Evidence, evidence_of, preparation_of, states_of
from sabna.table import MixedTable, NumericTable, Table

if TYPE_CHECKING:
    from sabna.network.network import Network

Floats = NDArray[np.float64]

BINS = 10
# Central intervals of a normal, by their half width in standard deviations.
INTERVALS = {"50": 0.6744897501960817, "90": 1.6448536269514722}


def quality(network: Network, data: Any, target: str, found: Any) -> dict[str, Any] | None:
    """The quality of predictions made of `data`; None if no row holds the target."""
    try:
        evidence = evidence_of(network, data, [target])
    except ValueError:  # the rows do not have the column
        return None
    known = evidence.known(target)
    unseen = _unseen(network, data, target)
    if not known.any():
        return None
    truth = evidence.values[target][known]
    if isinstance(found, Normal):
        alone = distribution(network, Evidence(1, {}), target)
        base = Normal(*(np.full(len(truth), part[0]) for part in alone))
        return of_numbers(truth, Normal(found.mean[known], found.deviation[known]), base)
    nothing = network.predict_proba({v: None for v in network.variables if v != target} or {target: None}, target)
    return of_categories(truth, found[known], np.repeat(nothing, len(truth), axis=0), unseen)


def _unseen(network: Network, data: Any, target: str) -> int:
    """How many rows have a true state that the network does not know."""
    states = states_of(network).get(target)
    if states is None or isinstance(data, Table | MixedTable | NumericTable):
        return 0
    codes = preparation_of(network).new_rows(data, [target])[target]
    return int(np.count_nonzero(codes >= len(states)))


def of_categories(truth: NDArray[np.int64], found: Floats, base: Floats, unseen: int = 0) -> dict[str, Any]:
    """Of probabilities of the states, row by row; the truth is the position of a state. `unseen` rows are misses."""
    share = len(truth) / (len(truth) + unseen)
    sure = np.nan_to_num(found).max(axis=1)
    hit = (np.nan_to_num(found).argmax(axis=1) == truth) & (sure > 0)
    bins = []
    which = np.minimum((sure * BINS).astype(int), BINS - 1)
    for k in range(BINS):
        some = which == k
        if some.any():
            mean, hits = float(sure[some].mean()), float(hit[some].mean())
            bins.append({"rows": int(some.sum()), "probability": mean, "hits": hits})
    error = sum(b["rows"] * abs(b["probability"] - b["hits"]) for b in bins) / len(truth)
    return {
        "rows": len(truth) + unseen,
        "unseen": unseen,
        "accuracy": float(hit.mean()) * share,
        "log_loss": _log_loss(truth, found),
        "brier": _brier(truth, found),
        "calibration_error": error,
        "calibration": bins,
        "base": {
            "accuracy": float((base.argmax(axis=1) == truth).mean()) * share,
            "log_loss": _log_loss(truth, base),
            "brier": _brier(truth, base),
        },
    }


def of_numbers(truth: Floats, found: Normal, base: Normal) -> dict[str, Any]:
    """Of normal distributions, row by row."""

    def measured(normal: Normal) -> dict[str, Any]:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            rest = truth - normal.mean
            z = rest / normal.deviation
            loss = 0.5 * math.log(2 * math.pi) + np.log(normal.deviation) + z**2 / 2
        return {
            "rmse": _root_mean_square(rest),
            "log_loss": _finite(float(loss.mean())),
            "inside": {name: float((np.abs(z) <= width).mean()) for name, width in INTERVALS.items()},
        }

    return {"rows": len(truth), **measured(found), "base": measured(base)}


def _root_mean_square(rest: Floats) -> float | None:
    """Of numbers whose squares may be beyond the largest one; None if they are themselves."""
    largest = float(np.abs(rest).max())
    if not 0 < largest < math.inf:
        return _finite(largest)
    return _finite(largest * float(np.sqrt(((rest / largest) ** 2).mean())))


def _log_loss(truth: NDArray[np.int64], chances: Floats) -> float | None:
    """None where it is infinite: a true state was given the probability 0."""
    with np.errstate(divide="ignore"):
        return _finite(float(-np.log(np.nan_to_num(chances[np.arange(len(truth)), truth])).mean()))


def _brier(truth: NDArray[np.int64], chances: Floats) -> float:
    wanted = np.zeros_like(chances)
    wanted[np.arange(len(truth)), truth] = 1
    return float(((np.nan_to_num(chances) - wanted) ** 2).sum(axis=1).mean())


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def quality_text(measured: dict[str, Any]) -> str:
    """One line for people."""

    def number(value: float | None, digits: int = 3) -> str:
        return "infinite" if value is None else f"{value:.{digits}f}"

    base, unseen = measured["base"], measured.get("unseen")
    loss = f"log-loss {number(measured['log_loss'])} nats (base {number(base['log_loss'])})"
    if "rmse" in measured:
        inside = ", ".join(f"{share:.0%} inside the {name} % interval" for name, share in measured["inside"].items())
        errors = [
            "beyond all numbers" if error is None else f"{error:.4g}" for error in (measured["rmse"], base["rmse"])
        ]
        return f"root mean squared error {errors[0]} (base {errors[1]}), {loss}, {inside}"
    return (
        f"accuracy {measured['accuracy']:.1%} (base rate {base['accuracy']:.1%}), {loss}, "
        f"calibration error {number(measured['calibration_error'])}"
        + (f"; {measured['unseen']:,} rows with states that the network does not know are misses" if unseen else "")
    )

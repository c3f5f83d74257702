"""The table of local scores, and the exact cost of given families.

Costs are minus the score, natural logarithm, in quanta of 2^-30 nat; how each score is computed and what may be pruned
under it stands in core/scores/, one file per score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from sabna.base.errors import UsageError
from sabna.base.texts import did_you_mean


class Parameters(TypedDict, total=False):
    """All parameters of scores: numbers above 0, each with its text for help; a setting for every one of them."""

    equivalent_sample_size: Annotated[float | None, "Weight of the prior of bdeu, bds and bcg; 1 if not given."]
    alpha_mu: Annotated[float | None, "Weight of the prior of the means, bge and bcg; 1 if not given."]
    alpha_w: Annotated[
        float | None,
        "Degrees of freedom of the prior of bge and bcg, more than the number of continuous variables + 1; if not "
        "given, that number + alpha-mu + 1.",
    ]
    pnal_k: Annotated[
        float | None,
        "Penalty of pnal: each parameter costs X / rows; if not given, X is rows^(-1/4) / variables.",
    ]


@dataclass(frozen=True)
class ScoreType:
    """A local score: its name in the core, what it is, and which of the `Parameters` it has, with their defaults.

    A default of None depends on the table.
    """

    id: str
    title: str
    aliases: tuple[str, ...] = ()
    parameters: Mapping[str, float | None] | None = None
    child_by_child: bool = False  # built by core/parents/child_by_child.h
    continuous: bool = False  # on a NumericTable, see sabna/parents/builders/gaussian.py
    # On a MixedTable, see sabna/parents/builders/mixed.py: which kinds its columns may be (KINDS of sabna.table.mixed).
    mixed: str | None = None
    incomplete: bool = False  # takes missing values as they are
    interventions: bool = False  # rows in which a variable was set can be left out for it
    # Markov equivalent networks cost the same integer. Then the data do not tell a reversible edge's direction; under
    # the other scores the best network itself says which way round scores better.
    score_equivalent: bool = False


SCORES = (
    ScoreType(
        "bic",
        "Bayesian information criterion, also minimum description length",
        ("mdl", "bic-d"),
        score_equivalent=True,
        interventions=True,
    ),
    ScoreType("aic", "Akaike information criterion", ("aic-d",), score_equivalent=True),
    ScoreType(
        "bdeu",
        "Bayesian Dirichlet equivalent uniform",
        (),
        {"equivalent_sample_size": 1.0},
        score_equivalent=True,
        interventions=True,
    ),
    ScoreType("k2", "Bayesian Dirichlet with all prior counts 1"),
    ScoreType("bds", "Bayesian Dirichlet sparse", (), {"equivalent_sample_size": 1.0}, child_by_child=True),
    ScoreType("fnml", "factorized normalized maximum likelihood", child_by_child=True),
    ScoreType("qnml", "quotient normalized maximum likelihood", child_by_child=True, score_equivalent=True),
    ScoreType(
        "bic-g",
        "Gaussian Bayesian information criterion",
        continuous=True,
        score_equivalent=True,
        interventions=True,
    ),
    ScoreType(
        "bge",
        "Bayesian Gaussian equivalent",
        (),
        {"alpha_mu": 1.0, "alpha_w": None},
        continuous=True,
        score_equivalent=True,
        interventions=True,
    ),
    ScoreType(
        "bcg",
        "Bayesian conditional Gaussian",
        (),
        {"equivalent_sample_size": 1.0, "alpha_mu": 1.0, "alpha_w": None},
        mixed="mixed",
        score_equivalent=True,
        interventions=True,
    ),
    ScoreType(
        "bic-cg", "conditional Gaussian Bayesian information criterion", (), None, mixed="mixed", score_equivalent=True
    ),
    ScoreType(
        "pnal",
        "penalised node-average likelihood of categories",
        (),
        {"pnal_k": None},
        mixed="discrete",
        incomplete=True,
    ),
    ScoreType(
        "pnal-g",
        "penalised node-average likelihood of numbers",
        (),
        {"pnal_k": None},
        mixed="continuous",
        incomplete=True,
    ),
    ScoreType(
        "pnal-cg",
        "penalised node-average likelihood of categories and numbers",
        (),
        {"pnal_k": None},
        mixed="mixed",
        incomplete=True,
    ),
)


def score_names() -> str:
    """All scores, as help texts name them."""

    def named(continuous: bool, mixed: bool = False, incomplete: bool = False) -> str:
        wanted = continuous, mixed, incomplete
        kinds = [kind for kind in SCORES if (kind.continuous, kind.mixed is not None, kind.incomplete) == wanted]
        return ", ".join(kind.id if kind.id != "bic" else "bic (= mdl)" for kind in kinds)

    return (
        f"{named(False)}; for numbers: {named(True)}; for both together: {named(False, True)}; with missing values: "
        f"{named(False, True, True)}"
    )


def score_type(name: str) -> ScoreType:
    """The score called `name`, by its id or an alias.

    >>> score_type("MDL").id
    'bic'
    """
    for score in SCORES:
        if name.lower() in (score.id, *score.aliases):
            return score
    known = ", ".join(score.id for score in SCORES)
    hint = did_you_mean(name.lower(), [score.id for score in SCORES])
    raise UsageError(f"unknown score {name!r}; {hint + ' All are' if hint else 'choose one of'} {known}")


def score_parameters(score: ScoreType, given: Mapping[str, Any] | None) -> dict[str, float]:
    """The parameters of `score` with the defaults filled in where they do not depend on the table.

    Every value must be positive and finite.
    """
    known = score.parameters or {}
    parameters = {name: value for name, value in known.items() if value is not None}
    for name, value in (given or {}).items():
        if value is None:
            continue
        if name not in known:
            owners = ", ".join(kind.id for kind in SCORES if name in (kind.parameters or {}))
            raise UsageError(
                f"score {score.id!r} has no parameter `{name}`" + (f": it is one of {owners}" if owners else "")
            )
        if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
            raise UsageError(f"{name} {value!r}: write a number above 0")
        parameters[name] = float(value)
    return parameters


def fitting_score(score: str, missing: str) -> str:
    """The score by whose parameters and columns a table is read: bic stands for a pnal where missing values stay.

    >>> fitting_score("bic", "available"), fitting_score("bdeu", "drop")
    ('pnal', 'bdeu')
    """
    kind = score_type(score)
    if missing == "em" and kind.id != "bic":
        raise UsageError(f"missing 'em': the score {score} is not computed from expected counts; use bic")
    if missing != "available" or kind.incomplete:
        return score
    if kind.id != "bic":
        raise UsageError(
            f"missing 'available': the score {score} needs complete rows; use pnal, pnal-g or pnal-cg, or leave the "
            "score out: the one that fits the columns is then taken"
        )
    return "pnal"


def checked_for_interventions(kind: ScoreType) -> ScoreType:
    """The score; UsageError if it knows nothing of variables that were set."""
    if not kind.interventions:
        known = ", ".join(score.id for score in SCORES if score.interventions)
        raise UsageError(f"interventions: the score {kind.id} does not take them; use one of {known}")
    return kind


def core_parameter(parameters: Mapping[str, float]) -> float:
    """The one number the core takes; 0 for scores without a parameter."""
    return next(iter(parameters.values()), 0.0)

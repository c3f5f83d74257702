"""Options of scoring: which score, its parameters, and what is known beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypedDict

from sabna.scores.registry import Parameters, score_names
from sabna.settings.checks import anything, parent_counts, score_name
from sabna.settings.setting import Setting


class Score(TypedDict, total=False):
    """Which score."""

    score: Annotated[
        str,
        Setting(
            "bic",
            score_name,
            f"The score: {score_names()}.",
            metavar="NAME",
        ),
    ]


class MarginalScore(TypedDict, total=False):
    """Which score, where it must be the logarithm of a marginal likelihood, or approximate one."""

    score: Annotated[
        str,
        Setting(
            "bdeu",
            score_name,
            "The score: bdeu, k2, bds, for numbers bge, for both bcg; as approximations bic, bic-g, bic-cg.",
            metavar="NAME",
        ),
    ]


class Scoring(Parameters, total=False):
    """How families are scored: the parameters of single scores (sabna.scores.registry), and what all scores take."""

    max_parents: Annotated[
        int | Mapping[str, int] | Iterable[str] | None,
        Setting(
            None,
            parent_counts,
            "At most N parents, for every variable or for one. Repeatable. Without a limit all parent sets count.",
            metavar="[NAME=]N",
            typed=list[str],
        ),
    ]


class Known(TypedDict, total=False):
    """What is known beforehand."""

    knowledge: Annotated[
        Any,
        Setting(
            None,
            anything,
            "Prior knowledge (TOML or JSON): required and forbidden edges, tiers, roots, leaves, limits.",
            metavar="FILE",
        ),
    ]

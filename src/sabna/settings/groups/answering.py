"""Options of what is told beside the best network: averages over networks, and predictions of a column."""

from __future__ import annotations

from typing import Annotated, TypedDict

from sabna.settings.checks import column_name, one_of, optional, whole
from sabna.settings.setting import Setting

# How `posterior` counts networks, and over which.
PRIORS = ("uniform", "order")
METHODS = ("auto", "exact", "kbest")
# Networks that fit into memory many times.
MOST_NETWORKS = 10_000_000


class Averaging(TypedDict, total=False):
    """What is averaged over."""

    prior: Annotated[
        str,
        Setting(
            "uniform",
            one_of(*PRIORS),
            "uniform: every network counts once; order: once for every order of the variables it agrees with.",
            metavar="|".join(PRIORS),
        ),
    ]
    method: Annotated[
        str,
        Setting(
            "auto",
            one_of(*METHODS),
            "exact: over all networks; kbest: over the k best; auto: exact for up to 22 variables.",
            metavar="|".join(METHODS),
        ),
    ]
    samples: Annotated[
        int,
        Setting(0, whole(0, MOST_NETWORKS), "Networks to draw from the posterior, for paths and features.", "N", int),
    ]
    k: Annotated[
        int,
        Setting(1000, whole(1, MOST_NETWORKS), "How many networks the method kbest lists.", "K", int, flags=("-k",)),
    ]


class Target(TypedDict, total=False):
    """What is to be predicted."""

    target: Annotated[
        str | None,
        Setting(
            None,
            optional(column_name),
            "Also tell what this column depends on, and how well it is predicted in rows held out.",
            metavar="COLUMN",
        ),
    ]
    folds: Annotated[
        int, Setting(5, whole(2, 1000), "Folds of the cross-validation of --target; each is learned anew.", "N", int)
    ]

"""The table of all options, put together: who takes which rows, and under which heading a command's help shows them.

An option is a row of one of the groups in `sabna.settings.groups`, `name: Annotated[type, Setting(...)]`: name, type,
default, check and help. Public functions take them by keyword (`**options: Unpack[LearnSettings]`), the command line
makes its options from the same rows, and so do the run record, settings files and the reference in the docs. A new
option is a new row there, and the place that uses it; a parameter of a score is a row of the scores' registry. A limit
is a row of the group `Limited`, a row of `LIMIT_FIELDS` with its field of `Limits` and what `left`, `elsewhere` and
`struck` say of it (base/limits.py), and a reason to stop named as the setting is (core/watch.h), with a field of the
core's `Limits` if the core keeps it.
"""

from __future__ import annotations

from functools import cache
from typing import get_type_hints

from sabna.settings.checks import optional, positive
from sabna.settings.groups.answering import Averaging, Target
from sabna.settings.groups.reading import MISSING, Expectation, Intervening, Reading, Time
from sabna.settings.groups.running import LONGEST_TIME, Keeping, Limited, Running, Spread, Threads
from sabna.settings.groups.scoring import Known, MarginalScore, Score, Scoring
from sabna.settings.groups.searching import HEURISTICS, STRATEGIES, Proof, Searching, Seed, Strategy
from sabna.settings.setting import Setting

__all__ = [
    "BY_POSITION",
    "HEURISTICS",
    "LONGEST_TIME",
    "MISSING",
    "PANELS",
    "STRATEGIES",
    "TAKERS",
    "Averaging",
    "BootstrapSettings",
    "EstimateSettings",
    "Expectation",
    "Intervening",
    "KbestSettings",
    "Keeping",
    "Known",
    "LearnSettings",
    "Limited",
    "MarginalScore",
    "PosteriorSettings",
    "Proof",
    "Reading",
    "Running",
    "Score",
    "ScoreSettings",
    "Scoring",
    "SearchSettings",
    "Searching",
    "Seed",
    "Setting",
    "Spread",
    "Strategy",
    "Target",
    "Threads",
    "Time",
    "all_settings",
    "rows",
    "settings_of",
]

# Groups of options in the help of a command.
PANELS: dict[type, str] = {
    MarginalScore: "Scoring",
    Score: "Scoring",
    Scoring: "Scoring",
    Known: "Scoring",
    Reading: "Reading the table",
    Intervening: "Reading the table",
    Expectation: "Reading the table",
    Time: "Time",
    Target: "Prediction",
    Strategy: "Search",
    Searching: "Search",
    Proof: "Search",
    Seed: "Search",
    Averaging: "Averaging",
    Running: "Limits",
    Keeping: "Limits",
    Spread: "Limits",
    Threads: "Limits",
}

# Who takes what, by the names of functions and commands; `score` is also `build_parent_graph`.
TAKERS: dict[str, tuple[type, ...]] = {
    "score": (Score, Scoring, Known, Reading, Intervening, Time, Running, Keeping, Spread, Threads),
    "search": (Known, Strategy, Searching, Proof, Seed, Running, Keeping, Spread, Threads),
    "learn": (
        Score,
        Scoring,
        Known,
        Reading,
        Intervening,
        Expectation,
        Time,
        Target,
        Strategy,
        Searching,
        Proof,
        Seed,
        Running,
        Keeping,
        Spread,
        Threads,
    ),
    "kbest": (Score, Scoring, Known, Reading, Intervening, Time, Running, Keeping, Spread, Threads),
    "posterior": (MarginalScore, Scoring, Known, Reading, Intervening, Time, Averaging, Seed, Running, Threads),
    "bootstrap": (
        Score,
        Scoring,
        Known,
        Reading,
        Intervening,
        Time,
        Strategy,
        Searching,
        Seed,
        Running,
        Keeping,
        Spread,
        Threads,
    ),
    "estimate": (Score, Scoring, Known, Reading, Seed, Threads),
    "resume": (Running, Spread, Threads),
    "network score": (Score, Scoring, Reading, Intervening, Time),
}


# What functions take beside the table, and a settings file may name as well.
BY_POSITION = ("k", "bayes_factor", "at_most", "replicates", "seconds")

# The same for type checkers; without what a function takes by position.


class ScoreSettings(Scoring, Known, Reading, Intervening, Time, Running, Keeping, Spread, Threads, total=False):
    """Options of `build_parent_graph`."""


class SearchSettings(Known, Searching, Proof, Seed, Running, Keeping, Spread, Threads, total=False):
    """Options of `search`."""


class BootstrapSettings(
    Scoring,
    Known,
    Reading,
    Intervening,
    Time,
    Strategy,
    Searching,
    Seed,
    Running,
    Keeping,
    Spread,
    Threads,
    total=False,
):
    """Options of `bootstrap`."""


class LearnSettings(BootstrapSettings, Expectation, Proof, Target, total=False):
    """Options of `learn`."""


class KbestSettings(Score, Scoring, Known, Reading, Intervening, Time, Running, Keeping, Spread, Threads, total=False):
    """Options of `kbest`."""


class PosteriorSettings(Scoring, Known, Reading, Intervening, Time, Averaging, Seed, Running, Threads, total=False):
    """Options of `posterior`."""


class EstimateSettings(Scoring, Known, Reading, Seed, Threads, total=False):
    """Options of `estimate`."""


@cache
def rows(*groups: type) -> dict[str, Setting]:
    """The rows of some groups, by name."""
    out: dict[str, Setting] = {}
    for group in groups:
        hints = get_type_hints(group, include_extras=True)
        out |= {name: _row(hint.__metadata__[0]) for name, hint in hints.items()}
    return out


def _row(row: Setting | str) -> Setting:
    """A row of the table; of a parameter of a score there is only a text."""
    return Setting(None, optional(positive), row, "X", float) if isinstance(row, str) else row


def settings_of(taker: str) -> dict[str, Setting]:
    """What a function or command takes, by name."""
    return rows(*TAKERS[taker])


def all_settings() -> dict[str, Setting]:
    """The whole table."""
    return rows(*PANELS)

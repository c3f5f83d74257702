"""The table of all options: name, type, default, check, help, and who takes it.

An option is a row of one of the groups below: `name: Annotated[type, Setting(...)]`. Public functions take them by
keyword (`**options: Unpack[LearnSettings]`), the command line makes its options from the same rows, and so do the run
record, settings files and the reference in the docs. A new option is a new row here, and the place that uses it; a
parameter of a score is a row of the scores' registry, a limit a row here and an argument of `Limits.of`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypedDict, get_type_hints

from sabna.base.progress import ProgressCallback
from sabna.base.varsets import MAX_VARIABLES
from sabna.scores.registry import Parameters, score_names
from sabna.settings.checks import (
    Check,
    anything,
    callback,
    character,
    column_name,
    column_names,
    engine,
    file_name,
    folder,
    interventions,
    jobs,
    number,
    one_of,
    optional,
    parent_counts,
    plan,
    positive,
    score_name,
    several_of,
    sheet_name,
    size,
    switch,
    whole,
)

STRATEGIES = ("auto", "astar", "bfs")
HEURISTICS = ("simple", "pattern", "cuts", "dual-pattern")
# As in sabna.table, which is not imported for the sake of a quick start; a test compares.
MISSING = ("error", "drop", "category", "available")
DECIMALS = (".", ",")
LEAVE_OUT = ("identifiers", "text", "dates")
# How `posterior` counts networks, and over which.
PRIORS = ("uniform", "order")
METHODS = ("auto", "exact", "kbest")
# Networks that fit into memory many times.
MOST_NETWORKS = 10_000_000
GROUPINGS = ("affinity", "order", "interleave")
# A gap in nats that no two networks of ours can be apart, and seeds of the core's generators.
LARGEST_TOLERANCE = 1e9
LARGEST_SEED = 2**63 - 1
# About 30 years.
LONGEST_TIME = 1e9


@dataclass(frozen=True)
class Setting:
    """One option. `check` returns the value as the package uses it, or raises UsageError without naming the option.

    On the command line `flags` (else `--the-name`) takes a `typed` value; a switch of something that is on by default
    is written `--no-the-name`.
    """

    default: Any
    check: Check
    help: str
    metavar: str | None = None
    typed: Any = str
    flags: tuple[str, ...] = ()
    on_the_command_line: bool = True
    recorded: bool = True  # whether a result tells it; what changes no answer is not told


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


class Scoring(Parameters, total=False):
    """How families are scored: the parameters of single scores (sabna.scores.registry), and what all scores take."""

    max_parents: Annotated[
        int | Mapping[str, int] | Iterable[str] | None,
        Setting(
            None,
            parent_counts,
            "At most N parents, for every variable or for one. Repeatable. Without it the graph is complete.",
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


class Reading(TypedDict, total=False):
    """How a table is read."""

    categorical: Annotated[
        Iterable[str],
        Setting(
            (),
            column_names,
            "Take a column's values as categories although it looks continuous, or holds numbers in a mixed table. "
            "Repeatable.",
            metavar="COLUMN",
            typed=list[str],
        ),
    ]
    discretize: Annotated[
        str | Mapping[str, str] | Iterable[str],
        Setting(
            "none",
            plan,
            "none, mean (1 above the mean, else 0), quantile:K or uniform:K, for all columns or for one; of dates "
            "COLUMN=year, quarter, month, weekday, day or hour. Repeatable.",
            metavar="[COLUMN=]METHOD",
            typed=list[str],
        ),
    ]
    missing: Annotated[
        str,
        Setting(
            "error",
            one_of(*MISSING),
            "Missing values: refuse them, drop their rows, make them a state, or score every family on the rows where "
            "it is complete (available: the scores pnal, pnal-g, pnal-cg).",
            metavar="|".join(MISSING),
        ),
    ]
    delimiter: Annotated[
        str | None,
        Setting(
            None,
            optional(character),
            "What separates the cells of a CSV file (`tab` for a tab); guessed if not given.",
            metavar="CHARACTER",
        ),
    ]
    decimal: Annotated[
        str | None,
        Setting(
            None,
            optional(one_of(*DECIMALS)),
            "The decimal sign of numbers in text; if not given, found where it is clear.",
            metavar="|".join(DECIMALS),
        ),
    ]
    columns: Annotated[
        Iterable[str] | None,
        Setting(
            None,
            optional(column_names),
            "Take only this column. Repeatable.",
            metavar="COLUMN",
            typed=list[str],
        ),
    ]
    drop: Annotated[
        Iterable[str],
        Setting((), column_names, "Leave this column out. Repeatable.", metavar="COLUMN", typed=list[str]),
    ]
    leave_out: Annotated[
        Iterable[str],
        Setting(
            (),
            several_of(*LEAVE_OUT),
            "Leave out all columns of a kind: identifiers, text (free text) or dates. Repeatable.",
            metavar="KIND",
            typed=list[str],
        ),
    ]
    sheet: Annotated[
        str | int | None,
        Setting(None, optional(sheet_name), "The sheet of a workbook (.xlsx), by name or number.", metavar="SHEET"),
    ]
    header: Annotated[
        bool,
        Setting(True, switch, "The CSV file has no header row; columns are called V1, V2, ...", typed=bool),
    ]


class Intervening(TypedDict, total=False):
    """Which variables were set from outside, and where."""

    interventions: Annotated[
        str | os.PathLike[str] | Mapping[str, Mapping[str, Iterable[str]]] | None,
        Setting(
            None,
            optional(interventions),
            "The column that names, row by row, the variables that were set (none: nothing; several by `;`), or a TOML "
            "or JSON file of conditions and what they set. Such rows do not count for these variables.",
            metavar="COLUMN|FILE",
        ),
    ]


class Strategy(TypedDict, total=False):
    """How to search."""

    strategy: Annotated[str, Setting("auto", one_of(*STRATEGIES), "How to search.", metavar="|".join(STRATEGIES))]
    heuristic: Annotated[
        str | None,
        Setting(
            None,
            optional(one_of(*HEURISTICS)),
            "The lower bound that astar and bfs use: simple, pattern, cuts or dual-pattern.",
            metavar="NAME",
        ),
    ]


class Searching(TypedDict, total=False):
    """What the search does."""

    path_extension: Annotated[bool, Setting(True, switch, "Do without optimal path extension.", typed=bool)]
    upper_bound: Annotated[bool, Setting(True, switch, "Do without an upper bound (astar, bfs).", typed=bool)]
    components: Annotated[
        bool, Setting(False, switch, "Split the problem into independent components first (astar, bfs).", typed=bool)
    ]
    scc_branching: Annotated[
        bool, Setting(False, switch, "Branch inside one closed set of variables only (astar, bfs).", typed=bool)
    ]
    pattern_groups: Annotated[
        int | None,
        Setting(None, optional(whole(1, MAX_VARIABLES)), "Groups of variables of the heuristic pattern.", "N", int),
    ]
    pattern_grouping: Annotated[
        str,
        Setting("affinity", one_of(*GROUPINGS), "How the heuristic pattern groups variables.", "|".join(GROUPINGS)),
    ]
    gap_tolerance: Annotated[
        float,
        Setting(
            1e-6, number(0, LARGEST_TOLERANCE), "Call a network optimal within this gap; 0 is exact.", "NATS", float
        ),
    ]


class Proof(TypedDict, total=False):
    """What is kept of the proof."""

    certificate: Annotated[
        str | os.PathLike[str] | None,
        Setting(
            None,
            optional(file_name),
            "Write the proof to a file while the run goes on; `sabna check` checks it.",
            metavar="FILE",
        ),
    ]


class Seed(TypedDict, total=False):
    """Random choices."""

    seed: Annotated[int, Setting(0, whole(0, LARGEST_SEED), "Seed of all random choices.", "N", int)]


class Limited(TypedDict, total=False):
    """Limits: what `Limits.of` takes."""

    time_limit: Annotated[
        float | None,
        Setting(None, optional(number(0, LONGEST_TIME)), "Stop after so many seconds.", "SECONDS", float),
    ]
    memory_limit: Annotated[
        str | int | None,
        Setting(None, optional(size), "Take at most so much memory, such as 500MB or 4GiB.", "SIZE"),
    ]


class Running(Limited, total=False):
    """Limits, and who is told."""

    progress: Annotated[
        ProgressCallback | None,
        Setting(None, optional(callback), "Called with a dictionary, some times a second.", on_the_command_line=False),
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


class Time(TypedDict, total=False):
    """Repeated measurements."""

    time: Annotated[
        str | None,
        Setting(
            None,
            optional(column_name),
            "The column of times: rows are repeated measurements, and parents may also be of steps before.",
            metavar="COLUMN",
        ),
    ]
    id: Annotated[
        str | None,
        Setting(None, optional(column_name), "With --time: the column that tells series apart.", metavar="COLUMN"),
    ]
    lags: Annotated[int, Setting(1, whole(1, 100), "With --time: how many steps of the past count.", "K", int)]


class Keeping(TypedDict, total=False):
    """What is kept on disk."""

    work: Annotated[
        Any,
        Setting(
            None,
            optional(folder),
            "Keep the run in this directory: killed or stopped, it goes on from there (`sabna resume`).",
            metavar="DIR",
            recorded=False,
        ),
    ]


class Spread(TypedDict, total=False):
    """Where work is done."""

    engine: Annotated[
        Any,
        Setting(
            None,
            optional(engine),
            "Spread the work: a Dask scheduler's address (tcp://host:8786), or local:N for N processes here.",
            metavar="ADDRESS",
            flags=("--scheduler",),
            recorded=False,
        ),
    ]


class Threads(TypedDict, total=False):
    """Threads."""

    n_jobs: Annotated[int, Setting(-1, jobs, "Number of threads; -1: all cores.", "N", int, flags=("--jobs", "-j"))]


# Groups of options in the help of a command.
PANELS: dict[type, str] = {
    MarginalScore: "Scoring",
    Score: "Scoring",
    Scoring: "Scoring",
    Known: "Scoring",
    Reading: "Reading the table",
    Intervening: "Reading the table",
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
    "score": (Score, Scoring, Known, Reading, Intervening, Running, Keeping, Spread, Threads),
    "search": (Known, Strategy, Searching, Proof, Seed, Running, Keeping, Spread, Threads),
    "learn": (
        Score,
        Scoring,
        Known,
        Reading,
        Intervening,
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
    "kbest": (Score, Scoring, Known, Reading, Intervening, Running, Keeping, Spread, Threads),
    "posterior": (MarginalScore, Scoring, Known, Reading, Intervening, Averaging, Seed, Running, Threads),
    "bootstrap": (
        Score,
        Scoring,
        Known,
        Reading,
        Intervening,
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
    "network score": (Score, Scoring, Reading, Intervening),
}


# The same for type checkers; without what a function takes by position.


class ScoreSettings(Scoring, Known, Reading, Intervening, Running, Keeping, Spread, Threads, total=False):
    """Options of `build_parent_graph`."""


class SearchSettings(Known, Searching, Proof, Seed, Running, Keeping, Spread, Threads, total=False):
    """Options of `search`."""


class BootstrapSettings(
    Scoring, Known, Reading, Intervening, Strategy, Searching, Seed, Running, Keeping, Spread, Threads, total=False
):
    """Options of `bootstrap`."""


class LearnSettings(BootstrapSettings, Proof, Target, Time, total=False):
    """Options of `learn`."""


class KbestSettings(Score, Scoring, Known, Reading, Intervening, Running, Keeping, Spread, Threads, total=False):
    """Options of `kbest`."""


class PosteriorSettings(Scoring, Known, Reading, Intervening, Averaging, Seed, Running, Threads, total=False):
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

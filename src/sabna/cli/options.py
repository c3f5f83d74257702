"""The options and arguments of all commands, each defined once.

A command takes those it needs: `def score(data: Data, output: GraphOutput, score: Score = "bic", ...)`. Defaults
stand in the commands' signatures; names and meanings are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from sabna.base.errors import UsageError
from sabna.base.limits import Limits

# Groups of commands in `sabna --help`.
RUN = "Learn"
LOOK = "Look and foresee"
FILES = "Files and data"

# Groups of options in the help of a command.
_TABLE = "Reading the table"
_SCORING = "Scoring"
_SEARCH = "Search"
_LIMITS = "Limits"
_OUTPUT = "Output"


def _option(panel: str, *names: str, help: str, metavar: str | None = None) -> typer.models.OptionInfo:
    info: typer.models.OptionInfo = typer.Option(
        *names, help=help, metavar=metavar, rich_help_panel=panel, show_default=True
    )
    return info


# What goes in.
Data = Annotated[
    str,
    typer.Argument(metavar="DATA", help="A CSV, parquet or ARFF file, or `example:NAME`.", show_default=False),
]
GraphInput = Annotated[
    str,
    typer.Argument(metavar="GRAPH", help="A parent graph: a .jkl, .pss or .pg file.", show_default=False),
]

# Reading the table.
Categorical = Annotated[
    list[str] | None,
    _option(
        _TABLE,
        "--categorical",
        metavar="COLUMN",
        help="Take a column's values as categories although it looks continuous. Repeatable.",
    ),
]
Discretize = Annotated[
    list[str] | None,
    _option(
        _TABLE,
        "--discretize",
        metavar="[COLUMN=]METHOD",
        help="none, mean (1 above the mean, else 0), quantile:K or uniform:K; for all columns, or for one. Repeatable.",
    ),
]
Missing = Annotated[
    str,
    _option(
        _TABLE,
        "--missing",
        metavar="error|drop|category",
        help="Missing values: refuse them, drop their rows, or make them a state.",
    ),
]
Delimiter = Annotated[
    str | None,
    _option(
        _TABLE, "--delimiter", metavar="CHARACTER", help="What separates the cells of a CSV file; guessed if not given."
    ),
]
NoHeader = Annotated[
    bool, _option(_TABLE, "--no-header", help="The CSV file has no header row; columns are called V1, V2, ...")
]

# Scoring.
Score = Annotated[
    str,
    _option(
        _SCORING,
        "--score",
        metavar="NAME",
        help="The score: bic (= mdl), aic, bdeu, k2, bds, fnml, qnml; for numbers: bic-g, bge.",
    ),
]
MaxParents = Annotated[
    list[str] | None,
    _option(
        _SCORING,
        "--max-parents",
        metavar="[NAME=]N",
        help="At most N parents, for every variable or for one. Repeatable. Without it the graph is complete.",
    ),
]
EquivalentSampleSize = Annotated[
    float | None,
    _option(
        _SCORING, "--equivalent-sample-size", metavar="X", help="Weight of the prior of bdeu and bds; 1 if not given."
    ),
]
AlphaMu = Annotated[
    float | None,
    _option(_SCORING, "--alpha-mu", metavar="X", help="Weight of bge's prior of the means; 1 if not given."),
]
AlphaW = Annotated[
    float | None,
    _option(
        _SCORING,
        "--alpha-w",
        metavar="X",
        help="Degrees of freedom of bge's prior, above variables + 1; variables + alpha-mu + 1 if not given.",
    ),
]
Knowledge = Annotated[
    str | None,
    _option(
        _SCORING,
        "--knowledge",
        metavar="FILE",
        help="Prior knowledge (TOML or JSON): required and forbidden edges, tiers, roots, leaves, limits.",
    ),
]

# Search.
Strategy = Annotated[str, _option(_SEARCH, "--strategy", metavar="auto|astar|bfs", help="How to search.")]
Heuristic = Annotated[
    str | None,
    _option(
        _SEARCH,
        "--heuristic",
        metavar="NAME",
        help="The lower bound of the search: simple, pattern, cuts or dual-pattern.",
    ),
]
NoPathExtension = Annotated[bool, _option(_SEARCH, "--no-path-extension", help="Do without optimal path extension.")]
NoUpperBound = Annotated[bool, _option(_SEARCH, "--no-upper-bound", help="Do without an upper bound.")]
Components = Annotated[
    bool, _option(_SEARCH, "--components", help="Split the problem into independent components first.")
]
SccBranching = Annotated[
    bool, _option(_SEARCH, "--scc-branching", help="Branch inside one closed set of variables only.")
]
PatternGroups = Annotated[
    int | None, _option(_SEARCH, "--pattern-groups", metavar="N", help="Groups of variables of the pattern database.")
]
PatternGrouping = Annotated[
    str,
    _option(
        _SEARCH, "--pattern-grouping", metavar="affinity|order|interleave", help="How the pattern database groups."
    ),
]
GapTolerance = Annotated[
    float,
    _option(_SEARCH, "--gap-tolerance", metavar="NATS", help="Call a network optimal within this gap; 0 is exact."),
]
Explain = Annotated[bool, _option(_SEARCH, "--explain", help="Say what the strategy auto decided, and why.")]
Seed = Annotated[int, _option(_SEARCH, "--seed", metavar="N", help="Seed of all random choices.")]

# Limits.
TimeLimit = Annotated[
    float | None, _option(_LIMITS, "--time-limit", metavar="SECONDS", help="Stop after so many seconds.")
]
MemoryLimit = Annotated[
    str | None,
    _option(_LIMITS, "--memory-limit", metavar="SIZE", help="Take at most so much memory, such as 500MB or 4GiB."),
]
Jobs = Annotated[int, _option(_LIMITS, "--jobs", "-j", metavar="N", help="Number of threads; -1: all cores.")]

# What comes out.
GraphOutput = Annotated[
    str,
    _option(_OUTPUT, "--output", "-o", metavar="GRAPH", help="Where to write the parent graph; .jkl, .pss or .pg."),
]
NetworkOutput = Annotated[
    str | None,
    _option(_OUTPUT, "--output", "-o", metavar="OUT", help="Where to write the network; the suffix tells the format."),
]
AlternativesOutput = Annotated[
    str | None, _option(_OUTPUT, "--output", "-o", metavar="OUT.json", help="Where to write everything found, as JSON.")
]
Json = Annotated[bool, _option(_OUTPUT, "--json", help="Print one JSON object, and nothing else, on standard output.")]
Quiet = Annotated[bool, _option(_OUTPUT, "--quiet", "-q", help="Print nothing but errors (and the object of --json).")]


def refuse_with_graph(**options: object) -> None:
    """Options that say how a table is scored make no sense for a parent graph, which is scored already."""
    for name, value in options.items():
        if value:
            raise UsageError(f"--{name.replace('_', '-')}: this is for tables; a parent graph is scored already")


def parse_max_parents(texts: Sequence[str] | None, names: Sequence[str]) -> int | dict[str, int] | None:
    """The limits in the form of `build_parent_graph`; a limit for one variable goes before that for all.

    >>> parse_max_parents(["3", "age=1"], ["age", "sex"])
    {'age': 1, 'sex': 3}
    """
    overall, by_name = None, {}
    for text in texts or ():
        name, equals, number = text.rpartition("=")  # a name may hold "="
        if not number.isascii() or not number.isdigit():
            raise UsageError(f"--max-parents {text!r}: write a number, or NAME=NUMBER")
        if equals and name not in names:
            raise UsageError(f"--max-parents {text!r}: there is no variable {name!r}; check its name")
        if equals:
            by_name[name] = int(number)
        else:
            overall = int(number)
    if overall is None or not by_name:
        return by_name or overall
    return {**dict.fromkeys(names, overall), **by_name}


def limits_of(time_limit: float | None, memory_limit: str | None) -> Limits:
    """The limits of a run; starts its clock, so call it first."""
    return Limits.of(time_limit, memory_limit)

"""Options of the search, its proof and its random choices."""

from __future__ import annotations

import os
from typing import Annotated, TypedDict

from sabna.base.varsets import MAX_VARIABLES
from sabna.settings.checks import file_name, number, one_of, optional, switch, whole
from sabna.settings.setting import Setting

STRATEGIES = ("auto", "astar", "bfs")
HEURISTICS = ("simple", "pattern", "cuts", "dual-pattern")
GROUPINGS = ("affinity", "order", "interleave")
# A gap in nats that no two networks of ours can be apart, and seeds of the core's generators.
LARGEST_TOLERANCE = 1e9
LARGEST_SEED = 2**63 - 1


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

    path_extension: Annotated[bool, Setting(True, switch, "Switch optimal path extension off.", typed=bool)]
    upper_bound: Annotated[bool, Setting(True, switch, "Switch the upper bound off (astar, bfs).", typed=bool)]
    components: Annotated[
        bool, Setting(False, switch, "Split the problem into independent components first (astar, bfs).", typed=bool)
    ]
    scc_branching: Annotated[
        bool, Setting(False, switch, "Branch inside one closed set of variables only (astar, bfs).", typed=bool)
    ]
    pattern_groups: Annotated[
        int | None,
        Setting(
            None, optional(whole(1, MAX_VARIABLES)), "Number of groups of variables in the heuristic pattern.", "N", int
        ),
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

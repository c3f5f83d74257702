"""What `auto` decides by, in one place: sizes, measured speeds, and the budgets that follow."""

from __future__ import annotations

from dataclasses import dataclass

from sabna._native import core
from sabna.searching.part import Part

# Dense tables: nanoseconds per subset and variable on one core of 2020, zeta transform included.
DENSE_NANOSECONDS = 4.0
# Up to here dense tables take under 0.1 s, and nothing else is worth the trouble.
DENSE_AT_ONCE = 19
# Dense tables that take less than this come before the linear program.
DENSE_SECONDS = 0.5
# With this many parent sets a variable the linear program loses against tables of any size that fits.
MANY_SETS = 1500
# Beyond 26 variables the table takes a gigabyte and a minute.
DENSE_MOST = 26

# Starts of the first local search: the optimum is worth a few tenths of a second, every later step needs it.
RESTARTS = 24
# Later ones, in sets looked at.
SHORT_WORK = 5_000_000
LONG_WORK_PER_VARIABLE = 200_000

# Pattern databases: the groups grow from round to round. Small ones cost little and fix most of the sets, which makes
# the large ones cheap: from 2^12 to 2^20 entries (8 MB) a group.
GROUP_SIZES = (12, 16, 18, 20)
# Beyond this many variables large groups are many and see little of the whole; the last size is not tried.
LARGE_GROUPS_UP_TO = 66
PARTITIONS = 4
# The group program: groups of this size take a millisecond each; the best of some 30 partitions (four for each seed) is
# taken, several times over while it pays. Partitions differ widely, and filling small tables is cheap.
SMALL_GROUP = 12
CANDIDATE_SEEDS = 8
ATTEMPTS = 4
# A further partition is tried if the last one struck out this share of the sets or closed this share of the gap. If
# not even the first did, the program rests for some rounds.
ATTEMPT_PAYS = 0.03
# With fewer variables than this two or three large tables say more for less; then it is left for the later rounds.
GROUPS_FROM = 40
GROUPS_LATER = 3
MOST_PROGRAM_ROUNDS = 120


def dense_seconds(n: int) -> float:
    """Time of dense tables on one core."""
    return DENSE_NANOSECONDS * 1e-9 * n * 2.0**n


def dense_fits(part: Part, memory: int, threads: int) -> bool:
    """Whether there is memory for dense tables."""
    return part.n <= DENSE_MOST and core.dense_bytes(part.n, threads) < memory * 3 // 4


def dense_at_once(part: Part) -> bool:
    """Whether dense tables, if they fit, come before everything else."""
    return part.n <= DENSE_AT_ONCE or (part.n <= DENSE_MOST and len(part.graph) > MANY_SETS * part.n)


def dense_soon(part: Part) -> bool:
    """Whether dense tables, if they fit, come before the linear program."""
    return part.n <= DENSE_MOST and dense_seconds(part.n) < DENSE_SECONDS


@dataclass(frozen=True)
class TablePlan:
    """Pattern databases: how large a group may be, how many partitions."""

    largest: int
    partitions: int


def table_plan(n: int, number: int, memory: int) -> TablePlan | None:
    """Pattern databases of round `number` that fit into a third of the memory left; None if not even small ones do."""
    last = len(GROUP_SIZES) - (1 if n <= LARGE_GROUPS_UP_TO else 2)
    largest = GROUP_SIZES[min(number, last)]
    while largest >= 8:
        plan = TablePlan(largest, PARTITIONS if n > largest else 1)
        if table_bytes(n, plan, 1) < memory // 3:
            return plan
        largest -= 1
    return None


def table_bytes(n: int, plan: TablePlan, threads: int) -> int:
    """Memory for pattern databases, with what is needed while they are made."""
    groups = -(-n // plan.largest)
    return int(groups * (plan.partitions + 1) * (8 << plan.largest) + core.dense_bytes(plan.largest, threads))


def groups_pay(n: int, number: int, memory: int) -> bool:
    """Whether the group program is worth its time in round `number`."""
    return (n >= GROUPS_FROM or number >= GROUPS_LATER) and int(core.dense_bytes(SMALL_GROUP, 1)) < memory // 3


def local_search_work(n: int) -> int:
    """Sets looked at by a local search between bounds: 10 ms for few variables, which rarely need it, 0.2 s for 400."""
    return SHORT_WORK if n <= LARGE_GROUPS_UP_TO else LONG_WORK_PER_VARIABLE * n


def patience(n: int) -> int:
    """Rounds in a row that may bring little before the search takes over: many variables are too many for it."""
    return 1 if n < GROUPS_FROM else 3


def last_tables(n: int) -> int:
    """The round from which on pattern databases grow no more."""
    return len(GROUP_SIZES) - (1 if n <= LARGE_GROUPS_UP_TO else 2)

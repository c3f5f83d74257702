"""What the default strategy decides, in one place: the next step of a part, by sizes, measured speeds and progress.

    new part:  one parent set each?  its only choice.  Few variables?  dense tables.  Else a first network.
    a round:   dual ascent -> cluster program -> group programs, while they pay -> pattern databases
               the cut program (local and zero-half cuts) comes after the cluster program, where it pays
               on long lists pattern databases come before the first cluster program (`_tables_first`)
               after each of them: components; few variables left? dense tables
    after pattern databases A* is tried: it gives up where its end is out of reach
    rounds end when several in a row brought little: then the part is branched
    where the cut program has closed much of the gap, the part is branched at once
    a branch:  cut program, few rounds -> components -> branching
    where it has brought next to nothing, on very many variables with short lists, the part is branched on sources:
               components -> source program -> branching on one source after the other

All budgets count work (sets looked at, pivots, rounds, nodes), never seconds, so that the way through is the same on
every machine. Only where a time limit is near is it the clock that decides (`tables_at_once`, `_tables_first`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sabna._native import core
from sabna.base.cost import INFINITE
from sabna.base.limits import Limits
from sabna.bounds.cut_rounds import RoundLimits
from sabna.bounds.source_rounds import SourceLimits
from sabna.searching.part import Part

# The names of the steps.
ONLY_CHOICE = "only choice"
FIRST_NETWORK = "first network"
COMPONENTS = "components"
DUAL_ASCENT = "dual ascent"
CLUSTER_PROGRAM = "cluster program"
CUT_PROGRAM = "cut program"
GROUP_PROGRAM = "group program"
PATTERN_TABLES = "pattern databases"
DENSE_TABLES = "dense tables"
TRIAL = "trial of astar"
ASTAR = "astar"
BFS = "bfs"
BRANCH_AND_BOUND = "branch-and-bound"
BRANCHING = "branching"
SOURCE_PROGRAM = "source program"
SOURCE_BRANCHING = "branching on sources"
DIVING = "dives through likely sources"
CLOSE = "bound"

# Dense tables: nanoseconds per subset and variable on one core of 2020, zeta transform included.
DENSE_NANOSECONDS = 4.0
# Up to here dense tables take under 0.1 s, and nothing else is worth the trouble.
DENSE_AT_ONCE = 19
# Dense tables that take less than this come before the linear program.
DENSE_SECONDS = 0.5
# With this many parent sets a variable the linear program loses against tables of any size that fits.
MANY_SETS = 1500
# Tables of so many variables are done in milliseconds; up to so many take under 0.1 GB, and several fit into memory.
QUICK_TABLES = 14
TABLES_SIDE_BY_SIDE = 22
# Beyond 26 variables the table takes a gigabyte and a minute.
DENSE_MOST = 26

# Starts of the first local search, the population that it crosses: every later step needs the optimum, or nearly.
RESTARTS = 20
# Sets it looks at, at most (some 10 ns each), and more for every variable beyond SOME_VARIABLES; where it only has to
# find something to return, fewer.
FIRST_WORK = 150_000_000
WORK_PER_VARIABLE = 5_000_000
FALLBACK_WORK = 1_000_000
# Sets looked at by the search over tied groups that comes before it: a fifth of it, and the groups are a third.
TIED_WORK = 100_000_000
# The same where some groups are untied, for each of some fifty draws, with so many random starts and fruitless
# crossings; and the share of a time limit that all of this may take.
UNTYING_WORK, UNTYING_RESTARTS, UNTYING_CROSSINGS = 30_000_000, 8, 60
TIED_TIME = 0.25
# Fruitless crossings in a row that end a local search, and more for every variable beyond FEW_VARIABLES: there the
# first few orders already end in the optimum.
CROSSINGS = 20
CROSSINGS_PER_VARIABLE = 3
FEW_VARIABLES, SOME_VARIABLES = 20, 40
# On more variables than this the cluster program's orders are better, sooner: on 700 in one component (12,948 sets)
# 54 s of local search ended 3,600 nats above the bound, and three of the program 117. From WIDE_VARIABLES on, where
# sets take four times the words, only FIRST_WORK is done.
LOCAL_VARIABLES, WIDE_VARIABLES = 200, 513
# Later local searches.
SHORT_WORK = 5_000_000
LONG_WORK_PER_VARIABLE = 200_000
# Where the cut program goes on with so many parent sets, local search looks again after so many of its rounds, for half
# as many times as long as above as there were rounds. (On accidents.valid with 2 parents the first look finds the best
# network, after 9 s instead of 20.)
ROUNDS_BEFORE_LOOKS = (16, 32, 64, 128)
SETS_FOR_LOOKS = 10_000
# Beside later cluster programs of more parent sets than the cut program takes it is so many times as long: these take
# minutes.
LOOKS_WORTH_OF_MANY = 32

# Pattern databases: the groups grow from round to round. Small ones cost little and fix most of the sets, which makes
# the large ones cheap: from 2^12 to 2^20 entries (8 MB) a group.
GROUP_SIZES = (12, 16, 18, 20)
# Where memory is short they are smaller, down to this; with less there are none.
SMALLEST_GROUP = 8
# Beyond this many variables large groups are many and see little of the whole; the last size is not tried.
LARGE_GROUPS_UP_TO = 66
PARTITIONS = 4
# With more parent sets than the cut program takes, tables that struck out less than this share of them are not filled
# before A* until the gap is a quarter as large. (On jester.valid with 3 parents that took 42 to 82 s each time, and
# struck out 25 of 593,858 in all; A* takes half of that to fill them for itself.)
TABLES_STRIKE = 0.01
# The group program: groups of this size take a millisecond each; the best of some 30 partitions (four for each seed) is
# taken, several times over while it pays. Partitions differ widely, and filling small tables is cheap.
SMALL_GROUP = 12
CANDIDATE_SEEDS = 8
ATTEMPTS = 4
# A further partition is tried if the last one struck out this share of the sets or closed this share of the gap. If
# not even the first did, the program rests until the next round, or on few variables for some.
ATTEMPT_PAYS = 0.03
GROUPS_REST = 1
# With fewer variables than this two or three large tables say more for less; then it is left for the later rounds, and
# so is the cut program.
GROUPS_FROM = 40
GROUPS_LATER = 3
MOST_PROGRAM_ROUNDS = 120
# With more cluster weights than this for each variable the group and the cut program are left out, while A* may be in
# reach: their programs would have to settle all of these weights anew.
MANY_WEIGHTS = 4

# Before a part is branched for the first time a network a nat from the best costs a dozen nodes more: a longer search
# pays, by its work for every variable and by the fruitless crossings that end it.
WORK_BEFORE_BRANCHING = 30_000_000
CROSSINGS_BEFORE_BRANCHING = 8
# The cut program: rounds of a part that is not branched yet, and of one that is; parent sets that a matrix of them is
# made for, and the rows that there must be memory for; and rounds without it where it has brought less than this share
# of the gap.
CUT_ROUNDS = RoundLimits(stall=10, share=0.05, many=20_000, share_of_many=0.01, most=400)
CUT_ROUNDS_OF_BRANCH = RoundLimits(stall=3, share=0.1, most=12)
MOST_SETS_TO_CUT = 150_000
ROWS_OF_CUTS = 2_000
CUTS_PAY = 0.05
CUTS_LATER = 3
# Where they close this share of the gap, branching on their point comes next: its nodes are cheap, tables see little.
# With more parent sets than the rounds call many they are not cheap; but the group program sees no more than tables.
# (On accidents.valid with 3 parents two of them took 180 of 600 s for gaps of 199 and 206, where cuts had left 87; on
# jester.valid with 3 parents one took 100 CPU s for 0.6 of 88.) It is left out with so many.
CUTS_CLOSE = 0.4
MOST_SETS_TO_BRANCH = CUT_ROUNDS.many

# Branching on sources: variables, and parent sets for each of them; rounds of the program of a part that is branched.
SOURCES_FROM, SETS_OF_SOURCES = 120, 30
# (Where nothing is branched yet the bound is that of all parts to come: on dna.valid 33271.76 after 8.3 s with 500
# unions of blocks, 33271.69 after 7.4 s with 200, 33271.45 after 4.9 s with 60.)
SOURCE_ROUNDS = SourceLimits(stall=10, share=0.005, most=100, unions=500, stale=60)
SOURCE_ROUNDS_OF_BRANCH = SourceLimits(stall=1, share=0.2, most=20)
# Rounds of the cluster program where the source program may come next: it goes on from there by better walks. (On
# dna.valid a bound of 33271.57 after 20 s; after 77 rounds, where the cluster program ends, 33271.69 after 25.)
ROUNDS_BEFORE_SOURCES = 36
# Before the first of these branchings so many of the likeliest sources are followed down to a network, each through so
# many further ones at most; then once more, by the second likeliest after each. (On dna.valid networks of 33274.59,
# 33274.75, 33274.83 and more, 12 s of two threads; which of them end at the best one is luck.)
DIVES, TURNS, DIVE_DEPTH = 8, 2, 150
# The share of a time limit that they may take.
DIVE_TIME = 0.2

# Dual ascent: some 0.1 s, and as much again for every 50 variables, in parent sets looked at.
ASCENT_WORK = 30_000_000
ASCENT_WORK_PER_VARIABLE = 600_000
# Long lists: so many parent sets in all, and so many for each variable (on pigs, whose 441 variables have 98 each, the
# cluster program needs no help). There the volume algorithm comes before it, in the first round; its work, and more
# for every set. Some 2 to 8 s.
LONG_LISTS = 15_000
SETS_OF_LONG = 200
VOLUME_WORK = 150_000_000
VOLUME_WORK_PER_SET = 2_000
# Of a time limit it takes this share of what is left, if the rest is enough for tables: they bring more than its end.
VOLUME_TIME = 0.6
# Rounds of a cluster program where a variable has so many sets: most of its gain comes first, and pattern databases and
# A* make more of it than further rounds do. (On plants.valid with 2 parents 74 rounds of a later program took 20 of 31
# CPU s; 20 of them strike out as much. With the weights of the volume algorithm jester.valid takes 6.8 with 8 rounds,
# 7.2 with 12; plants.valid and kdd.valid with 3 parents have shorter lists by the time the program begins.)
ROUNDS_BEFORE_ASTAR = 8
SETS_FOR_ASTAR = 300
# With less time left than these seconds, and so many more for every set, it would not come to an end in time; pattern
# databases and A* on the weights at hand do, if there is more than this.
SECONDS_FOR_PROGRAM = (1.0, 5e-5)
SECONDS_FOR_TABLES = (0.2, 8e-6)
MOST_CLUSTER_ROUNDS = 400
# A further round pays if the last one struck out this share of the sets or closed this share of the gap.
ROUND_PAYS = 0.1
MOST_ROUNDS = 40
# From this round on A* is tried after the pattern databases; on many variables in all rounds, for these are long.
TRIAL_FROM = 2
# A trial of A* gives up when it expects to need more nodes than this, which it knows after some 100,000; it has memory
# for about as many beside its tables. Where that was too little it goes on in all the memory there is. When rounds have
# been given up, A* is taken rather than branching if it expects to need no more than so many nodes.
TRIAL_NODES = 3_000_000
TRIAL_BYTES = 200_000_000
ASTAR_NODES = 200_000_000
TOO_MANY_NODES = 1e18
# Nodes that A* takes at a time, for threads to share. More are too many of them too early.
NODES_AT_ONCE = 16
# Parts of so many variables whose program ends at a whole point are left to A*: nothing says what to branch on.
SEARCHED_AT_WHOLE_POINTS = 40


def next_step(part: Part, limits: Limits, threads: int) -> str:
    """The step that a part of the default strategy needs next."""
    done = part.progress.step
    if part.depth == 0:
        return COMPONENTS
    if part.lower >= part.target:
        return CLOSE
    if not done and has_one_choice(part):
        return ONLY_CHOICE
    if not done and network_first(part):
        return FIRST_NETWORK
    if (done in _STRIKING or part.by_sources) and not part.progress.one_component:
        return COMPONENTS
    if dense_at_once(part) and dense_fits(part, limits.bytes_left(), threads):
        return DENSE_TABLES
    if part.by_sources and part.progress.sources:
        return SOURCE_BRANCHING
    if part.branches or part.by_sources:
        return _step_of_branch(part)
    if not done:
        return FIRST_NETWORK
    return _step_of_round(part, limits, threads)


def takes_no_time(step: str, part: Part) -> bool:
    """Whether a step is over before another thread could have begun it."""
    quick = (CLOSE, ONLY_CHOICE, COMPONENTS, SOURCE_BRANCHING)
    return step in quick or (step == DENSE_TABLES and part.n <= QUICK_TABLES)


def works_alone(step: str, part: Part) -> bool:
    """Whether a step wants all the memory there is: it is made when nothing else is."""
    return step in (ASTAR, BFS, BRANCH_AND_BOUND) or (step == DENSE_TABLES and part.n > TABLES_SIDE_BY_SIDE)


_STRIKING = (DUAL_ASCENT, CLUSTER_PROGRAM, CUT_PROGRAM, GROUP_PROGRAM, PATTERN_TABLES, BRANCHING, SOURCE_PROGRAM)


def _step_of_branch(part: Part) -> str:
    """The next step of an alternative: cuts that it has inherited, then another branching."""
    first = SOURCE_PROGRAM if part.by_sources else CUT_PROGRAM
    steps = {first: BRANCHING, BRANCHING: PATTERN_TABLES, PATTERN_TABLES: ASTAR, ASTAR: BRANCH_AND_BOUND}
    return steps.get(part.progress.step, first)


def cut_rounds(part: Part) -> RoundLimits:
    """How long rounds of the cut program go on; not for long where the source program is the alternative."""
    return CUT_ROUNDS_OF_BRANCH if part.branches or sources_pay(part) else CUT_ROUNDS


def _step_of_round(part: Part, limits: Limits, threads: int) -> str:
    """The next step of the rounds."""
    progress = part.progress
    if progress.step == FIRST_NETWORK:
        return DUAL_ASCENT
    if progress.step == DUAL_ASCENT:
        soon = progress.round == 0 and dense_soon(part) and dense_fits(part, limits.bytes_left(), threads)
        return DENSE_TABLES if soon else PATTERN_TABLES if _tables_first(part, limits) else CLUSTER_PROGRAM
    if progress.step == CLUSTER_PROGRAM and _cuts_wanted(part, limits.bytes_left()):
        return CUT_PROGRAM
    if progress.step == CUT_PROGRAM and progress.cuts_close and len(part.graph) <= MOST_SETS_TO_BRANCH:
        return BRANCHING
    if progress.step == CUT_PROGRAM and progress.cuts_from > progress.round and sources_pay(part):
        return SOURCE_PROGRAM
    if progress.step in (CLUSTER_PROGRAM, CUT_PROGRAM):
        if _astar_first(part):
            return PATTERN_TABLES
        wanted = part.target < INFINITE and progress.round >= progress.groups_from and not _many_weights(part)
        wanted &= progress.step != CUT_PROGRAM or not progress.cuts_close
        wanted &= len(part.graph) <= MOST_SETS_TO_BRANCH
        pays = wanted and groups_pay(part.n, progress.round, limits.bytes_left())
        return GROUP_PROGRAM if pays else PATTERN_TABLES
    if progress.step == GROUP_PROGRAM:
        return GROUP_PROGRAM if progress.attempts_pay and progress.attempt < ATTEMPTS else PATTERN_TABLES
    if progress.step == PATTERN_TABLES:
        return TRIAL if part.n >= GROUPS_FROM or progress.round >= TRIAL_FROM else _after_round(part)
    if progress.step == TRIAL:
        return ASTAR if 0 < progress.nodes_expected <= TRIAL_NODES else _after_round(part)
    if progress.step == BRANCHING:  # nothing to branch on
        return PATTERN_TABLES if progress.whole_points == 1 else ASTAR
    assert progress.step == ASTAR, progress.step
    return BRANCH_AND_BOUND


def _cuts_wanted(part: Part, memory: int) -> bool:
    """Whether the cut program is worth its time in this round: on long lists A* is tried before."""
    few = len(part.graph) <= min(MOST_SETS_TO_CUT, memory // (8 * ROWS_OF_CUTS)) and not _many_weights(part)
    first = int(_has_long_lists(part)) if part.n >= GROUPS_FROM else GROUPS_LATER
    return few and part.target < INFINITE and part.progress.round >= max(part.progress.cuts_from, first)


def sources_pay(part: Part) -> bool:
    """Whether a part is branched on sources where the cut program brings little: many variables, short lists."""
    return part.target < INFINITE and part.n >= SOURCES_FROM and len(part.graph) <= SETS_OF_SOURCES * part.n


def source_rounds(part: Part) -> SourceLimits:
    """How long rounds of the source program go on."""
    return SOURCE_ROUNDS_OF_BRANCH if part.branches else SOURCE_ROUNDS


def _many_weights(part: Part) -> bool:
    in_reach = part.progress.nodes_expected < TOO_MANY_NODES
    return in_reach and len(part.clusters) > MANY_WEIGHTS * part.n


def _after_round(part: Part) -> str:
    """Another round, or the search of what is left."""
    number = part.progress.round
    given_up = number >= last_tables(part.n) and idle_rounds(part) >= patience(part.n)
    if not given_up and number + 1 < MOST_ROUNDS:
        return DUAL_ASCENT
    return ASTAR if 0 < part.progress.nodes_expected <= ASTAR_NODES else BRANCHING


def advance(step: str, before: Part, after: Part) -> Part:
    """The part that a step made of another one, with its progress noted."""
    progress = after.progress
    if step == COMPONENTS:
        return replace(after, progress=replace(progress, one_component=True))
    progress = replace(progress, step=step, one_component=False)
    if step == DUAL_ASCENT:  # a round begins
        later = before.progress.step != FIRST_NETWORK
        progress = replace(
            progress,
            round=progress.round + later,
            idle=idle_rounds(before) if later else 0,
            sets=len(before.graph),
            gap=before.gap,
            attempt=0,
        )
    elif step == CUT_PROGRAM:
        closer = _closer(before.gap, after)
        progress = replace(progress, cuts_close=closer >= CUTS_CLOSE)
        if max(_fewer(before, len(after.graph)), closer) < CUTS_PAY:
            progress = replace(progress, cuts_from=progress.round + CUTS_LATER)
    elif step == BRANCHING:
        progress = replace(progress, cuts_close=False, whole_points=progress.whole_points + 1)
    elif step == GROUP_PROGRAM:
        pays = max(_fewer(before, len(after.graph)), _closer(before.gap, after)) >= ATTEMPT_PAYS
        progress = replace(progress, attempt=progress.attempt + 1, attempts_pay=pays)
        if progress.attempt == 1 and not pays:
            rest = GROUPS_REST if before.n >= GROUPS_FROM else GROUPS_LATER
            progress = replace(progress, groups_from=progress.round + rest)
    elif step == PATTERN_TABLES and tables_filled(before) and _fewer(before, len(after.graph)) < TABLES_STRIKE:
        progress = replace(progress, fill_below=after.gap // 4)
    elif step == TRIAL:
        # Where tables are not filled before it, it is A* that tells what they bring.
        brought = before if tables_filled(before) else replace(after, progress=before.progress)
        progress = replace(progress, idle=idle_rounds(brought))
    return replace(after, progress=progress)


def tables_filled(part: Part) -> bool:
    """Whether pattern databases are filled to fix by them, and not by A* alone, which fills them anew."""
    below = part.progress.fill_below
    return not below or len(part.graph) <= MOST_SETS_TO_CUT or part.gap < below


def idle_rounds(part: Part) -> int:
    """Rounds in a row that brought little, the one that ends here included."""
    progress = part.progress
    if progress.step == TRIAL:  # counted before it
        return progress.idle
    fewer = 1 - len(part.graph) / progress.sets
    # The first round starts without a bound.
    closer = _closer(progress.gap, part) if progress.round else 1.0
    return progress.idle + 1 if max(fewer, closer) < ROUND_PAYS else 0


def _fewer(before: Part, sets: int) -> float:
    """The share of the sets that went."""
    return 1 - sets / len(before.graph)


def _closer(gap: int, after: Part) -> float:
    """The share of a gap that was closed."""
    return 1 - after.gap / gap


def has_one_choice(part: Part) -> bool:
    """Whether a part has one variable, or every variable one set."""
    return part.n == 1 or len(part.graph) == part.n


def network_first(part: Part) -> bool:
    """Whether a network comes before everything else: so that from the first second on there is one of the whole."""
    return part.depth == 1 and not part.branches and not part.progress.step


def first_work(part: Part) -> int:
    """Sets that the first local search looks at; where tables follow at once, its network is for the time limit.

    What fixing has split off was part of a longer search before: it gets no more than one between bounds.
    """
    if dense_at_once(part):
        return FALLBACK_WORK
    if part.depth > 1:
        return local_search_work(part.n)
    return FIRST_WORK if _has_long_lists(part) else FIRST_WORK + second_work(part.n)


def second_work(n: int) -> int:
    """Sets looked at for many variables; on long lists after dual ascent, so that a limit finds a bound before that."""
    return 0 if n >= WIDE_VARIABLES else WORK_PER_VARIABLE * max(min(n, LOCAL_VARIABLES) - SOME_VARIABLES, 0)


def volume_pays(part: Part) -> bool:
    """Whether the volume algorithm comes between dual ascent and the linear program."""
    return part.progress.step == FIRST_NETWORK and part.target < INFINITE and _has_long_lists(part)


def program_rounds(part: Part) -> int:
    """Rounds of the cluster program at most."""
    if sources_pay(part):
        return ROUNDS_BEFORE_SOURCES
    return ROUNDS_BEFORE_ASTAR if _has_sets_for_astar(part) else MOST_CLUSTER_ROUNDS


def _astar_first(part: Part) -> bool:
    """Whether A* is tried before bounds are worked out to their end."""
    return part.progress.round == 0 and _has_sets_for_astar(part)


def _has_sets_for_astar(part: Part) -> bool:
    return _has_long_lists(part) and len(part.graph) >= SETS_FOR_ASTAR * part.n


def _tables_first(part: Part, limits: Limits) -> bool:
    """Whether pattern databases and A* come before the first cluster program on long lists.

    The volume algorithm leaves that program little to gain. With more sets than the cut program takes it is tables that
    take the time.
    """
    in_time = limits.seconds is None or _seconds(SECONDS_FOR_TABLES, part) < limits.seconds_left()
    few = len(part.graph) <= MOST_SETS_TO_CUT
    return tables_at_once(part, limits) or (_astar_first(part) and few and in_time)


def tables_at_once(part: Part, limits: Limits) -> bool:
    """Whether a time limit leaves no time for the first cluster program on long lists, but some for tables."""
    if limits.seconds is None or not _astar_first(part):
        return False
    return _seconds(SECONDS_FOR_TABLES, part) < limits.seconds_left() < _seconds(SECONDS_FOR_PROGRAM, part)


def volume_limits(part: Part, limits: Limits) -> Limits:
    """What the volume algorithm may take: a time limit leaves time for tables after it."""
    left_to_tables = (1 - VOLUME_TIME) * limits.seconds_left()
    enough = left_to_tables > _seconds(SECONDS_FOR_TABLES, part)
    return limits.with_share_of_time(VOLUME_TIME) if enough else limits


def _seconds(times: tuple[float, float], part: Part) -> float:
    first, per_set = times
    return first + per_set * len(part.graph)


def _has_long_lists(part: Part) -> bool:
    sets = len(part.graph)
    return part.n >= GROUPS_FROM and sets >= LONG_LISTS and sets >= SETS_OF_LONG * part.n


def volume_work(part: Part) -> int:
    """Operations of the volume algorithm."""
    return VOLUME_WORK + VOLUME_WORK_PER_SET * len(part.graph)


def crossings(n: int) -> int:
    """Fruitless crossings in a row that end a local search."""
    return CROSSINGS + CROSSINGS_PER_VARIABLE * max(n - FEW_VARIABLES, 0)


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
    while largest >= SMALLEST_GROUP:
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


def work_beside_cuts(part: Part, rounds: int) -> int:
    """Sets looked at by a local search after so many rounds of the cut program; 0: none.

    Where rounds go on and next to no set is struck out, a better network is worth as much as the rounds.
    """
    wanted = rounds in ROUNDS_BEFORE_LOOKS and len(part.graph) > SETS_FOR_LOOKS
    return rounds * local_search_work(part.n) // 2 if wanted else 0


def work_beside_program(part: Part) -> int:
    """Sets looked at by a local search beside the cluster program, and after it."""
    many = part.progress.round > 0 and len(part.graph) > MOST_SETS_TO_CUT
    return local_search_work(part.n) * (LOOKS_WORTH_OF_MANY if many else 1)


def patience(n: int) -> int:
    """Rounds in a row that may bring little before the search takes over: many variables are too many for it."""
    return 1 if n < GROUPS_FROM else 3


def last_tables(n: int) -> int:
    """The round from which on pattern databases grow no more."""
    return len(GROUP_SIZES) - (1 if n <= LARGE_GROUPS_UP_TO else 2)

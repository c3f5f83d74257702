"""The parent graph: for every variable the parent sets that no subset of theirs beats, cheapest first.

Three flat arrays hold it (see core/parents/parent_graph.h), the same bytes in Python, in the core and in a `.pg` file.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sabna.errors import DataError, Interrupted, LimitReached, UsageError

if TYPE_CHECKING:
    from sabna.data import Table
    from sabna.limits import Limits

# One nat is this many quanta; costs are integers in quanta (core/cost.h).
QUANTA_PER_NAT = 1 << 30
MAX_VARIABLES = 512


def words_for(n: int) -> int:
    """64-bit words of a set of n variables: 1, 2, 4 or 8."""
    return 1 if n <= 64 else 2 if n <= 128 else 4 if n <= 256 else 8


@dataclass(frozen=True, eq=False)
class ParentGraph:
    """Candidate parent sets with their costs.

    `costs` are in quanta of 2^-30 nat, ascending within a variable, ties ordered by set; `sets[k]` holds the bits of
    one parent set; those of variable i stand at `offsets[i]:offsets[i + 1]`. `score`, `rows`, `arities` and
    `parameters` are None or empty where the source (a bare score file) does not tell.
    """

    names: tuple[str, ...]
    offsets: NDArray[np.int64]
    costs: NDArray[np.int64]
    sets: NDArray[np.uint64]
    score: str | None = None
    rows: int | None = None
    arities: tuple[int, ...] | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    statistics: dict[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
        """What the core takes: offsets, costs, sets."""
        return self.offsets, self.costs, self.sets

    def __len__(self) -> int:
        """Number of parent sets of all variables together."""
        return len(self.costs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a .jkl, .pss or .pg file; nothing half-written stays behind."""
        from sabna.formats import write_parent_graph

        write_parent_graph(self, path)

    def parent_sets(self, i: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The (cost in quanta, parents) of variable i, cheapest first."""
        for k in range(self.offsets[i], self.offsets[i + 1]):
            yield int(self.costs[k]), members(self.sets[k])

    def d(self, i: int, U: Iterable[int], *, sliced: bool = False) -> tuple[int, tuple[int, ...]] | None:
        """The paper's d(i, U): cost in quanta and members of the best parent set of i inside U; None if none fits.

        `sliced` asks the bit-sliced lookup instead of scanning the list; the answer is the same.
        """
        from sabna._native import core
        from sabna.scoring import set_words

        available = set_words([[v for v in U if v != i]], self.n)
        cost, index = core.best_parents(*self.arrays, np.array([i], dtype=np.int64), available, sliced)
        return None if index[0] < 0 else (int(cost[0]), members(self.sets[index[0]]))


def members(words: NDArray[np.uint64]) -> tuple[int, ...]:
    """The variables in a set.

    >>> members(np.array([0b1010, 1], dtype=np.uint64))
    (1, 3, 64)
    """
    bits = 0
    for k, word in enumerate(words):
        bits |= int(word) << (64 * k)
    return tuple(v for v in range(bits.bit_length()) if bits >> v & 1)


def threads_for(n_jobs: int) -> int:
    """Threads for `n_jobs`: -1 is all cores this process may use.

    >>> threads_for(2)
    2
    """
    if n_jobs == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs < 1:
        raise UsageError(f"number of jobs {n_jobs}: write 1 or more, or -1 for all cores")
    return n_jobs


def parent_limits(max_parents: int | Mapping[str, int] | None, names: tuple[str, ...]) -> NDArray[np.int64]:
    """The most parents of each variable; a mapping limits those it names."""
    n = len(names)
    limits = np.full(n, n, dtype=np.int64)
    if isinstance(max_parents, Mapping):
        for name, limit in max_parents.items():
            if name not in names:
                raise UsageError(f"max_parents: unknown variable {name!r}")
            limits[names.index(name)] = _parent_limit(limit)
    elif max_parents is not None:
        limits[:] = _parent_limit(max_parents)
    return limits


def _parent_limit(limit: int) -> int:
    if isinstance(limit, bool) or int(limit) != limit or limit < 0:
        raise UsageError(f"max_parents {limit!r}: write a whole number, 0 or more")
    return min(int(limit), MAX_VARIABLES)


@dataclass(frozen=True, eq=False)
class BuiltGraph:
    """A parent graph and how its building ended.

    When `status` is not "complete", `graph` holds what was scored by then, and no set of variable i that is missing
    from it (and not beaten by a subset in it) costs less than `floor[i]` quanta.
    """

    graph: ParentGraph
    status: str
    floor: NDArray[np.int64]

    def complete(self) -> ParentGraph:
        """The graph, or the exception that says why it is not complete."""
        if self.status == "complete":
            return self.graph
        counts = self.graph.statistics
        message = f"after {counts['evaluated']:,} local scores and {counts['seconds']:.1f} s"
        if self.status == "interrupted":
            raise Interrupted(f"scoring was interrupted {message}")
        limit = self.status.replace("_", " ")
        raise LimitReached(
            f"the {limit} struck while scoring, {message}; raise it, or bound the parents with max_parents",
            self.status,
            counts,
        )


def build_partial_graph(
    table: Table,
    score: str = "bic",
    *,
    max_parents: int | Mapping[str, int] | None = None,
    equivalent_sample_size: float | None = None,
    alpha_mu: float | None = None,
    alpha_w: float | None = None,
    knowledge: Any = None,
    slack: float | None = None,
    n_jobs: int = -1,
    progress: Callable[[dict[str, Any]], None] | None = None,
    limits: Limits | None = None,
) -> BuiltGraph:
    """As `build_parent_graph` on a table, but what a limit or Ctrl-C leaves is returned, not raised."""
    from sabna._native import core
    from sabna.limits import Limits
    from sabna.result import STATUSES
    from sabna.scoring import core_parameter, core_table, score_parameters, score_type

    started = time.perf_counter()
    kind = score_type(score)
    given = {"equivalent_sample_size": equivalent_sample_size, "alpha_mu": alpha_mu, "alpha_w": alpha_w}
    parameters = score_parameters(kind, given)
    limits = limits or Limits()
    if table.n > MAX_VARIABLES:
        raise DataError(f"{table.n} variables: at most {MAX_VARIABLES} can be handled; leave some out")
    if kind.continuous:
        return _build_continuous(table, kind.id, parameters, max_parents, knowledge, slack, n_jobs, progress, limits)
    from sabna.constrained import build_constrained_arrays, constraints_of, slack_quanta

    codes, arities = core_table(table)
    threads = threads_for(n_jobs)
    known, constraints = constraints_of(knowledge, table.names, max_parents)
    try:
        if known or slack is not None or kind.child_by_child:
            built = build_constrained_arrays(
                table, kind, core_parameter(parameters), constraints, slack_quanta(slack), n_jobs, limits, progress
            )
        else:
            built = core.build_parent_graph(
                codes,
                arities,
                kind.id,
                core_parameter(parameters),
                parent_limits(max_parents, table.names),
                threads,
                limits.seconds_left(),
                limits.bytes_left(),
                progress,
            )
    except OverflowError as error:
        raise DataError(f"{error}; this table has too many rows") from None
    stop = built["stop"]
    statistics = {
        "sets": len(built["costs"]),
        "evaluated": built["evaluated"],
        "counted": built["counted"],
        "peak_bytes": built["peak_bytes"],
        "seconds": time.perf_counter() - started,
        "threads": threads,
    }
    parameters_out: dict[str, Any] = dict(parameters)
    if max_parents is not None:
        parameters_out["max_parents"] = max_parents
    if known:
        parameters_out["knowledge"] = known.to_dict()
    if slack is not None:
        parameters_out["slack"] = slack
    graph = ParentGraph(
        names=table.names,
        offsets=built["offsets"],
        costs=built["costs"],
        sets=built["sets"],
        score=kind.id,
        rows=table.rows,
        arities=table.arities,
        parameters=parameters_out,
        statistics=statistics,
    )
    return BuiltGraph(graph, "complete" if stop == 0 else STATUSES[stop], built["floor"])


def _build_continuous(
    table: Any,
    score: str,
    parameters: dict[str, float],
    max_parents: int | Mapping[str, int] | None,
    knowledge: Any,
    slack: float | None,
    n_jobs: int,
    progress: Callable[[dict[str, Any]], None] | None,
    limits: Limits,
) -> BuiltGraph:
    """The same for a NumericTable."""
    from sabna.constrained import slack_quanta
    from sabna.gaussian import build_partial_gaussian

    return build_partial_gaussian(
        table,
        score,
        max_parents=max_parents,
        knowledge=knowledge,
        slack=slack_quanta(slack),
        n_jobs=n_jobs,
        limits=limits,
        progress=progress,
        **parameters,
    )


def build_parent_graph(
    data: Any,
    score: str = "bic",
    *,
    max_parents: int | Mapping[str, int] | None = None,
    equivalent_sample_size: float | None = None,
    alpha_mu: float | None = None,
    alpha_w: float | None = None,
    knowledge: Any = None,
    slack: float | None = None,
    time_limit: float | None = None,
    memory_limit: str | int | None = None,
    n_jobs: int = -1,
    progress: Callable[[dict[str, Any]], None] | None = None,
    limits: Limits | None = None,
) -> ParentGraph:
    """All maximal candidate parent sets of every variable, exactly.

    `data` is a Table, or anything `sabna.read_table` takes. `max_parents` limits the parents of every variable, or of
    those that a mapping names; without it there is no limit. `equivalent_sample_size` is the parameter of bdeu and bds,
    `alpha_mu` and `alpha_w` are those of bge (docs/scores.md). `knowledge` is what `Knowledge.of` takes: only sets that
    obey it are listed. `slack` (nats) keeps sets that a subset beats by no more than that, for alternatives. Raises
    `LimitReached` when a limit strikes and `Interrupted` on Ctrl-C.

    >>> import numpy as np
    >>> from sabna.data import Table
    >>> codes = np.array([[0, 1] * 8, [0, 1] * 8, [0, 0, 1, 1] * 4], dtype=np.uint16)
    >>> graph = build_parent_graph(Table(("a", "b", "c"), codes, (("0", "1"),) * 3))
    >>> [parents for _, parents in graph.parent_sets(0)]
    [(1,), ()]
    """
    from sabna.data import read_for_score
    from sabna.limits import Limits

    limits = limits or Limits.of(time_limit, memory_limit)
    data = read_for_score(data, score)
    built = build_partial_graph(
        data,
        score,
        max_parents=max_parents,
        equivalent_sample_size=equivalent_sample_size,
        alpha_mu=alpha_mu,
        alpha_w=alpha_w,
        knowledge=knowledge,
        slack=slack,
        n_jobs=n_jobs,
        progress=progress,
        limits=limits,
    )
    return built.complete()

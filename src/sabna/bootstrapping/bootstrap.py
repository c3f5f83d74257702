"""Bootstrap confidence of edges: how often an edge is found in resampled data (Friedman, Goldszmidt, Wyner 1999).

Replicate b draws its rows from a generator seeded with (seed, b), and is learned exactly by itself (replicates.py); so
the frequencies do not depend on how many replicates run at a time.

What is counted is what the data say. Networks of one Markov equivalence class often score the same, and which of them a
search returns is chance. So an edge counts once in its direction if all members of the class that score best (and obey
the knowledge) have it this way round; any other edge counts a half each way, as in bnlearn's boot.strength. Under a
score-equivalent score these are all members of the class; under the others (k2, bds, fnml) mostly one network.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sabna.base.errors import Interrupted, LimitReached, UsageError
from sabna.base.limits import Limits
from sabna.base.progress import NOTHING
from sabna.base.threads import threads_for
from sabna.base.trace import Trace
from sabna.base.version import __version__
from sabna.bootstrapping.keeping import Kept
from sabna.bootstrapping.replicates import Replicate, Replicates, learn_all, learn_elsewhere, received
from sabna.engine.opening import opened_engine
from sabna.parents.keeping import claim_for_table
from sabna.parents.knowledge import Knowledge
from sabna.parents.reading import check_reading, read_rows, source_of, with_past
from sabna.result.provenance import run_record
from sabna.result.views import view
from sabna.scores.reading import score_for
from sabna.settings import checked, chosen, limits_of, only, takes, with_threads
from sabna.settings.checks import argument, whole
from sabna.settings.table import BootstrapSettings, Known, Score, Scoring, Searching, Strategy
from sabna.table.missing import account_of, account_text
from sabna.workdir.folder import opened

if TYPE_CHECKING:
    from typing_extensions import Unpack

Edge = tuple[str, str]

# Printed text has so many lines of links; the rest is in `links` and in the JSON object.
MOST_LINES = 60
# Replicates that no one waits for.
MOST_REPLICATES = 10**9


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Frequencies over `replicates` resamples, each with a network proven optimal for it.

    `links[a, b]` (names in alphabetical order) is the strength: the share of replicates that join the two, either way
    round. `edges[parent, child]` shares a link out between its directions: 1 for a replicate with this direction, 1/2
    for one that leaves it open, so that `edges[a, b] + edges[b, a] == links[a, b]`. `compelled[parent, child]` is the
    share of replicates that have this direction. `directions` tells strength and direction apart. `asked` is the number
    of replicates asked for; fewer are there when a limit struck, and `status` says which.
    """

    names: tuple[str, ...]
    replicates: int
    asked: int
    seed: int
    edges: dict[Edge, float]
    links: dict[Edge, float]
    compelled: dict[Edge, float]
    status: str = "done"
    statistics: dict[str, Any] = field(default_factory=dict)

    @property
    def directions(self) -> dict[Edge, float]:
        """For every edge: its share of the replicates that join the two, 1/2 where nothing tells the direction."""
        return {(p, c): f / self.links[min(p, c), max(p, c)] for (p, c), f in self.edges.items()}

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `sabna bootstrap`."""
        directions = self.directions
        return {
            "status": self.status,
            "replicates": self.replicates,
            "asked": self.asked,
            "seed": self.seed,
            "n": len(self.names),
            "edges": [
                {"parent": p, "child": c, "frequency": f, "strength": self.links[min(p, c), max(p, c)], "direction": d}
                for ((p, c), f), d in zip(self.edges.items(), directions.values(), strict=True)
            ],
            "links": [{"between": [a, b], "frequency": f} for (a, b), f in self.links.items()],
            "compelled": [{"parent": p, "child": c, "frequency": f} for (p, c), f in self.compelled.items()],
            **self.statistics,
            "version": __version__,
        }

    def plot(self, ax: Any = None, kind: str = "matrix") -> Any:
        """Draw the frequencies of edges with matplotlib (extra `plot`), as a `matrix` or on a `graph`; returns axes.

        On the graph stand the links that half of the networks have, wider where more have them.
        """
        if kind not in ("matrix", "graph"):
            raise UsageError(f"kind {kind!r}: write matrix or graph")
        return view("matrix" if kind == "matrix" else "frequencies")(self.names, self.edges, ax)

    def __str__(self) -> str:
        used = account_text(self.statistics)
        lines = [f"{self.replicates} of {self.asked} replicates (seed {self.seed})", *([used] if used else [])]
        lines.append("  strength  direction")
        directions = self.directions
        for (a, b), strength in list(self.links.items())[:MOST_LINES]:
            forth, back = directions.get((a, b), 0.0), directions.get((b, a), 0.0)
            drawn = f"{a} - {b}" if forth == back else f"{a} -> {b}" if forth > back else f"{b} -> {a}"
            lines.append(f"  {strength:8.1%}  {max(forth, back):9.1%}  {drawn}")
        left = len(self.links) - MOST_LINES
        lines += [f"  and {left} more"] if left > 0 else []
        lines.append("strength: share of the replicates that join the two")
        lines.append("direction: share of these that have it, a half where the data leave it open")
        return "\n".join(lines)


@takes("bootstrap")
def bootstrap(
    data: Any,
    replicates: int = 200,
    score: str = "bic",
    *,
    limits: Limits | None = None,
    **options: Unpack[BootstrapSettings],
) -> Bootstrap:
    """Learn from `replicates` resamples of the rows of `data`; how often is an edge found?

    Data and options are as for `learn`. With `work` finished replicates are kept. `limits` continues the limits of a
    run that has begun.

    >>> found = bootstrap("example:asia", replicates=2, seed=1)
    >>> found.replicates
    2
    """
    settings = with_threads(checked("bootstrap", {"score": score, **options}))
    replicates = argument("replicates", replicates, whole(1, MOST_REPLICATES))
    check_reading(data, settings)
    limits = limits_of(settings, limits)
    settings |= limits.as_settings()
    with opened(settings["work"]) as work, opened_engine(settings["engine"]) as engine:
        settings["engine"] = engine
        table = read_rows(data, settings, limits)
        settings["knowledge"] = Knowledge.of(settings["knowledge"]).to_dict() or None
        settings = with_past(settings, table)
        if work is not None:
            claim_for_table(work, "bootstrap", table, source_of(data), chosen(settings), {"replicates": replicates})
        record = run_record(source_of(data), table, {"replicates": replicates, **chosen(settings)}, "bootstrap")
        found = _bootstrap(table, replicates, settings, limits, None if work is None else Kept(work, limits), record)
        if work is not None:
            work.ended = found.status
        return found


def _bootstrap(
    table: Any,
    replicates: int,
    settings: dict[str, Any],
    limits: Limits,
    kept: Kept | None,
    record: dict[str, Any],
) -> Bootstrap:
    """Learn the replicates that are not kept already."""
    seed, progress = settings["seed"], settings["progress"]
    settings = {**settings, "score": score_for(table, settings["score"])}
    task = Replicates(table, seed, only(settings, Score, Scoring, Known), only(settings, Strategy, Searching))
    done: list[Replicate] = [] if kept is None else kept.load(replicates)
    status = "done"
    here = {replicate.number for replicate in done}
    numbers = [b for b in range(replicates) if b not in here]
    try:
        with closing(learned_somewhere(task, numbers, settings, limits)) as learned:
            for found in learned:
                if found.status != "optimal":
                    status = found.status
                    break
                done.append(found)
                if kept is not None:
                    kept.add(done, replicates)
                if progress is not None:
                    told = {**NOTHING, "station": "bootstrap", "finished": len(done), "total": replicates}
                    progress(Trace().report(told, limits.elapsed()))
    except LimitReached as error:
        status = error.status
    except MemoryError:
        status = "memory_limit"
    except (KeyboardInterrupt, Interrupted):
        status = "interrupted"
    if kept is not None:
        kept.save(done, replicates, status)
    about = {**account_of(table.statistics), "run": record, "seconds": limits.elapsed()}
    if not done and status == "interrupted":
        raise Interrupted("interrupted before the first replicate was learned")
    if not done:
        message = f"the {status.replace('_', ' ')} struck before the first replicate was learned; raise it"
        raise LimitReached(message, status)
    return counted(table.names, done, asked=replicates, seed=seed, status=status, statistics=about)


def learned_somewhere(
    task: Replicates, numbers: list[int], settings: dict[str, Any], limits: Limits
) -> Generator[Replicate, None, None]:
    """The replicates of these numbers, as they come: from the engine, if there is one, else from processes here."""
    engine = settings["engine"]
    if engine is None:
        yield from learn_all(task, numbers, threads_for(settings["n_jobs"]), limits)
        return
    progress = settings["progress"]

    def told(report: dict[str, Any]) -> None:
        progress(Trace().report({**NOTHING, **report, "station": "bootstrap"}, limits.elapsed()))

    listening = None if progress is None else told
    for k, reply in engine.run(learn_elsewhere, [engine.share(task)], numbers, limits, listening):
        yield received(numbers[k], reply)


def counted(names: tuple[str, ...], found: list[Replicate], **about: Any) -> Bootstrap:
    """The frequencies over what was learned; `about` are the other fields of a Bootstrap."""
    compelled, links = Counter[Edge](), Counter[Edge]()
    for replicate in found:
        compelled.update(replicate.directed)
        links.update((min(edge), max(edge)) for edge in replicate.network.edges)
    edges = Counter[Edge]()  # in halves, so that counts stay whole
    for (a, b), joined in links.items():
        undirected = joined - compelled[a, b] - compelled[b, a]
        edges[a, b] = 2 * compelled[a, b] + undirected
        edges[b, a] = 2 * compelled[b, a] + undirected

    def shares(counts: Counter[Edge], whole: int) -> dict[Edge, float]:
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return {edge: count / whole for edge, count in ordered if count}

    m = len(found)
    return Bootstrap(
        names, m, edges=shares(edges, 2 * m), links=shares(links, m), compelled=shares(compelled, m), **about
    )

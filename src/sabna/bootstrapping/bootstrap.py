"""Bootstrap confidence of edges: how often an edge is in the best network of resampled data (Friedman, Goldszmidt,
Wyner 1999).

Replicate b draws its rows from a generator seeded with (seed, b), and is learned exactly by itself (resampling.py); so
the frequencies do not depend on how many replicates run at a time.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sabna.base.errors import Interrupted, LimitReached, UsageError
from sabna.base.limits import Limits
from sabna.base.threads import threads_for
from sabna.base.version import __version__
from sabna.bootstrapping.replicates import Replicates, learn_all
from sabna.network import Network
from sabna.parents.knowledge import Knowledge
from sabna.scores.reading import read_for_score
from sabna.settings import checked, only, takes
from sabna.settings.table import Known, LearnSettings, Reading, Score, Scoring, Searching, Strategy

if TYPE_CHECKING:
    from typing_extensions import Unpack

Edge = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Frequencies over `replicates` networks, each proven optimal for its resample.

    `edges[parent, child]` counts an edge in its direction; `links[a, b]` (a before b in the table) in either direction;
    `compelled[parent, child]` where the whole equivalence class of the network has it in this direction. `asked` is the
    number of replicates asked for; fewer are there when a limit struck, and `status` says which.
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

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `sabna bootstrap`."""
        return {
            "status": self.status,
            "replicates": self.replicates,
            "asked": self.asked,
            "seed": self.seed,
            "n": len(self.names),
            "edges": [{"parent": p, "child": c, "frequency": f} for (p, c), f in self.edges.items()],
            "links": [{"between": [a, b], "frequency": f} for (a, b), f in self.links.items()],
            "compelled": [{"parent": p, "child": c, "frequency": f} for (p, c), f in self.compelled.items()],
            **self.statistics,
            "version": __version__,
        }

    def __str__(self) -> str:
        lines = [f"{self.replicates} of {self.asked} replicates (seed {self.seed}); edges in either direction:"]
        for (a, b), f in list(self.links.items())[:60]:
            forth, back = self.edges.get((a, b), 0.0), self.edges.get((b, a), 0.0)
            lines.append(f"  {f:6.1%}  {a} - {b}   ({a} -> {b} {forth:.1%}, {b} -> {a} {back:.1%})")
        left = len(self.links) - 60
        return "\n".join([*lines, *([f"  and {left} more"] if left > 0 else [])])


@takes("bootstrap")
def bootstrap(
    data: Any,
    replicates: int = 200,
    score: str = "bic",
    *,
    limits: Limits | None = None,
    **options: Unpack[LearnSettings],
) -> Bootstrap:
    """Learn from `replicates` resamples of the rows; options as for `learn`.

    >>> found = bootstrap("example:asia", replicates=2, seed=1)
    >>> found.replicates
    2
    """
    settings = checked("bootstrap", {"score": score, **options})
    if isinstance(replicates, bool) or not replicates >= 1 or replicates != replicates // 1:
        raise UsageError(f"replicates {replicates!r}: write a whole number, 1 or more")
    limits = limits or Limits.of(settings["time_limit"], settings["memory_limit"])
    table = read_for_score(data, score, **only(settings, Reading))
    seed, progress = settings["seed"], settings["progress"]
    settings["knowledge"] = knowledge = Knowledge.of(settings["knowledge"]).to_dict() or None
    task = Replicates(table, seed, only(settings, Score, Scoring, Known), only(settings, Strategy, Searching))
    done: list[Network] = []
    status = "done"
    try:
        with closing(learn_all(task, replicates, threads_for(settings["n_jobs"]), limits)) as learned:
            for how, network in learned:
                if how != "optimal":
                    status = how
                    break
                done.append(network)
                if progress is not None:
                    progress({"station": "bootstrap", "finished": len(done), "total": replicates})
    except LimitReached as error:
        status = error.status
    except (KeyboardInterrupt, Interrupted):
        status = "interrupted"
    seconds = {"seconds": limits.elapsed()}
    if not done and status == "interrupted":
        raise Interrupted("interrupted before the first replicate was learned")
    if not done:
        message = f"the {status.replace('_', ' ')} struck before the first replicate was learned; raise it"
        raise LimitReached(message, status)
    return _counted(table.names, done, replicates, seed, status, seconds, knowledge)


def _counted(
    names: tuple[str, ...],
    networks: list[Network],
    asked: int,
    seed: int,
    status: str,
    statistics: dict[str, Any],
    knowledge: Any,
) -> Bootstrap:
    position = {name: k for k, name in enumerate(names)}
    edges, links, compelled = Counter[Edge](), Counter[Edge](), Counter[Edge]()
    for network in networks:
        edges.update(network.edges)
        links.update(tuple(sorted(edge, key=position.__getitem__)) for edge in network.edges)  # type: ignore[misc]
        compelled.update(network.cpdag(knowledge).compelled)

    def shares(counts: Counter[Edge]) -> dict[Edge, float]:
        ordered = sorted(counts.items(), key=lambda item: (-item[1], [position[v] for v in item[0]]))
        return {edge: count / len(networks) for edge, count in ordered}

    return Bootstrap(
        names, len(networks), asked, seed, shares(edges), shares(links), shares(compelled), status, statistics
    )

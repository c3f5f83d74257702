"""Posterior probabilities of edges: how much the data say of each, over all networks instead of the best one.

P(network | data) is proportional to exp(score) times the prior of the network, if the score is the logarithm of a
marginal likelihood; bic approximates one. The probability of an edge is a sum over all networks that have it: 4.2e18
for 10 variables, 2.3e72 for 20. Dynamic programming over subsets of the variables does it, exactly, for up to
`MOST_EXACT` variables (core/posterior/, where the two priors and their recurrences stand).

Every parent set counts, also those that a subset beats: the parent graph is built with a slack that keeps all. Prior
knowledge and `max_parents` leave out the networks that disobey.

Beyond `MOST_EXACT` variables the k best networks are listed instead. Their weights relative to each other are no
posterior probabilities, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sabna._native import core
from sabna.alternatives.kbest import kbest
from sabna.averaging.probabilities import Posterior
from sabna.base.cost import LARGEST_SLACK, QUANTA_PER_NAT
from sabna.base.errors import Interrupted, KnowledgeError, LimitReached, UsageError
from sabna.base.limits import Limits, megabytes
from sabna.base.stop import Stop, status_of
from sabna.base.threads import threads_for
from sabna.parents.build import build_parent_graph
from sabna.parents.graph import ParentGraph
from sabna.parents.knowledge import Knowledge
from sabna.parents.reading import check_reading, read_rows, source_of, with_past
from sabna.result.provenance import run_record
from sabna.scores.registry import score_type
from sabna.settings import checked, chosen, limits_of, only, takes
from sabna.settings.choose import refuse_with_kbest
from sabna.settings.table import Known, PosteriorSettings, Running, Scoring, Threads
from sabna.table.missing import account_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

# Sums over all networks take time in proportion to 3^n by the uniform prior, memory to n 2^n by both: 22 variables need
# 1.7 GB for the tables on two threads, besides the local scores.
MOST_EXACT = 22
# Logarithms of marginal likelihoods, or approximations to them.
MARGINAL = ("bdeu", "k2", "bds", "bge", "bcg", "bic", "bic-g", "bic-cg")
# More than any two parent sets can differ by, in nats.
ALL_SETS = 2 * LARGEST_SLACK / QUANTA_PER_NAT


@takes("posterior")
def posterior(
    data: Any,
    score: str = "bdeu",
    *,
    limits: Limits | None = None,
    **options: Unpack[PosteriorSettings],
) -> Posterior:
    """Posterior probabilities of edges over all networks of `data`, exact for up to 22 variables.

    `prior` is "uniform" (every network counts once) or "order" (once for every order of the variables it agrees with;
    much quicker). `samples` networks are drawn from the posterior for `Posterior.path` and `Posterior.feature`. With
    more variables, or `method="kbest"`, the answer is over the `k` best networks. The other options are those of
    reading, scoring and running, see [settings](settings.md). `limits` continues the limits of a run that has begun.

    >>> found = posterior("example:asia", prior="order", samples=100)
    >>> round(found.probability("smoke", "bronc") + found.probability("bronc", "smoke"), 3)
    1.0
    >>> len(found.networks)
    100
    """
    settings = checked_settings(data, {"score": score, **options})
    limits = limits_of(settings, limits)
    settings |= limits.as_settings()
    settings["knowledge"] = Knowledge.of(settings["knowledge"]).to_dict() or None
    table = read_rows(data, settings, limits)
    settings = with_past(settings, table)
    # The score is told in any case: that of other functions is bic if nobody gives one.
    told = {"score": settings["score"], **chosen(settings, "posterior")}
    record = run_record(source_of(data), table, told, "posterior")
    found = _averaged(table, settings, limits, options.get("k"))
    return replace(found, statistics={**found.statistics, "run": record})


def checked_settings(data: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """All options, checked together with the data they are for; nothing is read."""
    settings = checked("posterior", options)
    if score_type(settings["score"]).id not in MARGINAL:
        raise UsageError(
            f"score {settings['score']!r}: probabilities need the logarithm of a marginal likelihood; use bdeu for "
            "categories, bge for numbers, bcg for both"
        )
    check_reading(data, settings)
    return settings


def _averaged(table: Any, settings: dict[str, Any], limits: Limits, k: int | None) -> Posterior:
    """Over all networks, or over the best where there are too many; `k` if it was given."""
    method = settings["method"]
    if method == "exact" and table.n > MOST_EXACT:
        raise UsageError(
            f"{table.n} variables: sums over all networks are possible for at most {MOST_EXACT}; leave some out, or "
            "use the method kbest"
        )
    if method == "kbest" or table.n > MOST_EXACT:
        return _over_the_best(table, settings, limits)
    if k is not None:
        raise UsageError(f"k {k}: the sums are over all networks here; leave k out, or use the method kbest")
    return _over_all(table, settings, limits)


def _over_all(table: Any, settings: dict[str, Any], limits: Limits) -> Posterior:
    """By sums over all networks."""
    threads = threads_for(settings["n_jobs"])
    limits.require_memory(core.posterior_bytes(table.n, threads), f"summing over networks of {table.n} variables")
    graph = build_parent_graph(
        table,
        settings["score"],
        slack=ALL_SETS,
        limits=limits,
        progress=settings["progress"],
        **only(settings, Scoring, Known, Threads),
    )
    began = limits.elapsed()
    found = core.posterior(
        *graph.arrays,
        settings["prior"] == "uniform",
        settings["samples"],
        settings["seed"],
        threads,
        limits.left(),
        settings["progress"],
    )
    _check_stop(found.stop, table.n, threads)
    if not found.possible:
        raise KnowledgeError("no network can be made of these parent sets; loosen the knowledge or max_parents")
    choices = found.choices.reshape(-1, table.n)
    return Posterior(
        table.names,
        found.edges.reshape(table.n, table.n),
        settings["score"],
        settings["prior"],
        True,
        graph.sets[graph.offsets[:-1] + choices],
        np.full(len(choices), 1 / max(1, len(choices))),
        found.log_total,
        table.rows,
        {
            **account_of(table.statistics),
            "parent_graph": {"sets": len(graph), **graph.statistics},
            "posterior": {"samples": len(choices), "seed": settings["seed"], "seconds": limits.elapsed() - began},
            "seconds": limits.elapsed(),
        },
    )


def _check_stop(stop: Stop, n: int, threads: int) -> None:
    """The exception of a run that ended before there was an answer."""
    if stop == Stop.interrupted:
        raise Interrupted("interrupted before all networks were summed up")
    if stop != Stop.none:
        needed = megabytes(core.posterior_bytes(n, threads))
        raise LimitReached(
            f"the {status_of(stop).replace('_', ' ')} struck before all networks were summed up ({n} variables take "
            f"{needed} besides the local scores); raise it, or use the method kbest",
            status_of(stop),
        )


def _over_the_best(table: Any, settings: dict[str, Any], limits: Limits) -> Posterior:
    """By the k best networks, relative to each other."""
    refuse_with_kbest(settings)  # by the method auto, of so many variables
    asked = {"score": settings["score"], **only(settings, Scoring, Known, Threads, Running)}
    best = kbest(table, settings["k"], limits=limits, **asked)
    if best.status != "done" or not best.counted:
        raise LimitReached(
            f"the {settings['k']} best networks could not be listed; raise the limits, or ask for another k",
            "time_limit" if best.status == "done" else best.status,
        )
    graph: ParentGraph = best.graph
    position = {name: k for k, name in enumerate(table.names)}
    edges = np.zeros((table.n, table.n))
    for (parent, child), weight in best.edge_frequencies.items():
        edges[position[parent], position[child]] = weight
    return Posterior(
        table.names,
        edges,
        settings["score"],
        settings["prior"],
        False,
        graph.sets[best.choices],
        best.weights,
        None,
        table.rows,
        {**best.statistics, "complete": best.complete, "counted": best.counted},
    )

"""Bootstrap confidence beside a result: how often resampled data join two variables, and this way round.

A result tells the best network for the data at hand; a bootstrap (sabna.bootstrapping) tells what of it stays when the
data are drawn anew. `with_bootstrap` keeps the two together, in the JSON of the result under `statistics.bootstrap`, so
that the report can show them in one drawing. Only edges of the network are kept; an edge that no replicate has is 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sabna.base.errors import DataError

if TYPE_CHECKING:
    from sabna.result.result import Result

KEY = "bootstrap"
Edge = tuple[str, str]


@dataclass(frozen=True)
class Confidence:
    """Of one edge: the share of replicates that join the two, and of these the share with this direction."""

    strength: float
    direction: float


def with_bootstrap(result: Result, found: Any) -> Result:
    """The result with the confidence of its edges, of a Bootstrap or its JSON object."""
    try:
        document = found if isinstance(found, Mapping) else found.to_dict()
        listed = {(e["parent"], e["child"]): (float(e["strength"]), float(e["direction"])) for e in document["edges"]}
        joined = {frozenset(link["between"]): float(link["frequency"]) for link in document["links"]}
        replicates, count = int(document["replicates"]), int(document["n"])
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DataError(
            "this is no bootstrap: give what sabna.bootstrap returns, or the JSON object that `sabna bootstrap DATA -o "
            "FILE.json` writes"
        ) from None
    named = {name for edge in listed for name in edge}
    if count != len(result.network.variables) or not named <= set(result.network.variables):
        raise DataError("the bootstrap is of other variables than the result; run both on the same table")
    edges = []
    for parent, child in result.network.edges:
        strength, direction = listed.get((parent, child), (joined.get(frozenset((parent, child)), 0.0), 0.0))
        edges.append({"parent": parent, "child": child, "strength": strength, "direction": direction})
    kept = {"replicates": replicates, "edges": edges}
    return replace(result, statistics={**result.statistics, KEY: kept})


def confidence_of(result: Result) -> dict[Edge, Confidence]:
    """The confidence of the edges, where the result holds one; a file may hold anything."""
    kept = result.statistics.get(KEY)
    found = {}
    for entry in kept.get("edges", ()) if isinstance(kept, Mapping) else ():
        try:
            shares = float(entry["strength"]), float(entry["direction"])
            edge = str(entry["parent"]), str(entry["child"])
        except (KeyError, TypeError, ValueError):
            return {}
        if not all(0 <= share <= 1 for share in shares):
            return {}
        found[edge] = Confidence(*shares)
    return found


def replicates_of(result: Result) -> int:
    """How many replicates the confidence is of."""
    kept = result.statistics.get(KEY)
    count = kept.get("replicates") if isinstance(kept, Mapping) else None
    return count if isinstance(count, int) else 0

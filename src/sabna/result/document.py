"""The JSON object of a result, checked field by field before a result is made of it.

A result that was read is printed, compared, written again and made into a report that people believe. So nothing is
taken over that could contradict itself there: bounds that cross, "optimal" with a gap, strengths of edges that the
network does not have, numbers that are no numbers.
"""

from __future__ import annotations

from typing import Any

from sabna.base.cost import INFINITE, QUANTA_PER_NAT
from sabna.base.jsontext import check_plain
from sabna.base.stop import CONVERGED, STATUSES
from sabna.base.texts import shown
from sabna.network import Network
from sabna.network.strengths import ArcStrength
from sabna.parents.knowledge import Knowledge

# Any number that a report can show.
MAX_TOLERANCE = 1e300
# Seconds, bytes and rows beyond these are no measurements.
MAX_SECONDS = 1e12
MAX_COUNT = (1 << 63) - 1


def checked_fields(document: dict[str, Any], network: Network, own_keys: frozenset[str]) -> dict[str, Any]:
    """The fields of a result beside its network; ValueError names the one that is missing or wrong."""
    check_plain(document)
    if not network.variables:
        raise ValueError("the network has no variable")
    fields = {
        "status": document["status"],
        "cost_quanta": _whole(document, "cost_quanta", -INFINITE, INFINITE),
        "lower_bound_quanta": _whole(document, "lower_bound_quanta", -INFINITE, INFINITE),
        "gap_tolerance": _number(document, "gap_tolerance", 0, MAX_TOLERANCE),
        "rows": None if document.get("rows") is None else _whole(document, "rows", 0, MAX_COUNT),
        "score_type": _text(document, "score_type"),
        "seconds": _number({"seconds": 0.0, **document}, "seconds", 0, MAX_SECONDS),
        "peak_memory_bytes": _whole({"peak_memory_bytes": 0, **document}, "peak_memory_bytes", 0, MAX_COUNT),
        "statistics": _statistics({key: value for key, value in document.items() if key not in own_keys}),
        "local_costs": _local_costs(document.get("local_costs"), network),
        "arcs": _arcs(document.get("arcs"), network),
        "run": _run(document.get("run")),
        "certificate": _certificate(document.get("certificate")),
    }  # fmt: skip
    _check_proof(**{key: fields[key] for key in ("status", "cost_quanta", "lower_bound_quanta", "gap_tolerance")})
    return fields


def _check_proof(status: str, cost_quanta: int, lower_bound_quanta: int, gap_tolerance: float) -> None:
    gap = (cost_quanta - lower_bound_quanta) / QUANTA_PER_NAT
    if gap < 0:
        raise ValueError("the lower bound is above the cost of the network")
    if status in ("optimal", CONVERGED) and gap > gap_tolerance:
        raise ValueError(f"'{status}' with a gap of {gap:.4g}, which is above its tolerance of {gap_tolerance:.4g}")


def is_status(value: Any) -> bool:
    """Whether this is one of the words a run may end with."""
    return isinstance(value, str) and value in STATUSES


def _whole(fields: dict[str, Any], key: str, least: int, most: int) -> int:
    value = fields.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{key} must be a whole number between {least} and {most}, not {shown(value)}")
    return value


def _number(fields: dict[str, Any], key: str, least: float, most: float) -> float:
    value = fields.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{key} must be a number between {least:g} and {most:g}, not {shown(value)}")
    return float(value)


def _text(fields: dict[str, Any], key: str) -> str | None:
    value = fields.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{key} must be a text, not {shown(value)}")
    return value


def _statistics(sections: dict[str, Any]) -> dict[str, Any]:
    """Sections are objects, counts in them whole numbers; the trace is a list of times with bounds."""
    for name, count in (("parent_graph", "sets"), ("search", "expanded")):
        section = sections.get(name)
        if section is not None and not isinstance(section, dict):
            raise ValueError(f"{name} must be an object, not {shown(section)}")
        if section and count in section:
            _whole(section, count, 0, MAX_COUNT)
    trace = sections.get("trace")
    if trace is not None and not isinstance(trace, list):
        raise ValueError(f"trace must be a list, not {shown(trace)}")
    for point in trace or ():
        if not isinstance(point, dict):
            raise ValueError(f"a point of the trace must be an object, not {shown(point)}")
        _number(point, "seconds", 0, MAX_SECONDS)
        for key in ("lower_bound", "upper_bound"):
            if point.get(key) is not None:
                _number(point, key, -INFINITE, INFINITE)
    return sections


def _local_costs(costs: Any, network: Network) -> dict[str, int] | None:
    if costs is None:
        return None
    if not isinstance(costs, dict) or set(costs) != set(network.variables):
        raise ValueError("local_costs must hold a cost for every variable of the network, and for nothing else")
    return {name: _whole(costs, name, -INFINITE, INFINITE) for name in costs}


def _arcs(arcs: Any, network: Network) -> tuple[ArcStrength, ...] | None:
    if arcs is None:
        return None
    if not isinstance(arcs, list) or not all(isinstance(arc, dict) for arc in arcs):
        raise ValueError("arcs must be a list of objects")
    found = []
    for arc in arcs:
        if not isinstance(arc.get("compelled"), bool):
            raise ValueError(f"compelled of an arc must be true or false, not {shown(arc.get('compelled'))}")
        removal, reversal = arc.get("removal_quanta"), arc.get("reversal_quanta")
        found.append(
            ArcStrength(
                str(arc.get("parent")),
                str(arc.get("child")),
                arc["compelled"],
                None if removal is None else _whole(arc, "removal_quanta", -INFINITE, INFINITE),
                None if reversal is None else _whole(arc, "reversal_quanta", -INFINITE, INFINITE),
            )
        )
    if sorted((arc.parent, arc.child) for arc in found) != sorted(network.edges):
        raise ValueError("arcs must list every edge of the network once, and nothing else")
    return tuple(found)


def _certificate(certificate: Any) -> dict[str, Any] | None:
    """Where the proof is: shown, and never taken for the proof itself."""
    if certificate is None:
        return None
    if not isinstance(certificate, dict):
        raise ValueError(f"certificate must be an object, not {shown(certificate)}")
    for key in ("file", "sha256", "proves"):
        _text(certificate, key)
    if not isinstance(certificate.get("checked", False), bool):
        raise ValueError(f"checked of the certificate must be true or false, not {shown(certificate['checked'])}")
    return certificate


def _run(run: Any) -> dict[str, Any]:
    """How it was run. Knowledge is looked at again when the report is made, so that it must hold together."""
    if run is None:
        return {}
    if not isinstance(run, dict):
        raise ValueError(f"run must be an object, not {shown(run)}")
    known = run.get("knowledge")
    if known is not None and not isinstance(known, dict):  # a text would be taken for the name of a file
        raise ValueError(f"the knowledge of the run must be an object, not {shown(known)}")
    Knowledge.of(known)
    targets = run.get("targets")
    if targets is not None:
        lists = isinstance(targets, list) and all(isinstance(target, list) for target in targets)
        if not lists or not all(isinstance(name, str) for target in targets for name in target):
            raise ValueError(f"the targets of the run must be lists of names, not {shown(targets)}")
    return dict(run)

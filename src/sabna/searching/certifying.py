"""The certificate of one search: opened with what it is about, filled by the ledger, ended with the claim."""

from __future__ import annotations

from typing import Any

import numpy as np

from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.version import __version__
from sabna.certificate.writing import CertificateFile, Ints, fingerprint, in_order, places
from sabna.parents.filter import obeying
from sabna.parents.graph import ParentGraph
from sabna.result.result import Result
from sabna.searching.ledger import Ledger


class Certificate:
    """`listed` is the graph as its file has it, `searched` what is searched of it.

    Sets are gone since a subset beats them, or also since what is `known` (of the search's settings) forbids them.
    """

    def __init__(self, path: str, listed: ParentGraph, searched: ParentGraph, known: dict[str, Any] | None) -> None:
        self.file = CertificateFile(path)
        self.places = places(searched, listed)
        self.file.line("graph", sha256=fingerprint(listed), variables=listed.n, sets=len(listed))
        self.file.note("program", f"sabna {__version__}")
        if len(searched) < len(listed):
            self._tell_what_is_gone(listed, known)
        self.ledger = Ledger(self.file, np.arange(listed.n), self.places)

    def _tell_what_is_gone(self, listed: ParentGraph, known: dict[str, Any] | None) -> None:
        """The sets that knowledge forbids; the others are dominated, which the checker sees for itself."""
        gone = np.ones(len(listed), bool)
        gone[self.places] = False
        obeys = np.ones(len(listed), bool) if known is None else obeying(listed, known)[in_order(listed)]
        if (forbidden := gone & ~obeys).any():
            self.file.line("leave-out", sets=np.flatnonzero(forbidden))
        if (dominated := gone & obeys).any():
            self.file.line("drop", part=0, sets=np.flatnonzero(dominated))

    def end(self, result: Result, choice: Ints, tolerance: int) -> dict[str, Any]:
        """Claim what is proven; what the result says of its certificate."""
        cost, lower = result.cost_quanta, min(self.ledger.proven(), result.lower_bound_quanta)
        status = result.status if cost - lower > tolerance or result.status == "optimal" else "optimal"
        if status == "optimal" and cost - lower > tolerance:
            status = "unfinished"
        self.file.line("network", cost=cost, sets=self.places[choice])
        self.file.end(lower, cost, tolerance, status)
        told = {"file": self.file.path, "sha256": self.file.ended, "bytes": self.file.bytes, "checked": False}
        told |= {"status": status, "lower_bound_quanta": lower, "proves": _words(cost, lower, tolerance)}
        return told


def _words(cost: int, lower: int, tolerance: int) -> str:
    if cost - lower <= tolerance:
        return "optimal"
    return f"within {(cost - lower) / QUANTA_PER_NAT:.6g} nats of the best"

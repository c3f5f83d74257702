"""What the kinds of columns say about directions: a discrete variable has no continuous parent (conditional Gaussian).

So an edge from a category to a quantity cannot be turned round, whatever the independencies leave open. The equivalence
class of a network of a mixed table is that of its members that obey, as under prior knowledge.
"""

from __future__ import annotations

from typing import Any

from sabna.parents.knowledge import Knowledge
from sabna.table.mixed import MixedTable


def class_knowledge(knowledge: Any, table: Any) -> dict[str, Any] | None:
    """The knowledge that the class has to obey: what is given, and the kinds of columns of a mixed table."""
    known = Knowledge.of(knowledge).to_dict()
    if isinstance(table, MixedTable):
        of_kind = {kind: [name for name, k in table.kinds.items() if k == kind] for kind in ("continuous", "discrete")}
        impossible = [[c, d] for c in of_kind["continuous"] for d in of_kind["discrete"]]
        given = [list(edge) for edge in known.get("forbidden", ())]
        if impossible:
            known["forbidden"] = [*given, *(edge for edge in impossible if edge not in given)]
    return known or None

"""The blocks that BIF and DSC share: a variable with its states, and a table row by row.

    variable NAME { type discrete [ 2 ] { a, b }; }          probability ( NAME | PARENT ) { (a) 0.1, 0.9; default 0.5, 0.5; }
    node NAME { type : discrete [ 2 ] = { "a", "b" }; }      probability ( NAME | PARENT ) { (0) : 0.1, 0.9; }

DSC has a colon here and an equals sign there, and calls the states of parents by number. All numbers announced are
compared with what is there before a table is made.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Sequence

from sabna.base.texts import shown
from sabna.network.files.assemble import Draft
from sabna.network.files.text import Scanner
from sabna.network.mangling import decode

# Finds the row for these states of the parents of a variable.
Place = Callable[[str, Sequence[str]], tuple[int, ...]]


def read_variable(scan: Scanner, draft: Draft) -> None:
    """A block that declares a variable, from its name on."""
    name = decode(scan.next())
    states: list[str] | None = None
    scan.expect("{")
    while not scan.take("}"):
        if not scan.take("type"):
            scan.skip_statement()
            continue
        scan.take(":")
        scan.expect("discrete")
        announced = scan.whole_until("]") if scan.take("[") else None
        scan.take("=")
        scan.expect("{")
        states = [decode(word) for word in scan.states_until("}", announced)]
        if announced is not None and announced != len(states):
            raise scan.error(f"{shown(name)} announces {announced} states and lists {len(states)}; correct one")
        scan.take(";")
    if states is None:
        raise scan.error(f"variable {shown(name)} has no states")
    draft.add_variable(name, states)


def read_probability(scan: Scanner, draft: Draft, place: Place, bare_numbers: bool) -> None:
    """A block with a table, from its head on.

    In BIF a whole table stands behind the word `table`, the states of the variable itself running slowest; in DSC it is
    `bare_numbers`, and they run fastest.
    """
    scan.expect("(")
    name = decode(scan.next())
    table = draft.add_table(name, [decode(word) for word in scan.names_until(")", also="|")])
    scan.expect("{")
    while not scan.take("}"):
        if scan.take("("):
            row = place(name, [decode(word) for word in scan.states_until(")", len(draft.parents[name]))])
            scan.take(":")
            table.set_row(row, scan.numbers_until(";"))
        elif scan.take("default"):
            scan.take(":")
            table.set_default(scan.numbers_until(";"))
        elif bare_numbers:
            table.set_whole(scan.numbers_until(";"))
        elif scan.take("table"):
            table.set_whole(scan.numbers_until(";"), child_first=True)
        else:
            scan.skip_statement()
    table.finish()

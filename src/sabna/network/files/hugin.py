"""Hugin NET: read by Hugin, GeNIe, pgmpy, pyAgrum, gRain and others.

    node NAME { states = ("a" "b"); }          potential ( NAME | PARENT ... ) { data = ((0.1 0.9)(0.2 0.8)); }

In `data` the states of the variable itself run fastest, then those of the last parent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sabna.network import Network
from sabna.network.files.assemble import Draft
from sabna.network.files.text import NET_MARKS, Scanner, decode_text, encode_names, numbers
from sabna.network.mangling import decode, encode, state_character
from sabna.network.parameters import fitted

T = TypeVar("T")


def write(network: Network) -> str:
    """The network in Hugin's format."""
    states, tables = fitted(network)
    name = encode_names(network.variables)
    lines = ["net", "{", "}"]
    for v in network.variables:
        quoted = " ".join(f'"{encode(s, state_character)}"' for s in states[v])
        lines += [f"node {name[v]}", "{", f"  states = ({quoted});", "}"]
    for v in network.variables:
        given = " ".join(name[p] for p in network.parents[v])
        head = f"potential ({name[v]} | {given})" if given else f"potential ({name[v]})"
        lines += [head, "{", f"  data = {_nested(tables[v])};", "}"]
    return "\n".join(lines) + "\n"


def _nested(table: NDArray[np.float64]) -> str:
    if table.ndim == 1:
        return f"({numbers(table, ' ')})"
    return "(" + "".join(map(_nested, table)) + ")"


def read(content: bytes, path: str) -> Network:
    """The network of a NET file."""
    text = "\n".join(_without_comment(line) for line in decode_text(content, path).split("\n"))
    scan = Scanner(text, path, NET_MARKS)
    draft = Draft(path)
    while scan.more():
        if scan.take("net"):
            scan.skip_block()
        elif scan.take("node") or scan.take("discrete"):
            scan.take("node")
            name = decode(scan.next())
            draft.add_variable(name, [decode(word) for word in _field(scan, "states", scan.names_until)])
        elif scan.take("potential"):
            scan.expect("(")
            name = decode(scan.next())
            table = draft.add_table(name, [decode(word) for word in scan.names_until(")", also="|")])
            table.set_whole(_field(scan, "data", scan.numbers_until))
            table.finish()
        else:
            raise scan.unexpected("'net', 'node' or 'potential'")
    return draft.network()


def _without_comment(line: str) -> str:
    """A line up to `%`, unless that stands in a string."""
    parts = line.split('"')
    for k in range(0, len(parts), 2):
        if "%" in parts[k]:
            return '"'.join([*parts[:k], parts[k].split("%")[0]])
    return line


def _field(scan: Scanner, wanted: str, read_list: Callable[..., list[T]]) -> list[T]:
    """The list behind `wanted =` in a block of `key = value;`; parentheses in the list are passed over."""
    found: list[T] | None = None
    scan.expect("{")
    while not scan.take("}"):
        key = scan.next().lower()
        scan.expect("=")
        if key != wanted:
            scan.skip_statement()
        elif found is None:
            found = read_list(";", also="()")
        else:
            raise scan.error(f"a second {wanted!r} in one block; remove one")
    if found is None:
        raise scan.error(f"a block without {wanted!r}")
    return found

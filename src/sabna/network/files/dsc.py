"""DSC, the format of Microsoft's Bayesian network editor; read by GeNIe and bnlearn.

    node NAME { type : discrete [2] = { "a", "b" }; }      probability ( NAME | PARENT ) { (0) : 0.1, 0.9; }

States of parents are given by number, counted from 0.
"""

from __future__ import annotations

import numpy as np

from sabna.network import Network
from sabna.network.files.assemble import Draft
from sabna.network.files.text import DSC_MARKS, Scanner, decode_text, encode_names, numbers
from sabna.network.mangling import decode, encode, state_character
from sabna.network.parameters import fitted


def write(network: Network) -> str:
    """The network as DSC."""
    states, tables = fitted(network)
    name = encode_names(network.variables)
    lines = ['belief network "network"']
    for v in network.variables:
        quoted = ", ".join(f'"{encode(s, state_character)}"' for s in states[v])
        lines += [f"node {name[v]} {{", f"  type : discrete [ {len(states[v])} ] = {{ {quoted} }};", "}"]
    for v in network.variables:
        parents = network.parents[v]
        if not parents:
            lines += [f"probability ( {name[v]} ) {{", f"  {numbers(tables[v])};", "}"]
            continue
        lines += [f"probability ( {name[v]} | {', '.join(name[p] for p in parents)} ) {{"]
        for configuration in np.ndindex(*tables[v].shape[:-1]):
            lines += [f"  ({', '.join(map(str, configuration))}) : {numbers(tables[v][configuration])};"]
        lines += ["}"]
    return "\n".join(lines) + "\n"


def read(content: bytes, path: str) -> Network:
    """The network of a DSC file."""
    scan = Scanner(decode_text(content, path), path, DSC_MARKS)
    draft = Draft(path)
    scan.expect("belief", "network")
    if scan.peek() not in ("node", "probability"):
        scan.next()
    while scan.more():
        keyword = scan.next().lower()
        if keyword == "node":
            _read_node(scan, draft)
        elif keyword == "probability":
            _read_probability(scan, draft)
        else:
            raise scan.error(f"'node' or 'probability' must stand here, not {keyword!r}")
    return draft.network()


def _read_node(scan: Scanner, draft: Draft) -> None:
    name = decode(scan.next())
    scan.expect("{")
    while not scan.take("}"):
        if scan.take("type"):
            scan.expect(":", "discrete")
            scan.until("=")
            scan.expect("{")
            draft.states[name] = [decode(s) for s in scan.names_until("}")]
            scan.take(";")
        else:
            scan.until(";")


def _read_probability(scan: Scanner, draft: Draft) -> None:
    scan.expect("(")
    name = decode(scan.next())
    draft.declare(name, [decode(p) for p in scan.names_until(")") if p != "|"])
    table = np.full(draft.shape(name), np.nan)
    scan.expect("{")
    while not scan.take("}"):
        configuration: tuple[int, ...] = ()
        if scan.take("("):
            numbers_given = scan.names_until(")")
            if not all(x.isdigit() for x in numbers_given) or len(numbers_given) != table.ndim - 1:
                raise scan.error(f"the row of {name!r} must name {table.ndim - 1} states of its parents by number")
            configuration = tuple(map(int, numbers_given))
            scan.expect(":")
        elif scan.take("default"):
            scan.expect(":")
            row = np.array(scan.numbers_until(";"))
            table = np.where(np.isnan(table), row, table)
            continue
        row = draft.reshaped(name, scan.numbers_until(";"), table[configuration].shape)
        table[configuration] = row
    draft.tables[name] = table

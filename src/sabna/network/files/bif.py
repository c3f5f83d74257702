"""BIF, the interchange format of the Bayesian Network Repository, bnlearn, pgmpy, pyAgrum and others.

Names and states are identifiers; anything else is encoded (mangling.py). In the network's block a property says who
wrote the file. A table is written row by row with the states of the parents before it, which unlike the one-line form
is read alike by all programs.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from sabna.network import Network
from sabna.network.files.assemble import Draft
from sabna.network.files.text import BIF_MARKS, Scanner, decode_text, encode_names, numbers
from sabna.network.mangling import decode, encode, state_character
from sabna.network.parameters import fitted


def write(network: Network) -> str:
    """The network as BIF."""
    states, tables = fitted(network)
    name = encode_names(network.variables)
    state = {v: [encode(s, state_character) for s in states[v]] for v in network.variables}
    lines = ["network unknown {", "}"]
    for v in network.variables:
        lines += [f"variable {name[v]} {{", f"  type discrete [ {len(state[v])} ] {{ {', '.join(state[v])} }};", "}"]
    for v in network.variables:
        parents = network.parents[v]
        if not parents:
            lines += [f"probability ( {name[v]} ) {{", f"  table {numbers(tables[v])};", "}"]
            continue
        lines += [f"probability ( {name[v]} | {', '.join(name[p] for p in parents)} ) {{"]
        rows = tables[v].reshape(-1, len(state[v]))
        for configuration, row in zip(product(*(state[p] for p in parents)), rows, strict=True):
            lines += [f"  ({', '.join(configuration)}) {numbers(row)};"]
        lines += ["}"]
    return "\n".join(lines) + "\n"


def read(content: bytes, path: str) -> Network:
    """The network of a BIF file."""
    scan = Scanner(decode_text(content, path), path, BIF_MARKS)
    draft = Draft(path)
    while scan.more():
        keyword = scan.next().lower()
        if keyword == "network":
            scan.next() if scan.peek() != "{" else None
            scan.skip_block()
        elif keyword == "variable":
            _read_variable(scan, draft)
        elif keyword == "probability":
            _read_probability(scan, draft)
        else:
            raise scan.error(f"'network', 'variable' or 'probability' must stand here, not {keyword!r}")
    return draft.network()


def _read_variable(scan: Scanner, draft: Draft) -> None:
    name = decode(scan.next())
    scan.expect("{")
    while not scan.take("}"):
        if scan.take("type"):
            scan.expect("discrete")
            if scan.take("["):
                scan.until("]")
            scan.expect("{")
            draft.states[name] = [decode(s) for s in scan.names_until("}")]
            scan.take(";")
        else:
            scan.until(";")
    if name not in draft.states:
        raise scan.error(f"variable {name!r} has no states")


def _read_probability(scan: Scanner, draft: Draft) -> None:
    scan.expect("(")
    name = decode(scan.next())
    parents = [decode(p) for p in scan.names_until(")") if p != "|"]
    draft.declare(name, parents)
    table = np.full(draft.shape(name), np.nan)
    scan.expect("{")
    while not scan.take("}"):
        if scan.take("table"):
            # In this form the states of the variable itself run slowest.
            values = scan.numbers_until(";")
            shape = (*table.shape[-1:], *table.shape[:-1])
            table = np.moveaxis(draft.reshaped(name, values, shape), 0, -1)
        elif scan.take("default"):
            row = np.array(scan.numbers_until(";"))
            table = np.where(np.isnan(table), row, table)
        elif scan.take("("):
            place = draft.place(name, [decode(s) for s in scan.names_until(")")])
            table[place] = draft.reshaped(name, scan.numbers_until(";"), table.shape[-1:])
        else:
            scan.until(";")
    draft.tables[name] = table

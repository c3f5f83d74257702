"""BIF, the interchange format of the Bayesian Network Repository, bnlearn, pgmpy, pyAgrum and others.

Names and states are identifiers; anything else is encoded (mangling.py). In the network's block a property says who
wrote the file. A table is written row by row with the states of the parents before it, which unlike the one-line form
is read alike by all programs.
"""

from __future__ import annotations

from itertools import product

from sabna.network import Network
from sabna.network.files.assemble import Draft
from sabna.network.files.blocks import read_probability, read_variable
from sabna.network.files.text import BIF_MARKS, Scanner, decode_text, encode_names, numbers
from sabna.network.mangling import encode, state_character
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
        if scan.take("network"):
            scan.next() if scan.peek() != "{" else None
            scan.skip_block()
        elif scan.take("variable"):
            read_variable(scan, draft)
        elif scan.take("probability"):
            read_probability(scan, draft, draft.place_by_name, bare_numbers=False)
        else:
            raise scan.unexpected("'network', 'variable' or 'probability'")
    return draft.network()

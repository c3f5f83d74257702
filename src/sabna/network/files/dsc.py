"""DSC, the format of Microsoft's Bayesian network editor; read by GeNIe and bnlearn.

    node NAME { type : discrete [2] = { "a", "b" }; }      probability ( NAME | PARENT ) { (0) : 0.1, 0.9; }

States of parents are given by number, counted from 0.
"""

from __future__ import annotations

import numpy as np

from sabna.network import Network
from sabna.network.files.assemble import Draft
from sabna.network.files.blocks import read_probability, read_variable
from sabna.network.files.text import DSC_MARKS, Scanner, decode_text, encode_names, numbers
from sabna.network.mangling import encode, state_character
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
    if scan.peek().lower() not in ("node", "probability"):
        scan.next()
    while scan.more():
        if scan.take("node"):
            read_variable(scan, draft)
        elif scan.take("probability"):
            read_probability(scan, draft, draft.place_by_number, bare_numbers=True)
        else:
            raise scan.unexpected("'node' or 'probability'")
    return draft.network()

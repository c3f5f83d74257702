"""UAI, the format of the inference competitions: numbers only.

It has no place for names, and readers take no comments: variables are known by their position, states by theirs.
Reading gives them the names `var_0`, `var_1`, ... (as pgmpy does) and the states `0`, `1`, ...

A table runs over the variables as listed, the child last and fastest: so the competitions define it and toulbar2 reads
it. Beware of others: pyAgrum 3 lets the first parent run fastest, pgmpy 1 the child slowest.
"""

from __future__ import annotations

import re

from sabna.base.errors import DataError
from sabna.network import Network
from sabna.network.files.assemble import Draft
from sabna.network.files.text import decode_text, numbers
from sabna.network.parameters import fitted


def write(network: Network) -> str:
    """The network in the UAI format."""
    states, tables = fitted(network)
    position = {name: k for k, name in enumerate(network.variables)}
    lines = ["BAYES", str(len(position)), " ".join(str(len(states[v])) for v in network.variables), str(len(position))]
    for v in network.variables:
        family = [position[u] for u in (*network.parents[v], v)]
        lines.append(" ".join(map(str, [len(family), *family])))
    for v in network.variables:
        rows = tables[v].reshape(-1, len(states[v]))
        lines += ["", str(rows.size), *(" " + numbers(row, " ") for row in rows)]
    return "\n".join(lines) + "\n"


def read(content: bytes, path: str) -> Network:
    """The network of a UAI file."""
    words = re.sub("#.*", "", decode_text(content, path)).split()
    if not words or words[0].upper() != "BAYES":
        raise DataError(f"{path}: a Bayesian network in this format begins with BAYES")
    words.reverse()
    words.pop()
    draft = Draft(path)
    try:
        n = int(words.pop())
        names = [f"var_{k}" for k in range(n)]
        for name in names:
            draft.states[name] = [str(s) for s in range(int(words.pop()))]
        scopes = []
        for _ in range(int(words.pop())):
            scopes.append([names[int(words.pop())] for _ in range(int(words.pop()))])
        for scope in scopes:
            draft.declare(scope[-1], scope[:-1])
            values = [float(words.pop()) for _ in range(int(words.pop()))]
            draft.tables[scope[-1]] = draft.reshaped(scope[-1], values, draft.shape(scope[-1]))
    except (IndexError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path}: broken off, or not a number where one is due ({error})") from error
    return draft.network()

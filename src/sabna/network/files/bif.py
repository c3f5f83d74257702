"""BIF, the interchange format of the Bayesian Network Repository, bnlearn, pgmpy, pyAgrum and others.

Names of variables are identifiers; anything else is encoded (mangling.py). A table is written row by row with the
states of the parents before it, which unlike the one-line form is read alike by all programs.

States are written as they are wherever a reader takes that, so that a network read elsewhere fits the data it was
learned from. What readers take differs, and so there are dialects:

    bnlearn    bnlearn and pgmpy cut the list of states at its commas and take what is between: `12+`, `not known` and
               `>=7` stand as they are. Only marks of the format, double quotes and comments are encoded.
    pyagrum    pyAgrum's grammar has words and whole numbers only: `12+` becomes `12_u2b_`. Both others read that too,
               under this name.

A state that all three take, such as `no`, `a-b` or `-1`, is the same in both. Read are both, and what others write.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product

from sabna.base.errors import UsageError
from sabna.network import Network
from sabna.network.files.assemble import Draft
from sabna.network.files.blocks import read_probability, read_variable
from sabna.network.files.text import BIF_MARKS, Scanner, decode_text, encode_names, numbers
from sabna.network.mangling import encode, state_character
from sabna.network.parameters import fitted

# Words of pyAgrum's grammar: letters, then also digits, points and hyphens; whole numbers; digits, then letters.
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*|[+-]?[0-9]+|[0-9]+[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
# These look like the beginning of a number, `1e5`, or are words of the format itself.
_NUMBER = re.compile(r"[0-9]+[eE][0-9]*", re.ASCII)
_RESERVED = frozenset("default discrete network probability property table type variable".split())  # noqa: SIM905
# bnlearn looks for these at the head of any line, or in it, and must not find them in a state.
_HEADS = re.compile(r"\b(variable|type)\s", re.IGNORECASE)


def pyagrum_state(state: str) -> str:
    """A state in the dialect pyagrum.

    >>> [pyagrum_state(s) for s in ("no", "a-b", "-1", "12+", "1e5", "table", "3.5")]
    ['no', 'a-b', '-1', '12_u2b_', '1_u65_5', '_u74_able', '3_u2e_5']
    """
    if _WORD.fullmatch(state) and encode(state, _any_character) == state and not _taken(state):
        return state
    encoded = encode(state, state_character, _RESERVED)
    return encode(state, _no_exponent) if _NUMBER.match(encoded) else encoded


def _taken(state: str) -> bool:
    return state.lower() in _RESERVED or _NUMBER.match(state) is not None


def _any_character(position: int, character: str) -> bool:
    return True


def _no_exponent(position: int, character: str) -> bool:
    return state_character(position, character) and character not in "eE"


def bnlearn_state(state: str) -> str:
    """A state in the dialect bnlearn.

    >>> [bnlearn_state(s) for s in ("12+", "not known", "[0, 1)", "a//b", " x")]
    ['12+', 'not known', '_u5b_0_u2c_ 1_u29_', 'a_u2f__u2f_b', '_u20_x']
    """
    heads = _HEADS.search(state) is not None

    def allowed(position: int, character: str) -> bool:
        if character == " ":  # one between two other characters; more of them, or those at the ends, would be lost
            inside = 0 < position < len(state) - 1
            return inside and not heads and " " not in (state[position - 1], state[position + 1])
        if character == "/":
            return state[position + 1 : position + 2] not in ("/", "*") and state[max(position - 1, 0)] != "/"
        return character.isprintable() and character not in BIF_MARKS + '"'

    return encode(state, allowed)


DIALECTS: dict[str, Callable[[str], str]] = {"bnlearn": bnlearn_state, "pyagrum": pyagrum_state}


def write(network: Network, dialect: str = "bnlearn") -> str:
    """The network as BIF."""
    if dialect not in DIALECTS:
        raise UsageError(f"dialect {dialect!r}: choose one of {', '.join(DIALECTS)}")
    states, tables = fitted(network)
    name = encode_names(network.variables)
    state = {v: _distinct(states[v], DIALECTS[dialect]) for v in network.variables}
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


def _distinct(states: tuple[str, ...], write_state: Callable[[str], str]) -> list[str]:
    """The states as they are written; of a variable with one state no blank is, which would make it two."""
    return [encode(states[0], state_character)] if len(states) == 1 else [write_state(state) for state in states]


def odd_states(network: Network) -> list[str]:
    """States that pyAgrum cannot read in the dialect bnlearn."""
    found = [state for states in (network.states or {}).values() for state in states]
    return [state for state in dict.fromkeys(found) if pyagrum_state(state) != bnlearn_state(state)]


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

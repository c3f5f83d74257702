"""The model string of R's bnlearn: `[A][B][C|A:B]`, parents first.

bnlearn gives `[`, `]`, `|` and `:` a meaning of their own; in names they are encoded (see mangling.py).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sabna.base.errors import UsageError
from sabna.network.mangling import decode, encode

if TYPE_CHECKING:
    from sabna.network.network import Network

_NODE = re.compile(r"\[([^\[\]|:]+)(?:\|([^\[\]|]+))?\]")


def _name(name: str) -> str:
    return encode(name, lambda _, c: c not in "[]|:" and c.isprintable())


def to_model_string(network: Network) -> str:
    """Variables in topological order, each with its parents."""
    nodes = []
    for name in network.order:
        parents = ":".join(map(_name, network.parents[name]))
        nodes.append(f"[{_name(name)}|{parents}]" if parents else f"[{_name(name)}]")
    return "".join(nodes)


def from_model_string(network: type[Network], text: str) -> Network:
    """The network that a model string describes; its variables in the order of the string."""
    text = text.strip()
    nodes = _NODE.findall(text)
    if "".join(f"[{name}|{parents}]" if parents else f"[{name}]" for name, parents in nodes) != text:
        raise UsageError("not a model string of bnlearn; write [A][B][C|A:B]")
    parents = {decode(name): [decode(p) for p in given.split(":")] if given else [] for name, given in nodes}
    return network([decode(name) for name, _ in nodes], parents)

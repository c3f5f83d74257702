"""An R script that makes the network in bnlearn: `source("network.R")` leaves a fitted network called `network`.

bnlearn has no file format for networks of quantities; its own representation is what `custom.fit` takes: of a quantity
a list of `coef`, named after "(Intercept)" and the parents, and `sd`; of categories an array with named dimensions, the
variable itself first. Numbers are written with all digits, names as R strings. bnlearn's model strings cannot hold
names with brackets, bars and colons, so the structure is built by `set.arc`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np

from sabna.base.errors import UsageError
from sabna.network import Network
from sabna.network.files.text import number


def write(network: Network) -> str:
    """The network as a script for R."""
    lines = [
        "# A Bayesian network for R's bnlearn: source() this file, then use `network`.",
        "library(bnlearn)",
        f"dag <- empty.graph({_vector(map(_text, network.variables))})",
        *(f"dag <- set.arc(dag, {_text(parent)}, {_text(child)})" for parent, child in network.edges),
        "distributions <- list()",
        *(f"distributions[[{_text(v)}]] <- {_distribution(network, v)}" for v in network.variables),
        "network <- custom.fit(dag, dist = distributions)",
    ]
    return "\n".join(lines) + "\n"


def _distribution(network: Network, name: str) -> str:
    if network.gaussian is not None:
        regression = network.gaussian[name]
        given = [("(Intercept)", regression.intercept), *regression.coefficients.items()]
        coefficients = _vector(f"{_text(key)} = {_number(value)}" for key, value in given)
        return f"list(coef = {coefficients}, sd = {_number(regression.deviation)})"
    if network.states is None or network.tables is None:
        raise UsageError("the network has no parameters yet; fit it first: network.fit(data)")
    states, parents = network.states, network.parents[name]
    # R's arrays run their first axis fastest: the variable itself, then its parents in order.
    shape = [range(len(states[p])) for p in reversed(parents)]
    numbers = [network.tables[name][tuple(reversed(c))] for c in product(*shape)]
    cells = _vector(number(float(x)) for row in numbers for x in np.atleast_1d(row))
    family = (name, *parents)
    names = ", ".join(f"{_text(v)} = {_vector(map(_text, states[v]))}" for v in family)
    return f"array({cells}, dim = {_vector(str(len(states[v])) for v in family)}, dimnames = list({names}))"


def _vector(items: Iterable[str]) -> str:
    return f"c({', '.join(items)})"


def _number(value: float) -> str:
    return repr(float(value))


def _text(value: str) -> str:
    """A string of R; control characters as their codes, which R knows up to the end of Unicode."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'

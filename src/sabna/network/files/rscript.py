"""An R script that makes the network in bnlearn: `source("network.R")` leaves a fitted network called `network`.

bnlearn has no file format for networks of quantities; its own representation is what `custom.fit` takes: of a quantity
a list of `coef`, named after "(Intercept)" and the parents, and `sd`; of categories an array with named dimensions, the
variable itself first. A quantity with discrete parents has `coef` as a matrix and `sd` as a vector, a column and an
entry for each configuration; the first of the discrete parents runs fastest (in bnlearn parents stand in the order of
the variables, as here). Numbers are written with all digits, names as R strings. bnlearn's model strings cannot hold
names with brackets, bars and colons, so the structure is built by `set.arc`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np

from sabna.base.errors import UsageError
from sabna.network import Network
from sabna.network.conditional import ConditionalGaussian
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
    if network.mixed is not None and name in network.mixed.regressions:
        return _regressions(network.mixed.regressions[name])
    states = network.states if network.mixed is None else network.mixed.states
    tables = network.tables if network.mixed is None else network.mixed.tables
    if states is None or tables is None:
        raise UsageError("the network has no parameters yet; fit it first: network.fit(data)")
    parents = network.parents[name]
    # R's arrays run their first axis fastest: the variable itself, then its parents in order.
    shape = [range(len(states[p])) for p in reversed(parents)]
    numbers = [tables[name][tuple(reversed(c))] for c in product(*shape)]
    cells = _vector(number(float(x)) for row in numbers for x in np.atleast_1d(row))
    family = (name, *parents)
    names = ", ".join(f"{_text(v)} = {_vector(map(_text, states[v]))}" for v in family)
    return f"array({cells}, dim = {_vector(str(len(states[v])) for v in family)}, dimnames = list({names}))"


def _regressions(given: ConditionalGaussian) -> str:
    """A quantity: one regression, or one for each configuration of its discrete parents."""
    terms = ("(Intercept)", *given.continuous)
    if not given.discrete:
        values = [float(given.intercepts), *given.coefficients.tolist()]
        named = _vector(f"{_text(term)} = {_number(x)}" for term, x in zip(terms, values, strict=True))
        return f"list(coef = {named}, sd = {_number(float(given.variances) ** 0.5)})"
    cells = [tuple(reversed(cell)) for cell in product(*map(range, reversed(given.variances.shape)))]
    columns = [[float(given.intercepts[cell]), *given.coefficients[cell].tolist()] for cell in cells]
    numbers = _vector(_number(x) for column in columns for x in column)
    deviations = _vector(_number(float(given.variances[cell]) ** 0.5) for cell in cells)
    names = f"list({_vector(map(_text, terms))}, NULL)"
    return f"list(coef = matrix({numbers}, ncol = {len(cells)}, dimnames = {names}), sd = {deviations})"


def _vector(items: Iterable[str]) -> str:
    return f"c({', '.join(items)})"


def _number(value: float) -> str:
    return repr(float(value))


def _text(value: str) -> str:
    """A string of R; control characters as their codes, which R knows up to the end of Unicode."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'

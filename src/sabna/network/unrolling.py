"""A transition network over several steps: what it says of whole sequences.

A network learned with `time` has variables `X` and `X[t-1]`. Unrolled over T steps it has `X[0]` ... `X[T-1]`: the
first `lags` steps have the distribution of the past's columns (independent of each other there: the past is given, not
modelled), every later one that of the transition. It is a network as any other: it is sampled, asked for
likelihoods of sequences (one row each), fitted and written to files as these are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sabna.base.errors import UsageError
from sabna.network.conditional import MixedParameters
from sabna.network.gaussian import LinearGaussian
from sabna.settings.checks import argument, whole

if TYPE_CHECKING:
    from sabna.network.network import Network

# Variables of an unrolled network; such a one is drawn and written in seconds.
MOST_UNROLLED = 100_000

_PAST = re.compile(r"(.*)\[t-([1-9][0-9]*)\]", re.DOTALL)


def slices_of(network: Network) -> tuple[list[str], int]:
    """The variables of the present, and how many steps of the past there are."""
    known = set(network.variables)
    lags = 0
    for name in network.variables:
        match = _PAST.fullmatch(name)
        if match and match[1] in known:
            lags = max(lags, int(match[2]))
    now = [name for name in network.variables if not _is_past(name, known)]
    expected = {*now, *(f"{name}[t-{k}]" for name in now for k in range(1, lags + 1))}
    if lags == 0 or expected != known:
        raise UsageError("this network has no steps of time: learn it with the option `time`")
    wrong = [name for name in network.variables if name not in now and network.parents[name]]
    if wrong:
        raise UsageError(f"{wrong[0]!r} has parents: edges into the past cannot be unrolled")
    return now, lags


def past_of(network: Network) -> list[str]:
    """The variables of the past; none of a network without steps of time."""
    known = set(network.variables)
    return [name for name in network.variables if _is_past(name, known)]


def lag_of(name: str, network: Network) -> int:
    """How many steps ago a variable is; 0 of the present, and of every variable of a network without steps."""
    match = _PAST.fullmatch(name)
    return int(match[2]) if match and match[1] in network.parents else 0


def _is_past(name: str, known: set[str]) -> bool:
    match = _PAST.fullmatch(name)
    return match is not None and match[1] in known


def unrolled_parts(network: Network, steps: int) -> tuple[list[str], dict[str, list[str]], dict[str, Any]]:
    """Variables, parents, and states and tables (where the network has them) over so many steps."""
    now, lags = slices_of(network)
    steps = argument("steps", steps, whole(lags + 1, max(lags + 1, MOST_UNROLLED // len(now))))
    variables = [f"{name}[{t}]" for t in range(steps) for name in now]
    parents: dict[str, list[str]] = {}
    source: dict[str, str] = {}
    for t in range(steps):
        for name in now:
            source[f"{name}[{t}]"] = name if t >= lags else f"{name}[t-{lags - t}]"
            parents[f"{name}[{t}]"] = [_at(p, t, now) for p in network.parents[name]] if t >= lags else []

    def named(name: str, v: str) -> str:
        """A parent of the variable that v has its parameters from, by its name in the sequence."""
        return _at(name, int(v.rpartition("[")[2][:-1]), now)

    if network.gaussian is not None:
        lines = {}
        for v in variables:
            line = network.gaussian[source[v]]
            slopes = {named(p, v): slope for p, slope in line.coefficients.items()}
            lines[v] = LinearGaussian(line.intercept, slopes, line.variance)
        return variables, parents, {"gaussian": lines}
    if network.mixed is not None:
        return variables, parents, {"mixed": _unrolled_mixed(network.mixed, variables, source, named)}
    if network.tables is None or network.states is None:
        return variables, parents, {}
    states, tables = network.states, network.tables
    return (
        variables,
        parents,
        {"states": {v: states[source[v]] for v in variables}, "tables": {v: tables[source[v]] for v in variables}},
    )


def _unrolled_mixed(
    mixed: MixedParameters, variables: list[str], source: dict[str, str], named: Callable[[str, str], str]
) -> MixedParameters:
    regressions = {
        v: replace(
            line := mixed.regressions[source[v]],
            discrete=tuple(named(p, v) for p in line.discrete),
            continuous=tuple(named(p, v) for p in line.continuous),
        )
        for v in variables
        if source[v] in mixed.regressions
    }
    states = {v: mixed.states[source[v]] for v in variables if source[v] in mixed.states}
    return MixedParameters(states, {v: mixed.tables[source[v]] for v in states}, regressions)


def _at(name: str, t: int, now: list[str]) -> str:
    """A variable of a transition into step t, by its name in the sequence."""
    if name in now:
        return f"{name}[{t}]"
    match = _PAST.fullmatch(name)
    assert match is not None
    return f"{match[1]}[{t - int(match[2])}]"

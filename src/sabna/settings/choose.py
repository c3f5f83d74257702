"""Checks the options of a call, all of them before any work is done.

What the chosen score or strategy does not use is refused, not ignored.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from sabna.base.calls import suggesting
from sabna.base.errors import UsageError
from sabna.base.limits import Limits
from sabna.base.texts import shown
from sabna.scores.registry import Parameters, checked_for_interventions, fitting_score, score_parameters, score_type
from sabna.settings.table import Limited, Setting, all_settings, rows, settings_of

# Options that the default strategy has no use for: it chooses for itself.
NOT_FOR_AUTO = ("heuristic", "upper_bound", "components", "scc_branching")
ONLY_WITH_TIME = ("id", "lags")
# Options that structural EM does not go with, and why.
NOT_WITH_EM = {
    "certificate": "whose result is no proof about the data",
    "work": "whose rounds are not kept",
    "engine": "which is not spread over machines",
    "target": "which is too slow to be repeated for every fold",
    "time": "which completes rows one by one, where a hole stands in two transitions",
    "interventions": "which takes all rows as observed",
}
# Names of options in bnlearn, pgmpy, GOBNILP and causal-learn, and what to write here.
ELSEWHERE = {
    "knowledge={'required': [['a', 'b']]}": (
        "whitelist",
        "required_edges",
        "include_graph",
        "fixed_edges",
        "white_list",
    ),
    "knowledge={'forbidden': [['a', 'b']]}": ("blacklist", "forbidden_edges", "super_graph", "black_list"),
    "max_parents": ("maxp", "max_indegree", "palim", "max_in_degree", "indegree", "max_id"),
    "equivalent_sample_size": ("iss", "ess", "alpha"),
    "score": ("scoring_method", "scoring", "metric", "local_score"),
    "time_limit": ("timeout", "max_time"),
    "n_jobs": ("threads", "cores", "cluster", "jobs"),
    "seed": ("random_state",),
}
ONLY_FOR_PATTERN = ("pattern_groups", "pattern_grouping")

Function = TypeVar("Function", bound=Callable[..., Any])


def checked(taker: str, given: Mapping[str, Any], where: str = "") -> dict[str, Any]:
    """All options of a function: those given, checked one by one and together, and the defaults.

    >>> checked("search", {"strategy": "bfs"})["gap_tolerance"]
    1e-06
    >>> checked("learn", {"scor": "bic"})
    Traceback (most recent call last):
    sabna.base.errors.UsageError: learn has no option 'scor'; did you mean 'score'?
    """
    table = settings_of(taker)
    for name in given:
        if name not in table:
            raise UsageError(f"{where}{taker} has no option {shown(name)}{_hint(name, table)}")
    values = {name: row.default for name, row in table.items()}
    for name, value in given.items():
        values[name] = _checked_one(table[name], name, value, where)
    try:
        _check_together(taker, values)
    except UsageError as error:
        raise UsageError(f"{where}{error}") from None
    return values


def _checked_one(row: Setting, name: str, value: Any, where: str) -> Any:
    try:
        return row.check(value)
    except UsageError as error:
        raise UsageError(f"{where}{name} {_shown(value)}: {error}") from None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _hint(name: Any, table: Iterable[str]) -> str:
    """What to write instead.

    >>> _hint("maxp", ["max_parents", "score"]), _hint("maxp", ["score"])
    ('; write max_parents', '; it takes score')
    """
    here = next(
        (ours for ours, theirs in ELSEWHERE.items() if name in theirs and ours.partition("=")[0] in table), None
    )
    if here is not None:
        return f"; write {here}"
    close = difflib.get_close_matches(str(name), list(table), n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; it takes {', '.join(table)}"


def _check_em(taker: str, values: Mapping[str, Any]) -> None:
    given = chosen(values)
    if values.get("missing") != "em":
        if "em_starts" in given:
            raise UsageError('em_starts: it belongs to missing="em"')
        return
    if taker != "learn":
        others = "drop or category" if taker == "posterior" else "drop, category or available"
        raise UsageError(f"missing 'em': only learn completes tables by EM; write {others}")
    other = [name for name in NOT_WITH_EM if values.get(name) is not None]
    if other:
        reason = NOT_WITH_EM[other[0]]
        raise UsageError(f'{other[0]}: not together with missing="em", {reason}; leave one of them out')


def _check_together(taker: str, values: Mapping[str, Any]) -> None:
    _check_em(taker, values)
    if taker == "posterior" and values.get("missing") == "available":
        raise UsageError(
            "missing 'available': probabilities need a marginal likelihood, and no score of incomplete rows is "
            "one; write drop or category"
        )
    if "score" in values:
        score = fitting_score(values["score"], values.get("missing", "error"))
        score_parameters(score_type(score), score_options(values))
    if values.get("interventions") is not None:
        if values.get("missing") == "available":
            raise UsageError(
                'interventions: not together with missing="available", as no score of incomplete rows takes '
                "them; write drop or category"
            )
        if "score" in values:
            checked_for_interventions(score_type(values["score"]))
        if values.get("target") is not None:
            raise UsageError("target: not together with `interventions`, as rows that were set are not predicted")
    given = chosen(values)
    alone = [name for name in ONLY_WITH_TIME if name in given] if values.get("time") is None else []
    if alone:
        raise UsageError(f"{alone[0]}: it belongs to `time`; name the column of times too")
    if values.get("target") is None and "folds" in given:
        raise UsageError("folds: it belongs to `target`; name the column to predict too")
    if "strategy" not in values:
        return
    unused = [name for name in NOT_FOR_AUTO if name in given] if values["strategy"] == "auto" else []
    if unused:
        raise UsageError(f"{unused[0]}: the strategy auto chooses for itself; leave it out, or choose astar or bfs")
    unused = [name for name in ONLY_FOR_PATTERN if name in given] if values["heuristic"] != "pattern" else []
    if unused:
        raise UsageError(f"{unused[0]}: only the heuristic pattern uses it; choose that heuristic")


def chosen(values: Mapping[str, Any]) -> dict[str, Any]:
    """The options that differ from their defaults: what a run record keeps."""
    table = all_settings()
    return {
        name: value
        for name, value in values.items()
        if name in table and table[name].on_the_command_line and table[name].recorded and value != table[name].default
    }


def with_threads(values: dict[str, Any]) -> dict[str, Any]:
    """The options, with the number of threads that `engine` gives, if it is one."""
    return {**values, "n_jobs": values["engine"], "engine": None} if isinstance(values["engine"], int) else values


def only(values: Mapping[str, Any], *groups: type) -> dict[str, Any]:
    """The options of some groups."""
    return {name: values[name] for name in rows(*groups) if name in values}


def limits_of(values: Mapping[str, Any]) -> Limits:
    """The limits among the options; starts the clock."""
    return Limits.of(**only(values, Limited))


def score_options(values: Mapping[str, Any]) -> dict[str, float]:
    """The parameters of the score that were given."""
    return {name: value for name, value in only(values, Parameters).items() if value is not None}


def takes(taker: str) -> Callable[[Function], Function]:
    """Show the options of the table in the signature of a function that takes them as `**options`.

    Its refusals of tables end with the call that would go through.
    """

    def decorate(function: Function) -> Function:
        own = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
        here = {p.name for p in own}
        shown = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=row.default)
            for name, row in settings_of(taker).items()
            if name not in here
        ]
        first = [p for p in own if p.kind is not p.KEYWORD_ONLY]
        last = [p for p in own if p.kind is p.KEYWORD_ONLY]
        told = suggesting(function)
        told.__signature__ = inspect.Signature([*first, *shown, *last])  # type: ignore[attr-defined]
        return told

    return decorate

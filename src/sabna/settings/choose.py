"""Checks the options of a call, all of them before any work is done.

What the chosen score or strategy does not use is refused, not ignored.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from sabna.base.calls import suggesting
from sabna.base.errors import UsageError
from sabna.base.limits import LIMIT_FIELDS, Limits
from sabna.base.texts import shown
from sabna.scores.registry import Parameters, checked_for_interventions, fitting_score, score_parameters, score_type
from sabna.settings.table import TAKERS, Limited, Setting, all_settings, rows, settings_of

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
# Options of commands that say what is done with the answer.
ONLY_TYPED = ("output", "json", "quiet", "watch", "explain", "dialect", "settings", "path")
ONLY_FOR_PATTERN = ("pattern_groups", "pattern_grouping")

Function = TypeVar("Function", bound=Callable[..., Any])


def checked(taker: str, given: Mapping[str, Any], where: str = "", also: Sequence[str] = ()) -> dict[str, Any]:
    """All options of a function: those given, checked one by one and together, and the defaults.

    `where` is the settings file they come from, `also` what such a file may name besides.

    >>> checked("search", {"strategy": "bfs"})["gap_tolerance"]
    1e-06
    >>> checked("learn", {"scor": "bic"})
    Traceback (most recent call last):
    sabna.base.errors.UsageError: learn has no option 'scor'; did you mean 'score'?
    """
    table = settings_of(taker)
    for name in given:
        if name not in table:
            known = [option for option, row in table.items() if row.on_the_command_line] if where else list(table)
            hint = _hint(name, [*known, *also], in_file=bool(where))
            raise UsageError(f"{where}{taker} has no option {shown(name)}{hint}")
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


def _hint(name: Any, table: Sequence[str], in_file: bool = False) -> str:
    """What to write instead, in a call or in a settings file.

    >>> _hint("maxp", ["max_parents", "score"]), _hint("maxp", ["score"])
    ('; write max_parents', '; it takes score')
    >>> _hint("no-header", ["header"], in_file=True), _hint("quiet", ["header"], in_file=True)
    ('; write header = false', '; it is for the command line alone')
    """
    theirs = ELSEWHERE | {"replicates": ("B", "R"), "data": ("file", "table", "input", "source")}
    here = next((ours for ours, names in theirs.items() if name in names and ours.partition("=")[0] in table), None)
    if here is not None:
        return f"; write {here}"
    if in_file and name in ONLY_TYPED:
        return "; it is for the command line alone"
    if in_file and name in TAKERS:
        return "; write options one a line, without tables for commands"
    written = str(name).lstrip("-").replace("-", "_")
    for option, row in all_settings().items():
        if option in table and f"--{written}" in row.flags:
            return f"; write {option}"
        if option in table and row.default is True and written == f"no_{option}":
            return f"; write {option} = false" if in_file else f"; write {option}=False"
    close = difflib.get_close_matches(written, table, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; it takes {', '.join(table)}"


def _check_em(taker: str, values: Mapping[str, Any]) -> None:
    if values.get("missing") != "em":
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
    if taker == "posterior" and values["method"] == "kbest":
        refuse_with_kbest(values)
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
    for name, (why, remedy) in unused(values).items():
        raise UsageError(f"{name}: {why}; {remedy}")


def refuse_with_kbest(values: Mapping[str, Any]) -> None:
    """Refuse what says nothing of probabilities over the k best networks."""
    if values["prior"] != "uniform":
        raise UsageError("prior order: the k best networks count once each; leave the prior out")
    if values["samples"]:
        raise UsageError("samples: the k best networks are listed, not drawn; leave samples out, and say how many by k")


def unused(values: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """The options that say nothing together with the others: by name, why, and what to do about it.

    >>> list(unused(checked("learn", {}) | {"heuristic": "simple", "folds": 3}))
    ['folds', 'heuristic']
    """
    given = chosen(values)
    out: dict[str, tuple[str, str]] = {}
    if values.get("missing") != "em" and "em_starts" in given:
        out["em_starts"] = 'it belongs to missing="em"', "write that too, or leave it out"
    if "score" in values:
        kind = score_type(fitting_score(values["score"], values.get("missing", "error")))
        for name in [name for name in score_options(values) if name not in (kind.parameters or {})]:
            out[name] = f"the score {kind.id} has no such parameter", "leave it out"
    if values.get("time") is None:
        out |= {
            name: ("it belongs to `time`", "name the column of times too") for name in ONLY_WITH_TIME if name in given
        }
    if values.get("target") is None and "folds" in given:
        out["folds"] = "it belongs to `target`", "name the column to predict too"
    if values.get("method") == "exact" and "k" in given:
        out["k"] = "the method exact sums over all networks", "leave it out, or use the method kbest"
    if values.get("strategy") == "auto":
        for name in NOT_FOR_AUTO:
            if name in given:
                out[name] = "the strategy auto chooses for itself", "leave it out, or choose astar or bfs"
    if "strategy" in values and values["heuristic"] != "pattern":
        for name in ONLY_FOR_PATTERN:
            if name in given:
                out[name] = "only the heuristic pattern uses it", "choose that heuristic"
    return out


def overridden(
    taker: str, before: Mapping[str, Any], typed: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Options of a settings file, overridden by those that were typed; and what was left out of the file, and why.

    What only belonged to an option that has another value now goes with it: with `--strategy auto` the heuristic.

    >>> overridden("search", {"strategy": "astar", "heuristic": "cuts"}, {"strategy": "auto"})
    ({'strategy': 'auto'}, {'heuristic': 'the strategy auto chooses for itself'})
    """
    values, gone = {**before, **typed}, dict[str, str]()
    defaults = {name: row.default for name, row in settings_of(taker).items()}
    while before:
        late = {name: why for name, (why, _) in unused(defaults | values).items() if name in before.keys() - typed}
        if not late.keys() - gone.keys():
            break
        gone |= late
        values = {name: value for name, value in values.items() if name not in gone}
    return values, gone


def chosen(values: Mapping[str, Any], taker: str | None = None) -> dict[str, Any]:
    """The options that differ from their defaults, those of the taker: what a run record keeps."""
    table = all_settings() if taker is None else settings_of(taker)
    return {
        name: value
        for name, value in values.items()
        if name in table and table[name].on_the_command_line and table[name].recorded and _differs(table[name], value)
    }


def _differs(row: Setting, value: Any) -> bool:
    """Whether a value is another than the default; an empty list of columns is none."""
    if hasattr(value, "dtype"):  # an array, which is refused where it is used
        return True
    return bool(value != row.default) and not (value in ([], {}) and row.default in ((), "none"))


def with_threads(values: dict[str, Any]) -> dict[str, Any]:
    """The options, with the number of threads that `engine` gives, if it is one."""
    return {**values, "n_jobs": values["engine"], "engine": None} if isinstance(values["engine"], int) else values


def only(values: Mapping[str, Any], *groups: type) -> dict[str, Any]:
    """The options of some groups."""
    return {name: values[name] for name in rows(*groups) if name in values}


def limits_of(values: Mapping[str, Any], begun: Limits | None = None) -> Limits:
    """The limits among the options, which starts the clock; or those of a run that has `begun`.

    >>> limits_of({"time_limit": 5}, 3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sabna.base.errors.UsageError: limits 3: these are those of a run that has begun; write time_limit and ...
    """
    if begun is not None and not isinstance(begun, Limits):
        raise UsageError(
            f"limits {_shown(begun)}: these are those of a run that has begun; write {' and '.join(LIMIT_FIELDS)}"
        )
    asked = Limits.of(**only(values, Limited))
    if begun is None:
        return asked
    there = begun.as_settings()
    for name, here in asked.as_settings().items():
        if here is not None and here != there[name]:
            raise UsageError(f"{name} {values[name]!r}: not together with `limits` that differ; give one of the two")
    return begun


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

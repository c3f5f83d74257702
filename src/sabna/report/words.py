"""Numbers and statuses in words, the same in the terminal, the notebook and the report."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from sabna.base.stop import CONVERGED, STATUS_TEXT
from sabna.network.unrolling import past_of
from sabna.result.target import target_text
from sabna.scores.registry import SCORES, score_type
from sabna.table.missing import account_text

if TYPE_CHECKING:
    from sabna.result.result import Result

ALL_SCORES = frozenset(score.id for score in SCORES)
SCORE_NAMES = {"bic": "BIC", "mdl": "BIC", "aic": "AIC", "bdeu": "BDeu", "k2": "K2"}


def score_name(result: Result) -> str:
    """`BIC` and the like; `score` if a bare score file does not tell."""
    return SCORE_NAMES.get(result.score_type or "", result.score_type or "score")


def nats_text(nats: float) -> str:
    """A loss of score: two decimals, or three digits where these would be nothing.

    >>> nats_text(1234.5), nats_text(0.25), nats_text(0.00123), nats_text(0.0)
    ('1,234.50', '0.25', '0.00123', '0.00')
    """
    return f"{nats:,.2f}" if nats == 0 or abs(nats) >= 0.095 else f"{nats:.3g}"


def is_score_equivalent(result: Result) -> bool:
    """Whether networks with the same independences have the same score; so it is of a score that is not known."""
    known = result.score_type
    return known is None or known not in ALL_SCORES or score_type(known).score_equivalent


def direction_words(result: Result) -> tuple[str, str]:
    """What compelled and reversible mean under the score of the result."""
    if is_score_equivalent(result):
        return (
            "every network that fits the data as well has it this way round",
            "the data cannot tell the direction",
        )
    return (
        "every network with the same independences has it this way round",
        f"a network with the same independences has it the other way round; {score_name(result)} is no "
        "score-equivalent score and may prefer one of the two, without the data telling why",
    )


def settled_by_interventions(result: Result) -> frozenset[tuple[str, str]]:
    """The edges whose direction interventions settle; none if the section is not of this form."""
    told = result.statistics.get("interventions")
    directed = told.get("directed") if isinstance(told, dict) else None
    if not isinstance(directed, list):  # a result may come from a file
        return frozenset()
    return frozenset((str(edge[0]), str(edge[1])) for edge in directed if isinstance(edge, list) and len(edge) == 2)


def seconds_text(seconds: float) -> str:
    """A duration for people.

    >>> seconds_text(0.0123), seconds_text(4.2), seconds_text(754)
    ('12 ms', '4.2 s', '12 min 34 s')
    """
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def size_text(size: float) -> str:
    """Bytes for people.

    >>> size_text(999), size_text(1_234_567), size_text(27e9)
    ('999 B', '1.2 MB', '27 GB')
    """
    units = ["B", "kB", "MB", "GB", "TB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    unit = units[0]
    return f"{size:.1f} {unit}" if unit != "B" and size < 10 else f"{size:.0f} {unit}"


# Gaps up to this are the last digits of a proof, in nats; what a tolerance allows beyond is told.
LAST_DIGITS = 1e-6


def is_best(result: Result) -> bool:
    """Whether no network is better but in the last digits: a tolerance may allow more."""
    return result.is_optimal and result.gap <= LAST_DIGITS


def status_text(result: Result) -> str:
    """What became of the run."""
    if result.is_optimal and not is_best(result):
        return (
            f"within {result.gap:,.4g} of the best possible score, as a tolerance of {result.gap_tolerance:,g} allows"
        )
    return STATUS_TEXT[result.status]


def proof_text(result: Result) -> str:
    """What is proven, in a sentence."""
    tolerance = result.gap_tolerance
    if result.status == CONVERGED:
        return (
            "Optimal given the completed counts of the last round: no network has a better score under these. EM is a "
            "local method; another network may well fit the data better."
        )
    among = f"No network over these variables{_allowed(result)} has a better score"
    if result.is_optimal and result.cost_quanta == result.lower_bound_quanta:
        return f"{among}: the lower bound equals the score, to the last digit."
    if result.is_optimal:
        return f"{among} by more than {result.gap:.2g} nat, which is within the tolerance of {tolerance:g}."
    return (
        f"The best network has a score of at most {-result.lower_bound:,.4f}; this one is at most {result.gap:,.4g} "
        f"nat ({relative_gap(result)}) away from it, and may well be it. More time or memory would tell."
    )


def _allowed(result: Result) -> str:
    """Among which networks it is the best, where not among all."""
    limit = result.run.get("options", {}).get("max_parents") if isinstance(result.run.get("options"), dict) else None
    said = []
    if isinstance(limit, int):
        said.append(f"with at most {limit} parent{'s' * (limit != 1)} each")
    elif limit:
        said.append("within the limits of parents")
    known, steps = result.run.get("knowledge"), result.statistics.get("time")
    if steps and isinstance(known, dict):
        given = [root for root in known.get("roots", ()) if root not in past_of(result.network)]
        known = {**known, "roots": given} if given else {k: v for k, v in known.items() if k != "roots"}
        said.append("without edges into the past")
    if known:
        said.append("that obeys the prior knowledge")
    return f" {' and '.join(said)}" if said else ""


def certificate_text(result: Result) -> str:
    """Whether the proof was written down and checked, and how to check it; empty if it was not written."""
    told = result.certificate
    if told is None:
        return ""
    if not told.get("file"):
        return f"The certificate proves {told.get('proves')}."
    source, graph = str(result.run.get("source") or ""), "GRAPH"
    first = ""
    if source.endswith((".pg", ".jkl", ".pss")):
        graph = source
    elif source:
        first, graph = (
            f"`sabna score {shlex.quote(source)} -o graph.pg` with the options of this run, then ",
            "graph.pg",
        )
    how = f"{first}`sabna check {shlex.quote(str(told['file']))} {shlex.quote(graph)}`"
    checked = "checked: yes" if told.get("checked") else "checked: no"
    again = "to repeat that" if told.get("checked") else "to check it"
    return f"The proof is in {told['file']} ({told.get('proves')}; {checked}; {again}: {how})."


def rows_text(result: Result) -> str:
    """`450 of 569 rows` where some were left out; empty if a bare score file does not tell."""
    if result.rows is None:
        return ""
    read, dropped = result.statistics.get("rows_read"), result.statistics.get("dropped_rows")
    of = f" of {read:,}" if isinstance(read, int) and isinstance(dropped, int) and dropped > 0 else ""
    return f"{result.rows:,}{of} row{'s' * (result.rows != 1 or bool(of))}"


def notes(result: Result) -> list[str]:
    """What a reader must know of the data and of what is not there."""
    left_out = result.statistics.get("left_out")
    said = [
        account_text(result.statistics),
        f"left out: {left_out}" if isinstance(left_out, str) else "",
        target_text(result.statistics.get("target")),
        em_text(result.statistics.get("em")),
    ]
    return [note for note in said if note]


def strength_text(value: float | None, most: float) -> str:
    """A loss of score: one decimal, or four digits where the largest is below ten (node averages are small).

    >>> strength_text(1234.56, 2000.0), strength_text(0.00123, 0.4), strength_text(None, 0.4)
    ('1,234.6', '0.00123', 'no value without it')
    """
    if value is None:
        return "no value without it"
    return f"{value:,.1f}" if most >= 10 else f"{value:.4g}"


def em_text(about: Any) -> str:
    """The rounds of EM in words; empty if there were none, or the section is not of this form."""
    try:
        scores = [float(point["observed_score"]) for point in about["trace"]]
        starts, best = len(about["starts"]), str(about["best_start"])
    except (KeyError, TypeError, ValueError):  # a result may come from a file
        return ""
    shown = [f"{score:,.2f}" for score in scores]
    told = ", ".join(shown if len(shown) <= 6 else [*shown[:3], "...", *shown[-2:]])
    return (
        f"EM: best of {starts} start{'s' * (starts != 1)} ({best}); score of what the rows show, round by round: {told}"
    )


def relative_gap(result: Result) -> str:
    """The gap as a part of the cost."""
    if not result.cost:
        return "–"
    return f"{abs(result.gap / result.cost):.2%}"


def trace_points(result: Result) -> list[tuple[float, float | None, float | None]]:
    """(seconds, lower bound, upper bound) over time, in nats, up to the end; None while nothing was known.

    Lower bounds rise, upper bounds fall, and the last are the result's: what contradicts it (older versions took the
    bounds of a part for those of the whole) is left out. Empty if the result holds no trace.
    """
    points: list[tuple[float, float | None, float | None]] = []
    lower: float | None = None
    upper: float | None = None
    for seconds, low, high in sorted(_entries(result), key=lambda entry: entry[0]):
        if low is not None and low <= result.lower_bound:
            lower = low if lower is None else max(lower, low)
        if high is not None and high >= result.upper_bound:
            upper = high if upper is None else min(upper, high)
        if (lower is not None or upper is not None) and (not points or (lower, upper) != points[-1][1:]):
            points.append((seconds, lower, upper))
    if not points:
        return []
    end = max(points[-1][0], _number(result.seconds) or 0.0)
    return [*points, (end, result.lower_bound, result.upper_bound)]


def _entries(result: Result) -> list[tuple[float, float | None, float | None]]:
    """The trace as it stands in the result, as far as it is numbers."""
    entries = []
    for entry in result.statistics.get("trace") or ():
        seconds = _number(entry.get("seconds")) if isinstance(entry, dict) else None
        if seconds is not None and seconds >= 0:
            entries.append((seconds, _number(entry.get("lower_bound")), _number(entry.get("upper_bound"))))
    return entries


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and abs(value) < 1e300 else None

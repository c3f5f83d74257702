"""How well a network predicts one column of rows that it has not seen, by cross-validation.

Rows are dealt into folds, the states of the target evenly; for each fold the network is learned anew from the other
rows, to the same optimum with the same proof, and predicts the target of the fold from all other columns. Every row
is so predicted once. The base is the distribution of the target in the other rows (of quantities: one normal), which
looks at no column at all: what a network is worth is the difference. Rows that do not show the target are learned
from, but not counted; the gaps of the others are summed over.

The cuts of discretisation are those of the whole table, as they define the columns that are predicted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabna.base.errors import DataError, LimitReached, UsageError
from sabna.base.texts import did_you_mean, shown
from sabna.network.inference.normal import Normal
from sabna.network.inference.quality import of_categories, of_numbers, quality_text
from sabna.network.parameters import DEFAULT_PRIOR
from sabna.result.result import Result
from sabna.table import MixedTable, NumericTable, Table

AnyTable = Table | NumericTable | MixedTable


def check_target(table: AnyTable, target: str, folds: int) -> None:
    """Refuse a target that is no column, and more folds than rows."""
    if target not in table.names:
        some = ", ".join(map(shown, table.names[:8])) + (", ..." if table.n > 8 else "")
        hint = did_you_mean(target, table.names) or f"there are {some}"
        raise UsageError(f"target {shown(target)}: there is no such column; {hint}")
    shows = int(np.count_nonzero(_known(table, table.names.index(target))))
    if shows < 2:
        what = f"in which {shown(target)} is known " if shows < table.rows else ""
        raise UsageError(
            f"target {shown(target)}: {shows or 'no'} row{'s' * (shows != 1)} {what}cannot tell how well it is "
            "predicted, which takes two at least; give more rows, or leave the target out"
        )
    if folds > shows:
        what = f"rows that show {shown(target)}" if shows < table.rows else "rows"
        raise UsageError(f"folds {folds}: there are only {shows} {what}; choose fewer folds")


def target_section(
    table: AnyTable, target: str, folds: int, seed: int, network: Any, learn_from: Callable[[AnyTable], Result]
) -> dict[str, Any]:
    """The section `target` of a result: what the target depends on, and how well it is predicted."""
    section: dict[str, Any] = {
        "name": target,
        "parents": list(network.parents[target]),
        "children": list(network.children(target)),
        "markov_blanket": list(network.markov_blanket(target)),
        "folds": folds,
    }
    place = table.names.index(target)
    fold_of = dealt(table, place, folds, seed)
    truth, found, base, optimal = [], [], [], 0
    for fold in range(folds):
        train, test = _rows(table, fold_of != fold), _rows(table, (fold_of == fold) & _known(table, place))
        try:
            result = learn_from(train)
        except LimitReached:
            break
        except DataError as error:  # true of these rows, not of the table
            raise DataError(f"the rows outside fold {fold + 1} of {folds}: {error}") from None
        optimal += result.is_optimal
        fitted = result.network if result.network.is_fitted else result.network.fit(train, DEFAULT_PRIOR)
        found.append(fitted.predict_proba(test, target))
        base.append(_base(train, place, test.rows))
        truth.append(_column(test, place))
    section |= {"folds_done": len(found), "folds_optimal": optimal}
    if found:
        measure = of_numbers if _is_quantity(table, place) else of_categories
        section["quality"] = measure(np.concatenate(truth), _joined(found), _joined(base))
    return section


def dealt(table: AnyTable, place: int, folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of every row: shuffled, then dealt out state by state, so that each fold has its share of each state."""
    order = np.random.default_rng(seed).permutation(table.rows)
    if not _is_quantity(table, place):
        order = order[np.argsort(_column(table, place)[order], kind="stable")]
    elif isinstance(table, MixedTable):
        order = order[np.argsort(table.missing(place)[order], kind="stable")]
    fold_of = np.empty(table.rows, dtype=np.int64)
    fold_of[order] = np.arange(table.rows) % folds
    return fold_of


def _is_quantity(table: AnyTable, place: int) -> bool:
    return isinstance(table, NumericTable) or table.states[place] is None


def _column(table: AnyTable, place: int) -> NDArray[Any]:
    """Codes or numbers of a column; a missing one is NO_CODE or NaN."""
    column: NDArray[Any]
    if isinstance(table, NumericTable):
        column = table.values[place]
    else:
        column = table.codes[place] if isinstance(table, Table) else table.columns[place]
    return column if _is_quantity(table, place) else np.asarray(column, dtype=np.int64)


def _known(table: AnyTable, place: int) -> NDArray[np.bool_]:
    """Of each row whether it shows the target."""
    return ~table.missing(place) if isinstance(table, MixedTable) else np.ones(table.rows, dtype=bool)


def _rows(table: AnyTable, some: NDArray[np.bool_]) -> AnyTable:
    if isinstance(table, Table):
        return replace(table, codes=np.ascontiguousarray(table.codes[:, some]), statistics={})
    if isinstance(table, NumericTable):
        return replace(table, values=np.ascontiguousarray(table.values[:, some]), statistics={})
    return replace(table.taken(range(table.n), np.flatnonzero(some)), statistics={})


def _base(train: AnyTable, place: int, rows: int) -> Any:
    """What is said of every row by who looks at the target alone, under the same prior."""
    column = _column(train, place)[_known(train, place)]
    if isinstance(train, NumericTable) or _is_quantity(train, place):
        return Normal(np.full(rows, column.mean()), np.full(rows, max(float(column.std()), np.finfo(float).tiny)))
    states = train.arities[place]
    counts = np.bincount(column, minlength=states) + 1 / states
    return np.tile(counts / counts.sum(), (rows, 1))


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], Normal):
        return Normal(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    return np.vstack(parts)


def target_text(section: Any) -> str:
    """The section in words; empty if it is none, or not of this form."""
    if not isinstance(section, dict):
        return ""
    try:
        blanket = ", ".join(section["markov_blanket"]) or "nothing in this network"
        words = f"what {section['name']} depends on: {blanket}"
        if "quality" not in section:
            return f"{words}; no fold was finished within the limits"
        proven = f"{section['folds_done']} folds, {section['folds_optimal']} of them with proven optimum"
        return f"{words}; in rows held out ({proven}): {quality_text(section['quality'])}"
    except (KeyError, TypeError, ValueError):  # a result may come from a file
        return ""

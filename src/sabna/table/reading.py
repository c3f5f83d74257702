"""Reading a table: a source of any kind becomes columns, and columns become a table of categories.

source -> columns -> missing values -> notation of numbers -> discretisation -> check for continuous columns -> codes
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sabna.base.errors import DataError, UsageError, quoted, warn
from sabna.examples import example_path
from sabna.table.advice import Problems
from sabna.table.budget import CODE_BYTES, Budget
from sabna.table.columns import AnyColumn
from sabna.table.decimals import notation
from sabna.table.discretize import Plan
from sabna.table.discretize import discretize as discretized
from sabna.table.missing import OF_CATEGORIES, check_treatment, treat_missing
from sabna.table.numbers import numbers_of
from sabna.table.options import HowToRead, reader, refuse_too_late
from sabna.table.preparation import Preparation
from sabna.table.recode import Coding
from sabna.table.sources import Read, read_columns
from sabna.table.states import code, looks_continuous
from sabna.table.survey import FEW_ROWS, MANY_STATES
from sabna.table.table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

# What to do with a column whose decimal sign is not clear.
AS_CATEGORIES = "take the column's values as categories (`categorical`)"


@reader
def read_table(
    source: Any,
    categorical: Iterable[str] = (),
    discretize: str | Mapping[str, str] | Iterable[str] = "none",
    missing: str = "error",
    **how: Unpack[HowToRead],
) -> Table:
    """Read a table of categories from a file, a data frame or an array.

    `source` is the path of a CSV, parquet (.parquet, .pq), ARFF (.arff) or Excel (.xlsx, of which `sheet` is one by
    name or number) file, `example:NAME`, a pandas, polars or pyarrow frame, a mapping of names to lists, a
    two-dimensional numpy array, or a Table, which is returned as it is. Columns named in `categorical` may have any
    values; other columns that look continuous are refused unless `discretize` covers them: "mean", "quantile:K" or
    "uniform:K" for all, {"price": "quantile:3", "day": "month"} for some (of dates year, quarter, month, weekday,
    day or hour). `missing` says what to do with missing values: "error", "drop" their rows, or make them a
    "category". `delimiter` and `header` are for CSV files that are out of the ordinary, `decimal` ("." or ",") for
    texts where the decimal sign is not clear. `columns` names the only columns to take, `drop` those to leave out,
    `leave_out` kinds of columns ("identifiers", "text", "dates"). `limits` are those of the run that this reading
    is a part of; LimitReached is raised when one strikes.

    >>> import numpy as np
    >>> table = read_table(np.array([[0, 1], [1, 1], [0, 3]]))
    >>> table.names, table.states
    (('V1', 'V2'), (('0', '1'), ('1', '3')))
    """
    if isinstance(source, Table):
        refuse_too_late({"categorical": categorical, "discretize": discretize, "missing": missing, **how})
        return source
    check_treatment(missing)
    wanted = {categorical} if isinstance(categorical, str) else set(categorical)
    plan = Plan.of(discretize)
    started = time.perf_counter()
    read, budget = read_columns(source, how, CODE_BYTES)
    done = time.perf_counter()
    check_names(read, wanted, plan)
    problems = Problems(read.where, read.columns, "discrete", wanted, plan, missing, how.get("decimal"))
    account, sign = settled(read, problems, AS_CATEGORIES)
    table = _code(read.where, problems, wanted, plan, sign, missing, budget)
    table.statistics.update(read_seconds=done - started, code_seconds=time.perf_counter() - done, **account)
    _warn_of_useless(read.where, table)
    warn_of_many_states(read.where, table, wanted)
    return table


def check_names(read: Read, wanted: set[str], plan: Plan) -> None:
    """Refuse options that name columns which are not there."""
    names = [column.name for column in read.columns]
    unknown = wanted.difference(names)
    if unknown:
        raise UsageError(
            f"categorical: there is no column {quoted(sorted(unknown)[0])} in {read.where}; check its name"
        )
    plan.check(names)


def settled(
    read: Read, problems: Problems, otherwise: str, remedies: str = OF_CATEGORIES
) -> tuple[dict[str, Any], str]:
    """Treat missing values and find the decimal sign: the account of what was missing, and the sign.

    `otherwise` is what a refusal tells to do with a column whose sign is not clear, `remedies` with missing values.
    """
    problems.note_before_dropping()
    try:
        account = treat_missing(read.where, read.columns, problems.missing, remedies)
        evidence = [
            (c.name, c.evidence()) for c in read.columns if not c.declared and c.name not in problems.categorical
        ]
        sign = notation(evidence, problems.decimal, read.delimiter, read.where, otherwise)
    except DataError as error:
        raise problems.refusal(error) from None
    problems.decimal = sign
    return account, sign


def _code(
    where: str,
    problems: Problems,
    categorical: set[str],
    plan: Plan,
    decimal: str,
    missing: str,
    budget: Budget,
) -> Table:
    """The table; all columns that look continuous are named in one error. The columns are given up."""
    columns = problems.columns
    names = tuple(column.name for column in columns)
    codes = np.empty((len(columns), columns[0].rows), dtype=np.uint16)
    codings: dict[str, Coding | None] = {}
    states: list[tuple[str, ...]] = []
    continuous: list[tuple[str, str, bool]] = []
    refused: list[AnyColumn] = []
    beside = False  # whether there are columns that hold no numbers
    columns.reverse()
    for i, name in enumerate(names):
        column = columns.pop()  # given up when coded, so that the table does not stand in memory twice
        try:
            numbers = None if column.declared else numbers_of(column, where, decimal)
        except DataError as error:  # an infinite number
            columns.extend([column, *refused])
            raise problems.refusal(error, name) from None
        beside |= numbers is None or name in categorical
        method = plan.method(column, numbers, name in categorical)
        if method.kind != "none":
            cut, cutting = discretized(column, numbers, method, where)
            gaps = bool((cut.positions < 0).any())
            states.append(code(cut, None, where, codes[i], keep_order=True))
            codings[name] = cutting.coding(states[-1], gaps)
        else:
            settled = column.declared or name in categorical or plan.spares(column, numbers)
            reason = None if settled else looks_continuous(column, numbers)
            if reason:
                continuous.append((name, reason, numbers is not None))
                refused.append(column)
                continue
            gaps = bool(column.missing().any())
            states.append(code(column, numbers, where, codes[i]))
            codings[name] = Coding.of_states(states[-1], numbers is not None, gaps)
        budget.check_time(f"coding the columns of {where}", codes.size)
    if continuous:
        columns.extend(refused)
        raise problems.refusal(continuous_error(where, continuous, AS_THEY_ARE[beside]), continuous[0][0])
    return Table(names, codes, tuple(states), preparation=Preparation(codings, missing, decimal))


# How quantities can be scored as they are, without categories beside them and with.
AS_THEY_ARE = (
    'score all columns as quantities (score="bic-g")',
    'score quantities as they are beside the categories (score="bcg")',
)


def continuous_error(where: str, continuous: list[tuple[str, str, bool]], instead: str = AS_THEY_ARE[0]) -> DataError:
    """The refusal of columns (name, reason, whether of numbers) that look continuous; `instead` is a way out."""
    name, reason, numeric = continuous[0]
    others = ", ".join(repr(other) for other, _, _ in continuous[1:6]) + (", ..." if len(continuous) > 6 else "")
    also = f", and so do {len(continuous) - 1} more ({others})" if others else ""
    written = json.dumps(name, ensure_ascii=False)
    if numeric:
        remedy = (
            f'discretize (discretize="quantile:3", or discretize={{{written}: "quantile:3"}} for one column), {instead}'
        )
    else:
        remedy = (
            f"leave the column out if it is an identifier or text (drop=[{written}]; for all of a kind "
            'leave_out="identifiers" or leave_out="text")'
        )
    return DataError(
        f"{where}: column {quoted(name)} looks continuous ({reason}){also}; {remedy}, "
        f"or take its values as categories (categorical=[{written}])"
    )


def _warn_of_useless(where: str, table: Table) -> None:
    """Name columns of which nothing can be learned."""
    warn_of_identifiers(where, table)
    if table.rows > 1:
        varies = [codes.min() < codes.max() for codes in table.codes]
        warn_of_constants(where, [name for name, varied in zip(table.names, varies, strict=True) if not varied])


def warn_of_identifiers(where: str, table: Any) -> None:
    """Name columns of categories with another value in every row."""
    for name, states in zip(table.names, table.states, strict=True):
        if states is not None and len(states) == table.rows >= FEW_ROWS:
            warn(
                f"{where}: column {quoted(name)} has another value in every row: nothing can be learned about it; "
                f"leave it out (drop=[{json.dumps(name, ensure_ascii=False)}])",
            )


def warn_of_many_states(where: str, table: Table, categorical: set[str]) -> None:
    """Name whole numbers with so many values that, as states, they hide what depends on them."""
    codings = table.preparation.columns if table.preparation is not None else {}
    many = []
    for name, states in zip(table.names, table.states, strict=True):
        coding = codings.get(name)
        numbers = coding is not None and coding.numeric and coding.cuts is None
        if numbers and name not in categorical and MANY_STATES < len(states) < table.rows:
            many.append((name, len(states)))
    if many:
        told = ", ".join(f"{quoted(name)} ({count} values)" for name, count in many[:5])
        more = f" and {len(many) - 5} more" if len(many) > 5 else ""
        written = json.dumps(many[0][0], ensure_ascii=False)
        warn(
            f"{where}: whole numbers taken as categories: {told}{more}; with so many states hardly any edge pays. "
            f'Where they are quantities, cut them (discretize={{{written}: "quantile:3"}}); where not, name them by '
            "`categorical`",
        )


def warn_of_constants(where: str, constant: list[str]) -> None:
    """Name columns that hold one value only."""
    if constant:
        listed = ", ".join(repr(name) for name in constant[:5]) + (", ..." if len(constant) > 5 else "")
        s, them = ("s", "them") if len(constant) > 1 else ("", "it")
        warn(f"{where}: {len(constant)} constant column{s} ({listed}): kept, but nothing can be learned about {them}")


def load_example(name: str) -> Table:
    """The table of an example that comes with the package, by its `name` (`sabna examples` lists them).

    >>> load_example("asia").n
    8
    """
    return read_table(example_path(name))

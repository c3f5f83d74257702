"""Check a certificate, and that its parent graph has the scores of a table: a second file beside check_certificate.py.

    python check_scores.py proof.cert graph.pg --data data.csv --score bic [--sample N] [--effort N]

Written from the formulas, for a table of categories in a CSV file: every value of a column is a category, as it stands.
With N rows, r states of variable i, q configurations of its parents, N_c rows in cell c of the parents and N_cv of
these with value v of i, the cost (minus the score, in nats) is

    bic, mdl   sum of N_c ln N_c - sum of N_cv ln N_cv + (r - 1) q ln(N) / 2
    aic        the same with the penalty (r - 1) q
    bdeu       sum of R(s/q, N_c) - sum of R(s/(q r), N_cv)     with R(a, k) = ln[a (a + 1) ... (a + k - 1)]
    k2         sum of R(r, N_c) - sum of R(1, N_cv)

Each term is rounded to quanta of 2^-30 nat, from decimal arithmetic of 40 digits, and the rest is integers. The program
that made the graph computes terms with 64 binary digits; should a term lie within 1e-5 of the middle between two
quanta, a cost may differ by one. So costs that are off by one or two quanta are counted and told, not refused.

Complete lists: a parent set that is not listed is of no use if a listed subset of it costs no more. All sets are gone
through, variable by variable, up to `--effort` of them. For bic and aic the simplest valid rule spares some: the first
part of the cost is never negative and the penalty grows with the set, so once the penalty alone reaches the cost of
a listed subset, no superset is of use either.
"""

from __future__ import annotations

import argparse
import csv
import random
import runpy
import sys
from decimal import ROUND_HALF_UP, Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
QUANTA = 1 << 30
ROUNDING = 2  # quanta that a cost may be off, see above
FORMULAS = {"bic": "bic", "mdl": "bic", "aic": "aic", "bdeu": "bdeu", "k2": "k2"}


class NotComputable(Exception):
    """A table or a score from which the costs cannot be computed here: nothing is said of them."""


class Table:
    """Columns as codes 0, 1, ... in the order of the graph's variables."""

    def __init__(self, path: str, names: list[str]) -> None:
        with open(path, newline="", encoding="utf-8-sig") as file:
            head = file.readline()
            file.seek(0)
            delimiter = max(",;\t", key=head.count)
            rows = list(csv.reader(file, delimiter=delimiter))
        if not rows or set(names) - set(rows[0]):
            raise NotComputable(f"{path}: a CSV file with a column for each variable is needed")
        body = [row for row in rows[1:] if row]
        if any(len(row) != len(rows[0]) for row in body):
            raise NotComputable(f"{path} has rows of different lengths")
        columns = [[row[rows[0].index(name)].strip() for row in body] for name in names]
        if any(value in ("", "?", "NA", "nan") for column in columns for value in column):
            raise NotComputable(f"{path} has missing values; write the table as it was scored, without them")
        codes = [np.unique(column, return_inverse=True) for column in columns]
        self.rows, self.arity = len(body), [len(values) for values, _ in codes]
        self.codes = [inverse.astype(np.int64) for _, inverse in codes]

    def cells(self, variables: list[int]) -> Ints:
        """The number of every row's cell: rows that agree in the variables have the same."""
        cell: Ints = np.zeros(self.rows, np.int64)
        for v in variables:
            cell = np.unique(cell * self.arity[v] + self.codes[v], return_inverse=True)[1].astype(np.int64)
        return cell


class Scorer:
    """Costs in quanta by one of the formulas above."""

    def __init__(self, table: Table, score: str, sample_size: str) -> None:
        self.table, self.score, self.size = table, score, Decimal(sample_size)
        half = Decimal(max(table.rows, 1)).ln() / 2
        self.price = {"bic": self._round(half), "aic": QUANTA}.get(self.score, 0)
        self._logs: dict[int, int] = {0: 0}
        self._rising: dict[Any, list[Decimal]] = {}

    @staticmethod
    def _round(nats: Decimal) -> int:
        return int((nats * QUANTA).to_integral_value(ROUND_HALF_UP))

    def _sum(self, counts: Ints, a: Decimal | None) -> int:
        """The sum of rounded terms of some counts: c ln c, or R(a, c)."""
        total = 0
        for count, times in zip(*(part.tolist() for part in np.unique(counts, return_counts=True)), strict=True):
            if a is None:
                if count not in self._logs:
                    self._logs[count] = self._round(count * Decimal(count).ln())
                total += times * self._logs[count]
            else:
                known = self._rising.setdefault(a, [Decimal(0)])
                while len(known) <= count:
                    known.append(known[-1] + (a + len(known) - 1).ln())
                total += times * self._round(known[count])
        return total

    def penalty(self, i: int, parents: list[int]) -> int:
        q = 1
        for p in parents:
            q *= self.table.arity[p]
        return min(self.price * (self.table.arity[i] - 1) * q, 1 << 60)

    def cost(self, i: int, parents: list[int]) -> int:
        table, q, r = self.table, 1, self.table.arity[i]
        for p in parents:
            q *= table.arity[p]
        cell = table.cells(parents)
        above, below = np.bincount(cell), np.bincount(np.unique(cell * r + table.codes[i], return_inverse=True)[1])
        with localcontext() as context:
            context.prec = 40
            if self.score in ("bic", "aic"):
                weights: tuple[Decimal | None, Decimal | None] = (None, None)
            elif self.score == "bdeu":
                weights = (self.size / q, self.size / (q * r))
            else:
                weights = (Decimal(r), Decimal(1))
            return self._sum(above, weights[0]) - self._sum(below, weights[1]) + self.penalty(i, parents)


def check_scores(graph: Any, network: Ints, given: Any) -> list[str]:
    """What can be said of the scores, in words; ValueError if one is wrong or a useful set is missing.

    NotComputable if this score or this table is beyond what is written here.
    """
    score, parameters = given.score or graph.header.get("score") or "bic", graph.header.get("parameters", {})
    if score not in FORMULAS:
        raise NotComputable(f"the score {score!r} cannot be computed here; {', '.join(FORMULAS)} can")
    if parameters.get("interventions"):
        raise NotComputable("variables were set in some rows, which a table alone does not tell")
    with localcontext() as context:
        context.prec = 40
        table, arities = Table(given.data, graph.names), graph.header.get("arities")
        if arities is not None and arities != table.arity:
            raise ValueError("it has other states than the one that was scored")
        size = given.equivalent_sample_size or parameters.get("equivalent_sample_size", 1)
        scorer = Scorer(table, FORMULAS[score], str(size))
        lines = _check_costs(graph, network, scorer, given.sample)
        return [*lines, _check_completeness(graph, scorer, given)]


def _parents(graph: Any, p: int) -> list[int]:
    return [int(v) for v in np.flatnonzero(graph.has[:, p])]


def _check_costs(graph: Any, network: Ints, scorer: Scorer, sample: int | None) -> list[str]:
    every = range(len(graph.child))
    some = every if sample is None else random.Random(0).sample(every, max(0, min(sample, len(every))))
    rounded = 0
    for p in [*network.tolist(), *some]:
        i, cost = int(graph.child[p]), int(graph.cost[p])
        off = abs(scorer.cost(i, _parents(graph, p)) - cost)
        if off > ROUNDING:
            names = ", ".join(graph.names[v] for v in _parents(graph, p)) or "none"
            raise ValueError(f"the cost of {graph.names[i]} with the parents {names} is off by {off} quanta")
        rounded += off > 0
    which = "all listed sets" if sample is None else f"a sample of {len(some)} of the {len(every)} listed sets"
    lines = [f"Checked: the network's local costs, and those of {which}, are those of the table under {scorer.score}."]
    if rounded:
        lines.append(f"Note: {rounded} of them differ by one or two quanta, as rounding may.")
    if sample is not None:
        lines.append("Not checked: the costs of the other listed sets.")
    return lines


def _check_completeness(graph: Any, scorer: Scorer, given: Any) -> str:
    """Every set is listed or beaten by a listed subset, as far as the effort reaches."""
    n, parameters = len(graph.names), graph.header.get("parameters", {})
    limit = given.max_parents if given.max_parents is not None else parameters.get("max_parents", n)
    if parameters.get("knowledge") or not isinstance(limit, int):
        return "Not checked: that the lists are complete; they were made under prior knowledge or limits by name."
    left, done = given.effort, 0
    for i in range(n):
        rows = np.flatnonzero(graph.child == i)
        open_sets: list[list[int]] = [[]]
        while open_sets and left > 0:
            parents = open_sets.pop()
            inside = np.zeros(n, bool)
            inside[parents] = True
            best = int(graph.cost[rows[~graph.has[np.ix_(~inside, rows)].any(axis=0)]].min(initial=1 << 61))
            if scorer.price and scorer.penalty(i, parents) >= best:
                continue
            left -= 1
            if best > scorer.cost(i, parents) + ROUNDING:
                names = ", ".join(graph.names[v] for v in parents) or "none"
                raise ValueError(f"a useful parent set is missing: {graph.names[i]} with the parents {names}")
            if len(parents) < limit:
                last = parents[-1] if parents else -1
                open_sets += [[*parents, v] for v in range(last + 1, n) if v != i]
        if open_sets:
            break
        done += 1
    bound = "" if limit >= n else f" of up to {limit} parents"
    if done == n:
        return f"Checked: the lists are complete: no parent set{bound} that is missing could improve a network."
    return (
        f"Not checked: that the lists{bound} are complete, beyond {done} of {n} variables; a larger --effort goes on."
    )


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="check_scores", description="Check a certificate and the scores of its graph."
    )
    parser.add_argument("certificate")
    parser.add_argument("graph", help="the parent graph it is about: .pg, .jkl or .pss")
    parser.add_argument("--explain", action="store_true", help="tell the derivation, step by step")
    parser.add_argument("--data", required=True, help="the table, as CSV")
    parser.add_argument("--score", help="bic, mdl, aic, bdeu or k2; else the one that the graph names")
    parser.add_argument("--equivalent-sample-size", help="of bdeu")
    parser.add_argument("--max-parents", type=int, help="the lists have sets of up to so many parents")
    parser.add_argument("--sample", type=int, help="check the costs of so many sets, not of all")
    parser.add_argument("--effort", type=int, default=20_000, help="sets scored to see whether lists are complete")
    given = parser.parse_args(arguments)
    rules = runpy.run_path(str(Path(__file__).with_name("check_certificate.py")))

    def scores(graph: Any, network: Ints) -> list[str]:
        try:
            return check_scores(graph, network, given)
        except (OSError, UnicodeDecodeError, NotComputable, csv.Error) as error:
            raise rules["Unreadable"](f"the table: {error}") from None
        except ValueError as error:
            raise rules["Refused"](f"the table: {error}") from None
        except (TypeError, AttributeError, LookupError, ArithmeticError) as error:
            raise rules["Unreadable"](f"what the graph says of its scores makes no sense: {error!r}") from None

    code: int = rules["report"](given.certificate, given.graph, given.explain, scores)
    return code


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main())

"""Runs that end in a certificate, on small graphs, with the tools of large ones."""

from __future__ import annotations

import io
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

import sabna
from sabna.bounds import source_rounds
from sabna.certificate.checker import check_certificate as checker
from sabna.parents.graph import ParentGraph
from sabna.searching import decisions, ledger
from sabna.searching.part import Part
from sabna.searching.steps import STEPS
from sabna.searching.steps.context import Context, Step
from sabna.searching.strategies import STRATEGIES
from sabna.searching.strategies.auto import Auto
from tests.graphs import equivalent_graph, random_graph
from tests.test_tree import Forced, ForcedSources


def verdict(certificate: Path, graph: Path, *options: str) -> tuple[int, str]:
    """Exit code and words of the checker."""
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        code = checker.main([str(certificate), str(graph), *options])
    return code, told.getvalue()


class Tabled(Auto):
    """Dual ascent, pattern databases, then A*: no linear program closes the gap before them."""

    def next_step(self, part: Part, context: Context) -> Step:
        done = part.progress.step
        if part.depth == 0 or (done and not part.progress.one_component):
            return STEPS[decisions.COMPONENTS]
        if part.lower >= part.target:
            return STEPS[decisions.CLOSE]
        steps = {"": decisions.FIRST_NETWORK, decisions.FIRST_NETWORK: decisions.DUAL_ASCENT}
        steps |= {decisions.DUAL_ASCENT: decisions.PATTERN_TABLES}
        return STEPS[steps.get(done, decisions.ASTAR)]


# What the default strategy is replaced by, so that every rule of the checker is met often.
WAYS: tuple[Auto, ...] = (Auto(), Auto(), Auto(), Tabled(), Tabled(), Forced(False), Forced(True), ForcedSources())


THREADS = ThreadPoolExecutor(2)  # an engine: parts of the tree are worked on elsewhere


def without_easy_ways_out(monkeypatch: pytest.MonkeyPatch, rng: random.Random) -> None:
    """Small parts are not solved by tables at once, here or by the checker; groups are small; A* comes early.

    Branches, zero-half cuts and pattern databases are forced now and then.
    """
    monkeypatch.setitem(STRATEGIES, "auto", rng.choice(WAYS))
    monkeypatch.setattr(decisions, "SEARCHED_AT_WHOLE_POINTS", rng.choice((0, 40)))
    monkeypatch.setattr(decisions, "DENSE_AT_ONCE", rng.choice((0, 0, 3)))
    monkeypatch.setattr(decisions, "DENSE_SECONDS", 0.0)
    monkeypatch.setattr(decisions, "MANY_SETS", 10**9)
    sizes = tuple(sorted(rng.choice((2, 3, 4, 6)) for _ in range(3)))
    monkeypatch.setattr(decisions, "GROUP_SIZES", sizes)
    monkeypatch.setattr(decisions, "SMALLEST_GROUP", 2)
    monkeypatch.setattr(decisions, "SMALL_GROUP", rng.choice((2, 3)))
    monkeypatch.setattr(decisions, "GROUPS_FROM", rng.choice((0, 40)))
    monkeypatch.setattr(decisions, "MOST_ROUNDS", rng.choice((1, 2, 40)))
    if decisions.MOST_ROUNDS == 2:  # source programs that leave much to branching
        monkeypatch.setattr(source_rounds, "ASCENT_WORK_PER_SET", 0)
        for name in ("SOURCE_ROUNDS", "SOURCE_ROUNDS_OF_BRANCH"):
            monkeypatch.setattr(decisions, name, source_rounds.SourceLimits(stall=1, share=1.0, most=1))
    monkeypatch.setattr(decisions, "ASCENT_WORK", rng.choice((1, 1000, 10**7)))
    monkeypatch.setattr(decisions, "RESTARTS", rng.choice((0, 1, 24)))
    monkeypatch.setattr(decisions, "FIRST_WORK", rng.choice((1, 10**6)))
    if rng.random() < 0.2:  # A* fills its tables itself
        monkeypatch.setattr(decisions, "tables_filled", lambda part: False)
    monkeypatch.setattr(ledger, "SOLVED_BY_CHECKER", rng.choice((0, 0, 0, 4)))


def with_cuts(monkeypatch: pytest.MonkeyPatch, rng: random.Random) -> ParentGraph:
    """A graph hard enough for local or for derived cuts; one of the two is forced, without the other."""
    monkeypatch.setitem(STRATEGIES, "auto", Forced(True))
    monkeypatch.setattr(decisions, "SEARCHED_AT_WHOLE_POINTS", 0)
    monkeypatch.setattr(decisions, "ROUNDS_BEFORE_LOOKS", rng.choice(((), (1, 3))))
    monkeypatch.setattr(decisions, "SETS_FOR_LOOKS", 0)  # local search between rounds, now and then
    local = rng.random() < 0.5
    for name in ("CUT_ROUNDS", "CUT_ROUNDS_OF_BRANCH"):
        limits = decisions.RoundLimits(most=12, local=local, derived_up_to=0 if local else 10**9)
        monkeypatch.setattr(decisions, name, limits)
    return random_graph(rng.randrange(10**9), 8, sets=30, costs=1 << 34, hard=True)


def searched_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small parts go through all the steps of large ones."""
    monkeypatch.setattr(decisions, "DENSE_AT_ONCE", 0)
    monkeypatch.setattr(decisions, "DENSE_SECONDS", 0.0)
    monkeypatch.setattr(decisions, "MANY_SETS", 10**9)
    monkeypatch.setattr(decisions, "GROUP_SIZES", (2,))
    monkeypatch.setattr(decisions, "SMALLEST_GROUP", 2)
    monkeypatch.setattr(decisions, "MOST_ROUNDS", 1)
    monkeypatch.setattr(decisions, "TRIAL_FROM", 0)
    monkeypatch.setattr(ledger, "SOLVED_BY_CHECKER", 0)


def graph_for(rng: random.Random, largest: int = 9) -> ParentGraph:
    """Small graphs of all kinds: ties, negative costs, no empty sets, score-equivalent costs; some hard ones."""
    if rng.random() < 0.15:
        costs = rng.choice((1000, 10**6, 1 << 34))
        return random_graph(rng.randrange(10**9), largest, sets=rng.choice((14, 30)), costs=costs, hard=True)
    if rng.random() < 0.1:  # arcs can be turned round
        return equivalent_graph(rng.randrange(10**9), rng.randint(2, largest), rng.randint(1, 3), rng.choice((4, 1000)))
    return random_graph(
        rng.randrange(10**9),
        rng.randint(1, largest),
        sets=rng.choice((2, 6, 14, 25)),
        largest=rng.randint(1, 4),
        costs=rng.choice((1, 3, 10, 10**6, 10**15)),
        empty_sets=rng.random() < 0.7,
        hard=rng.random() < 0.5,
    )


def options_for(rng: random.Random) -> dict[str, object]:
    """A strategy with some of its options."""
    strategy = rng.choice(("auto", "auto", "auto", "astar", "bfs"))
    options: dict[str, object] = {"strategy": strategy, "n_jobs": 1, "seed": rng.randrange(100)}
    options["path_extension"] = rng.random() < 0.8
    options["gap_tolerance"] = rng.choice((0, 0, 1e-6, 1e-9, 0.5))
    if strategy != "auto":
        options["heuristic"] = rng.choice(("simple", "pattern", "cuts", "dual-pattern"))
        options |= {name: rng.random() < 0.5 for name in ("upper_bound", "components", "scc_branching")}
    elif rng.random() < 0.1:
        options["engine"] = THREADS
    if rng.random() < 0.15:
        options["time_limit"] = rng.choice((0, 0.001, 0.01))
    return options


def certified(graph: ParentGraph, folder: Path, options: dict[str, object]) -> tuple[sabna.Result, Path, Path]:
    """Search with a certificate; the result, the certificate, and the graph's file."""
    file, proof = folder / "graph.pg", folder / "proof.cert"
    graph.save(file)
    return sabna.search(graph, certificate=proof, **options), proof, file  # type: ignore[arg-type]

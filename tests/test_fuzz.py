"""The short, fixed part of the model-based tester (tests/fuzz); `make fuzz` runs the long one."""

from __future__ import annotations

import random

import pytest

from .fuzz import calls
from .fuzz.calls import Session, failure_of
from .fuzz.problems import Problem
from .fuzz.sequences import random_calls, random_problem
from .fuzz.shrink import script, shrunk
from .fuzz.tables import random_table

PROBLEMS_PER_TEST = 3


@pytest.mark.parametrize("seed", range(8))
def test_random_sequences_of_calls_agree_with_the_model(seed: int) -> None:
    for k in range(PROBLEMS_PER_TEST):
        rng = random.Random(f"{seed}/{k}")
        problem = random_problem(rng)
        sequence = random_calls(rng, problem)
        failure, _, _ = failure_of(problem, sequence)
        assert not failure, f"{failure}\n{script(*shrunk(problem, sequence))}"


def test_the_tester_notices_a_wrong_answer_and_makes_it_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects from a tester that cannot fail: with a model that is off by one, every search is a failure."""
    problem = Problem([{0: 5, 2: 3}, {0: 4, 1: 1}, {0: 9}, {0: 1, 4: 0}])
    sequence = [("search", {"strategy": "bfs"}), ("search", {"strategy": "astar", "heuristic": "simple"})]
    assert failure_of(problem, sequence)[0] == ""
    before = Session.check_result

    def off_by_one(self: Session, *arguments: object, **options: object) -> None:
        assert self.best is not None
        self.best += 1
        before(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Session, "check_result", off_by_one)
    assert "optimum" in failure_of(problem, sequence)[0]
    small, fewer = shrunk(problem, sequence)
    assert (small.n, len(fewer)) == (1, 1)
    assert "session.call_search(" in script(small, fewer)


@pytest.mark.parametrize("score", ["bic", "bdeu", "bic-g", "bge", "bcg", "bic-cg", "pnal-cg"])
def test_the_tester_notices_a_cost_that_is_off(score: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects from tables whose costs are compared with nothing."""
    rng = random.Random(score)
    problem = random_table(rng)
    while problem.score != score or problem.n < 2 or failure_of(problem, [])[0]:
        problem = random_table(rng)
    right = calls.slow_cost
    monkeypatch.setattr(calls, "slow_cost", lambda *given: (right(*given) or 0.0) + 1e-4)
    assert "the model says" in failure_of(problem, [])[0]

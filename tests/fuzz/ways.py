"""Ways through the package that small problems do not take by themselves, forced on them.

long way   no dense tables, small groups, the group program early
branches   dual ascent, the cluster program, then branching
cuts       the same with zero-half cuts
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from sabna.base import atomic
from sabna.searching import decisions, ledger, working
from sabna.searching.strategies import STRATEGIES
from sabna.workdir import folder

from ..test_tree import Forced

LONG_WAY = {"DENSE_AT_ONCE": 0, "DENSE_MOST": 0, "GROUP_SIZES": (3, 4, 5), "SMALL_GROUP": 3, "GROUPS_FROM": 5}
WAYS = ("auto", "long way", "branches", "cuts", "astar", "astar", "bfs")


@contextmanager
def way(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The options as the package takes them: `strategy` may be one of the ways above, `engine` a number of threads."""
    given = dict(options)
    with ExitStack() as held:
        if given.get("strategy") == "long way":
            given["strategy"] = "auto"
            held.enter_context(mock.patch.multiple(decisions, **LONG_WAY))
        elif given.get("strategy") in ("branches", "cuts"):
            held.enter_context(mock.patch.dict(STRATEGIES, auto=Forced(given["strategy"] == "cuts")))
            held.enter_context(mock.patch.multiple(decisions, SEARCHED_AT_WHOLE_POINTS=0))
            held.enter_context(mock.patch.multiple(ledger, SOLVED_BY_CHECKER=0))
            given["strategy"] = "auto"
        if "engine" in given:
            given["engine"] = held.enter_context(ThreadPoolExecutor(given["engine"]))
            held.enter_context(mock.patch.multiple(working, COMFORT=1))
        yield given


class Killed(BaseException):
    """In place of kill -9: nothing of the package catches it, and nothing is cleaned up."""


def killed(run: Callable[[], Any], at: int, after: bool) -> Any:
    """What a run returns that keeps all it can and is killed at a write, before or after the file is in place.

    None if it was killed.
    """
    replace, count = atomic._replace, [0]

    def write(*arguments: Any) -> None:
        count[0] += 1
        if count[0] == at and not after:
            raise Killed
        replace(*arguments)
        if count[0] == at:
            raise Killed

    with mock.patch.object(atomic, "_replace", write), mock.patch.object(folder.Saver, "due", return_value=True):
        try:
            return run()
        except Killed:
            return None

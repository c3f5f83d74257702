"""Every parameter of the public functions, given something of the wrong type: an error of ours, none of Python's."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sabna
from sabna.settings.table import settings_of

FRAME = pd.DataFrame({"a": list("xyxyxyxy"), "b": list("xxyyxxyy")})
NETWORK = sabna.Network(["a", "b"], {})


class Other:
    """Nothing that an option could be."""


# Whatever is given in place of something else; an option may take one of them.
WRONG: tuple[Any, ...] = (
    Other(),
    3,
    -1.5,
    True,
    "no such thing",
    b"x",
    [Other()],
    [3],
    {Other(): Other()},
    {"a": Other()},
    np.zeros(3),
    float("nan"),
    {1, 2},
    pd.Series([1, 2]),
)
FUNCTIONS: dict[str, tuple[Callable[..., Any], Any]] = {
    "build_parent_graph": (sabna.build_parent_graph, FRAME),
    "search": (sabna.search, sabna.build_parent_graph(FRAME)),
    "learn": (sabna.learn, FRAME),
    "kbest": (sabna.kbest, FRAME),
    "posterior": (sabna.posterior, FRAME),
    "bootstrap": (sabna.bootstrap, FRAME),
    "estimate": (sabna.estimate, FRAME),
    "start": (sabna.start, FRAME),
    "read_table": (sabna.read_table, FRAME),
    "read_numeric": (sabna.read_numeric, FRAME.replace({"x": "1", "y": "2"})),
    "read_mixed": (sabna.read_mixed, FRAME),
    "look": (sabna.look, FRAME),
    "graph_from_scores": (sabna.graph_from_scores, ["a", "b"]),
    "Network.score": (NETWORK.score, FRAME),
}


def options_of(name: str) -> list[str]:
    parameters = inspect.signature(FUNCTIONS[name][0]).parameters.values()
    own = [p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)][1:]
    return list(dict.fromkeys([*own, *(settings_of("network score") if name == "Network.score" else ())]))


def called(name: str, data: Any, given: dict[str, Any]) -> None:
    function = FUNCTIONS[name][0]
    if name == "bootstrap":
        given = {"replicates": 1, "n_jobs": 1, **given}
    if name == "graph_from_scores":
        given = {"score": lambda child, parents: 1.0, **given}
    found = function(data, **given)
    if name == "start":
        found.result()


CASES = [(name, option) for name in FUNCTIONS for option in options_of(name)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "option"), CASES, ids=[f"{name}-{option}" for name, option in CASES])
def test_a_parameter_of_the_wrong_type_ended_in_an_error_of_python(
    name: str, option: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    """`limits=3` was an AttributeError, `columns=5` of `read_table` a TypeError."""
    monkeypatch.chdir(tmp_path)  # some options name files
    refused = 0
    for value in WRONG:
        try:
            called(name, FUNCTIONS[name][1], {option: value})
        except sabna.SabnaError:
            refused += 1
    assert refused >= 5, "so many of them are of the wrong type whatever the option is"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_data_of_the_wrong_type_is_refused(name: str) -> None:
    for value in (*WRONG, None):
        try:
            called(name, value, {})
        except sabna.SabnaError:
            continue
        assert not isinstance(value, Other)


def test_limits_of_a_run_that_has_begun_and_others_were_not_compared() -> None:
    """`time_limit` was ignored beside `limits`."""
    from sabna.base.limits import Limits

    with pytest.raises(sabna.SabnaError, match=r"^time_limit 5: not together with `limits`"):
        sabna.learn("no-such-file.csv", limits=Limits(7.0), time_limit=5)
    for function in (sabna.learn, sabna.kbest, sabna.bootstrap, sabna.posterior, sabna.build_parent_graph):
        with pytest.raises(sabna.SabnaError, match=r"^limits 3: "):
            function("no-such-file.csv", limits=3)  # type: ignore[operator]
    found = sabna.kbest(FRAME, 1, limits=Limits(70.0))
    assert found.statistics["run"]["options"]["time_limit"] == 70.0

"""One table of options: functions, commands, estimator and docs agree with it, and everything is checked first."""

from __future__ import annotations

import importlib.util
import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

import sabna
from sabna.base.errors import SabnaError, UsageError
from sabna.base.limits import LIMIT_FIELDS
from sabna.base.stop import LIMITS
from sabna.cli.app import run
from sabna.estimating import estimate
from sabna.estimator import ExactBayesianNetwork
from sabna.searching.steps.plain_search import WEIGHTED
from sabna.searching.strategies import STRATEGIES
from sabna.settings import table as settings
from sabna.settings.table import Limited, Searching, all_settings, rows, settings_of
from sabna.table.missing import TREATMENTS

FUNCTIONS = {
    "score": sabna.build_parent_graph,
    "search": sabna.search,
    "learn": sabna.learn,
    "kbest": sabna.kbest,
    "posterior": sabna.posterior,
    "bootstrap": sabna.bootstrap,
    "estimate": estimate,
}
# What the estimator calls otherwise, as scikit-learn does, or leaves to other estimators of a pipeline.
ESTIMATOR_NAMES = {"score": "scoring_method", "seed": "random_state"}
NOT_OF_THE_ESTIMATOR = {
    "leave_out",
    "sheet",
    "delimiter",
    "header",
    "decimal",
    "progress",
    "work",
    "time",
    "id",
    "lags",
    "engine",
    "certificate",
    "target",
    "folds",
    "pnal_k",
    "interventions",
    "em_starts",
    "columns",
    "drop",
    "heuristic",
    *rows(Searching),
}
OTHER_DEFAULTS = {"discretize": "auto", "n_jobs": None, "seed": None}


@pytest.mark.parametrize("taker", FUNCTIONS)
def test_functions_take_what_the_table_says(taker: str) -> None:
    shown = inspect.signature(FUNCTIONS[taker]).parameters
    for name, row in settings_of(taker).items():
        assert name in shown, f"{taker} does not show {name}"
        assert shown[name].default == row.default


def test_words_of_the_table_are_those_of_the_stations() -> None:
    assert tuple(STRATEGIES) == settings.STRATEGIES
    assert set(WEIGHTED) < set(settings.HEURISTICS)
    assert TREATMENTS == settings.MISSING


# Values that were accepted once, ended in a bare KeyError, or were found to be wrong after hours of scoring.
WRONG = [
    {"gap_tolerance": 1e300},
    {"gap_tolerance": float("nan")},
    {"gap_tolerance": -1},
    {"memory_limit": 10**30},
    {"progress": 5},
    {"memory_limit": "lots"},
    {"memory_limit": True},
    {"time_limit": -1},
    {"time_limit": float("nan")},
    {"max_parents": float("nan")},
    {"max_parents": -1},
    {"max_parents": 1.5},
    {"max_parents": {"asia": "two"}},
    {"max_parents": ["asia=two"]},
    {"n_jobs": 20000},
    {"n_jobs": 0},
    {"n_jobs": 1.5},
    {"seed": -1},
    {"seed": "x"},
    {"scor": "bic"},
    {"score": "bicc"},
    {"strategy": "astarr"},
    {"strategy": "astar", "heuristic": "none"},
    {"strategy": "astar", "heuristic": "pattern", "pattern_groups": 10**12},
    {"strategy": "astar", "heuristic": "pattern", "pattern_grouping": "x"},
    {"missing": "ignore"},
    {"path_extension": "yes"},
    {"score": "bic", "equivalent_sample_size": 1.0},
    {"score": "bdeu", "equivalent_sample_size": float("inf")},
    {"score": "bdeu", "alpha_mu": 1.0},
    {"score": "bdeu", "equivalent_sample_size": 10**400},
    {"memory_limit": 10**400},
    {"discretize": {"asia": 5}},
    {"discretize": [None]},
    {"work": "a\0b"},
    {"certificate": "a\ud800b"},
]
# Options that the chosen strategy does not use were ignored without a word.
UNUSED = [
    {"heuristic": "simple"},
    {"upper_bound": False},
    {"components": True},
    {"scc_branching": True},
    {"strategy": "bfs", "heuristic": "simple", "pattern_groups": 2},
    {"strategy": "astar", "pattern_grouping": "order"},
]


@pytest.mark.parametrize("options", WRONG + UNUSED, ids=str)
def test_options_that_cannot_be_are_refused_before_anything_is_read(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(options)) if len(options) == 1 else None):
        sabna.learn("no-such-file.csv", **options)


@pytest.mark.parametrize(
    "value", [{"required": [5]}, {"required": 5}, {"tiers": [5]}, {"roots": 7}, {"max_parents": 3}]
)
def test_knowledge_that_is_none_is_refused_in_our_words(value: dict[str, Any]) -> None:
    with pytest.raises(SabnaError):
        sabna.learn("example:asia", knowledge=value)


def test_names_that_no_file_can_have_are_refused(tmp_path: Path) -> None:
    """They ended in a ValueError of Python."""
    result = sabna.learn("example:asia")
    for name in ("a\0b", "a\ud800b"):
        for read in (sabna.read_network, sabna.read_result, sabna.search, sabna.learn, result.save):
            suffix = ".pg" if read is sabna.search else ".csv" if read is sabna.learn else ".json"
            with pytest.raises(SabnaError, match="name"):
                read(f"{tmp_path}/{name}{suffix}")  # type: ignore[operator]
        with pytest.raises(SabnaError, match="name"):
            sabna.learn("example:asia", knowledge=f"{tmp_path}/{name}.toml")


@pytest.mark.parametrize("codes", [[[0, 1, 2]], [[0, 1, 65535]]])
def test_codes_above_the_arity_are_refused(codes: list[list[int]]) -> None:
    import numpy as np

    with pytest.raises(SabnaError, match="code"):
        sabna.learn(sabna.Table(("a",), np.array(codes, np.uint16), (("x", "y"),)))


def test_a_result_is_made_again_from_its_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    given = ["--score", "bdeu", "--equivalent-sample-size", "3", "--max-parents", "2", "--max-parents", "lung=1"]
    assert run(["learn", "example:asia", *given, "--strategy", "astar", "-o", str(first), "-q"]) == 0
    assert run(["learn", "--settings", str(first), "-o", str(second), "-q"]) == 0
    one, two = json.loads(first.read_text()), json.loads(second.read_text())
    assert one["run"]["options"] == two["run"]["options"]
    assert one["run"]["options"]["max_parents"] == ["2", "lung=1"]
    for key in ("cost_quanta", "parents", "score_type", "status"):
        assert one[key] == two[key]
    assert one["cost_quanta"] != sabna.learn("example:asia").cost_quanta


def test_settings_from_toml_and_the_command_line_is_stronger(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.toml"
    file.write_text('data = "example:asia"\nscore = "aic"\nmax_parents = 1\n')
    assert run(["learn", "--settings", str(file), "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["cost_quanta"] == sabna.learn("example:asia", "aic", max_parents=1).cost_quanta
    assert run(["learn", "--settings", str(file), "--score", "bic", "--json"]) == 0
    stronger = json.loads(capsys.readouterr().out)
    assert stronger["cost_quanta"] == sabna.learn("example:asia", "bic", max_parents=1).cost_quanta


# What each command needs beside a settings file.
BESIDE = {
    "learn": ["--json"],
    "score": ["-o", "g.pg", "--json"],
    "kbest": ["-k", "2", "--json"],
    "posterior": ["--json"],
    "bootstrap": ["-B", "2", "--json"],
    "estimate": [],
}


@pytest.mark.parametrize("limit", ["max_parents = 2", "max_parents = ['2', 'lung=1']", "[max_parents]\nlung = 1"])
@pytest.mark.parametrize("command", BESIDE)
def test_every_command_that_reads_a_table_takes_a_settings_file(
    tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str], command: str, limit: str
) -> None:
    """`estimate` ended in an internal error where the file gave a number."""
    monkeypatch.chdir(tmp_path)
    Path("run.toml").write_text(f'data = "example:asia"\nscore = "bdeu"\nequivalent_sample_size = 2.0\n{limit}\n')
    assert run([command, "--settings", "run.toml", *BESIDE[command]]) == 0
    out = capsys.readouterr().out
    assert command != "estimate" or "--max-parents" in out


@pytest.mark.parametrize("command", ["learn", "kbest"])
def test_findings_that_name_no_options_are_no_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """The message was that `kbest` has no option 'status'."""
    file = tmp_path / "found.json"
    assert run(["estimate", "example:asia", "--json"]) == 0
    file.write_text(capsys.readouterr().out)
    assert run([command, "example:asia", "--settings", str(file)]) == 2
    assert "does not say which options" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("scor = 'bic'", "did you mean 'score'"),
        ("score = 'bicc'", "unknown score"),
        ("max_parents = -1", "max_parents"),
        ("max_parents =", "no settings file"),
        ("data = 5", "data"),
        ("progress = 1", "progress is for programs"),
        ("score = 'bic'", "DATA"),
    ],
)
def test_settings_files_are_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    file = tmp_path / "run.toml"
    file.write_text(text)
    assert run(["learn", "--settings", str(file)]) == 2
    assert words in capsys.readouterr().err


def test_settings_nested_without_end_are_refused_in_our_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message was Python's own, about its recursion."""
    file = tmp_path / "r.json"
    file.write_text("[" * 200_000)
    assert run(["learn", "example:asia", "--settings", str(file)]) == 2
    assert "nested deeper than" in capsys.readouterr().err


def test_the_search_of_a_graph_is_made_again_too(tmp_path: Path) -> None:
    graph, first = tmp_path / "g.pg", tmp_path / "r.json"
    assert run(["score", "example:asia", "-o", str(graph), "-q"]) == 0
    assert run(["search", str(graph), "--strategy", "bfs", "--no-path-extension", "-o", str(first), "-q"]) == 0
    second = tmp_path / "again.json"
    assert run(["search", "--settings", str(first), "-o", str(second), "-q"]) == 0
    one, two = json.loads(first.read_text()), json.loads(second.read_text())
    assert one["run"]["options"] == two["run"]["options"] == {"strategy": "bfs", "path_extension": False}
    assert one["search"]["stored"] == two["search"]["stored"]


def test_every_limit_is_an_option_a_field_and_a_reason_to_stop() -> None:
    """Protects from a limit that a run takes and does not keep."""
    assert list(rows(Limited)) == list(LIMIT_FIELDS) == list(LIMITS)


def test_the_estimator_takes_what_learn_takes() -> None:
    shown = inspect.signature(ExactBayesianNetwork).parameters
    for name, row in settings_of("learn").items():
        here = ESTIMATOR_NAMES.get(name, name)
        if name in shown or name not in NOT_OF_THE_ESTIMATOR:
            assert shown[here].default == OTHER_DEFAULTS.get(name, row.default), name


def test_commands_show_every_option_of_the_table(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    for taker in FUNCTIONS:
        run([taker, "--help"])
        text = capsys.readouterr().out
        for name, row in settings_of(taker).items():
            flag = f"--no-{name}" if row.default is True else f"--{name}"
            if row.on_the_command_line:
                assert (row.flags or (flag.replace("_", "-"),))[0] in text


def test_estimate_takes_continuous_scores() -> None:
    import numpy as np

    values = np.random.default_rng(1).normal(size=(60, 5))
    assert estimate(values, "bic-g").exact


def test_the_page_of_settings_is_the_table() -> None:
    path = Path(__file__).parents[1] / "docs/_site/settings.py"
    spec = importlib.util.spec_from_file_location("settings_page", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text() == module.page(), "run python docs/_site/settings.py"
    assert all(f"`{name}`" in module.page() for name in all_settings())


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("whitelist", "write knowledge={'required': [['a', 'b']]}"),
        ("blacklist", "write knowledge={'forbidden': [['a', 'b']]}"),
        ("maxp", "write max_parents"),
        ("iss", "write equivalent_sample_size"),
        ("scoring_method", "write score"),
        ("random_state", "write seed"),
    ],
)
def test_names_of_other_programs_were_answered_with_a_list_of_forty(theirs: str, ours: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"learn has no option '{theirs}'; {ours}")):
        sabna.learn("example:asia", **{theirs: 3})  # type: ignore[arg-type]

"""Kinds of data and options together: each combination works, or is refused before any work with a way out."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import numpy as np
import pandas
import pytest

from sabna.cli.app import run

COMMANDS = {
    "learn": [],
    "score": ["-o", "graph.pg"],
    "kbest": ["-k", "2"],
    "bootstrap": ["--replicates", "2"],
    "posterior": [],
}
# Scores, and the table that has their columns.
TABLES = {
    None: "both",
    "bic": "categories",
    "bdeu": "categories",
    "pnal": "categories",
    "bic-g": "numbers",
    "bge": "numbers",
    "pnal-g": "numbers",
    "bcg": "both",
    "bic-cg": "both",
    "pnal-cg": "both",
}
MISSING = ("error", "drop", "category", "available", "em")
SWITCHES = {
    "interventions": (["--interventions", "INT"], ["--drop", "INT"]),
    "time": (["--time", "t", "--id", "who"], ["--drop", "t", "--drop", "who"]),
    "knowledge": (["--knowledge", "known.toml"], []),
}
ALL = list(itertools.product(COMMANDS, TABLES, MISSING, *SWITCHES.values()))
WAY_OUT = re.compile(r"\b(use|write|leave|name|choose|discretize|try)\b")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of categories, numbers and both, complete and with holes."""
    path = tmp_path_factory.mktemp("combinations")
    rng = np.random.default_rng(0)
    rows = 60
    a = rng.integers(0, 2, rows)
    x = a + rng.normal(size=rows)
    columns = {
        "categories": {"K1": np.where(a, "u", "v"), "K2": rng.choice(["p", "q"], rows), "K3": rng.choice([3, 4], rows)},
        "numbers": {"K1": x, "K2": x + rng.normal(size=rows), "K3": rng.normal(size=rows)},
        "both": {"K1": np.where(a, "u", "v"), "K2": x, "K3": x + rng.normal(size=rows)},
    }
    plan = {
        "INT": np.resize(["none", "K1", "K2;K1"], rows),
        "t": np.resize(range(15), rows),
        "who": np.arange(rows) // 15,
    }
    for name, table in columns.items():
        whole = pandas.DataFrame(table).astype(object)
        for holes, frame in (("", whole), ("-holes", whole.mask(rng.random(whole.shape) < 0.1))):
            frame.assign(**plan).to_csv(path / f"{name}{holes}.csv", index=False)
    (path / "known.toml").write_text('forbidden = ["K3 -> K1"]\n')
    return path


@pytest.mark.parametrize(
    "chosen", [pytest.param(90, id="some"), pytest.param(len(ALL), id="all", marks=pytest.mark.slow)]
)
def test_each_works_or_is_refused_with_a_way_out(
    chosen: int, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    codes = []
    for command, score, missing, *switches in random.Random(1).sample(ALL, chosen):
        source = TABLES[score] + ("" if missing == "error" else "-holes") + ".csv"
        scored = ["--score", score] if score else []
        words = [command, source, *COMMANDS[command], *scored, "--missing", missing, *itertools.chain(*switches)]
        codes.append(run(words))
        told = capsys.readouterr().err
        assert codes[-1] in (0, 2, 3), f"{words}\n{told}"
        assert "internal error" not in told
        assert codes[-1] == 0 or WAY_OUT.search(told), f"{words}\n{told}"
    assert min(codes.count(0), len(codes) - codes.count(0)) > chosen / 5

"""The package as a whole: it imports, offers what it lists, and both builds of its core agree."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sabna
from sabna import _native

HEAVY = (
    "highspy",
    "jinja2",
    "matplotlib",
    "networkx",
    "numpy",
    "pandas",
    "psutil",
    "pyarrow",
    "rich",
    "sklearn",
    "typer",
)


def python(*arguments: str, **environment: str) -> str:
    """What a new interpreter prints."""
    run = subprocess.run(
        [sys.executable, *arguments], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return run.stdout


def test_every_public_name_is_there() -> None:
    for name in sabna.__all__:
        assert getattr(sabna, name) is not None


def test_importing_loads_no_heavy_library() -> None:
    """`import sabna` stays quick: whatever weighs comes when it is used."""
    loaded = python("-c", "import sys, sabna; print(*sys.modules)").split()
    assert "sabna" in loaded
    assert not set(HEAVY) & set(loaded)


@pytest.mark.skipif(len(_native.builds()) < 2, reason="compiled for the machine at hand only; `make dist` makes both")
@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_both_builds_of_the_core_find_the_same(score: str, tmp_path: Path) -> None:
    """A wheel picks a build at run time; the answer must not depend on the pick."""
    found = {}
    for build in ("base", "v3"):
        program = f"""
import json, sabna
from sabna._native import core
result = sabna.learn("example:asia", score={score!r})
sabna.build_parent_graph("example:asia", score={score!r}).save({str(tmp_path / build)!r} + ".jkl")
print(json.dumps([core.__name__, result.cost_quanta, result.network.parents]))
"""
        name, *answer = json.loads(python("-c", program, SABNA_CPU=build))
        assert name == {"base": "sabna._core", "v3": "sabna._core_v3"}[build]
        found[build] = answer, (tmp_path / f"{build}.jkl").read_bytes()
    assert found["base"] == found["v3"]


def test_the_stubs_are_those_of_the_core(tmp_path: Path) -> None:
    """The types in _core.pyi are generated (`make stubs`); a binding that changed without them is caught here."""
    fresh = tmp_path / "_core.pyi"
    python("-m", "nanobind.stubgen", "-q", "-m", _native.core.__name__, "-o", str(fresh))
    kept = Path(sabna.__file__).with_name("_core.pyi")
    assert ast.dump(ast.parse(kept.read_text())) == ast.dump(ast.parse(fresh.read_text()))


def test_the_version_is_stated_once_and_cited_alike() -> None:
    """Protects from a citation of another version than the one that was released."""
    root = Path(__file__).parents[1]
    stated = re.search(r'^version = "(.*)"$', (root / "pyproject.toml").read_text(), re.MULTILINE)
    cited = re.search(r"^version: (.*)$", (root / "CITATION.cff").read_text(), re.MULTILINE)
    assert stated is not None
    assert cited is not None
    assert stated[1] == cited[1] == sabna.__version__

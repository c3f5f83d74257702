"""The package as a whole: it imports, offers what it lists, and finds its core."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

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


def test_a_build_that_is_not_there_is_named() -> None:
    """An installation from source has the build for one kind of machine; another must not be looked for in vain."""
    missing = {"base", "v3"} - set(_native.builds())
    for name in [*missing, "v9"]:
        run = subprocess.run(
            [sys.executable, "-c", "import sabna._native"],
            env=os.environ | {"SABNA_CPU": name},
            capture_output=True,
            text=True,
        )
        assert run.returncode != 0
        assert f"asked for: {name}; installed and able to run here: {', '.join(_native.builds())}" in run.stderr
    for name in _native.builds():
        chosen = python("-c", "from sabna import _native; print(_native.core.__name__)", SABNA_CPU=name)
        assert chosen.strip() == _native.MODULES[name]


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


def test_the_package_runs_as_the_command() -> None:
    told = subprocess.run([sys.executable, "-m", "sabna", "--version"], capture_output=True, text=True, check=True)
    assert told.stdout == f"sabna {sabna.__version__}\n"

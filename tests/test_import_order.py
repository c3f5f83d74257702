"""Protects from rooms that grow into a corridor: imports point one way along the stations, imports inside functions
included."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import sabna

ROOT = Path(sabna.__file__).parent
# A module may import from its own station and from those before it.
STATIONS = (
    "_native",
    "base",
    "workdir",
    "engine",
    "examples",
    "table",
    "scores",
    "settings",
    "parents",
    "network",
    "bounds",
    "result",
    "certificate",
    "searching",
    "alternatives",
    "averaging",
    "bootstrapping",
    "expectation",
    "report",
    "learning",
    "handle",
    "estimating",
    "estimator",
    "classifier",
    "bench",
    "cli",
    "__main__",
)
# Their commands are loaded one by one, so that `sabna --help` is quick; benchmarks likewise.
MAY_IMPORT_INSIDE_FUNCTIONS = ("cli", "bench")


def modules() -> list[Path]:
    return [p for p in sorted(ROOT.rglob("*.py")) if p != ROOT / "__init__.py"]


def station(module: str) -> str:
    return module.split(".")[1]


def imports(path: Path) -> list[tuple[str, int, bool]]:
    """Every import of sabna outside TYPE_CHECKING: module, line, whether it stands inside a function."""
    found: list[tuple[str, int, bool]] = []

    def look_below(above: ast.AST, inside: bool) -> None:
        for node in ast.iter_child_nodes(above):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                continue
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "sabna":
                names = [node.module] if "." in node.module else [f"sabna.{a.name}" for a in node.names]
            elif isinstance(node, ast.Import):
                names = [a.name for a in node.names if a.name.split(".")[0] == "sabna"]
            else:
                if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):  # an expression has no imports
                    look_below(node, inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
                continue
            found.extend((name, node.lineno, inside) for name in names)

    look_below(ast.parse(path.read_text()), False)
    return found


def wrong_imports(path: Path) -> Iterator[str]:
    """What is wrong with the imports of a module."""
    here = path.relative_to(ROOT).with_suffix("").parts[0]
    for module, line, inside in imports(path):
        if "." not in module:
            continue
        there = station(module)
        if there in ("_core", "_core_v3", "_cpu") and here == "_native":
            continue
        if there not in STATIONS:
            yield f"{path}:{line}: {module} is in no station"
        elif STATIONS.index(there) > STATIONS.index(here):
            yield f"{path}:{line}: {here} imports {module} above it"
        if inside and here not in MAY_IMPORT_INSIDE_FUNCTIONS:
            yield f"{path}:{line}: {module} imported in a function"


def test_imports_point_along_the_stations() -> None:
    assert [wrong for path in modules() for wrong in wrong_imports(path)] == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("from sabna.learning import learn", "table imports sabna.learning above it"),
        ("import sabna.nowhere.x", "sabna.nowhere.x is in no station"),
        ("def f():\n    from sabna.base import limits", "sabna.base imported in a function"),
        ("from sabna.base import limits", None),
    ],
)
def test_a_wrong_import_is_found(line: str, wrong: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_import_order.ROOT", tmp_path)
    path = tmp_path / "table" / "module.py"
    path.parent.mkdir()
    path.write_text(line)
    assert [problem.split(": ", 1)[1] for problem in wrong_imports(path)] == ([] if wrong is None else [wrong])


def test_every_folder_and_module_has_its_station() -> None:
    present = {p.relative_to(ROOT).with_suffix("").parts[0] for p in modules()}
    assert present == set(STATIONS)

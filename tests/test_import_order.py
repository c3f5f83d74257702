"""Protects from rooms that grow into a corridor: imports point one way along the stations, imports inside functions
included."""

from __future__ import annotations

import ast
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


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_along_the_stations(path: Path) -> None:
    here = path.relative_to(ROOT).with_suffix("").parts[0]
    for module, line, inside in imports(path):
        if "." not in module:
            continue
        there = station(module)
        if there in ("_core", "_core_v3", "_cpu") and here == "_native":
            continue
        assert there in STATIONS, f"{path}:{line}: {module} is in no station"
        assert STATIONS.index(there) <= STATIONS.index(here), f"{path}:{line}: {here} imports {module} above it"
        assert not inside or here in MAY_IMPORT_INSIDE_FUNCTIONS, f"{path}:{line}: {module} imported in a function"


def test_every_folder_and_module_has_its_station() -> None:
    present = {p.relative_to(ROOT).with_suffix("").parts[0] for p in modules()}
    assert present == set(STATIONS)

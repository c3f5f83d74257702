"""The folders of the core in their order: each includes what comes before it, and nothing after."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

CORE = Path(__file__).resolve().parents[1] / "core"
FOLDERS = [
    ".",
    "counting",
    "scores",
    "parents",
    "gaussian",
    "mixed",
    "bounds",
    "search",
    "alternatives",
    "posterior",
    "testing",
]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def folder(path: str) -> str:
    return path.split("/")[0] if "/" in path else "."


def sources() -> list[Path]:
    return sorted(path for path in CORE.rglob("*") if path.suffix in (".h", ".cc"))


def is_test(path: Path) -> bool:
    return path.name.endswith((".test.cc", ".perf.cc"))


def test_every_folder_has_its_place() -> None:
    assert {folder(path.relative_to(CORE).as_posix()) for path in sources()} == set(FOLDERS)


def wrong_includes(path: Path, text: str) -> Iterator[str]:
    """What is wrong with the includes of a file."""
    here = folder(path.relative_to(CORE).as_posix())
    for included in INCLUDE.findall(text):
        there = folder(included)
        if not (CORE / included).exists():
            yield f"{path}: {included} is not a file of the core"
        elif not is_test(path) and FOLDERS.index(there) > FOLDERS.index(here):
            yield f"{path}: {here} includes {included}, which comes after it"


def test_includes_point_one_way() -> None:
    assert [wrong for path in sources() for wrong in wrong_includes(path, path.read_text())] == []
    later = '#include "varset.h"\n#include "search/astar.h"\n#include "nowhere.h"'
    assert [wrong.split(": ", 1)[1] for wrong in wrong_includes(CORE / "bounds" / "x.h", later)] == [
        "bounds includes search/astar.h, which comes after it",
        "nowhere.h is not a file of the core",
    ]


def test_the_map_names_every_folder() -> None:
    """core/README.md lists the folders in this order."""
    rows = re.findall(r"^\| `([a-z.]+)/?` \|", (CORE / "README.md").read_text(), re.MULTILINE)
    assert rows == FOLDERS


def test_threads_are_started_in_one_place() -> None:
    """An exception on a thread that nobody catches ends the process: parallel.cc is the place that does catch it."""
    starts = re.compile(r"std::(?:jthread|thread|async)\b(?!::)")
    assert [path.name for path in sources() if not is_test(path) and starts.search(path.read_text())] == ["parallel.cc"]

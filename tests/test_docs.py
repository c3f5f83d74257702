"""The documentation: its examples run, its users' scripts run as they stand, its figure is current.

Fenced blocks of Python and of shell commands are run page by page, in order, in an empty folder; blocks of one page
share their names and files. Indented lines that begin with `sabna ` must name a command and options that exist.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import sabna
from sabna.examples import example_path
from sabna.settings.table import all_settings
from tests.forking import forking_command

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^    (sabna [a-z].*)$", re.MULTILINE)
# Files that examples speak of without making them.
DATA_FILES = ("data.csv", "patients.csv", "mydata.csv")


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a `sabna` that need not load its libraries."""
    with forking_command(tmp_path_factory.mktemp("forking")) as there:
        yield there


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commands: Path) -> Path:
    """An empty folder to work in, with a table under the usual names, and `sabna` and this Python on the path."""
    for name in DATA_FILES:
        (tmp_path / name).write_bytes(example_path("asia").read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([str(commands), str(Path(sys.executable).parent), os.environ["PATH"]]))
    return tmp_path


def shell(script: str, folder: Path) -> str:
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def with_docs(page: Path) -> Any:
    """A page whose examples `make docs` runs: all but those that a new user sees first."""
    return page if page.name in ("README.md", "tutorial.md") else pytest.param(page, marks=pytest.mark.docs)


@pytest.mark.parametrize("page", map(with_docs, PAGES), ids=lambda page: page.name)
def test_examples_run(page: Path, folder: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__", "sabna": sabna}
    for language, code in FENCE.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(code, str(page), "exec"), names)
        elif language in ("bash", "sh"):
            shell(code, folder)


@cache
def command_line() -> Any:
    """The command with all its commands."""
    import typer.main

    from sabna.cli.app import app
    from sabna.cli.commands import register_commands

    register_commands(app)
    return typer.main.get_command(app)


@pytest.mark.docs
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_are_shown_exist(page: Path) -> None:
    root = command_line()
    for line in INDENTED.findall(page.read_text(encoding="utf-8")):
        words = shlex.split(line.split("   #")[0].split(" | ")[0], comments=True)[1:]
        command = root.commands.get(words[0])
        assert command is not None, line
        if hasattr(command, "commands"):
            continue
        known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        given = {word.split("=")[0] for word in words[1:] if re.match(r"--?[a-z]", word)}
        assert given <= known | {"--help", "-h"}, line


@pytest.mark.docs
def test_the_statistician(folder: Path) -> None:
    out = shell(f"bash {ROOT}/docs/users/statistician.sh", folder)
    assert "bic: proven optimal" in out
    assert {"bic.bif", "bdeu.html"} <= {path.name for path in folder.iterdir()}
    assert "harvest depends on" in out
    first, second = (folder / "decisions.csv").read_text().splitlines()[1:]
    assert (first.split(",")[1], second.split(",")[1]) == ("meagre", "record")


def printed_by(script: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a script prints; run here, for a new process would spend its time on loading libraries."""
    runpy.run_path(str(ROOT / "docs" / "users" / script), run_name="__main__")
    return capsys.readouterr().out


@pytest.mark.docs
@pytest.mark.usefixtures("folder")
def test_the_engineer(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed_by("engineer.py", capsys)
    assert "optimal: True" in out
    assert "->" in out
    assert float(re.search(r"accuracy held out: ([0-9.]+)", out)[1]) > 0.8  # type: ignore[index]


@pytest.mark.docs
def test_the_researcher(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    out = printed_by("researcher.py", capsys)
    assert "chosen: " in out
    assert {"network.pdf", "comparison.pdf", "confidence.pdf"} <= {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("notebook", sorted((ROOT / "docs").glob("*/*.ipynb")), ids=lambda path: path.stem)
@pytest.mark.docs
@pytest.mark.usefixtures("folder")
def test_notebooks_run_from_top_to_bottom(notebook: Path) -> None:
    """Cell by cell, as a kernel runs them: the value of a last expression is shown by its HTML."""
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        code = ast.parse("".join(cell["source"]), str(notebook))
        last = code.body.pop() if isinstance(code.body[-1], ast.Expr) else None
        exec(compile(code, str(notebook), "exec"), names)
        if isinstance(last, ast.Expr):
            shown.append(eval(compile(ast.Expression(last.value), str(notebook), "eval"), names))
    assert any("<svg" in value._repr_html_() for value in shown if hasattr(value, "_repr_html_")), "it draws itself"


def test_the_figure_is_current() -> None:
    spec = importlib.util.spec_from_file_location("figure", ROOT / "docs" / "_site" / "figure.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    drawing, nodes, edges = module.figure()
    assert drawing == (ROOT / "docs" / "img" / "figure-1.svg").read_text(encoding="utf-8")
    assert (nodes, edges) == (10, 22), "docs/how-it-works.md names these numbers"


def test_pictures_are_small() -> None:
    for picture in (ROOT / "docs" / "img").iterdir():
        assert picture.stat().st_size < 300_000, picture.name


def test_the_way_of_the_data_names_files_that_exist() -> None:
    """Protects from a map of a house that was rebuilt."""
    root = Path(__file__).parents[1]
    named = re.findall(r"`([\w/]+(?:\.py|/))`", (root / "docs/way-of-the-data.md").read_text())
    assert len(named) > 20
    for path in named:
        below = root if path.startswith(("core/", "tests/")) else root / "src/sabna"
        assert (below / path).exists(), path


def test_the_reference_has_every_public_name_with_its_parameters_and_an_example() -> None:
    """Once kbest, bootstrap, Knowledge, graph_from_scores and read_numeric were missing from it."""
    reference = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^::: ([\w.]+)$", reference, re.MULTILINE))
    shared = set(all_settings())
    for name in sabna.__all__:
        public = getattr(sabna, name)
        if not callable(public):
            continue
        home = f"{public.__module__}.{public.__name__}"
        assert home in listed or public.__module__ in listed, f"docs/api.md lacks ::: {home}"
        told = inspect.getdoc(public) or ""
        assert ">>> " in told, f"{name} has no example"
        if issubclass(type(public), type) and issubclass(public, Exception):
            continue
        own = set(inspect.signature(public).parameters) - shared - {"options", "kwargs", "args", "report"}
        untold = {parameter for parameter in own if not re.search(rf"\b{parameter}\b", told)}
        assert not untold, f"the docstring of {name} does not tell of {sorted(untold)}"


def test_pages_are_in_four_groups_each_once() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    groups = re.findall(r"^  - (\w[\w ]*):$", text.split("nav:\n")[-1], re.MULTILINE)
    assert groups == ["Start", "How to", "Understand", "Reference"]
    listed = re.findall(r": ([\w-]+\.md)$", text, re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) <= {path.name for path in (ROOT / "docs").glob("*.md")}


def test_the_link_check_finds_what_leads_nowhere(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("links", ROOT / "docs" / "_site" / "links.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text('<h1 id="here">x</h1><a href="../b.html#no">1</a><a href="#here">2</a>')
    (tmp_path / "b.html").write_text('<a href="a/#here">3</a><img src="no.png"><a href="https://elsewhere/">4</a>')
    assert module.broken_links(tmp_path) == ["a/index.html: ../b.html#no", "b.html: no.png"]

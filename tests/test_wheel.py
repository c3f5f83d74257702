"""What is given away: the sdist builds a wheel, and the wheel works in an environment that has nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.slow


def call(*command: object, cwd: Path) -> str:
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel built from it."""
    folder = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "pip", "install", "--quiet", "build", cwd=ROOT)
    call(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=ROOT)
    return folder


def test_the_sdist_holds_what_is_needed_and_nothing_else(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "core/varset.h", "bindings/module.cc"} <= names
    assert {"src/sabna/py.typed", "src/sabna/examples/asia.csv", "src/sabna/_core.pyi"} <= names
    assert not [name for name in names if name.startswith((".venv", "build/", "dist/")) or name.endswith(".so")]


def test_the_wheel_works_in_a_clean_environment(dist: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    programs = tmp_path / "env" / "bin"
    call(programs / "pip", "install", "--quiet", next(dist.glob("*.whl")), cwd=tmp_path)
    call(programs / "sabna", "score", "example:asia", "-o", "asia.jkl", cwd=tmp_path)
    document = json.loads(call(programs / "sabna", "convert", "asia.jkl", "asia.pg", "--json", cwd=tmp_path))
    assert document["n"] == 8
    assert (tmp_path / "asia.pg").exists()

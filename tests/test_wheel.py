"""What is given away: the sdist builds a wheel, and the wheel works in an environment that has nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.slow


def call(*command: object, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel built from it."""
    folder = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "pip", "install", "--quiet", "build", cwd=ROOT)
    both = "--config-setting=cmake.define.SABNA_MODULES=both"  # as `make dist` does
    call(sys.executable, "-m", "build", both, "--outdir", folder, ROOT, cwd=ROOT)
    return folder


def test_the_sdist_holds_what_is_needed_and_nothing_else(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "core/varset.h", "bindings/module.cc"} <= names
    assert {"src/sabna/py.typed", "src/sabna/examples/asia.csv", "src/sabna/_core.pyi"} <= names
    assert not [name for name in names if name.startswith((".venv", "build/", "dist/")) or name.endswith(".so")]


@pytest.fixture(scope="module")
def programs(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    venv.create(folder / "env", with_pip=True)
    call(folder / "env" / "bin" / "pip", "install", "--quiet", next(dist.glob("*.whl")), cwd=folder)
    return folder / "env" / "bin"


def test_the_wheel_works_in_a_clean_environment(programs: Path, tmp_path: Path) -> None:
    call(programs / "sabna", "score", "example:asia", "-o", "asia.jkl", cwd=tmp_path)
    document = json.loads(call(programs / "sabna", "convert", "asia.jkl", "asia.pg", "--json", cwd=tmp_path))
    assert document["n"] == 8
    assert (tmp_path / "asia.pg").exists()


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_both_builds_of_the_core_find_the_same(score: str, programs: Path, tmp_path: Path) -> None:
    """A wheel picks a build at run time; the answer must not depend on the pick."""
    program = f"""
import json, sabna
from sabna import _native
result = sabna.learn("example:asia", score={score!r})
sabna.build_parent_graph("example:asia", score={score!r}).save(_native.core.__name__ + ".jkl")
print(json.dumps([_native.core.__name__, _native.builds(), result.cost_quanta, result.network.parents]))
"""
    name, builds, *answer = json.loads(call(programs / "python", "-c", program, cwd=tmp_path))
    assert name == {"base": "sabna._core", "v3": "sabna._core_v3"}[builds[-1]]
    environment = {**os.environ, "SABNA_CPU": "base"}
    forced, _, *other = json.loads(call(programs / "python", "-c", program, cwd=tmp_path, env=environment))
    assert forced == "sabna._core"
    assert other == answer
    assert (tmp_path / f"{name}.jkl").read_bytes() == (tmp_path / "sabna._core.jkl").read_bytes()

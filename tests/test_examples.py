"""The example data, and the examples in docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import sabna
from sabna.base.errors import UsageError
from sabna.examples import EXAMPLES, example_path, generate

MODULES = sorted(module.name for module in pkgutil.walk_packages(sabna.__path__, "sabna."))


def test_the_generator_makes_the_files_that_are_there(tmp_path: Path) -> None:
    generate.write(tmp_path)
    for name in EXAMPLES:
        assert (tmp_path / f"{name}.csv").read_bytes() == example_path(name).read_bytes()


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_a_table_as_described(name: str) -> None:
    table = sabna.load_example(name)
    assert EXAMPLES[name].startswith(f"{table.n} variables, {table.rows} rows")
    assert sabna.read_table(f"example:{name}").names == table.names


def test_an_unknown_example_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="no example 'africa'; there are asia"):
        sabna.read_table("example:africa")


@pytest.mark.parametrize("name", [name for name in MODULES if "._core" not in name and not name.endswith("__main__")])
def test_examples_in_docstrings_work(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0

"""How often a random comparison is made: a few times by `make test`, the rest by `make test-slow`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def few_or_many(name: str, few: Any, many: Any) -> pytest.MarkDecorator:
    """A test is given `few` as `name`, and `many` where slow tests are run."""
    return pytest.mark.parametrize(
        name, [pytest.param(few, id="few"), pytest.param(many, id="many", marks=pytest.mark.slow)]
    )


def first_of(values: Iterable[Any], count: int) -> list[Any]:
    """Parameters of a test; those after the first `count` are slow."""
    return [value if k < count else pytest.param(value, marks=pytest.mark.slow) for k, value in enumerate(values)]

"""Versions and the kind of machine: by them runs may differ in which of several equally good networks they return."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from sabna.base.version import __version__

# Libraries whose version can matter for which of several equally good networks is returned.
LIBRARIES = ("numpy", "highspy")


def environment() -> dict[str, Any]:
    """Versions and the kind of machine."""
    return {
        "sabna": __version__,
        "versions": {"python": platform.python_version()} | {name: _version(name) for name in LIBRARIES},
        "platform": f"{platform.system()} {platform.machine()}",
    }


@cache  # a run of a few milliseconds would spend most of them on reading what was installed
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"

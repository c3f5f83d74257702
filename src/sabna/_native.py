"""Chooses the build of the native core that this machine can run.

There are two: `base` for any machine and `v3` for x86-64-v3 (AVX2, BMI, POPCNT). A wheel has both; an installation
from source has the one for the machine it was compiled on. The environment variable SABNA_CPU forces one.
"""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING

from sabna._cpu import supports_v3

MODULES = {"base": "sabna._core", "v3": "sabna._core_v3"}


def builds() -> list[str]:
    """The builds that are installed and that this machine can run, the best last."""
    runnable = ["base", "v3"] if supports_v3() else ["base"]
    return [name for name in runnable if importlib.util.find_spec(MODULES[name])]


if TYPE_CHECKING:
    from sabna import _core as core
else:
    wanted = os.environ.get("SABNA_CPU") or (builds() or ["any"])[-1]
    if wanted not in builds():
        raise ImportError(
            f"sabna has no native core for this machine (asked for: {wanted}; installed and able to run here: "
            f"{', '.join(builds()) or 'none'}). If it was compiled on another machine, install it again on this one."
        )
    core = importlib.import_module(MODULES[wanted])

__all__ = ["builds", "core"]

"""Chooses the build of the native core that this machine can run.

The environment variable SABNA_CPU forces one: `base` (any machine) or `v3` (x86-64-v3: AVX2, BMI, POPCNT).
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

from sabna import _core as base

if TYPE_CHECKING:
    core = base
else:
    wanted = os.environ.get("SABNA_CPU") or ("v3" if base.cpu_supports_v3() else "base")
    core = importlib.import_module("sabna._core_v3") if wanted == "v3" else base

__all__ = ["core"]

"""Progress: whoever runs long calls a function with a dictionary, some times a second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ProgressCallback = Callable[[dict[str, Any]], None]

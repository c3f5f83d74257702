"""The native core of sabna. Use the functions of the package instead."""

from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

def cpu_supports_v3() -> bool:
    """Whether this machine can run the x86-64-v3 build of the core."""

largest_dense_component: int = 25

def alternatives(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    count: int,
    slack: int,
    seconds: float = -1.0,
    bytes: int = 18446744073709551615,
    progress: object | None = None,
) -> dict[str, Any]:
    """
    The `count` best networks within `slack` quanta of the best: costs, and choices (a position per variable).
    """

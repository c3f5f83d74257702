"""Opens the engine that a user named: an executor of concurrent.futures, a Dask client, or a scheduler's address."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from sabna.base.errors import UsageError
from sabna.engine.cluster import Cluster
from sabna.engine.engine import Engine
from sabna.engine.pool import Pool


@contextmanager
def opened_engine(engine: Any) -> Iterator[Engine | None]:
    """The engine that a user named; None where the threads of this process do the work."""
    if engine is None or isinstance(engine, int):
        yield None
        return
    if hasattr(engine, "share") and hasattr(engine, "run"):  # opened by the caller
        yield engine
        return
    if isinstance(engine, Executor):
        made: Engine = Pool(engine)
    elif isinstance(engine, str) or type(engine).__module__.startswith("distributed"):
        made = _cluster(engine)
    else:
        raise UsageError(
            f"engine {engine!r}: give a number of threads, a concurrent.futures.Executor, a dask.distributed.Client, "
            "or an address such as tcp://host:8786 or local:4"
        )
    try:
        yield made
    finally:
        made.close()


def _cluster(engine: Any) -> Engine:
    try:
        return Cluster.of(engine)
    except ImportError as error:
        raise UsageError(
            f"engine {engine!r}: Dask is not installed here ({error.name}); pip install 'sabna[dask]'"
        ) from None

"""`--work DIR` of the commands: the folder is opened before anything is read, and knows where the output goes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sabna.cli import options as o


@contextmanager
def work_of(options: o.Options, output: str | None, **note: Any) -> Iterator[o.Options]:
    """The options with their work directory opened, if there is one; what `sabna resume` needs is noted there."""
    if options.get("work") is None:
        yield options
        return
    from sabna.workdir.folder import opened

    with opened(options["work"]) as work:
        assert work is not None
        work.note = {"output": None if output is None else os.path.abspath(output), **note}
        proof = options.get("certificate")
        kept = {} if proof is None else {"certificate": os.path.abspath(proof)}  # for who goes on from elsewhere
        yield {**options, **kept, "work": work}
        _tell_damage(work.damaged)


def _tell_damage(damaged: list[str]) -> None:
    import sys

    for words in damaged:
        print(f"sabna: note: in the work directory {words}; that piece of work was done again", file=sys.stderr)

"""`--work DIR` of the commands: the folder is opened before anything is read, and knows where the output goes."""

from __future__ import annotations

import logging
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sabna.base.errors import LimitReached
from sabna.base.stop import PAUSED
from sabna.cli import options as o

if TYPE_CHECKING:
    from sabna.workdir.folder import WorkDir


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
        try:
            yield {**options, **kept, "work": work}
        except LimitReached as limit:
            if work.claimed:  # more of what struck is not the only way on
                limit.args = (f"{str(limit).partition('; raise it')[0]}; {_way_on(work)}",)
            raise
        except KeyboardInterrupt:
            if work.claimed:
                _note(_way_on(work))
            raise
        if work.ended in PAUSED:
            _note(_way_on(work))
        for words in work.damaged:
            _note(f"in the work directory {words}; that piece of work was done again")


def _way_on(work: WorkDir) -> str:
    return f"what was done is kept, and `sabna resume {shlex.quote(str(work.path))}` goes on"


def _note(words: str) -> None:
    """For the console, which knows whether it is to be quiet."""
    logging.getLogger("sabna").info("note: %s", words)

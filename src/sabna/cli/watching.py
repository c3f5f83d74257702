"""`--watch`: the page of a run, as long as the command lasts and until the page has its report."""

from __future__ import annotations

import _thread
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sabna.base.threads import threads_for
from sabna.report.watching import Watch, WatchServer


@contextmanager
def watched(source: str, options: Mapping[str, Any]) -> Iterator[Watch]:
    """Serve a page about what happens inside; its address goes to standard error, whatever else is silenced."""
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # `nohup`, or in the background: reports will do
    interrupt = None if ignored else _thread.interrupt_main
    watch = Watch(os.path.basename(source) or source, threads_for(options.get("n_jobs", -1)), interrupt)
    with WatchServer(watch) as server:
        print(f"sabna: watch this run at {server.url}", file=sys.stderr, flush=True)
        try:
            yield watch
        except BaseException as error:
            if watch.running:
                watch.end(None, str(error))
            raise
        finally:
            server.wait_for_reader()

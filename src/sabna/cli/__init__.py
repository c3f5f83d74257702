"""The command line: `sabna COMMAND ...`. One file per command, listed in commands.py.

A command is reached in this order: standard streams (streams.py), signals (signals.py), the libraries of the command
line, the command (app.py). Whatever goes wrong on the way is told by ending.py.
"""

from __future__ import annotations


def main() -> None:
    """Entry point of the `sabna` command."""
    from sabna.cli.streams import open_closed_streams

    open_closed_streams()
    import os
    import sys

    from sabna.cli.signals import signals

    as_json = "--json" in sys.argv[1:]
    signals.install(as_json)
    from sabna.cli.ending import tell
    from sabna.cli.streams import leave, prepare_streams

    prepare_streams()
    # Threads are those that --jobs allows. numpy's own multiply short rows and wait in a loop in between: an eighth of
    # the processor time of a long search by cuts.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from sabna.cli.app import run

        code = run(sys.argv[1:])
    except SystemExit as ending:
        if not isinstance(ending.code, int):
            raise
        code = ending.code
    except BaseException as error:  # libraries that cannot be loaded, or one more signal at the very end
        code = tell(error, as_json)
    signals.ignore()
    leave(code)


__all__ = ["main"]

"""A `sabna` command that starts in no time: forked from a process that has all libraries loaded.

`python -m tests.forking SOCKET` is that process. The command is a script of a few lines, which hands it the streams,
the folder, the environment and the words, waits for the exit code, and passes signals on. It runs sabna.cli.main as
the installed command does; only the loading is spared, which is most of what a short run takes.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMAND = """#!{python} -SE
import json, os, signal, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({path!r})
told = json.dumps([sys.argv, os.getcwd(), dict(os.environ)])
socket.send_fds(server, [b"sabna"], [0, 1, 2])
server.sendall(told.encode() + b"\\n")
pid = int(server.recv(20))
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, frame: os.kill(pid, number))
sys.exit(int(server.recv(20)))
"""


@contextmanager
def forking_command(folder: Path) -> Iterator[Path]:
    """A folder with a `sabna` that is forked; to be put first on the path."""
    path = folder / "socket"
    command = folder / "bin" / "sabna"
    command.parent.mkdir()
    command.write_text(COMMAND.format(python=sys.executable, path=str(path)))
    command.chmod(0o755)
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.forking", str(path)], cwd=ROOT, env=environment, stdout=subprocess.PIPE
    ) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield command.parent
        finally:
            server.terminate()


def serve(path: str) -> None:
    """Fork a run for whoever asks."""
    from tests.faults.__main__ import load_everything

    load_everything()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        print("ready", flush=True)
        while True:
            caller, _ = listener.accept()
            _, streams, _, _ = socket.recv_fds(caller, 5, 3)
            with caller.makefile() as text:
                words, folder, environment = json.loads(text.readline())
            pid = os.fork()
            if pid == 0:
                listener.close()
                caller.close()
                _run(words, folder, environment, streams)
            for stream in streams:
                os.close(stream)
            caller.sendall(f"{pid}".encode())
            threading.Thread(target=_answer, args=(caller, pid)).start()


def _run(words: list[str], folder: str, environment: dict[str, str], streams: list[int]) -> None:
    """In the fork: be the command."""
    code = 99  # an exception that got past main
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = words
        from sabna.cli import main

        main()
    except SystemExit as leave:
        code = int(leave.code or 0)
    finally:
        os._exit(code)


def _answer(caller: socket.socket, pid: int) -> None:
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with caller:
        caller.sendall(f"{code if code >= 0 else 128 - code}".encode())


if __name__ == "__main__":
    serve(sys.argv[1])

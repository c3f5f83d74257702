"""How the command ends when something outside it goes wrong: signals at start-up, streams that are full or closed,
memory that the system refuses. Longer and at random: tests/faults."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sabna
from sabna.base.errors import Interrupted
from sabna.cli.app import run
from tests.repeats import first_of

RESULT = ("learn", "example:asia")


def sabna_process(
    *arguments: str, before: str = "", prepare: Callable[[], None] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, after `before` (Python) and `prepare` (in the new process)."""
    code = f"{textwrap.dedent(before)}\nfrom sabna.cli import main\nmain()"
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], text=True, env=environment, preexec_fn=prepare, **options
    )


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """It was "Missing command." once."""
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"sabna {sabna.__version__}\n"


# What is going on when the signal comes: the first library is loaded, the commands are, options are parsed.
MOMENTS = {
    "while a library is loaded": "sys.meta_path.insert(0, type('', (), {'find_spec': lambda *a: strike(a[0])}))",
    "while commands are loaded": "import sabna.cli.commands as c; c.register_commands = strike",
    "while options are parsed": "import typer.core as c; c.TyperGroup.parse_args = strike",
}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("moment", MOMENTS)
def test_signals_before_the_command_runs(moment: str, number: signal.Signals, code: int) -> None:
    """They were a traceback, or 130 without a word."""
    before = f"""
        import signal, sys
        def strike(*words):
            if words[:1] not in (("sabna.cli.streams",), ("sabna.cli.signals",)):
                signal.raise_signal({number})
        import sabna.cli.signals, sabna.cli.streams
        {MOMENTS[moment]}
    """
    ended = sabna_process(*RESULT, "--json", before=before)
    assert ended.returncode == code
    assert json.loads(ended.stdout) == {
        "status": "error",
        "code": code,
        "message": "interrupted before the command began",
    }
    assert ended.stderr == "sabna: interrupted before the command began\n"
    assert sabna_process(*RESULT, before=before).stdout == ""


def test_next_to_nothing_is_loaded_before_there_are_handlers() -> None:
    """Ctrl-C while `enum` and `collections` were loaded was a traceback."""
    code = """if True:
        import sys
        before = set(sys.modules)
        sys.path.insert(0, sys.argv.pop())
        import sabna.cli.streams, sabna.cli.signals
        print(*sorted(name for name in set(sys.modules) - before if not name.startswith("sabna")))
    """
    command = [sys.executable, "-I", "-S", "-c", code, str(Path(sabna.__file__).parents[1])]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) <= {
        "__future__",
        "_signal",
        "_stat",
        "genericpath",
        "os",
        "os.path",
        "posixpath",
        "stat",
        "_collections_abc",
    }


def test_a_signal_that_a_library_turns_into_its_own_error_is_still_a_signal() -> None:
    before = """
        import signal
        import sabna.scores.reading as reading
        def broken(*_, **__):
            try:
                signal.raise_signal(signal.SIGTERM)
            except KeyboardInterrupt as error:
                raise SystemError("returned a result with an exception set") from error
        reading.read_for_score = broken
    """
    ended = sabna_process(*RESULT, "--json", before=before)
    assert ended.returncode == json.loads(ended.stdout)["code"] == 143
    assert "Traceback" not in ended.stderr


def test_an_interruption_tells_how_far_it_came(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def build(*_: object, **__: object) -> None:
        raise Interrupted("scoring was interrupted after 5 local scores")

    monkeypatch.setattr("sabna.parents.build.build_parent_graph", build)
    assert run(["score", "example:asia", "-o", "x.pg", "--json"]) == 130
    assert json.loads(capsys.readouterr().out)["message"] == "scoring was interrupted after 5 local scores"


def test_two_signals_at_once_are_one_request() -> None:
    """`timeout` sends two: the second must not strike while the first is being told."""
    before = """
        import os, signal
        import sabna.scores.reading as reading
        def broken(*_, **__):
            try:
                os.kill(os.getpid(), signal.SIGTERM)
                signal.sigtimedwait([], 5)
            finally:
                signal.raise_signal(signal.SIGTERM)
                signal.raise_signal(signal.SIGINT)
        reading.read_for_score = broken
    """
    ended = sabna_process(*RESULT, "--json", before=before)
    assert ended.returncode == json.loads(ended.stdout)["code"] == 143
    assert "Traceback" not in ended.stderr


def test_a_signal_while_the_result_is_told_leaves_it_whole() -> None:
    before = """
        import os, signal
        write = os.write
        def strike(descriptor, data):
            signal.raise_signal(signal.SIGTERM)
            return write(descriptor, bytes(data)[:100])
        os.write = strike
        import sabna.cli.signals as signals
        signals.ENOUGH = {enough}
    """
    ended = sabna_process(*RESULT, "--json", before=before.format(enough=10**6))
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["status"] == "optimal"
    stubborn = sabna_process(*RESULT, "--json", before=before.format(enough=3))
    assert stubborn.returncode == 143, "a third signal ends it"


def test_nohup_is_respected() -> None:
    def ignore() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    before = "import signal, sabna.cli.commands as c; c.register_commands = lambda *_: signal.raise_signal(2)"
    assert sabna_process("--version", before=before, prepare=ignore).returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", first_of([RESULT, ("--help",), (*RESULT, "--json")], 2), ids=" ".join)
def test_a_full_standard_output_exits_with_6(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """It was a traceback and code 1."""
    with open("/dev/full", "w") as full:
        ended = sabna_process(*arguments, stdout=full)
    assert ended.returncode == 6
    assert ended.stderr == (
        "sabna: standard output: could not be written: No space left on device; free some space or write elsewhere\n"
    )


def test_a_closed_standard_output_exits_with_6_if_there_is_something_to_print(tmp_path: Path) -> None:
    ended = sabna_process(*RESULT, prepare=lambda: os.close(1))
    assert ended.returncode == 6
    assert ended.stderr == "sabna: standard output: could not be written: Bad file descriptor; it is closed\n"
    quiet = sabna_process(*RESULT, "-q", "-o", str(tmp_path / "n.bif"), prepare=lambda: os.close(1))
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert (tmp_path / "n.bif").read_text().rstrip().endswith("}")


def test_a_closed_standard_error_changes_nothing(tmp_path: Path) -> None:
    """It was an AttributeError; and a file could take its number and get the messages."""
    output = tmp_path / "n.bif"
    ended = sabna_process(*RESULT, "--json", "-o", str(output), prepare=lambda: os.close(2))
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["status"] == "optimal"
    assert "written" not in output.read_text()
    assert sabna_process("learn", "none.csv", "--json", prepare=lambda: os.close(2)).returncode == 3


def test_a_reader_who_leaves_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as pipe:
        ended = sabna_process(*RESULT, "--json", stdout=pipe)
    assert (ended.returncode, ended.stderr) == (0, "")


MEMORY_ERRORS = ("MemoryError", "ImportError('x.so: failed to map segment from shared object')", "OSError(12, 'fork')")


@pytest.mark.parametrize("error", MEMORY_ERRORS)
def test_a_lack_of_memory_is_a_limit(
    error: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was an "internal error, please report it"."""

    def refuse(*_: object, **__: object) -> None:
        raise eval(error)

    monkeypatch.setattr("sabna.parents.build.build_parent_graph", refuse)
    assert run(["score", "example:asia", "-o", "x.pg", "--json"]) == 10
    out, err = capsys.readouterr()
    assert json.loads(out)["status"] == "memory_limit"
    assert "Traceback" not in err


@pytest.mark.skipif(sys.platform != "linux", reason="limits on the address space")
@pytest.mark.parametrize("size", first_of([220, 100, 400], 1))
def test_an_address_space_too_small_for_the_libraries_is_told_before_they_are_loaded(size: int) -> None:
    """Libraries end the process by themselves: with code 1, by abort, by a segmentation fault."""
    limit = (size * 10**6, size * 10**6)
    ended = sabna_process(*RESULT, "--json", prepare=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
    assert ended.returncode == json.loads(ended.stdout)["code"] == 10
    assert "takes 500 MB; raise its limit (ulimit -v)" in ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="limits on the address space")
def test_a_limit_on_the_address_space_counts_like_a_memory_limit(tmp_path: Path) -> None:
    """The core stops in time and returns what it has, instead of running into a refusal."""
    from tests.faults.cases import write_noise

    write_noise(tmp_path / "wide.csv", 60, 200)
    limit = (560 * 10**6, 560 * 10**6)
    ended = sabna_process(
        "learn",
        str(tmp_path / "wide.csv"),
        "--score",
        "aic",
        "--json",
        prepare=lambda: resource.setrlimit(resource.RLIMIT_AS, limit),
    )
    document = json.loads(ended.stdout)
    assert (ended.returncode, document["status"]) == (10, "memory_limit")
    assert document["lower_bound"] <= document["upper_bound"]
    assert len(document["parents"]) == 60

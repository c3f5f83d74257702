"""Writing: the whole file or nothing, and no trace of a failure."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sabna.base import atomic
from sabna.base.atomic import atomic_write, refuse_unwritable
from sabna.base.errors import OutputError


def test_a_file_is_written_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    atomic_write(path, "één\n")
    assert path.read_bytes() == "één\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0o066 & ~_umask() & 0o077
    path.chmod(0o600)
    atomic_write(path, b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["x.txt"]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.fixture(params=[True, False], ids=["unnamed", "named"])
def unnamed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Both ways to write: with files that have no name, and as on a system that has none of these."""
    if not request.param:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("this system has no unnamed files")
    return bool(request.param)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("call", ["fchmod", "write", "fsync", "replace"])
def test_a_failure_while_writing_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unnamed: bool, call: str, error: type[BaseException]
) -> None:
    path = tmp_path / "x.txt"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(error):
        atomic_write(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.txt"]


def test_a_write_of_some_bytes_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unnamed: bool) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:1]))
    atomic_write(tmp_path / "x.txt", "twelve bytes")
    assert (tmp_path / "x.txt").read_text() == "twelve bytes"
    assert os.listdir(tmp_path) == ["x.txt"]


def test_without_proc_the_file_is_written_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unnamed file gets its name through /proc, which may not be mounted."""

    def no_such_file(*_: object, **__: object) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(os, "link", no_such_file)
    atomic_write(tmp_path / "x.txt", "new")
    assert (tmp_path / "x.txt").read_text() == "new"
    assert os.listdir(tmp_path) == ["x.txt"]


# Writes the file named first; stops before the call named second, says so, and goes on when its input ends.
WRITER = """
import os, sys
path, call = sys.argv[1:]
real = getattr(os, call)
def stop(*arguments, **options):
    print("there", flush=True)
    sys.stdin.read()
    return real(*arguments, **options)
setattr(os, call, stop)
if call != "replace":
    del os.O_TMPFILE  # the file has a name while it is written
from sabna.base.atomic import atomic_write
atomic_write(path, "theirs")
"""


def writer(path: Path, call: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, path, call], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n"
    return process


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="this system has no unnamed files")
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_what_a_killed_process_left_is_removed_and_what_a_live_one_uses_is_not(tmp_path: Path, call: str) -> None:
    """A run that was killed while it wrote left a hidden file that nobody ever removed."""
    path = tmp_path / "x.txt"
    with writer(path, call) as killed, writer(path, call) as alive:
        for other in (
            tmp_path / ".x.txt.tmp",
            tmp_path / ".x.txt.0123456789ab.tmp.txt",
            tmp_path / ".y.0123456789ab.tmp",
        ):
            other.write_text("not ours")
        assert len(os.listdir(tmp_path)) == 5
        killed.kill()
        killed.wait()
        assert len(os.listdir(tmp_path)) == 5
        atomic_write(path, "ours")
        assert len(os.listdir(tmp_path)) == 5, "one file removed, the target written"
        assert path.read_text() == "ours"
        alive.communicate("")
        assert alive.returncode == 0
    assert path.read_text() == "theirs"
    assert len(os.listdir(tmp_path)) == 4


def test_a_file_taken_for_abandoned_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    lock = atomic._lock
    removed = []

    def somebody_is_quicker(descriptor: int) -> None:
        if not removed:
            removed.extend(path for path in tmp_path.iterdir())
            removed[0].unlink()
        lock(descriptor)

    monkeypatch.setattr(atomic, "_lock", somebody_is_quicker)
    atomic_write(tmp_path / "x.txt", "new")
    assert len(removed) == 1
    assert (tmp_path / "x.txt").read_text() == "new"


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    atomic_write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_folder_a_missing_folder_and_a_long_name(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="could not be written: it is a folder; give a file name"):
        atomic_write(tmp_path, "x")
    with pytest.raises(OutputError, match="No such file or directory; create the folder first"):
        atomic_write(tmp_path / "none" / "x", "x")
    with pytest.raises(OutputError, match="choose a shorter name"):
        atomic_write(tmp_path / ("x" * 300), "x")
    assert os.listdir(tmp_path) == []


def test_what_cannot_be_written_is_told_before(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refuse_unwritable(None, tmp_path / "new", tmp_path / "file", "/dev/null")
    with pytest.raises(OutputError, match="Is a directory; give a file name"):
        refuse_unwritable(tmp_path / "new", tmp_path)
    with pytest.raises(OutputError, match="No such file or directory; create the folder first"):
        refuse_unwritable(tmp_path / "none" / "x")
    with pytest.raises(OutputError, match="Not a directory; create the folder first"):
        refuse_unwritable(tmp_path / "file" / "x")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_full_device(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    (tmp_path / "link").symlink_to("/dev/full")
    with pytest.raises(OutputError, match=r"link: could not be written: No space left on device; free some space"):
        atomic_write(tmp_path / "link", "x")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last bytes may fail to reach the disk when everything seems written."""

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        atomic_write(tmp_path / "x", "x")
    assert os.listdir(tmp_path) == []


def test_a_read_only_folder(ordinary_folder: Path) -> None:
    folder = ordinary_folder / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    with pytest.raises(OutputError, match="Permission denied; choose a folder you may write to"):
        atomic_write(folder / "x", "x")


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    atomic_write(pipe, b"hello")
    reader.join(10)
    assert received == [b"hello"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)

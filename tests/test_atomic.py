"""Writing: the whole file or nothing, and no trace of a failure."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from sabna.base.atomic import atomic_file, atomic_write
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


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_failure_while_writing_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, error: type[BaseException]
) -> None:
    path = tmp_path / "x.txt"
    path.write_text("old")

    def fail() -> None:
        with atomic_file(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.txt"]


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


def test_a_read_only_folder(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    if os.access(folder, os.W_OK):
        pytest.skip("permissions do not bind this user")
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

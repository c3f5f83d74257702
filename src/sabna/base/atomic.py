"""Writing files so that nothing half-written stays behind.

The bytes go to a temporary file in the folder of the target, which then takes the target's place in one step
(`os.replace`): a reader sees the old file or the new one, never a part. A full disk, a read-only folder or Ctrl-C
leaves the old file as it was and no temporary file. Two kinds of targets are treated apart: a symbolic link stays a
link (its target is replaced), and a device or pipe (`/dev/stdout`) is written directly, since replacing it by a
regular file would be wrong.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from sabna.base.errors import OutputError

# What is known of the commonest failures; anything else is passed on in the system's words.
_REMEDIES = {
    "ENOSPC": "free some space or write elsewhere",
    "EACCES": "choose a folder you may write to",
    "EPERM": "choose a folder you may write to",
    "EROFS": "choose a folder you may write to",
    "ENOENT": "create the folder first",
    "ENOTDIR": "create the folder first",
    "EISDIR": "give a file name",
    "ENAMETOOLONG": "choose a shorter name",
}


def output_error(path: str | os.PathLike[str], error: OSError) -> OutputError:
    """The exception for a failed write: what happened to which file, and what to do."""
    code = errno.errorcode.get(error.errno or 0, "")
    remedy = f"; {_REMEDIES[code]}" if code in _REMEDIES else ""
    return OutputError(f"{os.fspath(path)}: could not be written: {error.strerror or error}{remedy}")


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write to; it becomes `path` when the block ends well, and vanishes otherwise."""
    try:
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        if mode is not None and not stat.S_ISREG(mode):
            with open(target, "wb") as device:
                yield device
            return
        with _temporary_beside(target, mode) as (file, temporary):
            yield file
            file.flush()
            os.fsync(file.fileno())
            file.close()
            os.replace(temporary, target)
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise output_error(path, error) from error


@contextmanager
def _temporary_beside(target: Path, mode: int | None) -> Iterator[tuple[BinaryIO, Path]]:
    """A new file in the folder of `target`, removed at the end if it is still there."""
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    # 0o666 less the umask, as for any file a program creates; an existing target keeps its permissions.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as file:
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            yield file, temporary
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def atomic_write(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a whole file in one step; text as UTF-8, as it is (no translation of line ends)."""
    try:
        data = content.encode("utf-8") if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        part = error.object[error.start : error.end]
        raise OutputError(
            f"{os.fspath(path)}: could not be written: {part!r} in a name is half of a surrogate pair, which is no "
            "character; rename it"
        ) from error
    with atomic_file(path) as file:
        file.write(data)

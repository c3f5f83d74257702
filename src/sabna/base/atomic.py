"""Writing files so that nothing half-written stays behind.

The bytes go to a temporary file in the folder of the target, which then takes the target's place in one step
(`os.replace`): a reader sees the old file or the new one, never a part. A full disk, a read-only folder or Ctrl-C
leaves the old file as it was and no temporary file.

A killed process cannot clean up. So the temporary file has no name while it is written, where the system knows such
files (O_TMPFILE): it vanishes with its process, and has a name only for the instant before it takes the target's
place. Elsewhere it has a name from the start. In both cases its process holds a lock on it (`flock`), which ends with
the process: whoever writes the same target later removes the temporary files that nobody has locked.

Two kinds of targets are treated apart: a symbolic link stays a link (its target is replaced), and a device or pipe
(`/dev/stdout`) is written directly, since replacing it by a regular file would be wrong.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from sabna.base.errors import OutputError, UsageError
from sabna.base.texts import check_file_name

try:
    import fcntl
except ImportError:  # not a Unix: no locks, and what a killed process leaves stays
    fcntl = None  # type: ignore[assignment]

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
    "EBADF": "it is closed",
}


def output_error(path: str | os.PathLike[str], error: OSError) -> OutputError:
    """The exception for a failed write: what happened to which file, and what to do."""
    code = errno.errorcode.get(error.errno or 0, "")
    remedy = f"; {_REMEDIES[code]}" if code in _REMEDIES else ""
    return OutputError(f"{os.fspath(path)}: could not be written: {error.strerror or error}{remedy}")


Bytes = bytes | bytearray | memoryview


def atomic_write(path: str | os.PathLike[str], content: bytes | str | Sequence[Bytes]) -> None:
    """Write a whole file in one step; text as UTF-8, as it is (no translation of line ends).

    Bytes may come in several pieces, which are written one after the other.
    """
    check_file_name(path)
    try:
        data = content.encode("utf-8") if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        part = error.object[error.start : error.end]
        raise OutputError(
            f"{os.fspath(path)}: could not be written: {part!r} in a name is half of a surrogate pair, which is no "
            "character; rename it"
        ) from error
    try:
        target = os.path.realpath(path)
        mode = os.stat(target).st_mode if os.path.exists(target) else None
        if mode is None or stat.S_ISREG(mode):
            _replace(target, data, mode)
        elif stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        else:
            with _closing(os.open(target, os.O_WRONLY)) as device:
                _write_all(device, data)
    except OSError as error:
        raise output_error(path, error) from error


def _replace(target: str, data: bytes | Sequence[Bytes], mode: int | None) -> None:
    """Write a regular file; an existing one keeps its permissions `mode`."""
    folder, name = os.path.split(target)
    _remove_abandoned(folder, name)
    temporary = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(6)}.tmp")
    try:
        if not _replace_by_unnamed(folder, temporary, target, data, mode):
            with _closing(_create_locked(temporary)) as descriptor:
                _fill(descriptor, data, mode)
                os.replace(temporary, target)
    finally:
        with suppress(OSError):  # not there, if all went well
            os.unlink(temporary)


def _replace_by_unnamed(
    folder: str, temporary: str, target: str, data: bytes | Sequence[Bytes], mode: int | None
) -> bool:
    """The same by a file that gets its name `temporary` at the end; False if this system has no such files."""
    try:
        unnamed = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666)
    except (AttributeError, OSError):
        return False
    with _closing(unnamed) as descriptor:
        _lock(descriptor)
        _fill(descriptor, data, mode)
        try:
            # A source folder, whichever, makes Python call linkat, which follows the link in /proc to the file.
            os.link(f"/proc/self/fd/{descriptor}", temporary, src_dir_fd=descriptor)
        except OSError:
            return False
        os.replace(temporary, target)
    return True


def _create_locked(temporary: str) -> int:
    """Create a file with a name, and lock it; anew if somebody took it for abandoned in between."""
    while True:
        # 0o666 less the umask, as for any file a program creates.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        _lock(descriptor)
        if os.fstat(descriptor).st_nlink > 0:
            return descriptor
        os.close(descriptor)


def _fill(descriptor: int, data: bytes | Sequence[Bytes], mode: int | None) -> None:
    if mode is not None:
        os.fchmod(descriptor, stat.S_IMODE(mode))
    _write_all(descriptor, data)
    os.fsync(descriptor)


def _write_all(descriptor: int, data: bytes | Sequence[Bytes]) -> None:
    """Write all bytes: one call may write only some of them."""
    for piece in [data] if isinstance(data, bytes) else data:
        left = memoryview(piece)
        while left:
            left = left[os.write(descriptor, left) :]


def _lock(descriptor: int) -> None:
    """Mark a file as in use by this process. A file system without locks has none to look for either."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)


def _remove_abandoned(folder: str, name: str) -> None:
    """Remove temporary files for this target whose processes are gone; what cannot be removed stays."""
    if fcntl is None:
        return
    ours = re.compile(re.escape(f".{name[:100]}.") + r"[0-9a-f]{12}\.tmp")
    for found in [entry for entry in _names_in(folder) if ours.fullmatch(entry)]:
        path = os.path.join(folder, found)
        with suppress(OSError), _closing(os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK)) as descriptor:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an error if it is in use
            os.unlink(path)


def _names_in(folder: str) -> list[str]:
    with suppress(OSError):
        return os.listdir(folder)
    return []


@contextmanager
def _closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def refuse_unwritable(*outputs: str | os.PathLike[str] | None) -> None:
    """Tell of files that cannot be written before what they are to hold is worked out; a full disk is met only then."""
    for output in outputs:
        if output is None:
            continue
        check_file_name(output)
        target = os.path.realpath(output)
        folder = os.path.dirname(target)
        code = 0
        if os.path.isdir(target):
            code = errno.EISDIR
        elif not os.path.exists(target) or os.path.isfile(target):  # devices and pipes are written directly
            if not os.path.isdir(folder):
                code = errno.ENOTDIR if os.path.exists(folder) else errno.ENOENT
            elif not os.access(folder, os.W_OK | os.X_OK):
                code = errno.EACCES
        if code:
            raise output_error(output, OSError(code, os.strerror(code)))


def refuse_replacing(output: str | os.PathLike[str] | None, *sources: Any) -> None:
    """Nothing replaces what it is made from; sources that are no names of files do not count."""
    if output is None or not os.path.exists(output):
        return
    for source in sources:
        if isinstance(source, str | os.PathLike) and os.path.exists(source) and os.path.samefile(source, output):
            raise UsageError(f"{os.fspath(output)}: it would replace what it is made from; write it to another file")

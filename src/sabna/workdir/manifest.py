"""The manifest of a work directory: whose run this is. Another table, other settings or another format are refused.

    format      of the directory, a number
    command     learn, score, search, kbest or bootstrap
    input       kind ("table" or "graph"), sha256 of its content as it is scored, and where it came from
    arguments   what the command takes beside its settings, such as k
    settings    those that differ from their defaults, but for the free ones
    note        what `sabna resume` needs of the command line: where the output goes
    environment versions of sabna, Python, numpy and HiGHS, and the kind of machine, when the run began
    checksum    SHA-256 of the rest

Free settings change what a run takes, never its cost and status: limits, threads, the engine. They may differ when a
run goes on. Versions may differ too: a piece that another version wrote and this one cannot read is done again. Among
networks that cost the same another version may return another one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sabna.base.atomic import atomic_write
from sabna.base.environment import environment
from sabna.base.errors import UsageError, quoted
from sabna.base.stop import LIMITS
from sabna.workdir.folder import LOCK, MANIFEST, WorkDir

FORMAT = 1
# Settings that may differ when a run goes on.
FREE = (*LIMITS, "n_jobs", "progress", "work", "engine")


def claim(
    work: WorkDir,
    command: str,
    kind: str,
    sha256: str,
    source: Any,
    settings: Mapping[str, Any],
    arguments: Mapping[str, Any] | None = None,
) -> None:
    """Make the folder the work directory of this run, or check that it is.

    `settings` are those that differ from their defaults. A directory that the caller has claimed stays the caller's.
    """
    if work.claimed:
        return
    wanted = {
        "format": FORMAT,
        "command": command,
        "input": {"kind": kind, "sha256": sha256, "source": _named(source)},
        "arguments": dict(arguments or {}),
        "settings": {name: value for name, value in settings.items() if name not in FREE},
    }
    wanted = json.loads(json.dumps(wanted, default=str))  # as it is read again
    found = read_manifest(work.path)
    if found is None:
        _refuse_strangers(work)
        write_manifest(work, {**wanted, "note": work.note, "environment": environment()})
    else:
        _refuse_another(work, found, wanted)
        if work.note and work.note != found["note"]:
            write_manifest(work, {**found, "note": work.note})
    work.claimed = True


def _named(source: Any) -> str | None:
    """The name of a file, None of anything else."""
    if not isinstance(source, str | os.PathLike):
        return None
    name = os.fspath(source)
    return os.path.abspath(name) if os.path.exists(name) else str(name)


def write_manifest(work: WorkDir, manifest: Mapping[str, Any]) -> None:
    """Write it with its checksum."""
    content = {key: value for key, value in manifest.items() if key != "checksum"}
    atomic_write(work.path / MANIFEST, json.dumps({**content, "checksum": _checksum(content)}, indent=1))


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest, None if there is none; UsageError if it is damaged or of another format."""
    path = folder / MANIFEST
    again = "start again in another directory"
    try:
        manifest = json.loads(path.read_bytes())
        sound = isinstance(manifest, dict) and manifest.pop("checksum", None) == _checksum(manifest)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        sound = False
    if not sound:
        raise UsageError(f"{path}: this manifest of a work directory is damaged; {again}")
    if manifest["format"] != FORMAT:
        raise UsageError(
            f"{path}: a work directory of format {manifest['format']}, and this sabna has format {FORMAT}; go on with "
            f"the sabna that began it ({manifest.get('environment', {}).get('sabna', 'unknown')}), or {again}"
        )
    return dict(manifest)


def in_words(value: Any) -> str:
    """A setting's value as it is told.

    >>> in_words(["2", "age=3"]), in_words("bic")
    ("'2', 'age=3'", "'bic'")
    """
    return ", ".join(map(quoted, value)) if isinstance(value, list) and value else quoted(value)


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _refuse_strangers(work: WorkDir) -> None:
    """A folder without a manifest must be empty, or it is somebody else's."""
    others = sorted(
        entry.name for entry in work.path.iterdir() if entry.name != LOCK and not entry.name.endswith(".tmp")
    )
    if others:
        raise UsageError(
            f"{work.path}: this folder holds {quoted(others[0])} and no manifest, so it is no work directory; give an "
            "empty or a new folder"
        )


def _refuse_another(work: WorkDir, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    remedy = "; give the same, or another directory"
    if found["command"] != wanted["command"]:
        was, is_now = (f"`sabna {manifest['command']}`" for manifest in (found, wanted))
        raise UsageError(f"{work.path}: a run of {was}, not of {is_now}{remedy}")
    before, now = found["input"], wanted["input"]
    if (before["kind"], before["sha256"]) != (now["kind"], now["sha256"]):
        raise UsageError(
            f"{work.path}: a run on another {before['kind']}: that of {before['source'] or 'a call in Python'} "
            f"(sha256 {before['sha256'][:12]}), this one has {now['sha256'][:12]}{remedy}"
        )
    for group in ("arguments", "settings"):
        for name in sorted({*found[group], *wanted[group]}):
            if found[group].get(name) != wanted[group].get(name):
                was, is_now = (in_words(s[group][name]) if name in s[group] else "not given" for s in (found, wanted))
                raise UsageError(f"{work.path}: a run with other settings: {name} was {was}, now {is_now}{remedy}")

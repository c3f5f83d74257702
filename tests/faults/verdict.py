"""What must hold after a run, whatever happened to it."""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sabna
from tests.faults.cases import Case

# An environment variable by which processes that a run started are found again.
MARK = "SABNA_FAULTS"
OLD = b"what was there before\n"
_TEMPORARY = re.compile(r"\.o\.[a-z]+\.[0-9a-f]{12}\.tmp")
# Files without times in them: two runs write the same bytes.
_SAME_EVERY_TIME = (".pg", ".jkl", ".pss", ".bif", ".net", ".dsc", ".uai", ".dot")
# What `status` may be with an exit code; 1 is missing, since no fault may end in an internal error.
STATUSES = {
    0: ("optimal", "done"),
    3: ("error",),
    6: ("error",),
    10: ("time_limit", "memory_limit"),
    130: ("interrupted", "error"),
    143: ("interrupted", "error"),
}
KILLED = -9


@dataclass
class Ended:
    """How one run ended."""

    case: Case
    fault: str
    code: int
    out: bytes
    err: str
    folder: Path
    codes: tuple[int, ...]  # exit codes that this fault may lead to
    out_is_usable: bool = True
    err_is_usable: bool = True
    reference: bytes | None = None  # the file of an undisturbed run

    def complaints(self) -> list[str]:
        """What is wrong; nothing, if all is well."""
        found = [*self._exit_code(), *self._standard_output(), *self._standard_error(), *self._file()]
        return [*found, *self._left_files(), *left_processes()]

    def _exit_code(self) -> list[str]:
        return [] if self.code in self.codes else [f"exit code {self.code}, not one of {self.codes}"]

    def _standard_output(self) -> list[str]:
        if not self.case.as_json or not self.out_is_usable or self.code == KILLED:
            return []
        try:
            document: Any = json.loads(self.out)
        except ValueError:
            return [f"standard output is not one JSON object: {self.out[:200]!r}"]
        if document.get("status") not in STATUSES.get(self.code, ()) or document.get("code", self.code) != self.code:
            return [f"exit code {self.code}, but the object says {document.get('status')}, {document.get('code')}"]
        return []

    def _standard_error(self) -> list[str]:
        words = ("Traceback", "Exception ignored", "internal error", "terminate called")
        found = [f"standard error says {word!r}" for word in words if word in self.err]
        if self.code not in (0, KILLED) and self.err_is_usable and not self.err and not self._has_result():
            found.append("an error without a message")
        return found

    def _has_result(self) -> bool:
        return b'"network"' in self.out or b'"parents"' in self.out or b'"edges"' in self.out or not self.case.as_json

    def _file(self) -> list[str]:
        if self.case.output is None:
            return []
        path = self.folder / self.case.output
        content = path.read_bytes() if path.exists() else None
        if content in (None, OLD):
            return ["exit code 0, but no file was written"] if self.code == 0 else []
        if self.code in (3, 4, 5):
            return [f"exit code {self.code}, but a file was written"]
        if self.code == 0 and path.suffix in _SAME_EVERY_TIME and content != (self.reference or content):
            return ["the file differs from that of an undisturbed run"]
        return [] if is_whole(path) else [f"{path.name} is not whole: {len(content)} bytes"]

    def _left_files(self) -> list[str]:
        left = set(os.listdir(self.folder)) - {self.case.output}
        if self.code == KILLED:  # the next run removes it
            left = {name for name in left if not _TEMPORARY.fullmatch(name)}
        return [f"left behind: {sorted(left)}"] if left else []


def is_whole(path: Path) -> bool:
    """Whether a file can be read to its end."""
    try:
        if path.suffix == ".json":
            json.loads(path.read_bytes())
        elif path.suffix == ".html":
            return path.read_bytes().rstrip().endswith(b"</html>")
        elif path.suffix in (".pg", ".jkl", ".pss"):
            sabna.read_parent_graph(path)
        else:
            sabna.read_network(path)
    except (ValueError, sabna.SabnaError):
        return False
    return True


def left_processes(patience: float = 60.0) -> list[str]:
    """Processes that runs started and that are still there; one that is ending is given time."""
    until = time.monotonic() + patience
    while marked := _marked_processes():
        if time.monotonic() > until:
            return [f"a process is left: {marked}"]
        time.sleep(0.05)
    return []


def _marked_processes() -> list[int]:
    mark = f"{MARK}={os.environ[MARK]}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:  # ended meanwhile, or not ours
            continue
    return found

"""A failing file made small, by lines and then by bytes, and printed as a script.

Delta debugging (Zeller and Hildebrandt 2002) in its plainest form: leave out ever smaller pieces as long as the failure
stays of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .formats import Format

# Times the file is tried; enough for the files here, which have a few thousand bytes.
TRIES = 3000


def shrunk(content: bytes, fails: Callable[[bytes], bool], tries: int = TRIES) -> bytes:
    """The smallest content found for which `fails` still holds."""
    left = [tries]

    def allowed(candidate: bytes) -> bool:
        left[0] -= 1
        return left[0] >= 0 and fails(candidate)

    content = b"\n".join(_without_pieces(content.split(b"\n"), lambda parts: allowed(b"\n".join(parts))))
    return b"".join(_without_pieces([bytes([b]) for b in content], lambda parts: allowed(b"".join(parts))))


def _without_pieces(parts: list[bytes], fails: Callable[[Sequence[bytes]], bool]) -> list[bytes]:
    size = max(1, len(parts) // 2)
    while True:
        start, changed = 0, False
        while start < len(parts):
            candidate = parts[:start] + parts[start + size :]
            if candidate and fails(candidate):
                parts, changed = candidate, True
            else:
                start += size
        if size == 1 and not changed:
            return parts
        size = max(1, size // 2)


def _literal(content: bytes) -> str:
    """Bytes as Python writes them, runs of one byte as a product."""
    text = repr(content)
    for byte in set(content):
        run = bytes([byte]) * 200
        if run in content:
            count = len(content) - len(content.replace(bytes([byte]), b""))
            if count > 0.9 * len(content):
                head, _, rest = content.partition(run)
                tail = rest.lstrip(bytes([byte]))
                more = 200 + len(rest) - len(tail)
                text = f"{head!r} + {bytes([byte])!r} * {more} + {tail!r}"
    return text


def script(form: Format, content: bytes) -> str:
    """A small program that shows the failure."""
    path = f"mutant{form.suffix}"
    return "\n".join(
        [
            "import pathlib, sabna",
            f"pathlib.Path({path!r}).write_bytes({_literal(content)})",
            form.call.format(path=path),
        ]
    )

"""Adds pages that the navigation of mkdocs.yml does not list to its last group, so that none can be forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    """Append every unlisted page under its own title."""
    listed = {page for group in config["nav"] for pages in group.values() for entry in pages for page in entry.values()}
    docs = Path(config["docs_dir"])
    found = (path.relative_to(docs).as_posix() for path in sorted(docs.glob("*.md")))
    (last,) = config["nav"][-1].values()
    last += [page for page in found if page not in listed]
    return config

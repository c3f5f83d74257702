"""Adds pages that the navigation of mkdocs.yml does not list, so that none can be forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    """Append every unlisted page under its own title."""
    listed = {target for entry in config["nav"] for target in entry.values()}
    docs = Path(config["docs_dir"])
    pages = (path.relative_to(docs).as_posix() for path in sorted(docs.glob("*.md")))
    config["nav"] += [page for page in pages if page not in listed]
    return config

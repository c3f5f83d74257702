"""Follows every link inside the built site, build/site: pages, anchors, pictures and files that must be there.

mkdocs checks links between pages; what the reference, the notebooks and raw HTML point to is seen only in the result.
Links to other sites are not followed.
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to, and its anchor."""
        values = dict(attrs)
        self.anchors |= {value for value in (values.get("id"), values.get("name")) if value}
        self.links += [value for key in ("href", "src") if (value := values.get(key))]


@cache
def page_of(path: Path) -> Page:
    """A page, read."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def broken_links(site: Path) -> list[str]:
    """Links of the site that lead nowhere, as texts."""
    broken = []
    for path in sorted(site.rglob("*.html")):
        if path.name == "404.html":  # its links are absolute: it is shown at any address
            continue
        for link in page_of(path).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            known = target.is_file()
            if known and parts.fragment and target.suffix == ".html" and not parts.fragment.startswith("__"):
                known = unquote(parts.fragment) in page_of(target).anchors
            if not known:
                broken.append(f"{path.relative_to(site)}: {link}")
    return broken


def main() -> int:
    """Print what is broken; the exit code."""
    site = Path(__file__).parents[2] / "build" / "site"
    broken = broken_links(site)
    for line in broken:
        print(line, file=sys.stderr)
    print(f"{site}: {len(list(site.rglob('*.html')))} pages, {len(broken)} links lead nowhere")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

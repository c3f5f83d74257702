"""Shows the examples of docstrings as code, not as the quotations that `>>>` means, and pages they name as links."""

from __future__ import annotations

import re
from typing import Any

import griffe

_PAGE = re.compile(r"\bdocs/([\w-]+)\.md\b")
# An example: from a prompt to the next blank line.
_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)


def with_code(text: str) -> str:
    """A docstring with its examples between fences, and pages that it names as links.

    >>> with_code("Adds.\\n\\n>>> 1 + 1\\n2\\n\\nMore.").splitlines()
    ['Adds.', '', '```pycon', '>>> 1 + 1', '2', '```', '', 'More.']
    """
    text = _EXAMPLE.sub(lambda match: f"```pycon\n{match[0]}\n```", text)
    return _PAGE.sub(r"[\1](\1.md)", text)


class Examples(griffe.Extension):
    """Changes every docstring as it is loaded."""

    def on_instance(self, *, obj: Any, **kwargs: Any) -> None:
        """Called for each module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = with_code(obj.docstring.value)

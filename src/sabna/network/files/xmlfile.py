"""XML of files that may come from anywhere: looked through once before a tree is made of it.

Refused are entities of the file's own (an entity of entities of entities makes gigabytes of a few lines, or reads other
files), encodings that Python's XML reader does not know, elements nested deeper than any network format has them, and
what is not well-formed. A document type without entities, as XMLBIF files often carry one, is fine.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any
from xml.parsers import expat

from sabna.base.errors import DataError
from sabna.base.texts import cut, shown

# GEXF allows nodes inside nodes; the others need six levels.
MAX_DEPTH = 100


class _Look:
    """What is noted while the parser goes through the file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.depth = 0

    def start(self, tag: str, attributes: Any) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise DataError(f"{self.path}: elements nested deeper than {MAX_DEPTH} levels; this is no network")

    def end(self, tag: str) -> None:
        self.depth -= 1

    def entity(self, name: str, *rest: Any) -> None:
        raise DataError(f"{self.path}: the file defines an entity {shown(name)}; write out what it stands for")


def check_xml(content: bytes, path: str) -> None:
    """DataError unless this is XML that is safe to read."""
    look, parser = _Look(path), expat.ParserCreate()
    parser.StartElementHandler = look.start
    parser.EndElementHandler = look.end
    parser.EntityDeclHandler = look.entity
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise DataError(f"{path}: not well-formed XML: {cut(error)}") from error
    except DataError:
        raise
    except (LookupError, ValueError) as error:  # of the codec that the file names
        raise DataError(f"{path}: its encoding cannot be read ({cut(error)}); save it as UTF-8") from error


def read_xml(content: bytes, path: str) -> ET.Element:
    """The root element of a file."""
    check_xml(content, path)
    return ET.fromstring(content)

"""XMLBIF 0.3: BIF in XML, read by JavaBayes, Weka, pgmpy, pyAgrum (there called bifxml) and others.

XML could carry almost any name, but its readers put names into programs that do not, and strip blanks on the way: names
and states are identifiers here too, anything else is encoded (mangling.py). No document type is written, for some small
XML readers stumble over it.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from sabna.base.errors import DataError
from sabna.base.texts import shown
from sabna.network import Network
from sabna.network.files.assemble import Draft
from sabna.network.files.text import as_number, encode_names, numbers
from sabna.network.files.xmlfile import read_xml
from sabna.network.mangling import decode, encode, state_character
from sabna.network.parameters import fitted


def write(network: Network) -> str:
    """The network as XMLBIF."""
    states, tables = fitted(network)
    name = encode_names(network.variables)
    root = ET.Element("BIF", VERSION="0.3")
    body = ET.SubElement(root, "NETWORK")
    ET.SubElement(body, "NAME").text = "network"
    for v in network.variables:
        variable = ET.SubElement(body, "VARIABLE", TYPE="nature")
        ET.SubElement(variable, "NAME").text = name[v]
        for state in states[v]:
            ET.SubElement(variable, "OUTCOME").text = encode(state, state_character)
    for v in network.variables:
        definition = ET.SubElement(body, "DEFINITION")
        ET.SubElement(definition, "FOR").text = name[v]
        for parent in network.parents[v]:
            ET.SubElement(definition, "GIVEN").text = name[parent]
        ET.SubElement(definition, "TABLE").text = numbers(tables[v].ravel(), " ")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def read(content: bytes, path: str) -> Network:
    """The network of an XMLBIF file."""
    root = read_xml(content, path)
    draft = Draft(path)
    for variable in root.iter("VARIABLE"):
        draft.add_variable(_text(variable, "NAME", path), _texts(variable, "OUTCOME"))
    for definition in root.iter("DEFINITION"):
        name = _text(definition, "FOR", path)
        table = draft.add_table(name, _texts(definition, "GIVEN"))
        words = " ".join("".join(t.itertext()) for t in definition.iter("TABLE")).split()
        try:
            values = [as_number(word) for word in words]
        except ValueError as error:
            raise DataError(f"{path}: in the table of {shown(name)} {error}") from error
        table.set_whole(values)
        table.finish()
    return draft.network()


def _texts(element: ET.Element, tag: str) -> list[str]:
    """The names in all children of this kind; blanks around them are the writer's, not the name's."""
    return [decode((child.text or "").strip()) for child in element.iter(tag)]


def _text(element: ET.Element, tag: str, path: str) -> str:
    """The name in the one child of this kind."""
    found = [child.text for child in element.iter(tag) if (child.text or "").strip()]
    if len(found) != 1:
        raise DataError(f"{path}: a {element.tag} must have one {tag} with a text in it, not {len(found)}")
    return decode((found[0] or "").strip())

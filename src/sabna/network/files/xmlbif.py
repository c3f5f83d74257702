"""XMLBIF 0.3: BIF in XML, read by JavaBayes, Weka, pgmpy, pyAgrum (there called bifxml) and others.

XML could carry almost any name, but its readers put names into programs that do not, and strip blanks on the way: names
and states are identifiers here too, anything else is encoded (mangling.py). No document type is written, for some small
XML readers stumble over it.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from sabna.base.errors import DataError
from sabna.network import Network
from sabna.network.files.assemble import Draft
from sabna.network.files.text import encode_names, numbers
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
    try:
        root = ET.fromstring(content)
    except ET.ParseError as error:
        raise DataError(f"{path}: not well-formed XML: {error}") from error
    draft = Draft(path)
    for variable in root.iter("VARIABLE"):
        draft.states[_text(variable, "NAME", path)] = [decode(o.text or "").strip() for o in variable.iter("OUTCOME")]
    for definition in root.iter("DEFINITION"):
        name = _text(definition, "FOR", path)
        draft.declare(name, [decode((g.text or "").strip()) for g in definition.iter("GIVEN")])
        try:
            values = [float(x) for x in " ".join("".join(t.itertext()) for t in definition.iter("TABLE")).split()]
        except ValueError as error:
            raise DataError(f"{path}: the table of {name!r} holds something else than numbers ({error})") from error
        draft.tables[name] = np.array(draft.reshaped(name, values, draft.shape(name)))
    return draft.network()


def _text(element: ET.Element, tag: str, path: str) -> str:
    child = element.find(tag)
    if child is None or not child.text:
        raise DataError(f"{path}: a {element.tag} without {tag}")
    return decode(child.text.strip())

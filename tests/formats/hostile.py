"""Files that broke a reader once, or would: a few bytes that announce gigabytes, numbers that are none, names that
no file can hold. Each is refused, within little memory; they also serve the mutated files as seeds."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

PARENTS = [f"p{k}" for k in range(30)]
MANY = [f"p{k}" for k in range(70)]
LAUGHS = (
    b'<!DOCTYPE x [<!ENTITY a "ha ha ha ">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + k, b"&%c;" % (97 + k) * 10) for k in range(9))
    + b"]>"
)
OTHER_FILE = b'<!DOCTYPE x [<!ENTITY j SYSTEM "file:///etc/hostname">]>'
DIGITS = b"7" * 5000
DEEP = b"[" * 100_000


def bif(*, parents: list[str], states: str = "0, 1", body: str = "default 0.5, 0.5;") -> bytes:
    """`x` with these parents, each with the same states."""
    arity = states.count(",") + 1
    lines = ["network n {}", "variable x { type discrete [ 2 ] { 0, 1 }; }"]
    for p in parents:
        lines.append(f"variable {p} {{ type discrete [ {arity} ] {{ {states} }}; }}")
        lines.append(f"probability ( {p} ) {{ table {', '.join(['1.0'] + ['0.0'] * (arity - 1))}; }}")
    return "\n".join([*lines, f"probability ( x | {', '.join(parents)} ) {{ {body} }}"]).encode()


def dsc(*, parents: list[str], states: str = '"0", "1"', body: str = "default : 0.5, 0.5;") -> bytes:
    """The same as DSC."""
    arity = states.count(",") + 1
    lines = ['belief network "n"', 'node x { type : discrete [ 2 ] = { "0", "1" }; }']
    for p in parents:
        lines.append(f"node {p} {{ type : discrete [ {arity} ] = {{ {states} }}; }}")
        lines.append(f"probability ( {p} ) {{ {', '.join(['1.0'] + ['0.0'] * (arity - 1))}; }}")
    return "\n".join([*lines, f"probability ( x | {', '.join(parents)} ) {{ {body} }}"]).encode()


def net(*, parents: list[str], states: str = '"0" "1"', data: str = "0.5 0.5") -> bytes:
    """The same as NET."""
    arity = len(states.split())
    lines = ['node x { states = ("0" "1"); }']
    for p in parents:
        lines.append(f"node {p} {{ states = ({states}); }}")
        lines.append(f"potential ({p}) {{ data = ({' '.join(['1.0'] + ['0.0'] * (arity - 1))}); }}")
    return "\n".join([*lines, f"potential (x | {' '.join(parents)}) {{ data = ({data}); }}"]).encode()


def xmlbif(head: bytes = b"", name: bytes = b"x", numbers: bytes = b"1", parents: list[str] | None = None) -> bytes:
    """One variable, or one with parents of one state."""
    body = b"<VARIABLE><NAME>" + name + b"</NAME><OUTCOME>a</OUTCOME></VARIABLE>"
    given = b""
    for p in parents or ():
        body += f"<VARIABLE><NAME>{p}</NAME><OUTCOME>a</OUTCOME></VARIABLE>".encode()
        body += f"<DEFINITION><FOR>{p}</FOR><TABLE>1</TABLE></DEFINITION>".encode()
        given += f"<GIVEN>{p}</GIVEN>".encode()
    table = b"<DEFINITION><FOR>" + name + b"</FOR>" + given + b"<TABLE>" + numbers + b"</TABLE></DEFINITION>"
    return head + b"<BIF><NETWORK>" + body + table + b"</NETWORK></BIF>"


def graphml(
    head: bytes = b"", table: bytes = b"[1]", states: bytes = b'["a"]', ids: tuple[bytes, ...] = (b"x",)
) -> bytes:
    """Nodes with states and tables."""
    keys = b'<key id="s" for="node" attr.name="states" attr.type="string"/>'
    keys += b'<key id="t" for="node" attr.name="table" attr.type="string"/>'
    data = b'<data key="s">' + states + b'</data><data key="t">' + table + b"</data>"
    nodes = b"".join(b'<node id="' + name + b'">' + data + b"</node>" for name in ids)
    return head + b"<graphml>" + keys + b'<graph edgedefault="directed">' + nodes + b"</graph></graphml>"


def gexf(head: bytes = b"", name: bytes = b"x") -> bytes:
    """One node."""
    nodes = b'<nodes><node id="' + name + b'" label="x"/></nodes>'
    root = b'<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">'
    return head + root + b'<graph defaultedgetype="directed">' + nodes + b"</graph></gexf>"


def network_json(**changed: Any) -> bytes:
    """Two variables; NaN and Infinity as Python writes them."""
    whole: dict[str, Any] = {
        "variables": ["a", "b"],
        "parents": {"a": [], "b": ["a"]},
        "states": {"a": ["0", "1"], "b": ["0", "1"]},
        "tables": {"a": [0.5, 0.5], "b": [[0.5, 0.5], [0.5, 0.5]]},
    }
    return json.dumps(whole | changed).encode()


def result_document(**changed: Any) -> dict[str, Any]:
    """A result with every part that a report shows."""
    arc = {"parent": "a", "child": "b", "compelled": False, "removal_quanta": 5, "reversal_quanta": None}
    whole: dict[str, Any] = json.loads(network_json()) | {
        "status": "optimal",
        "cost_quanta": 10,
        "lower_bound_quanta": 10,
        "gap_tolerance": 1e-6,
        "rows": 100,
        "score_type": "bic",
        "local_costs": {"a": 4, "b": 6},
        "arcs": [arc],
        "parent_graph": {"sets": 3},
        "search": {"expanded": 2},
        "trace": [{"seconds": 0.1, "lower_bound": None, "upper_bound": 2.0}, {"seconds": 0.2, "lower_bound": 1.0}],
        "run": {"source": "x.csv", "knowledge": {"roots": ["a"]}},
        "seconds": 0.2,
        "peak_memory_bytes": 1000,
    }
    return whole | changed


def result_json(**changed: Any) -> bytes:
    """The same as a file."""
    return json.dumps(result_document(**changed)).encode()


def pg(
    header: bytes | None = None,
    costs: tuple[int, ...] = (7, 5, 9),
    sets: tuple[int, ...] = (0, 1, 0),
    sets_announced: int = 3,
    **changed: Any,
) -> bytes:
    """A sealed .pg file: `a` with the empty set, `b` with {a} and {}."""
    whole: dict[str, Any] = {
        "n": 2, "sets": sets_announced, "names": ["a", "b"], "score": None, "rows": None, "arities": None,
        "parameters": {}, "quantum": 2.0**-30, "exhaustive": False,
    }  # fmt: skip
    text = json.dumps(whole | changed).encode() if header is None else header
    body = struct.pack("<8sII", b"sabna-pg", 1, len(text)) + text
    for array in (struct.pack("<3q", 0, 1, 3), struct.pack("<3q", *costs), struct.pack("<3Q", *sets)):
        body += b"\0" * (-len(body) % 64) + array
    body += b"\0" * (-len(body) % 64)
    return body + hashlib.sha256(body).digest()


# name -> (suffix, content, part of the message)
Cases = dict[str, tuple[str, bytes, str]]

SIZES: Cases = {
    "uai of a hundred million variables": (".uai", b"BAYES 100000000\n", "number of variables"),
    "uai of a variable with a hundred million states": (".uai", b"BAYES 1 100000000 1 1 0 1 1", "number of states"),
    "uai whose states together are more than its words": (".uai", b"BAYES 40 " + b"90 " * 100, "number of states"),
    "uai with a table of 10^15 numbers": (".uai", b"BAYES 1 1 1 1 0 100000000000000 1", "size of a table"),
    "bif with 30 parents and a default": (".bif", bif(parents=PARENTS), "1,048,576 are possible"),
    "bif with 30 parents and one row": (".bif", bif(parents=PARENTS, body="table 0.5, 0.5;"), "2,147,483,648 are due"),
    "bif with 30 parents and no row": (".bif", bif(parents=PARENTS, body=""), "0 rows where 1,073,741,824 are due"),
    "dsc with 30 parents and a default": (".dsc", dsc(parents=PARENTS), "1,048,576 are possible"),
    "dsc with 30 parents and no row": (".dsc", dsc(parents=PARENTS, body=""), "0 rows where 1,073,741,824 are due"),
    "net with 30 parents": (".net", net(parents=PARENTS), "2 probabilities where 2,147,483,648 are due"),
    "bif with 70 parents": (".bif", bif(parents=MANY, states="0"), "70 parents"),
    "dsc with 70 parents": (".dsc", dsc(parents=MANY, states='"0"'), "70 parents"),
    "net with 70 parents": (".net", net(parents=MANY, states='"0"'), "70 parents"),
    "xmlbif with 70 parents": (".xml", xmlbif(parents=MANY), "70 parents"),
    "bif that announces 10^12 states": (
        ".bif", b"variable x { type discrete [ 1000000000000 ] { 0, 1 }; }", "whole number of at most nine digits"
    ),
    "bif with one state more than it announces": (
        ".bif", b"variable x { type discrete [ 2 ] { 0, 1, 2 }; }", "announces 2 states and lists 3"
    ),
    "xmlbif with a billion laughs": (".xml", xmlbif(LAUGHS, name=b"&j;"), "defines an entity"),
    "graphml with a billion laughs": (".graphml", graphml(LAUGHS, ids=(b"&j;",)), "defines an entity"),
    "gexf with a billion laughs": (".gexf", gexf(LAUGHS, b"&j;"), "defines an entity"),
    "xmlbif that reads another file": (".xml", xmlbif(OTHER_FILE, name=b"&j;"), "defines an entity"),
    "xml nested without end": (".xml", b"<a>" * 50_000 + b"</a>" * 50_000, "nested deeper"),
    "network json nested without end": (".json", DEEP, "nested deeper"),
    "network json with a table nested without end": (
        ".json", b'{"parents": {"a": []}, "states": {"a": ["0"]}, "tables": {"a": ' + DEEP, "nested deeper"
    ),
    "graphml with a table nested without end": (".graphml", graphml(table=DEEP), "nested deeper"),
    "adjacency matrix with a cell of 140,000 characters": (".csv", b",a\na," + b"x" * 140_000, "field larger"),
}  # fmt: skip

BROKEN: Cases = {
    "net with a word for a number": (".net", net(parents=["p"], data="0.5 half 0.5 0.5"), "not 'half'"),
    "net with an infinite number": (".net", net(parents=["p"], data="inf 0.5 0.5 0.5"), "not 'inf'"),
    "dsc with a state number too large": (".dsc", dsc(parents=["p"], body="(2) : 0.5, 0.5;"), "0 to 1, and no '2'"),
    "dsc with a superscript for a state number": (".dsc", dsc(parents=["p"], body="(²) : 0.5, 0.5;"), "and no '²'"),
    "dsc with a state number of 5000 digits": (
        ".dsc", dsc(parents=["p"], body=f"({DIGITS.decode()}) : 0.5, 0.5;"), "states 0 to 1"
    ),
    "dsc with a default of three numbers for two states": (
        ".dsc", dsc(parents=["p"], body="default : 0.5, 0.25, 0.25;"), "3 probabilities where 2 are due"
    ),
    "dsc with a default of one number": (".dsc", dsc(parents=["p"], body="default : 1;"), "1 probabilities where 2"),
    "bif with a default of three numbers for two states": (
        ".bif", bif(parents=["p"], body="default 0.5, 0.25, 0.25;"), "3 probabilities where 2 are due"
    ),
    "bif with a default of one number": (".bif", bif(parents=["p"], body="default 1;"), "1 probabilities where 2"),
    "bif with a state that is none": (".bif", bif(parents=["p"], body="(2) 0.5, 0.5;"), "has no state '2'"),
    "bif with nan": (".bif", bif(parents=["p"], body="default nan, 1;"), "not 'nan'"),
    "bif with the same row twice": (
        ".bif", bif(parents=["p"], body="(0) 0.5, 0.5; (0) 0.1, 0.9; (1) 0, 1;"), "the same probabilities twice"
    ),
    "bif with a row and a whole table": (
        ".bif", bif(parents=["p"], body="(0) 0.5, 0.5; table 0.1, 0.1, 0.9, 0.9;"), "the same probabilities twice"
    ),
    "bif with a variable declared twice": (
        ".bif", bif(parents=["p"]) + b"variable p { type discrete [ 2 ] { b, a }; }", "declared twice"
    ),
    "bif with a comment that is not closed": (".bif", b"network n {} " + b"/* " * 60_000, "not closed"),
    "xmlbif in an encoding that does not exist": (
        ".xml", xmlbif(b'<?xml version="1.0" encoding="no-such"?>'), "unknown encoding"
    ),
    "xmlbif in an encoding that is none": (".xml", xmlbif(b'<?xml version="1.0" encoding="rot13"?>'), "encoding"),
    "xmlbif in an encoding of several bytes": (
        ".xml", xmlbif(b'<?xml version="1.0" encoding="shift_jis"?>'), "encoding"
    ),
    "xmlbif with a word for a number": (".xml", xmlbif(numbers=b"one"), "not 'one'"),
    "uai with a negative variable": (".uai", b"BAYES 1 1 1 1 -1 1 1", "a variable's number"),
    "uai with a number of 5000 digits": (".uai", b"BAYES " + DIGITS, "number of variables"),
    "uai with a table of nobody": (".uai", b"BAYES 1 1 1 0 1 1", "a table of no variable"),
    "graphml with states that are a text": (".graphml", graphml(states=b'"ab"'), "a list of texts is due"),
    "graphml with a table of a number beyond doubles": (".graphml", graphml(table=b"[1" + b"0" * 390 + b"]"), "due"),
    "graphml with two nodes of one name": (".graphml", graphml(ids=(b"a b", b"a_u20_b")), "two nodes"),
    "json with half a surrogate pair": (".json", b'{"parents": {"\\ud800": []}}', "surrogate"),
    "json with a number of 5000 digits": (".json", b'{"parents": {}, "n": ' + DIGITS + b"}", "5000 digits"),
    "json with a table of a number beyond doubles": (".json", network_json(tables={"a": [10**390]}), "tables of 'a'"),
    "json with Infinity": (".json", network_json(tables={"a": [float("inf"), 0.5]}), "Infinity is no finite number"),
    "json with 1e999": (".json", b'{"parents": {"a": []}, "n": 1e999}', "no finite number"),
    "json with parents as one text": (".json", network_json(parents={"b": "a"}), "parents of 'b'"),
    "json with states of a stranger": (".json", network_json(states={"z": ["0"]}), "'z', which is no variable"),
    "json with numbers for names": (".json", network_json(variables=[1, 2]), "a list of texts is due"),
    "json with a key twice": (".json", b'{"parents": {"a": [], "a": ["b"], "b": []}}', "'a' stands twice"),
    "json with no variable": (".json", b'{"parents": {}}', "no variable"),
    "dot with no variable": (".dot", b"digraph {}", "no variable"),
}  # fmt: skip

RESULTS: dict[str, tuple[bytes, str]] = {
    "an edge that the network does not have": (
        result_json(arcs=[result_document()["arcs"][0] | {"parent": "z"}]), "every edge of the network once"
    ),
    "a cost of a variable that is none": (result_json(local_costs={"a": 4, "z": 6}), "every variable"),
    "a variable without its cost": (result_json(local_costs={"a": 4}), "every variable"),
    "an infinite time": (result_json(seconds=float("inf")), "finite"),
    "a time beyond all measure": (result_json(seconds=1e300), "seconds must be"),
    "an infinite bound in the trace": (result_json(trace=[{"seconds": 0, "upper_bound": float("inf")}]), "finite"),
    "a trace without times": (result_json(trace=[{"upper_bound": 1.0}]), "seconds must be"),
    "a trace that is a number": (result_json(trace=5), "trace must be a list"),
    "statistics that are a list": (result_json(search=[1]), "search must be an object"),
    "sets that are a text": (result_json(parent_graph={"sets": "many"}), "sets must be"),
    "rows that are a text": (result_json(rows="many"), "rows must be"),
    "a score type that is a list": (result_json(score_type=["bic"]), "score_type must be"),
    "a cost beyond all integers": (result_json(cost_quanta=10**390, lower_bound_quanta=0), "cost_quanta must be"),
    "a cost that is true": (result_json(cost_quanta=True), "cost_quanta must be"),
    "a bound above the cost": (result_json(lower_bound_quanta=11), "above the cost"),
    "optimal with a gap": (result_json(lower_bound_quanta=-(1 << 40)), "'optimal' with a gap"),
    "knowledge that is a file's name": (result_json(run={"knowledge": "/etc/hostname"}), "knowledge of the run"),
    "knowledge that is wrong": (result_json(run={"knowledge": {"roots": 5}}), "roots"),
    "a run that is a list": (result_json(run=[["a", "b"]]), "run must be an object"),
    "a status that is a list": (result_json(status=["optimal"]), "its status must be one of"),
    "a name that is no text": (result_json(run={"source": "\ud800"}), "surrogate"),
    "options nested without end": (result_json(run={"options": "@"}).replace(b'"@"', DEEP), "nested deeper"),
    "options nested to a hundred levels": (
        result_json(run={"options": "@"}).replace(b'"@"', b"[" * 100 + b"]" * 100), "nested deeper"
    ),
}  # fmt: skip

GRAPHS: Cases = {
    "pss with an arity of 10^12": (".pss", b"VAR a\nMETA arity=1000000000000\n-1\n", "at most 65,535"),
    "pss with 5000 digits of rows": (".pss", b"META num_records=" + DIGITS + b"\nVAR a\n-1\n", "be a whole number"),
    "pss with an infinite sample size": (".pss", b"META score_type=bdeu\nMETA ess=inf\nVAR a\n-1\n", "above 0"),
    "pss with a score of 5000 digits": (".pss", b"VAR a\n-1048577." + DIGITS + b"\n", "finite number"),
    "pss with a name as it is and coded": (".pss", b"VAR a b\n-1\nVAR a%20b\n-1\n", "a second variable 'a b'"),
    "pss with a list of parents that falls apart in a million ways": (
        ".pss", b"VAR a a\n-1\nVAR a a a\n-1\nVAR b\n-1 " + b"a " * 20_000 + b"\n", "unknown parent 'a'"
    ),
    "jkl with 10^15 variables": (".jkl", b"1000000000000000\n", "at most 2048"),
    "jkl with 10^15 sets": (".jkl", b"1\na 1000000000000000\n-1 0\n", "only 1 lines follow"),
    "jkl with 5000 digits of variables": (".jkl", DIGITS + b"\na 1\n-1 0\n", "must be a whole number"),
    "jkl with 5000 digits of sets": (".jkl", b"1\na " + DIGITS + b"\n-1 0\n", "must be a whole number"),
    "jkl with 5000 digits of parents": (".jkl", b"1\na 1\n-1 " + DIGITS + b"\n", "must be a whole number"),
    "jkl with 5000 digits where the number of parents of a set too many is due": (
        ".jkl", b"1\na 1\n-1 0\n-2 " + DIGITS + b" 1\n", "after the last of 1 variables"
    ),
    "pg with infinitely many variables": (".pg", pg(n=float("inf")), "Infinity is no finite number"),
    "pg with 1e999 sets": (".pg", pg(b'{"n": 2, "sets": 1e999}'), "no finite number"),
    "pg with 10^18 sets": (".pg", pg(sets_announced=10**18), "are announced"),
    "pg with a header nested without end": (".pg", pg(DEEP), "nested deeper"),
    "pg with rows that are infinite": (".pg", pg(rows=float("-inf")), "no finite number"),
    "pg with rows that are a text": (".pg", pg(rows="many"), "rows: 'many'"),
    "pg with a score that is a number": (".pg", pg(score=5), "score: 5"),
    "pg with an arity of 10^12": (".pg", pg(arities=[2, 10**12]), "arities"),
    "pg with a name of half a surrogate pair": (".pg", pg(names=["a", "\ud800"]), "surrogate"),
    "pg with a name that is a number": (".pg", pg(names=["a", 2]), "names"),
    "pg with names in one text": (".pg", pg(names="ab"), "names"),
    "pg with knowledge that is a file's name": (".pg", pg(parameters={"knowledge": "/etc/hostname"}), "knowledge"),
    "pg with a slack that is a text": (".pg", pg(parameters={"slack": "much"}), "slack"),
    "pg with costs that fall beyond 64 bits": (".pg", pg(costs=(7, 2**63 - 1, -(2**63))), "costs"),
    "pg with a set twice": (".pg", pg(sets=(0, 0, 0), parameters={"slack": 1.0}), "stands twice"),
    "pg with ties out of order": (".pg", pg(costs=(7, 5, 5), sets=(0, 1, 0)), "cost the same"),
}  # fmt: skip

KNOWLEDGE: dict[str, tuple[str, bytes, str]] = {
    "toml nested without end": (".toml", b"required = " + DEEP, "nested deeper"),
    "json nested without end": (".json", b'{"required": ' + DEEP, "nested deeper"),
    "toml with a number for a list": (".toml", b"tiers = 5", "tiers: give a list"),
    "toml with false for a list": (".toml", b"allowed = false", "allowed: give a list"),
    "toml with 0 for a table": (".toml", b"max_parents = 0", "max_parents"),
    "toml with a number for an edge": (".toml", b"required = [5]", "5 is no edge"),
    "toml with a table for an edge": (".toml", b"required = [{a = 1, b = 2}]", "is no edge"),
    "toml with a date": (".toml", b"roots = [1979-05-27]", "roots: give a list of variable names"),
    "toml with nan": (".toml", b"[max_parents]\na = nan", "nan is no number of parents"),
    "toml with 5000 digits": (".toml", b"[max_parents]\na = " + DIGITS, "digits"),
    "json with Infinity": (".json", b'{"max_parents": {"a": Infinity}}', "Infinity is no finite number"),
    "json with half a surrogate pair": (".json", b'{"roots": ["\\ud800"]}', "surrogate"),
    "json that is a list": (".json", b"[]", "top level"),
    "not UTF-8": (".toml", b"roots = ['\xff']", "cannot read"),
}  # fmt: skip

"""The table of formats: which files to begin with, how to change them, and what to do with the mutant."""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sabna.network.files import network_format
from sabna.parents.files import graph_format
from tests.formats import hostile

from . import checks, samples, seeds, structured
from .mutators import ANYWHERE, MAX_BYTES, Mutator

# Files made from random material, per format and seed.
POOL = 60


@dataclass(frozen=True)
class Format:
    """`make` gives a valid file, `samples` are some by other hands, `check` reads a file and uses what it read."""

    name: str
    suffix: str
    make: Callable[[random.Random], bytes]
    check: Callable[[Path], None]
    # How the printed script reads the file.
    call: str
    samples: tuple[bytes, ...] = ()
    # Files that are refused; a change may make one of them pass where it should not.
    hostile: tuple[bytes, ...] = ()
    words: tuple[bytes, ...] = ()
    mutators: tuple[Mutator, ...] = ANYWHERE


def _network(name: str, suffix: str, by_hand: tuple[bytes, ...], words: bytes | tuple[bytes, ...] = ()) -> Format:
    def make(rng: random.Random) -> bytes:
        text = network_format(f"x{suffix}").write(seeds.network(rng))
        return text if isinstance(text, bytes) else text.encode()

    own = tuple(words.split()) if isinstance(words, bytes) else words
    mutators = (*ANYWHERE, *[structured.json_tree] * 12) if suffix == ".json" else ANYWHERE
    call = "sabna.read_network({path!r})"
    return Format(name, suffix, make, checks.network, call, by_hand, _refused(suffix), own, mutators)


def _refused(suffix: str) -> tuple[bytes, ...]:
    """The hostile files of this kind."""
    cases = (*hostile.SIZES.values(), *hostile.BROKEN.values(), *hostile.GRAPHS.values())
    return tuple(content for kind, content, _ in cases if kind == suffix)


def _graph(
    name: str, by_hand: tuple[bytes, ...], words: bytes = b"", mutators: tuple[Mutator, ...] = ANYWHERE
) -> Format:
    def make(rng: random.Random) -> bytes:
        return graph_format(f"x.{name}").write(seeds.graph(rng))

    call = "sabna.read_parent_graph({path!r})"
    refused = _refused(f".{name}")
    return Format(name, f".{name}", make, checks.graph, call, by_hand, refused, tuple(words.split()), mutators)


_TREE = (*ANYWHERE, *[structured.json_tree] * 12)
_PG = (
    *ANYWHERE[:3],
    *[structured.pg_header] * 4,
    *[structured.pg_header_bytes] * 2,
    *[structured.pg_arrays] * 3,
    structured.pg_sealed,
)
_SAID = b'required forbidden tiers roots leaves allowed max_parents forbidden_pairs "a" [] {} = 0 false null 1979-05-27'

FORMATS = (
    _network("bif", ".bif", samples.BIF, b"network variable probability type discrete table default property { } |"),
    _network("xmlbif", ".xml", samples.XMLBIF, samples.XML_WORDS),
    _network("net", ".net", samples.NET, b'net node discrete potential states data = ( ) { } | ; "x" %'),
    _network("dsc", ".dsc", samples.DSC, b"belief network node probability type : discrete [2] default ( ) { } | , ;"),
    _network("uai", ".uai", samples.UAI, b"BAYES MARKOV 0 1 2 3"),
    _network("dot", ".dot", samples.DOT, b'digraph graph subgraph strict node edge -> -- { } [ ] ; = "a" /* //'),
    _network("graphml", ".graphml", samples.GRAPHML, samples.XML_WORDS),
    _network("gexf", ".gexf", samples.GEXF, samples.XML_WORDS),
    _network("adjacency", ".csv", samples.CSV, b'0 1 2 , "" " ; \n'),
    _network("network json", ".json", samples.JSON, b"null true NaN Infinity -1 [] {} \"a\" , :"),
    Format(
        "result json",
        ".json",
        lambda rng: json.dumps(seeds.result(rng).to_dict()).encode(),
        checks.result,
        "sabna.read_result({path!r}).save('mutant.html')",
        hostile=tuple(content for content, _ in hostile.RESULTS.values()),
        words=(b"null", b"true", b"NaN", b"Infinity", b"-1", b"[]", b"{}", b'"a"'),
        mutators=_TREE,
    ),
    Format(
        "knowledge toml",
        ".toml",
        lambda rng: seeds.toml(seeds.knowledge(rng)),
        checks.knowledge,
        "sabna.Knowledge.of({path!r})",
        samples.KNOWLEDGE,
        words=tuple(_SAID.split()),
    ),
    Format(
        "settings toml",
        ".toml",
        lambda rng: seeds.settings(rng),
        checks.settings,
        "sabna.settings.files.read_settings({path!r}, 'learn')",
        words=(b"nan", b"1e999", b"-1", b"9" * 400, b"[]", b"{}", b'"\\u0000"', b"[[5]]", b"true", b"2026-01-01"),
    ),
    Format(
        "knowledge json",
        ".json",
        lambda rng: json.dumps(seeds.knowledge(rng)).encode(),
        checks.knowledge,
        "sabna.Knowledge.of({path!r})",
        words=tuple(_SAID.split()),
        mutators=_TREE,
    ),
    _graph("jkl", samples.JKL, b"0 1 2 -1.5 a #"),
    _graph("pss", samples.PSS, b"META VAR arity= num_records= ess= score_type= parent_limit= -1.5 , #"),
    _graph("pg", (), b"null true NaN Infinity -1 [] {}", _PG),
)  # fmt: skip
if importlib.util.find_spec("tests.mutation.tables"):  # tables have a file of their own
    FORMATS += tuple(importlib.import_module("tests.mutation.tables").FORMATS)

BY_NAME = {form.name: form for form in FORMATS}


@cache
def pool(name: str, seed: int) -> tuple[bytes, ...]:
    """The files that mutants of this format begin with."""
    form = BY_NAME[name]
    return (*form.samples, *form.hostile, *(form.make(random.Random(f"{seed}/{name}/file {k}")) for k in range(POOL)))


def mutant(name: str, seed: int, number: int) -> bytes:
    """The mutant of this number; always the same."""
    form, files = BY_NAME[name], pool(name, seed)
    rng = random.Random(f"{seed}/{name}/{number}")
    content = rng.choice(files)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3, 4))):
        content = rng.choice(form.mutators)(content, rng, form.words, files)[:MAX_BYTES]
    return content

"""Broken parent graph files are refused: file, line and remedy are named, and no wrong graph comes out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sabna
from sabna.base.errors import ScoreFileError, UsageError
from tests.test_graph_files import make_graph

JKL = {
    "empty": ("", r"line 1: the number of variables is missing"),
    "no count": ("a 1\n-1 0\n", r"line 1: the number of variables must stand alone"),
    "count is no number": ("x\na 1\n-1 0\n", r"line 1: the number of variables must be a whole number, not 'x'"),
    "no variables": ("0\n", r"there is no variable in it"),
    "2049 variables": ("2049\n", r"line 1: 2049 variables are announced; at most 2048"),
    "huge count of variables": ("99999999999999999999\n", r"line 1: 9+ variables are announced; at most 2048"),
    "too few variables": ("2\na 1\n-1 0\n", r"line 3: 2 variables are announced, but the file ends after 1"),
    "too many variables": ("1\na 1\n-1 0\nb 1\n-1 0\n", r"line 4: 'b 1' after the last of 1 variables"),
    "too few sets": (
        "2\na 2\n-1 0\nb 1\n-1 0\n",
        r"line 4: the score of a parent set of 'a' must be a finite number, not 'b'",
    ),
    "too many sets": (
        "2\na 1\n-1 0\n-2 1 b\nb 1\n-1 0\n",
        r"line 4: expected a variable's name.*does 'a' have more sets",
    ),
    "huge count of sets": (
        "1\na 4000000000000\n-1 0\n",
        r"line 2: 4000000000000 parent sets are announced, but only 1 ",
    ),
    "no set": ("2\na 0\nb 1\n-1 0\n", r"line 2: variable 'a' has no parent set"),
    "unknown parent": ("2\na 1\n-1 0\nb 1\n-1 1 c\n", r"line 5: unknown parent 'c' of 'b'"),
    "self parent": ("2\na 1\n-1 0\nb 1\n-1 1 b\n", r"line 5: 'b' is listed as its own parent"),
    "twice the same parent": ("2\na 1\n-1 0\nb 1\n-1 2 a a\n", r"line 5: a parent of 'b' is listed twice"),
    "duplicate sets": ("2\na 1\n-1 0\nb 2\n-1 1 a\n-2 1 a\n", r"line 6: the same parents of 'b' as in line 5"),
    "wrong number of parents": ("2\na 1\n-1 0\nb 1\n-1 2 a\n", r"line 5: 2 parents are announced for 'b', but 1 are"),
    "duplicate variables": ("2\na 1\n-1 0\na 1\n-1 0\n", r"line 4: a second variable 'a' \(the first is in line 2\)"),
    "NaN": ("1\na 1\nnan 0\n", r"line 3: .* finite number, not 'nan'"),
    "infinity": ("1\na 1\n-inf 0\n", r"line 3: .* finite number, not '-inf'"),
    "overflow": ("1\na 1\n-1e999 0\n", r"line 3: .* finite number, not '-1e999'"),
    "too large": ("1\na 1\n-1e15 0\n", r"the scores are too large"),
    "too large together": ("2\na 1\n-6e8 0\nb 1\n6e8 0\n", r"the scores are too large"),
    "not UTF-8": (b"1\n\xe9 1\n-1 0\n", r"line 2: the name .* is not UTF-8"),
    "no network": ("2\na 1\n-1 1 b\nb 1\n-1 1 a\n", r"no network can be made .* every set of 'a', 'b' needs another"),
}
PSS = {
    "empty": ("", r"there is no variable in it"),
    "something else": ("1\na 1\n-1 0\n", r"line 1: expected a META or VAR line, not '1'"),
    "no name": ("VAR\n-1\n", r"line 1: VAR without a name"),
    "no set": ("VAR a\nVAR b\n-1\n", r"line 1: variable 'a' has no parent set"),
    "no score": ("VAR a\nx\n", r"line 2: the score of a parent set of 'a' must be a finite number, not 'x'"),
    "unknown parent": ("VAR a\n-1 b\n", r"line 2: unknown parent 'b' of 'a'"),
    "self parent": ("VAR a\n-1\n-2 a\n", r"line 3: 'a' is listed as its own parent"),
    "duplicate sets": ("VAR a\n-1\n-1\n", r"line 3: the same parents of 'a' as in line 2"),
    "duplicate variables": ("VAR a\n-1\n\nVAR a\n-1\n", r"line 4: a second variable 'a' \(the first is in line 1\)"),
    "ambiguous names": ("VAR a\n-1\nVAR b\n-1\nVAR a b\n-1\nVAR c\n-1 a b\n", None),
    "arity": ("VAR a\nMETA arity=two\n-1\n", r"line 2: the arity must be a whole number, not 'two'"),
    "rows": ("META num_records=-1\nVAR a\n-1\n", r"line 1: num_records must be a whole number, not '-1'"),
    "2049 variables": ("".join(f"VAR x{k}\n-1\n" for k in range(2049)), r"line 4097: variable 2049: at most 2048"),
}


def refuses(path: Path, content: str | bytes, message: str) -> None:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ScoreFileError, match=message) as caught:
        sabna.read_parent_graph(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("case", JKL)
def test_broken_jkl(tmp_path: Path, case: str) -> None:
    refuses(tmp_path / "g.jkl", *JKL[case])


@pytest.mark.parametrize("case", [case for case, (_, message) in PSS.items() if message])
def test_broken_pss(tmp_path: Path, case: str) -> None:
    content, message = PSS[case]
    refuses(tmp_path / "g.pss", content, message or "")


def test_words_that_are_names_themselves_are_taken_so(tmp_path: Path) -> None:
    """`a b` could be one variable or two; single words win, as other programs read it."""
    path = tmp_path / "g.pss"
    path.write_text(PSS["ambiguous names"][0])
    assert list(sabna.read_parent_graph(path).parent_sets(3)) == [(1 << 30, (0, 1))]


def pg_bytes(folder: Path) -> bytes:
    graph = make_graph(("a", "b"), [{frozenset(): 5}, {frozenset(): 7, frozenset([0]): 6}], score="bic", arities=(2, 3))
    graph.save(folder / "good.pg")
    return (folder / "good.pg").read_bytes()


@settings(max_examples=100)
@given(where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_any_flipped_bit_of_a_pg_file_is_noticed(
    tmp_path_factory: pytest.TempPathFactory, where: float, bit: int
) -> None:
    folder = tmp_path_factory.mktemp("flip")
    content = bytearray(pg_bytes(folder))
    content[int(where * len(content))] ^= 1 << bit
    refuses(folder / "g.pg", bytes(content), "not a sound .pg file")


def test_every_single_bit_of_a_pg_file_counts(tmp_path: Path) -> None:
    content = pg_bytes(tmp_path)
    for position in range(len(content)):
        changed = bytearray(content)
        changed[position] ^= 1 << position % 8
        refuses(tmp_path / "g.pg", bytes(changed), "not a sound .pg file")


def test_a_truncated_or_longer_pg_file_is_noticed(tmp_path: Path) -> None:
    content = pg_bytes(tmp_path)
    for length in range(len(content)):
        refuses(tmp_path / "g.pg", content[:length], "not a sound .pg file")
    refuses(tmp_path / "g.pg", content + b"\0", "not a sound .pg file")


def sealed(header: bytes, arrays: bytes = b"") -> bytes:
    """A .pg file with a right checksum around any header."""
    import hashlib
    import struct

    body = struct.pack("<8sII", b"sabna-pg", 1, len(header)) + header
    body += b"\0" * (-len(body) % 64) + arrays
    return body + hashlib.sha256(body).digest()


@pytest.mark.parametrize(
    "header",
    [
        b"{}",
        b"[]",
        b"not json",
        b'{"n": 1, "sets": 1000000000000000, "quantum": 9.313225746154785e-10}',
        b'{"n": 2049, "sets": 600, "quantum": 9.313225746154785e-10}',
        b'{"n": 1, "sets": 1, "quantum": 1.0}',
        b"[" * 100_000,
    ],
)
def test_a_sealed_pg_file_with_a_wrong_header_is_refused(tmp_path: Path, header: bytes) -> None:
    """Nothing is allocated by what a header announces: the length of the file is compared first."""
    refuses(tmp_path / "g.pg", sealed(header), "its content makes no sense")


def test_a_sealed_pg_file_with_wrong_arrays_is_refused(tmp_path: Path) -> None:
    """A faulty program may write a right checksum around a graph that cannot be."""
    bad = [
        make_graph(("a", "b"), [{frozenset([0]): 5}, {frozenset(): 1}]),  # its own parent
        make_graph(("a", "b"), [{frozenset([5]): 5, frozenset(): 6}, {frozenset(): 1}]),  # a parent that is not there
        make_graph(("a", "a"), [{frozenset(): 5}, {frozenset(): 1}]),
        make_graph(("a", "b"), [{frozenset(): 5}, {frozenset(): 1}], arities=(2,)),
    ]
    for graph in bad:
        graph.save(tmp_path / "g.pg")
        refuses(tmp_path / "g.pg", (tmp_path / "g.pg").read_bytes(), "its content makes no sense")
    unsorted = make_graph(("a", "b"), [{frozenset(): 7, frozenset([1]): 6}, {frozenset(): 1}])
    unsorted.costs[:2] = unsorted.costs[:2][::-1].copy()
    unsorted.save(tmp_path / "g.pg")
    refuses(tmp_path / "g.pg", (tmp_path / "g.pg").read_bytes(), "order of the costs")
    stuck = make_graph(("a", "b"), [{frozenset([1]): 7}, {frozenset([0]): 1}])
    stuck.save(tmp_path / "g.pg")
    refuses(tmp_path / "g.pg", (tmp_path / "g.pg").read_bytes(), "no network can be made")


@pytest.mark.parametrize("suffix", [".jkl", ".pss", ".pg"])
def test_files_that_cannot_be_opened(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(ScoreFileError, match=r"none.*: cannot be read: No such file"):
        sabna.read_parent_graph(tmp_path / f"none{suffix}")
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    with pytest.raises(ScoreFileError, match=r"folder.*: (cannot be read|not a sound)"):
        sabna.read_parent_graph(folder)
    path = tmp_path / f"g{suffix}"
    path.write_bytes(b"x" * 1000)
    path.chmod(0)
    if not os.access(path, os.R_OK):
        with pytest.raises(ScoreFileError, match="cannot be read: Permission denied"):
            sabna.read_parent_graph(path)


def test_an_unknown_suffix_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"g\.txt: the suffix '\.txt' is no parent graph format; use one of \.jkl"):
        sabna.read_parent_graph(tmp_path / "g.txt")
    with pytest.raises(UsageError, match="the suffix"):
        make_graph(("a",), [{frozenset(): 5}]).save(tmp_path / "g")


@pytest.mark.parametrize("value", [3, None, 2.5])
def test_something_that_is_no_path_is_named(value: object) -> None:
    for call in (sabna.search, sabna.read_parent_graph):
        with pytest.raises(UsageError, match=f"type {type(value).__name__} in place of a file"):
            call(value)  # type: ignore[operator]

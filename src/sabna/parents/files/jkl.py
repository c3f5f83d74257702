"""The .jkl format ("Jaakkola"), read and written by GOBNILP, BLIP and others.

    2                       number of variables
    rain 1                  name, number of parent sets
    -3.5 0                  score (to be maximised), number of parents, parents
    wet 2
    -2.0 1 rain
    -4.25 0

Lines that begin with `#` are comments (BLIP writes some). Nothing in the file tells the score, the rows or the arities.
Declared numbers are compared with the lines that are there before anything is done with them.
"""

from __future__ import annotations

import os

from sabna.base.varsets import MAX_VARIABLES
from sabna.parents.files.lists import Entries, Source, assemble, show
from sabna.parents.files.names import encode_name
from sabna.parents.files.numbers import score_text
from sabna.parents.graph import ParentGraph


def read(path: str | os.PathLike[str], keep_dominated: bool) -> ParentGraph:
    """The parent graph of a .jkl file."""
    source = Source(os.fspath(path))
    lines = [(k, line.split()) for k, line in enumerate(source.read_lines(), start=1) if not line.startswith(b"#")]
    lines = [(k, words) for k, words in lines if words]
    if not lines:
        source.fail(1, "the number of variables is missing; is this a .jkl file?")
    first, words = lines[0]
    if len(words) != 1:
        source.fail(first, f"the number of variables must stand alone here, not {show(b' '.join(words))}")
    n = source.number(words[0], first, "the number of variables")
    if n > MAX_VARIABLES:
        source.fail(first, f"{n} variables are announced; at most {MAX_VARIABLES} are possible")
    variables: list[Entries] = []
    position = 1
    for _ in range(n):
        if position == len(lines):
            source.fail(lines[-1][0], f"{n} variables are announced, but the file ends after {len(variables)}")
        entries, position = _read_variable(source, lines, position, variables)
        variables.append(entries)
    if position < len(lines):
        line, words = lines[position]
        source.fail(
            line, f"{show(b' '.join(words))} after the last of {n} variables; correct a count or remove the line"
        )
    return assemble(source, variables, keep_dominated)


def _read_variable(
    source: Source, lines: list[tuple[int, list[bytes]]], position: int, before: list[Entries]
) -> tuple[Entries, int]:
    """One variable with its sets; returns the position after them."""
    line, words = lines[position]
    if len(words) < 2 or not words[-1].isdigit() or _looks_like_a_set(words):
        last = f"; does {show(before[-1].name)} have more sets than it announces?" if before else ""
        source.fail(
            line, f"expected a variable's name and its number of parent sets, not {show(b' '.join(words))}{last}"
        )
    count = source.number(words[-1], line, "the number of parent sets")
    if count > len(lines) - position - 1:
        source.fail(line, f"{count} parent sets are announced, but only {len(lines) - position - 1} lines follow")
    # Names of other programs may hold blanks; ours have them coded.
    entries = Entries(b" ".join(words[:-1]), line)
    for line, words in lines[position + 1 : position + 1 + count]:
        if len(words) < 2 or not words[1].isdigit():
            source.fail(
                line,
                f"expected a score, a number of parents and parents, not {show(b' '.join(words))}; "
                f"{show(entries.name)} announces {count} sets",
            )
        size = source.number(words[1], line, "the number of parents")
        entries.add(source, line, words[0], size, words[2:])
    return entries, position + 1 + count


def _looks_like_a_set(words: list[bytes]) -> bool:
    """Whether a line that should name a variable is more likely one set too many."""
    if len(words) < 3 or words[1].lstrip(b"0") != str(len(words) - 2).encode():
        return False
    try:
        float(words[0])
    except ValueError:
        return False
    return True


def write(graph: ParentGraph) -> bytes:
    """The bytes of a .jkl file."""
    names = [encode_name(name).decode() for name in graph.names]
    parts = [f"{graph.n}\n"]
    for i, name in enumerate(names):
        parts.append(f"{name} {graph.offsets[i + 1] - graph.offsets[i]}\n")
        for cost, parents in graph.parent_sets(i):
            parts.append(" ".join([score_text(cost), str(len(parents)), *(names[p] for p in parents)]) + "\n")
    return "".join(parts).encode()

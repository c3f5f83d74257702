#!/usr/bin/env python3
"""Check that a network is optimal, from a certificate and the parent graph it is about.

    python check_certificate.py proof.cert graph.pg          (or graph.jkl, graph.pss; --explain tells the derivation)

This file stands alone: Python's standard library and numpy, nothing of the program that wrote the certificate. It reads
as an explanation: every RULE stands beside the lines that apply it, with the reason why it is valid. All arithmetic is
on integers. Exit code 0: accepted. 1: refused, with the line and the reason. 2: not checked, a file cannot be read.
Scores of a table are checked by a second file, check_scores.py, which calls this one.

THE CLAIM. A parent graph lists for every variable i some parent sets S, each with a cost s(i,S), an integer number of
quanta of 2^-30 nat. A network chooses one listed set for every variable such that there is no cycle, and costs the sum.
A certificate claims: the network it holds costs so much, and no network of this graph costs less than `lower`.

THE DERIVATION is about parts. A part is some of the variables with some of their listed sets, cut down to the part's
variables. Part 0 is the whole graph. What is proven of a part P is one number b(P): no network of P, as P was when it
came into being, costs less than b(P). It comes about in five ways.

  strike   Sets are removed that no network of P below a target T has. A network that has one of them costs T or more;
           so b(P) is the smaller of T and what is proven of P without them. (`cap` below is the least such T.)
  bound    Any bound of what is left of P.
  split    P's variables are dealt out to parts. A network of P, cut down to the variables of each part, is a network
           of each part: removing parents makes no cycle. Its cost is the sum of theirs, so b(P) is the sum of their b.
           (The program splits where nothing is lost by that; for the proof it does not matter where.)
  branch   Every network of P is a network of one of two parts. So b(P) is the smaller of their b.
  turn     A set is removed because for each network that has it there is one, as cheap, in a part that comes earlier.
           Where this is done, in P or in a part made of it, b(P) says less: who follows a network of P that costs less
           than b(P) leaves P, for an earlier part. From part 0 nobody can leave (RULE turn says how one follows).

Weights, groups and lists may come from anywhere. Every bound below holds for whatever they are; that is why nothing in
the certificate has to be believed.

NO SUM LEAVES 64 BITS. numpy's integers wrap around in silence, so sizes are limited where numbers come in. The costs of
a network add up to less than ROOM = 2^60, the constants and credits of weights too (`Bound`), and targets are less;
what is infinite is 2 ROOM. So a sum below has at most three infinite terms and 2 ROOM beside them: 8 ROOM are 2^63.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import re
import struct
import sys
import zlib
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]

VERSION = b"sabna-certificate 2\n"
QUANTA = 1 << 30  # to a nat
ROOM = 1 << 60
INFINITE = 2 * ROOM  # "there is none"
MOST_TEXT = 1 << 28  # bytes of a certificate
MOST_NUMBERS = 1 << 26  # that its lists unpack to
MOST_BYTES = 1 << 31  # of a graph's file, and of all open parts
MOST_LINES = 1 << 23  # of a graph's file that is text
MOST_CELLS = 1 << 27  # numbers in tables: a gigabyte
LOW = 14  # tables are filled in blocks of 2^LOW numbers
SENSELESS = (ValueError, LookupError, TypeError, ArithmeticError, AttributeError, struct.error, zlib.error)


class Refused(Exception):
    """The certificate proves less than it claims."""


class Unreadable(Exception):
    """A file is not what it should be."""


# --- Parts of the parent graph ----------------------------------------------------------------------------------------


def places(have: Ints, wanted: Ints) -> Ints:
    """Where different wanted numbers stand among those at hand, which are ascending."""
    found = np.minimum(np.searchsorted(have, wanted), len(have) - 1)
    if (have[found] != wanted).any() or len(np.unique(wanted)) < len(wanted):
        raise Refused("it names a variable or a set twice, or one that the part does not have")
    return found


class Part:
    """Variables `members` (numbers in the graph) and sets. Part 0 is the whole graph; all arrays are ascending.

    Set p stands at `at[p]` in the graph, belongs to variable `child[p]`, costs `cost[p]`, and has v if `has[v, p]`.
    """

    def __init__(self, members: Ints, at: Ints, child: Ints, cost: Ints, has: Bools) -> None:
        self.n, self.members, self.at, self.child, self.cost, self.has = len(members), members, at, child, cost, has
        self.cap, self.proven = INFINITE, -INFINITE  # the least target of a strike; the best bound of what is left
        self.kind, self.parts = "open", list[int]()
        self.apart = list[Ints]()  # rows (p, p', q) of sets in the graph, -1 for none, which RULE turn is about
        self.held = np.zeros(0, np.int64)  # the only sets that variables had when they were split off

    def marked(self, sets: Ints) -> Bools:
        """Which sets of the part are these of the graph; refused unless they are different ones, and all there."""
        marks = np.zeros(len(self.at), bool)
        marks[places(self.at, sets)] = True
        return marks

    def only(self, variables: Ints, stay: Bools) -> Part:
        """The part of some variables (numbers in this part) and of some of their sets, cut down to them."""
        sets = np.flatnonzero(stay & np.isin(self.child, variables))
        child, has = np.searchsorted(variables, self.child[sets]), self.has[np.ix_(variables, sets)]
        return Part(self.members[variables], self.at[sets], child, self.cost[sets], has)

    def drop(self, marks: Bools) -> None:
        stay = np.flatnonzero(~marks)
        self.at, self.child, self.cost, self.has = self.at[stay], self.child[stay], self.cost[stay], self.has[:, stay]

    def certain(self) -> Ints:
        """Sets of the graph that every network of the part has, with those that wait at the splits above."""
        only = np.bincount(self.child, minlength=self.n) == 1
        return np.concatenate([self.held, self.at[only[self.child]]])

    def turned(self, i: int) -> Ints:
        """The rows (p, p', q) that a branching on variable i as a source sets apart, see RULE turn."""
        size, sets, rows = self.has.sum(axis=0), dict[tuple[int, frozenset[int]], int](), [np.zeros(0, np.int64)]
        few = np.flatnonzero((size < 2) | (size == 2) & (self.has[i] | (self.child == i)))
        for p, has in zip(few.tolist(), self.has[:, few].T, strict=True):
            key = int(self.child[p]), frozenset(np.flatnonzero(has).tolist())
            if key not in sets or self.cost[p] < self.cost[sets[key]]:
                sets[key] = p

        def cost(*wanted: tuple[int, ...]) -> int:
            """Of the cheapest sets; (v, j, x) is v's set {j, x}."""
            found = [sets.get((v, frozenset(members)), -1) for v, *members in wanted]
            return sum(self.cost[found].tolist()) if min(found) >= 0 else INFINITE

        def note(wanted: list[tuple[int, ...]], *instead: list[tuple[int, ...]]) -> None:
            now = cost(*wanted)
            if now < INFINITE and min(cost((i,), *others) for others in instead) <= now:
                *premises, q = [int(self.at[sets[v, frozenset(members)]]) for v, *members in wanted]
                rows.append(np.array([premises[0], premises[1] if premises[1:] else -1, q]))

        if (i, frozenset[int]()) in sets:
            for v, members in sets:
                if v == i and len(members) == 1:
                    (j,) = members
                    note([(j,), (i, j)], [(j, i)])
                elif v != i and len(members) == 1 and i not in members:
                    x, (j,) = v, members
                    note([(j,), (x, j), (i, x)], [(x, i), (j, x)])
                    note([(j,), (x, j), (i, j, x)], [(j, i), (x, i, j)], [(x, i), (j, i, x)])
        return np.concatenate(rows).reshape(-1, 3)

    def proper(self, piece: Ints) -> bool:
        """Whether pieces (0, 1, ..., of each variable its own) have an order in which each set has members in its own
        variable's piece and in earlier ones only. Then networks of the pieces, with the same sets, are one of the part.
        """
        count, before = int(piece.max()) + 1, -1
        needs, placed = np.zeros((count, count), bool), np.zeros(count, bool)
        for k in range(count):
            needs[piece[self.child[self.has[piece == k].any(axis=0)]], k] = True
        np.fill_diagonal(needs, False)
        while placed.sum() > before:
            before = int(placed.sum())
            placed |= ~needs[:, ~placed].any(axis=1)
        return bool(placed.all())

    def cheapest(self) -> int:
        """RULE cheapest. The cheapest set of each variable, added up, is a bound; infinite if there is no network.

        Place whoever has a set among those placed, until nobody has. If some are left, there is no network: in its
        order the first of those left would have a set among the variables before it, which are placed. (So one set for
        each variable is a network if and only if nobody is left.)
        """
        least, placed, before = np.full(self.n, INFINITE), np.zeros(self.n, bool), -1
        while placed.sum() > before:
            before = int(placed.sum())
            placed[self.child[~self.has[~placed].any(axis=0)]] = True
        np.minimum.at(least, self.child, self.cost)
        return sum(least.tolist()) if placed.all() else INFINITE


# --- Files: the parent graph, read by a few lines of our own, and the fields of a certificate -------------------------


class Graph(Part):
    """The parent graph: every set of it, cheapest first, ties by the set's number. `sets` has one a row."""

    def __init__(self, names: list[str], child: Ints, cost: Ints, sets: Bools, header: dict[str, Any]) -> None:
        order = np.lexsort([*words_of(sets).T, cost, child])
        super().__init__(np.arange(len(names)), np.arange(len(cost)), child[order], cost[order], sets[order].T.copy())
        self.names, self.header, largest = names, header, np.full(self.n, -1)
        np.maximum.at(largest, self.child, np.abs(self.cost))
        if min(largest) < 0 or sum(largest.tolist()) >= ROOM or self.has[self.child, self.at].any():
            raise ValueError("a variable without sets, or its own parent, or costs too large to be added up")

    def digest(self) -> str:
        """A fingerprint of the content; the same graph in another file format has the same."""
        content = hashlib.sha256(json.dumps(self.names).encode())
        for array in (np.bincount(self.child), self.cost, words_of(self.has.T)):
            content.update(array.astype("<u8").tobytes())
        return content.hexdigest()


def words_of(bits: Bools) -> Words:
    """The bits of each row, 64 to a word."""
    out = np.zeros((len(bits), 8 * -(-bits.shape[1] // 64)), np.uint8)
    packed = np.packbits(bits, axis=1, bitorder="little")
    out[:, : packed.shape[1]] = packed
    return out.view("<u8")


def bools_of(words: Words, n: int) -> Bools:
    """The other way round."""
    bits = np.ascontiguousarray(words, "<u8").view(np.uint8).reshape(len(words), 8 * words.shape[1])
    return np.unpackbits(bits, axis=1, bitorder="little", count=n).view(bool)


def read(path: str, most: int) -> bytes:
    """A whole file, unless it is out of all proportion."""
    with open(path, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise Unreadable(f"{path}: more than {most} bytes")
    return data


def read_graph(path: str) -> Graph:
    """The parent graph of a .pg, .jkl or .pss file."""
    data = read(path, MOST_BYTES)
    try:
        return read_pg(data) if data[:8] == b"sabna-pg" else read_text(data, path.lower().endswith(".pss"))
    except SENSELESS as error:
        raise Unreadable(f"{path}: no parent graph that this checker can read ({error})") from None


def read_pg(data: bytes) -> Graph:
    """The binary format: header, then offsets, costs and sets, each from a multiple of 64 on, then a checksum."""
    if hashlib.sha256(data[:-32]).digest() != data[-32:]:
        raise ValueError("its checksum does not fit")
    at = 16 + struct.unpack("<I", data[12:16])[0]
    header = json.loads(data[16:at])
    n, sets, names, arrays = header["n"], header["sets"], header["names"], []
    width = (1, 2, 4, 8, 32)[np.searchsorted((64, 128, 256, 512, 2048), n)]  # words of a set
    for kind, count in (("<i8", n + 1), ("<i8", sets), ("<u8", sets * width)):
        at = -(-at // 64) * 64
        arrays.append(np.frombuffer(data, kind, count, at))
        at += 8 * count
    lengths, cost, words = np.diff(arrays[0]), arrays[1].astype(np.int64), arrays[2].reshape(sets, -1)
    fits = isinstance(names, list) and list(map(type, names)) == [str] * n and n * sets <= MOST_BYTES
    if not fits or lengths.min() < 1 or sum(lengths.tolist()) != sets or cost.min() < -ROOM or cost.max() > ROOM:
        raise ValueError("names, offsets and costs do not fit together")
    return Graph(names, np.repeat(np.arange(n), lengths), cost, bools_of(words, n), header)


def read_text(data: bytes, pss: bool) -> Graph:
    """Scores to be maximised, as decimal numbers: the double nearest to each, times -2^30, to the nearest integer."""
    if data.count(b"\n") > MOST_LINES:
        raise ValueError("too many lines; convert the file to .pg first")
    rows = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    lines = (line.split() for line in rows if line.strip() and not line.startswith(b"#"))
    names, entries = list[bytes](), list[tuple[int, bytes, list[bytes]]]()  # an entry: variable, score, parents
    if pss:
        for word, *rest in lines:
            if word == b"VAR":
                names.append(b" ".join(rest))
            elif word != b"META":
                entries.append((len(names) - 1, word, rest))
    else:
        for i in range(int(next(lines, [])[0])):
            *name, count = next(lines, [])
            names.append(b" ".join(name))
            own = list(islice(lines, int(count)))
            if len(own) < int(count) or any(int(words[1]) != len(words) - 2 for words in own):
                raise ValueError("too few sets, or names with blanks; convert the file to .pg first")
            entries += [(i, words[0], words[2:]) for words in own]
    number = {name: i for i, name in enumerate(names)}
    if len(number) < len(names) or len(entries) * len(names) > MOST_BYTES:
        raise ValueError("two variables of one name, or too many sets")
    cost, sets = np.zeros(len(entries), np.int64), np.zeros((len(entries), len(names)), bool)
    for p, (_, score, parents) in enumerate(entries):
        value = float(score)
        if not abs(value) < 1 << 40:
            raise ValueError(f"the score {score!r}")
        cost[p] = round((value if abs(value) < 1 << 20 else Fraction(score.decode())) * -QUANTA)  # beyond: every digit
        sets[p, [number[name] for name in parents]] = True
    # Blanks, commas and control characters of names are written %20, %2C and so on; %22%22 is the empty name.
    coded = re.compile(rb"%22%22|%(0[0-9A-F]|1[0-9A-F]|20|23|25|2C|7F)")
    decoded = [coded.sub(lambda m: bytes.fromhex((m[1] or b"").decode()), name).decode("utf-8") for name in names]
    return Graph(decoded, np.array([i for i, _, _ in entries]), cost, sets, {})


class Fields(dict[str, str]):
    """The fields of a line, `strike part=1 target=500 by=2 sets=3,7`."""

    left = MOST_NUMBERS  # that lists may still have

    def list(self, name: str) -> Ints:
        """Integers: 3,7,8 as they stand; or ~ and base64 of zlib of 64-bit differences between neighbours."""
        text = self.get(name, "")
        if text[:1] != "~":
            return np.array([int(word) for word in text.split(",") if text], np.int64)
        inflate = zlib.decompressobj()
        data = inflate.decompress(base64.b64decode(text[1:], validate=True), 8 * self.left + 1)
        if not inflate.eof or len(data) % 8:
            raise ValueError("a list is damaged or too long")
        self.left -= len(data) // 8
        out: Ints = np.cumsum(np.frombuffer(data, "<i8"))
        return out


# --- Weights: clusters and cuts ---------------------------------------------------------------------------------------


@dataclass(eq=False)
class Row:
    """An inequality that holds for every network: the sum of a(i,S) over the sets chosen is at least k.

    RULE cluster. For a set C of k or more variables a(i,S) is 1 if i is in C and S has fewer than k members of C, else
    0. Take an order in which parents come before children. The first k members of C in this order have fewer than k
    members of C before them, hence fewer than k among their parents: so at least k sets count. (If C is one variable,
    each of its sets counts: the row is the equation that it has exactly one.)

    RULE cut. Rows are added up with multipliers of 0 or more, or of any sign for equations. Divide by d, and round
    every coefficient up: the left side only grows. It is an integer, so the right side may be rounded up as well.
    (Chvatal and Gomory; zero-half for d = 2.)

    RULE local. G is a group of blocks, sets of variables that have no member in common. Numbers a(B,T) >= 0 are listed,
    B in G and T a set of other blocks; each B lists the empty T. For i in B, a(i,S) is 0 if S has a member of B, else
    the least of those a(B,T) where S has a member of every block in T; it is 0 for i in no block. k is the least sum
    that an order of G allows if each B takes its least a(B,T) with T before it. Order G as a network places the first
    variable of each block: that of B has no parent in B, and the blocks of its parents come before B; so its a(i,S) is
    not less than what B takes in this order. The others are not negative, so that the sum is at least k.
    """

    k: int
    members: Ints  # of C; none for cuts
    rows: list[tuple[Row, int]] = field(default_factory=list)  # that a cut is made of, with multipliers
    divisor: int = 1
    depth: int = 0
    group: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # the variables of G of a local cut
    of: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # the block of each
    listed: list[tuple[int, int, int]] = field(default_factory=list)  # B, T as bits and a(B,T), by places in G

    def coefficients(self, part: Part, known: dict[Row, Ints]) -> Ints:
        """a(i,S) for all sets of a part; `known` are those of cuts that cuts are made of."""
        if self in known:
            return known[self]
        out = np.zeros(len(part.at), np.int64)
        if len(self.group):
            own = places(part.members, self.group)
            blocks = [own[self.of == B] for B in range(int(self.of.max()) + 1)]
            met = sum(part.has[block].any(axis=0).astype(np.int64) << B for B, block in enumerate(blocks))
            for B, block in enumerate(blocks):
                sets = np.flatnonzero(np.isin(part.child, block) & (met >> B & 1 == 0))
                for _, T, a in sorted((f for f in self.listed if f[0] == B), key=lambda f: -f[2]):
                    out[sets[met[sets] & T == T]] = a
            return out
        if not self.rows:
            own, member = places(part.members, self.members), np.zeros(part.n, bool)
            member[own] = True
            out[(part.has[own].sum(axis=0, dtype=np.int16) < self.k) & member[part.child]] = 1
            return out
        for row, times in self.rows:
            out += times * row.coefficients(part, known)
            if (np.abs(out) > 1 << 30).any():
                raise Refused("coefficients too large")
        known[self] = -(-out // self.divisor)
        if 8 * len(known) * len(out) > MOST_BYTES:
            raise MemoryError
        return known[self]


Weights = list[tuple[Row, int]]  # rows and their weights y >= 0


# --- Bounds: weights, and tables over the subsets of groups -----------------------------------------------------------


class Bound:
    """RULE weights. For y >= 0:   bound = sum of y k + sum over i of min over S of [s(i,S) - sum of y a(i,S)].

    A network's cost is the sum of its s(i,S); its rows say that the sum of a(i,S) is at least k; so the cost is at
    least sum of y k + sum over i of [s(i,S) - sum of y a(i,S)] with its own S, and the least S costs no more. Each
    y a(i,S) is called a credit. With i's list cut down to one S, the same says what a network with this S costs.

    RULE pattern. The variables are dealt out to groups (for weights alone, each is a group by itself). The minima over
    single variables are replaced by one T for each group, the least that its variables cost in any order among
    themselves if everything outside the group is available: no network pays less for them. A cluster inside one group
    is left out: T knows more. And a cluster's credit is given to fewer: it is enough that its first k members in the
    order get it, who have fewer than k of C before them; so i gets it only while fewer than k others of C are placed
    in its group. The bound also holds for what comes after a set U at the front of an order:
        bound(U) = sum over clusters of y (k - |C cap U|)^+ + sum over groups of T[what is in U]
    since of the first k members of C at least k - |C cap U| are not in U, and get their credit.

    RULE solve. With all variables in one group and no weights, T is the cost of the best network itself.
    """

    def __init__(self, part: Part, weights: Weights, group_of: Ints) -> None:
        number = np.unique(group_of, return_inverse=True)[1].reshape(-1)
        groups = [np.flatnonzero(number == g) for g in range(int(number.max()) + 1)]
        if len(group_of) != part.n or sum(1 << len(group) for group in groups) > MOST_CELLS:
            raise Refused(f"it needs a group for every variable, and tables of up to {MOST_CELLS} numbers")
        if len(weights) * (part.n + len(part.at)) > MOST_BYTES:
            raise MemoryError
        self.clusters, reduced = list[tuple[Bools, int, int]](), part.cost.copy()
        passing = list[Credit]()  # credits that an order of a group may lose
        self.cuts, constant, size, known = 0, 0, 0, dict[Row, Ints]()
        for row, y in weights:
            own = np.zeros(part.n, bool)
            own[places(part.members, row.members)] = True
            in_group = np.bincount(number[own], minlength=len(groups))
            if len(row.members) and in_group.max() == len(row.members):
                continue
            a = row.coefficients(part, known)
            size += y * (abs(row.k) + (len(row.members) or part.n * int(np.abs(a).max(initial=0))))
            if size >= ROOM:
                raise Refused("weights too large to be added up")
            constant += y * row.k
            if len(row.members):
                self.clusters.append((own, row.k, y))
            else:
                self.cuts += 1
            loses = own & (in_group[number] > row.k)
            if loses.any():
                passing.append((loses, own, row.k, y, a > 0))
                a[loses[part.child]] = 0
            reduced -= y * a
        self.groups = [Group(part, group, reduced, passing) for group in groups]
        self.value = min(constant + sum(int(group.table[0]) for group in self.groups), INFINITE)
        tables = f" and tables over {len(groups)} groups of variables" if len(groups) < part.n else ""
        self.words = f"weights (clusters: {len(self.clusters)}, cuts: {self.cuts}){tables}"

    def having(self, marks: Bools) -> int:
        """What a network with one of the marked sets costs at least: the list of one variable is cut down to them."""
        least = min(group.having(marks) - int(group.table[0]) for group in self.groups)
        return INFINITE if self.value >= INFINITE else self.value + least

    def after(self, placed: Bools) -> Ints:
        """bound(U) for several U: `placed[v]` says which of them have variable v."""
        out = np.zeros(placed.shape[1], np.int64)
        for own, k, y in self.clusters:
            out += y * np.maximum(k - placed[own].sum(axis=0), 0)
        for group in self.groups:
            out = np.minimum(out + group.table[group.index(placed)], INFINITE)
        return out

    def after_each(self, placed: Bools) -> Ints:
        """bound(U + v) for every variable v: clusters with fewer than k members in U lose a y if v is one of them, and
        the table of v's group is read elsewhere. (If T is infinite for U, it is for each U + v that can be placed.)
        """
        now = self.after(placed)
        out = np.tile(now, (len(placed), 1))
        for own, k, y in self.clusters:
            out[own] -= y * (placed[own].sum(axis=0) < k)
        for group in self.groups:
            at = group.index(placed)
            for j, v in enumerate(group.members):
                out[v] += group.table[at | 1 << j] - group.table[at]
        out[:, now >= INFINITE] = INFINITE
        return out


Credit = tuple[Bools, Bools, int, int, Bools]  # of a cluster: who may lose it, its members, k, weight, sets that count


class Group:
    """The table of a group G: T[A] is the least that its other variables cost when its variables A come first.

    T[G] = 0 and T[A] = min over i not in A of D_i[A] + T[A + i], where D_i[A] is the least of s(i,S) - (credits) over
    the sets S with S cap G inside A, when A is placed. A subset is a number: bit j is the j-th variable of G. Tables
    are filled in blocks of subsets that differ in the LOW lowest bits, from the last on: a gigabyte has to do.
    """

    def __init__(self, part: Part, members: Ints, reduced: Ints, passing: list[Credit]) -> None:
        self.members = members
        self.lists = [Member(part, members, v, reduced, [c for c in passing if c[0][v]]) for v in members.tolist()]
        self.table = self._fill(self.lists, Member.least)

    def _fill(self, lists: list[Member], least: Callable[[Member, int, int], Ints]) -> Ints:
        table, low = np.full(1 << len(lists), INFINITE), min(len(lists), LOW)
        table[-1] = 0
        for high in reversed(range(0, len(table), 1 << low)):
            block, falls = table[high : high + (1 << low)], True
            rows = {j: least(member, high, low) for j, member in enumerate(lists) if not high >> j & 1}
            for j in range(low, len(lists)):
                if j in rows:
                    np.minimum(block, table[high + (1 << j) :][: len(block)] + rows[j], out=block)
            while falls:
                before = block.copy()
                for j in range(low):
                    without, with_j = np.moveaxis(block.reshape(-1, 2, 1 << j), 1, 0)
                    np.minimum(without, with_j + rows[j].reshape(-1, 2, 1 << j)[:, 0], out=without)
                falls = bool((block < before).any())
        return table

    def having(self, marks: Bools) -> int:
        """The least T of the whole group if one of its variables has the marked sets only."""
        out, least = INFINITE, cache(Member.least)
        for j, member in enumerate(self.lists):
            if marks[member.at].any():
                if len(self.members) << len(self.members) > MOST_CELLS // 2:
                    raise Refused("sets are struck out by tables of fewer variables")
                lists = [*self.lists[:j], member.only(marks), *self.lists[j + 1 :]]
                out = min(out, int(self._fill(lists, least)[0]))
        return out

    def index(self, placed: Bools) -> Ints:
        """Where the table has several U: `placed[v]` says which of them have variable v."""
        return np.asarray(sum(placed[v].astype(np.int64) << j for j, v in enumerate(self.members)))


class Member:
    """The sets of variable v of a group: `value` (all credits taken off that cannot be lost), what each `needs` of the
    group, and its credits of clusters (their other members in the group: `mask`) of which k may be placed before it.
    """

    def __init__(self, part: Part, group: Ints, v: int, reduced: Ints, passing: list[Credit]) -> None:
        bits, self.at = 1 << np.arange(len(group)), np.flatnonzero(part.child == v)
        self.value, self.needs = reduced[self.at], bits @ part.has[np.ix_(group, self.at)]
        self.mask = np.array([bits[own[group] & (group != v)].sum() for _, own, _, _, _ in passing], np.int64)
        self.k, self.y = (np.array([credit[c] for credit in passing], np.int64) for c in (2, 3))
        self.credit = np.array([a[self.at] for *_, a in passing], bool).reshape(len(passing), len(self.at)).T

    def only(self, marks: Bools) -> Member:
        """The same with the marked sets only."""
        out, stay = copy(self), marks[self.at]
        out.at, out.value, out.needs, out.credit = (a[stay] for a in (self.at, self.value, self.needs, self.credit))
        return out

    def least(self, high: int, low: int) -> Ints:
        """D for the subsets `high` + (anything of the `low` lowest bits): without credits by minima over subsets, one
        variable after the other; then with credits, set by set, where they can count."""
        index, out = np.arange(1 << low), np.full(1 << low, INFINITE)
        fits = np.flatnonzero(self.needs & ~(high | index[-1]) == 0)
        needs, value, some = self.needs[fits] & index[-1], self.value[fits], popcount(self.mask & high) < self.k
        np.minimum.at(out, needs, value)
        for b in range(low):
            pair = out.reshape(-1, 2, 1 << b)
            np.minimum(pair[:, 1], pair[:, 0], out=pair[:, 1])
        credit = self.credit[np.ix_(fits, some)]
        best = value - credit @ self.y[some]
        for k in np.flatnonzero((best < value) & (best < out[needs])):  # `out` falls from subset to superset
            at = index[(index & needs[k] == needs[k]) & (out > best[k])]
            mask, most, y = (array[some][credit[k], None] for array in (self.mask, self.k, self.y))
            out[at] = np.minimum(out[at], value[k] - ((popcount((high | at) & mask) < most) * y).sum(axis=0))
        return out


BITS = np.array([bin(v).count("1") for v in range(1 << 16)], np.int8)


def popcount(values: Ints) -> NDArray[np.int8]:
    """The number of bits set (values of up to 32 bits)."""
    out: NDArray[np.int8] = BITS[values & 0xFFFF] + BITS[values >> 16]
    return out


# --- The order lattice: a search, checked set by set ------------------------------------------------------------------


class Lattice:
    """RULE search. A list of subsets U of the part's variables proves that no network costs less than `lower`.

    An order of the variables is a way from {} to all of them; the step from U to U + i costs d(i,U), the least cost of
    a set of i inside U. Let c(U) be the least cost from U to the end; c({}) is that of the best network. A lemma says
    which steps are enough: let rel(i) be the variables outside U that occur in a set of i cheaper than d(i,U), and C
    a set of variables outside U with rel(i) inside C for all its i. In any order after U the members of C can be pulled
    to the front: what they gain from lies in U and C, and the others only see more. So some best way from U begins in
    C. If C is a single variable, it comes next, and U may be moved on to U + i without a choice.

    The check: going through the list by size, let g(U) be the least cost of coming to U by steps between listed sets;
    {}, moved on, is listed, with g its cost so far. For each U a C is chosen, as the search does it, and every step
    from U by a member of C must lead to a listed set, or to a V with g + bound(V) >= lower, at once or moved on.

    Why that is enough: if c({}) < lower, then g(U) + c(U) < lower for U = {}. From a listed U with this, the best step
    inside C leads to a V with g + c(V) < lower; as bound(V) <= c(V), V is listed, and g(V) + c(V) < lower. So it goes
    on to larger and larger listed sets, until all variables are placed: that set is never listed, its bound is 0, and
    g + 0 < lower is a contradiction.
    """

    def __init__(self, part: Part, bounds: list[Bound], lower: int, listed: Bools) -> None:
        self.part, self.bounds, self.lower, n = part, bounds, lower, part.n
        parents = [one.tolist() for one in np.split(np.nonzero(part.has.T)[1], np.cumsum(part.has.sum(axis=0)))]
        own = [slice(*np.searchsorted(part.child, (i, i + 1))) for i in range(n)]
        self.lists = [parents[which] for which in own]  # the sets of each variable, cheapest first
        self.costs = [part.cost[which] for which in own]
        self.least = [self.lists[i][: np.sum(self.costs[i] == self.costs[i][0])] for i in range(n)]
        self.place = {row.tobytes(): k for k, row in enumerate(words_of(listed))}
        self.g = np.full(len(listed), INFINITE)
        if len(self.place) < len(listed) or listed.all(axis=1).any() or any(bound.cuts for bound in bounds):
            raise Refused("a set is listed twice, or all variables are, or a bound has cuts: clusters alone can do it")
        self._arrive(np.zeros((n, 1), bool), np.zeros(1, np.int64))
        size = listed.sum(axis=1)
        order, step = np.argsort(size, kind="stable"), max(64, MOST_CELLS // (n + 16) ** 2)
        for begin in range(0, len(listed), step):
            batch = order[begin : begin + step]
            cost, ways = self._ways(listed[batch].T)
            for k in np.unique(size[batch]):
                now = np.flatnonzero((size[batch] == k) & (self.g[batch] < INFINITE))  # to others there is no way
                placed, value, near = listed[batch[now]].T.copy(), self.g[batch[now]] + cost[:, now], ways[:, now]
                for bound in bounds:
                    near &= value + bound.after_each(placed) < lower
                variable, column = np.nonzero(near)
                to = placed[:, column]
                to[variable, np.arange(len(column))] = True
                self._arrive(to, value[variable, column])

    def _ways(self, placed: Bools) -> tuple[Ints, Bools]:
        """For several U, one a column, and all variables i: d(i,U), and whether i is in the C that the search takes.

        One word has a bit for each of 64 of the U: left[v] says which of them do not have v, rel[i, v] where v is in
        rel(i). The sets of i are tried one after the other, cheapest first, on all U that have not found one.
        """
        n, count = placed.shape
        inside, left = words_of(placed), words_of(~placed)
        rel, cost = np.zeros((n, n, inside.shape[1]), np.uint64), np.full((n, count), INFINITE)
        for i in range(n):
            self._first(i, inside, left[i].copy(), rel[i], cost[i])
            rel[i] &= left
            rel[i, i] = left[i]
        for via in range(n):  # now with all that it leads to: the smallest C that i is in
            rel |= rel[:, via, None] & rel[via]
        closed, every = bools_of(rel.reshape(n * n, -1), count).reshape(n, n, count), np.arange(count)
        # The C that a search takes: that of the first variable outside U, and down from there while one is smaller.
        size, down = closed.sum(axis=1), np.argmin(placed, axis=0)
        while (smaller := closed[down, :, every].T & (size < size[down, every])).any():
            down = np.where(smaller.any(axis=0), np.argmax(smaller, axis=0), down)
        return cost, closed[down, :, every].T & (cost < INFINITE)

    def _first(self, i: int, inside: Words, left: Words, rel: Words, cost: Ints) -> None:
        """Fill in d(i,U), and rel(i) up to what U has: where no set before, and none as cheap, is found inside U."""
        number = np.zeros((len(self.lists[i]).bit_length(), len(left)), np.uint64)  # of the set found, bit by bit
        outside, new, unseen = left.copy(), list[int](), set(range(len(rel)))
        for k, parents in enumerate(self.lists[i]):
            new += unseen.intersection(parents)
            unseen.difference_update(parents)
            found = left
            for v in parents:
                found = found & inside[v]
            if found.any():
                number[[b for b in range(len(number)) if k >> b & 1]] |= found
                left ^= found
                if not left.any():
                    break
            if new and (k + 1 == len(self.lists[i]) or self.costs[i][k] < self.costs[i][k + 1]):
                rel[new], new = left, []
        bits = bools_of(np.vstack([outside ^ left, number]), len(cost))
        cost[bits[0]] = self.costs[i][(1 << np.arange(len(number))) @ bits[1:, bits[0]]]

    def _arrive(self, placed: Bools, cost: Ints) -> None:
        """Sets, one a column, are moved on, and must be listed then, or have bounds that reach `lower`."""
        cost, before = cost.copy(), -1
        while before < (before := int(placed.sum())):
            for i, least in enumerate(self.least):
                ready = ~placed[i] & np.any([placed[parents].all(axis=0) for parents in least], axis=0)
                placed[i] |= ready
                cost += ready * self.costs[i][0]
        place = np.array([self.place.get(row.tobytes(), -1) for row in words_of(placed.T)], np.int64)
        np.minimum.at(self.g, place[place >= 0], cost[place >= 0])
        placed, cost = placed[:, place < 0], cost[place < 0]
        for bound in self.bounds:
            near = cost + bound.after(placed) < self.lower
            placed, cost = placed[:, near], cost[near]
        if len(cost):
            names = np.flatnonzero(placed[:, 0]).tolist()
            raise Refused(f"a way leads to the variables {names}, which are not listed, below {self.lower}")


# --- The derivation, line by line: `_on_strike` applies lines that begin with `strike` --------------------------------


class Derivation:
    """Applies the lines of a certificate, one after the other, to the parts of a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.parts = graph, {0: graph.only(graph.members, graph.at >= 0)}
        self.rows = dict[int, Row]()
        self.weights = dict[int, tuple[Weights, Ints | None]]()  # with the groups of a pattern
        self.network: tuple[int, Ints] | None = None
        self.claim, self.status = dict[str, int](), ""
        self.left_out: Ints = np.zeros(0, np.int64)  # sets that the user's knowledge forbids
        self.held = 2 * graph.has.size  # bytes, about
        self.story: list[str] = []

    def apply(self, word: str, fields: Fields) -> None:
        """One line. What a rule does to a part it tells in words."""
        rule = getattr(self, f"_on_{word.replace('-', '_')}", None)
        if rule is None:
            raise Refused("there is no such rule")
        if "part" not in fields:
            rule(fields)
        elif (part := self.parts[int(fields["part"])]).kind != "open":
            raise Refused("the part is no longer there")
        else:
            of, size = f"part {fields['part']} (variables: {part.n}, sets: {len(part.at)})", part.has.size
            self.story.append(f"{of}: {rule(part, fields)}")
            self.held += part.has.size - size if part.kind == "open" else 0

    def proven(self) -> int:
        """b(P) of part 0, see the head of this file; parts come after those they are made from."""
        b = dict[int, int]()
        for number, part in reversed(self.parts.items()):
            of_parts = [b[c] for c in part.parts]
            of_rest = sum(of_parts) if part.kind == "split" else min(of_parts, default=part.cheapest())
            b[number] = min(part.cap, max(part.proven, of_rest), INFINITE)
            if part.parts:
                what = {"split": "the sum", "branch": "the least"}[part.kind] + " of what its parts cost"
                what = "the target of its strikes" if b[number] == part.cap else what
                self.story.append(f"so part {number} costs at least {nats(b[number])}, {what}")
        return b[0]

    # What the certificate is about.

    def _on_graph(self, fields: Fields) -> None:
        about = [int(fields["variables"]), int(fields["sets"]), fields["sha256"]]
        here = [self.graph.n, len(self.graph.at), self.graph.digest()]
        if about != here:
            sizes = "; variables and sets there: {} and {}, here: {} and {}".format(*about[:2], *here[:2])
            raise Refused(f"the certificate is about another parent graph{sizes}")

    def _on_note(self, fields: Fields) -> None:
        """For the reader: nothing is proven by it."""

    _on_end = _on_note  # the checksum has been looked at before

    def _on_leave_out(self, fields: Fields) -> None:
        """Sets that the user's knowledge forbids: the claim is about the networks that do without them."""
        if self.story:
            raise Refused("sets can be left out before the derivation begins, not later")
        marks = self.parts[0].marked(fields.list("sets"))
        self.left_out = np.append(self.left_out, self.parts[0].at[marks])
        self.parts[0].drop(marks)

    def _on_network(self, fields: Fields) -> None:
        sets, whole, cost = fields.list("sets"), self.graph, int(fields["cost"])
        if len(sets) != whole.n or sets.min() < 0 or (whole.child[sets] != whole.members).any():
            raise Refused("a network needs one parent set for each variable")
        chosen = Part(whole.members, sets, whole.members, whole.cost[sets], whole.has[:, sets]).cheapest()
        if chosen != cost:
            raise Refused("the network has a cycle" if chosen == INFINITE else f"the network costs {chosen} quanta")
        self.network = (cost, sets)

    def _on_claim(self, fields: Fields) -> None:
        self.claim, self.status = {name: int(fields[name]) for name in ("lower", "cost", "tolerance")}, fields["status"]
        if any(abs(number) >= ROOM for number in self.claim.values()):
            raise Refused("a claim out of all proportion")

    # What bounds are made of.

    def _on_cluster(self, fields: Fields) -> None:
        members, k = fields.list("members"), int(fields["k"])
        if not 1 <= k <= len(set(members.tolist())) == len(members):
            raise Refused("a cluster needs k or more different members, and k of 1 or more")
        self.rows[int(fields["id"])] = Row(k, members)

    def _on_cut(self, fields: Fields) -> None:
        rows, divisor = self._weighed(fields, "times"), int(fields["divisor"])
        if any(times < 0 and len(row.members) != 1 for row, times in rows):
            raise Refused("a cut takes inequalities with multipliers that are not negative")
        depth = 1 + max(row.depth for row, _ in rows)
        if not 1 <= divisor < 1 << 20 or depth > 64 or len(rows) > 4096 or any(abs(t) >= 1 << 20 for _, t in rows):
            raise Refused("a cut with numbers out of all proportion, or of too many rows, or of cuts of cuts of cuts")
        k = -(-sum(times * row.k for row, times in rows) // divisor)
        self.rows[int(fields["id"])] = Row(k, np.zeros(0, np.int64), rows, divisor, depth)

    def _on_local(self, fields: Fields) -> None:
        group, (B, T, a) = fields.list("group"), (fields.list(name).tolist() for name in ("member", "before", "a"))
        of = fields.list("of") if "of" in fields else np.arange(len(group))  # without it every variable is a block
        g = len(set(of.tolist()))
        if not len(group) == len(of) == len(set(group.tolist())) or {*of.tolist()} != {*range(g)}:
            raise Refused("a local cut needs different variables, and the block of each")
        if not 1 <= g <= 12 or not {(j, 0) for j in range(g)} <= {*zip(B, T, strict=True)}:
            raise Refused("a local cut needs up to 12 blocks, and the empty set for each")
        if any(not (0 <= j < g and 0 <= t < 1 << g and 0 <= x < 1 << 20) for j, t, x in zip(B, T, a, strict=True)):
            raise Refused("a local cut with numbers out of all proportion")
        subsets, take, least = np.arange(1 << g), np.full((g, 1 << g), INFINITE), [0] + [INFINITE] * ((1 << g) - 1)
        for j, t, x in zip(B, T, a, strict=True):
            take[j] = np.where(subsets & t == t, np.minimum(take[j], x), take[j])
        for before, taken in enumerate(take.T.tolist()):
            for j in range(g):
                least[before | 1 << j] = min(least[before | 1 << j], least[before] + taken[j])
        none = np.zeros(0, np.int64)
        self.rows[int(fields["id"])] = Row(least[-1], none, group=group, of=of, listed=[*zip(B, T, a, strict=True)])

    def _weighed(self, fields: Fields, by: str) -> Weights:
        return [(self.rows[c], y) for c, y in zip(fields.list("rows").tolist(), fields.list(by).tolist(), strict=True)]

    def _on_weights(self, fields: Fields) -> None:
        weights = self._weighed(fields, "y")
        if any(y < 0 for _, y in weights):
            raise Refused("a weight is negative")
        self.weights[int(fields["id"])] = (weights, None)

    def _on_pattern(self, fields: Fields) -> None:
        self.weights[int(fields["id"])] = (self.weights[int(fields["weights"])][0], fields.list("groups"))

    def _bound(self, part: Part, by: int) -> Bound:
        weights, groups = self.weights[by]
        return Bound(part, weights, np.arange(part.n) if groups is None else groups)

    # What happens to parts.

    def _on_drop(self, part: Part, fields: Fields) -> str:
        """RULE drop. A set S may go if a set T of the same variable stays that is inside S and costs no more.

        Wherever S is chosen T can be: fewer parents make no cycle, and the network costs no more. So the least cost of
        a network of the part stays what it is.
        """
        marks = part.marked(fields.list("sets"))
        for p in np.flatnonzero(marks):
            own = slice(*np.searchsorted(part.child, (part.child[p], part.child[p] + 1)))
            inside = ~part.has[~part.has[:, p], own].any(axis=0)
            if not (inside & ~marks[own] & (part.cost[own] <= part.cost[p])).any():
                raise Refused(f"set {part.at[p]} is not dominated by one that stays")
        part.drop(marks)
        return f"{marks.sum()} can go, since a subset that stays costs no more"

    def _on_strike(self, part: Part, fields: Fields) -> str:
        target, marks, by = (
            int(fields["target"]),
            part.marked(fields.list("sets")),
            self._bound(part, int(fields["by"])),
        )
        if abs(target) >= ROOM:
            raise Refused("a target out of all proportion")
        if marks.any() and by.having(marks) < target:
            raise Refused(f"one of the sets may be in a network that costs less than {target}")
        part.drop(marks)
        part.proven, part.cap = max(part.proven, by.value), min(part.cap, target)
        return f"{marks.sum()} struck out by {by.words}: in no network that costs less than {nats(target)}"

    def _raise(self, part: Part, bound: int, how: str) -> str:
        part.proven = max(part.proven, bound)
        return ("no network is left, " if bound >= INFINITE else f"no network costs less than {nats(bound)}, ") + how

    def _on_bound(self, part: Part, fields: Fields) -> str:
        by = self._bound(part, int(fields["by"]))
        return self._raise(part, by.value, f"by {by.words}")

    def _on_solve(self, part: Part, fields: Fields) -> str:
        bound = Bound(part, [], np.zeros(part.n, np.int64)).value
        return self._raise(part, bound, "solved here by a table of all subsets of its variables")

    def _on_search(self, part: Part, fields: Fields) -> str:
        lower, by = int(fields["lower"]), fields.list("by").tolist()
        if abs(lower) >= ROOM or len(np.unique(part.child)) < part.n or not 1 <= len(by) <= 8:
            raise Refused("a variable without a set, or a bound out of all proportion, or not by 1 to 8 bounds")
        placed = bools_of(fields.list("placed").view(np.uint64).reshape(-1, -(-part.n // 64)), part.n)
        Lattice(part, [self._bound(part, number) for number in by], lower, placed)
        return self._raise(part, lower, f"by a search through {len(placed)} sets of variables")

    def _on_split(self, part: Part, fields: Fields) -> str:
        to, every = fields.list("to"), np.ones(len(part.at), bool)
        if len(to) != part.n:
            raise Refused("a split must deal out every variable once")
        numbers, piece = np.unique(to, return_inverse=True)
        new = [(k, part.only(np.flatnonzero(to == k), every)) for k in numbers.tolist()]
        if part.apart and part.proper(piece.reshape(-1)):
            for _, made in new:
                made.apart, made.held = part.apart, part.certain()
                self.held += made.held.nbytes
        self._replace(part, "split", new)
        return f"falls apart: {', '.join(f'part {k} (variables: {self.parts[k].n})' for k in part.parts)}"

    def _on_branch(self, part: Part, fields: Fields) -> str:
        """RULE branch. Which sets each of two parts does without; every network does without those of one of them.

        kind=order, variables a, b: b is not a parent of a, or a is not a parent of b; for with both there would be a
        cycle. kind=arc: b is a parent of a (and then a is none of b), or it is not. kind=source, one variable: it has
        no parents in the part, or it has some. (In the second part sets are apart then, see RULE turn.)
        """
        kind, (a, *others) = fields["kind"], places(part.members, fields.list("variables")).tolist()
        of_a, first, rows = part.child == a, repr(self.graph.names[part.members[a]]), np.zeros((0, 3), np.int64)
        if kind == "source" and not others:
            some, rows = part.has.any(axis=0), part.turned(a)
            without, words = (of_a & some, of_a & ~some), f"{first} has no parents here, or it has some"
        else:
            (b,) = others
            a_with_b, b_with_a = of_a & part.has[b], (part.child == b) & part.has[a]
            second = repr(self.graph.names[part.members[b]])
            without, words = {
                "arc": ((of_a & ~a_with_b | b_with_a, a_with_b), f"{second} is a parent of {first}, or not"),
                "order": ((a_with_b, b_with_a), f"{second} is no parent of {first}, or {first} is none of {second}"),
            }[kind]
        new = [part.only(np.arange(part.n), ~marks) for marks in without]
        new[0].apart, new[1].apart = part.apart, [*part.apart, rows] if len(rows) else part.apart
        new[0].held = new[1].held = part.held
        self.held += rows.nbytes
        self._replace(part, "branch", list(zip(fields.list("parts").tolist(), new, strict=True)))
        return f"becomes the parts {part.parts[0]} and {part.parts[1]}: {words}"

    def _on_turn(self, part: Part, fields: Fields) -> str:
        """RULE turn. A set q may go where it is apart from one or two sets that every network there has.

        What is apart comes from branchings of a part A by whether i is a source, and is one of these, all sets as A has
        them, with what there is instead and costs no more, all together:

            p: j has {}                   q: i has {j}      instead: i {}, j {i}
            p: j has {},  p': x has {j}   q: i has {x}      instead: i {}, x {i}, j {x}
            p: j has {},  p': x has {j}   q: i has {j, x}   instead: i {}, j {i}, x {i, j}  or  i {}, x {i}, j {i, x}

        It is apart in A's second part and in what is made of it, unless a split on the way is not proper. Every network
        of a part has a set that is the only one of its variable; it was the only one when the variable was split off,
        or it is now.

        Turning: a network of A with p, p' and q gets the others instead. There is no cycle: in its order i, and j and x
        behind it as they are above, can be moved before all others, for they have only parents among themselves. It
        costs no more. It is a network of A's FIRST part.

        Following: a network of part 0 that cost less than b(0) would lead down the tree, from part to part, always
        costing less than their b. For as long as it costs less than b(P), no strike or bound of P is in its way. At a
        drop it takes the subset, and costs no more. At a branch it goes into a part that it belongs to, whose b is not
        smaller. At a split one of its pieces costs less than the b of that part: there it goes on, and the others wait.
        It cannot end in an open part, whose b is that of its bounds. So it meets a q that was turned, in a part N. With
        the pieces that wait at splits between A and N, all proper, it makes a network of A, which costs no more than
        the one that came to A. It has p and p', too: in N or in such a piece the variable has nothing else. It is
        turned, and goes on in A's first part; it costs less than the b of that, too, since for A the smaller b counts.

        But it cannot go on forever. Write down its way: which part it goes into, at every branch and split. The new way
        is the one before as far as A, and then takes the first part instead of the second: it comes before it in a
        dictionary. There are finitely many ways in a tree. So no network of part 0 costs less than b(0).
        """
        marks, certain = part.marked(fields.list("sets")), np.append(part.certain(), -1)
        rows = np.concatenate([np.zeros((0, 3), np.int64), *part.apart])
        if not np.isin(part.at[marks], rows[np.isin(rows[:, :2], certain).all(axis=1), 2]).all():
            raise Refused("one of the sets is apart here from none, or from sets that a network need not have")
        part.drop(marks)
        return f"{marks.sum()} can go: with arcs turned round there is a network in a part before, as cheap"

    def _replace(self, part: Part, kind: str, new: list[tuple[int, Part]]) -> None:
        for number, made in new:
            if number in self.parts:
                raise Refused(f"part {number} is there already")
            self.parts[number] = made
        part.kind, part.parts = kind, [number for number, _ in new]
        self.held += sum(made.has.size + 4096 for _, made in new) - part.has.size
        part.drop(part.at >= 0)
        if self.held > MOST_BYTES:
            raise MemoryError


def nats(quanta: int) -> str:
    return f"{quanta / QUANTA:.6f} nats"


# --- The verdict ------------------------------------------------------------------------------------------------------


def check(certificate: str, graph_path: str) -> tuple[Derivation, bool]:
    """Apply all lines of a certificate, whose last one has the checksum of those before; whether it is there."""
    data = read(certificate, MOST_TEXT)
    body, end, checksum = data.rpartition(b"\nend sha256=")
    complete = bool(end) and checksum.endswith(b"\n")
    if not data.startswith(VERSION):
        raise Unreadable(f"{certificate}: not a certificate of version 2")
    if complete and hashlib.sha256(body + b"\n").hexdigest().encode() != checksum[:-1]:
        raise Unreadable(f"{certificate}: its checksum does not fit, so that it was cut or changed")
    derivation, left = Derivation(read_graph(graph_path)), MOST_NUMBERS
    for number, line in enumerate(io.BytesIO(data), start=1):
        word, *words = line.decode("utf-8", "replace").rstrip("\n").split(" ")
        where = f"line {number} ({word[:20]})"
        if number == 1 or not line.endswith(b"\n"):  # the last line may have been cut off while it was written
            continue
        try:
            if number == 2 and word != "graph":
                raise Refused("a certificate begins with the fingerprint of its graph")
            fields = Fields(field.split("=", 1) for field in words)
            fields.left = left
            derivation.apply(word, fields)
            left = fields.left
        except Refused as error:
            raise Refused(f"{where}: {error}") from None
        except SENSELESS as error:
            raise Refused(f"{where}: makes no sense ({type(error).__name__}: {error})") from None
    return derivation, complete


def verdict(derivation: Derivation, complete: bool) -> list[str]:
    """What is proven, in words; Refused if it is less than what is claimed."""
    if derivation.network is None:
        raise Refused("the certificate has no network")
    proven, claim, (cost, chosen) = derivation.proven(), derivation.claim, derivation.network
    if not complete or not claim:
        so_far = f"no network costs less than {nats(proven)} ({proven} quanta); the network given costs {cost} quanta"
        raise Refused(f"it has no claim or no end: the run was cut off. What its lines prove by then: {so_far}")
    lower, tolerance, optimal = claim["lower"], claim["tolerance"], cost - claim["lower"] <= claim["tolerance"]
    if proven < lower:
        raise Refused(f"claimed is that no network costs less than {lower} quanta, but proven is {proven} only")
    if claim["cost"] != cost or lower > cost or np.isin(chosen, derivation.left_out).any():
        raise Refused("the claim contradicts its network: another cost, a bound above it, or a set that was left out")
    if derivation.status == "optimal" and not optimal:
        raise Refused(f"claimed is 'optimal', but {cost - lower} quanta are open and {tolerance} are tolerated")
    graph, left_out = derivation.graph, len(derivation.left_out)
    for name, p in zip(graph.names, chosen, strict=True):
        parents = ", ".join(repr(graph.names[v]) for v in np.flatnonzero(graph.has[:, p])) or "none"
        derivation.story.append(f"the network given: {name!r} has the parents {parents}")
    made_of = f"these {len(graph.at)} parent sets"
    made_of += f" and without the {left_out} sets that prior knowledge forbids" if left_out else ""
    best = f"is optimal for these local scores, within {tolerance} quanta ({tolerance / QUANTA:.3g} nats)"
    gap = f"is at most {nats(cost - lower)} above the best: the run was stopped before the end"
    lines = [
        f"Checked: no network made of {made_of} costs less than {nats(lower)} ({lower} quanta).",
        f"Checked: the network given is acyclic, is made of these sets, and costs {nats(cost)} ({cost} quanta).",
        f"So{' of these networks' if left_out else ''} it {best if optimal else gap}.",
    ]
    if left_out:
        whose = ", ".join(repr(graph.names[i]) for i in np.unique(graph.child[derivation.left_out]))
        lines.append(f"Not checked: that the sets left out, of {whose}, are those that the prior knowledge means.")
    return lines


def report(certificate: str, graph: str, explain: bool, scores: Callable[[Graph, Ints], list[str]]) -> int:
    """Print the verdict; returns the exit code. `scores` says what is known of the graph's scores."""
    try:
        derivation, complete = check(certificate, graph)
        lines, network = verdict(derivation, complete), derivation.network
        print("\n".join([*(derivation.story if explain else []), *lines]))
        print("\n".join(scores(derivation.graph, network[1] if network else np.zeros(0, np.int64))))
    except Refused as error:
        print(f"REFUSED: {error}")
        return 1
    except (Unreadable, OSError, ValueError, MemoryError, RecursionError) as error:
        print(f"NOT CHECKED: {str(error) or 'too large for the memory at hand'}", file=sys.stderr)
        return 2
    print("ACCEPTED")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="check_certificate", description="Check a certificate of optimality.")
    parser.add_argument("certificate")
    parser.add_argument("graph", help="the parent graph it is about: .pg, .jkl or .pss")
    parser.add_argument("--explain", action="store_true", help="tell the derivation, step by step")
    given = parser.parse_args(arguments)
    unchecked = "that the parent graph has the scores of some table, and that no useful set is missing from it"
    return report(given.certificate, given.graph, given.explain, lambda *_: [f"Not checked: {unchecked}."])


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main())

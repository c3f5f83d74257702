#!/usr/bin/env python3
"""Check that a network is optimal, from a certificate and the parent graph it is about.

    python check_certificate.py proof.cert graph.pg          (or graph.jkl, graph.pss; --explain tells the derivation)

This file stands alone: Python's standard library and numpy, nothing of the program that wrote the certificate. It reads
as an explanation: every RULE stands beside the lines that apply it, with the reason why it is valid. All arithmetic is
on integers. Exit code 0: accepted. 1: refused, with the line and the reason. 2: not checked, a file cannot be read.
Scores of a table (--data) are computed by a second file, check_scores.py; the proof itself does not need it.

THE CLAIM. A parent graph lists for every variable i some parent sets S, each with a cost s(i,S), an integer number of
quanta of 2^-30 nat. A network chooses one listed set for every variable such that there is no cycle, and costs the sum.
A certificate claims: the network it holds costs so much, and no network of this graph costs less than `lower`.

THE DERIVATION is about parts. A part is some of the variables with some of their listed sets, cut down to the part's
variables. Part 0 is the whole graph. What is proven of a part P is one number b(P): no network of P, as P was when it
came into being, costs less than b(P). It comes about in four ways.

  strike   Sets are removed that no network of P below a target T has. A network that has one of them costs T or more;
           so b(P) is the smaller of T and what is proven of P without them. (`cap` below is the least such T.)
  bound    Any bound of what is left of P.
  split    P's variables are dealt out to parts. A network of P, cut down to the variables of each part, is a network
           of each part: removing parents makes no cycle. Its cost is the sum of theirs, so b(P) is the sum of their b.
           (The program splits where nothing is lost by that; for the proof it does not matter where.)
  branch   Every network of P is a network of one of several parts. So b(P) is the least of their b.

Weights, groups and lists may come from anywhere. Every bound below holds for whatever they are; that is why nothing in
the certificate has to be believed.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import re
import runpy
import struct
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Bools = NDArray[np.bool_]

QUANTA = 1 << 30  # to a nat
ROOM = 1 << 60  # costs and weights are refused if they add up to more: then no sum below leaves 64 bits
INFINITE = 1 << 61  # "there is none"; two of them still fit
MOST_BYTES = 1 << 32  # of the tables of parents of all open parts
MOST_TEXT = 1 << 28  # bytes of a certificate
MOST_NUMBERS = 1 << 25  # in all lists of a certificate
LARGEST_SOLVED = 26  # variables of a part that is solved here: a table of 2^26 numbers, half a gigabyte
LARGEST_GROUP = 20  # variables of a group: tables of 21 x 2^20 numbers
SENSELESS = (ValueError, LookupError, TypeError, ArithmeticError, AttributeError, struct.error, zlib.error)


class Refused(Exception):
    """The certificate proves less than it claims."""


class Unreadable(Exception):
    """A file is not what it should be."""


# --- Parts of the parent graph ----------------------------------------------------------------------------------------


class Part:
    """Variables `members` (numbers in the graph) and sets. Part 0 is the whole graph; all arrays are ascending.

    Set p stands at `at[p]` in the graph, belongs to variable `child[p]`, costs `cost[p]`, has the variables `has[p]`.
    """

    def __init__(self, members: Ints, at: Ints, child: Ints, cost: Ints, has: Bools) -> None:
        self.n, self.members, self.at, self.child, self.cost, self.has = len(members), members, at, child, cost, has
        self.cap = INFINITE  # the least target of a strike
        self.proven = -INFINITE  # the best bound of what is left
        self.kind, self.parts = "open", list[int]()

    def local(self, variables: Ints) -> Ints:
        """Numbers of the graph's variables in this part; refused unless they are different members."""
        found = np.minimum(np.searchsorted(self.members, variables), self.n - 1)
        if (self.members[found] != variables).any() or len(set(variables.tolist())) < len(variables):
            raise Refused("it names a variable twice, or one that is not in the part")
        return found

    def marked(self, positions: Ints) -> Bools:
        """Which of the sets are at these places of the graph; refused unless all of them are there."""
        marks = np.isin(self.at, positions)
        if marks.sum() != len(positions):
            raise Refused("it names a parent set twice, or one that the part does not have")
        return marks

    def only(self, variables: Ints, stay: Bools) -> Part:
        """The part of some variables (numbers in this part) and of some of their sets, cut down to them."""
        stay = stay & np.isin(self.child, variables)
        child = np.searchsorted(variables, self.child[stay])
        return Part(self.members[variables], self.at[stay], child, self.cost[stay], self.has[stay][:, variables])

    def drop(self, marks: Bools) -> None:
        stay = ~marks
        self.at, self.child, self.cost, self.has = self.at[stay], self.child[stay], self.cost[stay], self.has[stay]

    def least(self, values: Ints) -> tuple[Ints, int]:
        """The least of some values over the sets of each variable, and the sum of these; infinite if one is."""
        out = np.full(self.n, INFINITE)
        np.minimum.at(out, self.child, values)
        return out, INFINITE if INFINITE in out else sum(out.tolist())


def width(n: int) -> int:
    """The number of 64-bit words of a set of n variables in files: 1, 2, 4, 8, 32 (16 are not in use)."""
    words = 1 << max(0, ((n - 1) // 64).bit_length())
    return 32 if words == 16 else words


def words_of(has: Bools) -> Words:
    """Sets of variables as bits, 64 to a word."""
    out = np.zeros((len(has), 8 * width(has.shape[1])), np.uint8)
    packed = np.packbits(has, axis=1, bitorder="little")
    out[:, : packed.shape[1]] = packed
    return out.view("<u8")


def bools_of(words: Words, n: int) -> Bools:
    """The other way round."""
    bits = np.ascontiguousarray(words, "<u8").view(np.uint8).reshape(len(words), 8 * words.shape[1])
    return np.unpackbits(bits, axis=1, bitorder="little", count=n).astype(bool)


def inside(sets: Words, places: Words) -> Bools:
    """Which sets (columns) are inside which places (rows)."""
    out = np.ones((len(places), len(sets)), bool)
    for w in range(sets.shape[1]):
        out &= sets[None, :, w] & ~places[:, None, w] == 0
    return out


# --- Files: the parent graph, read by a few lines of our own, and the certificate -------------------------------------


class Graph(Part):
    """The parent graph: every set of it, cheapest first, ties by the set's number."""

    def __init__(self, names: list[str], child: Ints, cost: Ints, has: Bools, header: dict[str, Any]) -> None:
        order = np.lexsort([*words_of(has).T, cost, child])
        super().__init__(np.arange(len(names)), np.arange(len(cost)), child[order], cost[order], has[order])
        self.names, self.header = names, header
        most = -self.least(-np.abs(self.cost))[0]
        if min(most) < 0 or sum(most.tolist()) >= ROOM or self.has[self.at, self.child].any():
            raise ValueError("a variable without sets, or its own parent, or costs too large to be added up")

    def digest(self) -> str:
        """A fingerprint of the content; the same graph in another file format has the same."""
        content = hashlib.sha256(b"parent graph\n")
        for name in self.names:
            text = name.encode("utf-8", "surrogatepass")
            content.update(struct.pack("<q", len(text)) + text)
        offsets = np.searchsorted(self.child, np.arange(self.n + 1))
        for array in (offsets.astype("<i8"), self.cost.astype("<i8"), words_of(self.has)):
            content.update(array.tobytes())
        return content.hexdigest()


def read_graph(path: str) -> Graph:
    """The parent graph of a .pg, .jkl or .pss file."""
    try:
        data = Path(path).read_bytes()
        return read_pg(data) if data[:8] == b"sabna-pg" else read_text(data, path.lower().endswith(".pss"))
    except (OSError, *SENSELESS) as error:
        raise Unreadable(f"{path}: no parent graph that this checker can read ({error})") from None


def read_pg(data: bytes) -> Graph:
    """The binary format: header, then offsets, costs and sets, each from a multiple of 64 on, then a checksum."""
    if hashlib.sha256(data[:-32]).digest() != data[-32:]:
        raise ValueError("its checksum does not fit")
    at = 16 + struct.unpack("<I", data[12:16])[0]
    header = json.loads(data[16:at])
    n, sets, names, arrays = header["n"], header["sets"], header["names"], []
    for kind, count in (("<i8", n + 1), ("<i8", sets), ("<u8", sets * width(n))):
        at = -(-at // 64) * 64
        arrays.append(np.frombuffer(data, kind, count, at))
        at += 8 * count
    lengths, cost = np.diff(arrays[0]), arrays[1].astype(np.int64)
    fits = list(map(type, names)) == [str] * n and isinstance(names, list) and n * sets <= MOST_BYTES
    if not fits or lengths.min() < 1 or sum(lengths.tolist()) != sets or cost.min() < -ROOM or cost.max() > ROOM:
        raise ValueError("names, offsets and costs do not fit together")
    has = bools_of(arrays[2].reshape(sets, width(n)), n)
    return Graph(names, np.repeat(np.arange(n), lengths), cost, has, header)


def read_text(data: bytes, pss: bool) -> Graph:
    """Scores to be maximised, as decimal numbers: the double nearest to each, times -2^30, to the nearest integer."""
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
    child, cost = np.array([i for i, _, _ in entries]), np.zeros(len(entries), np.int64)
    has = np.zeros((len(entries), len(names)), bool)
    for p, (_, score, parents) in enumerate(entries):
        value = float(score)
        if not abs(value) < 1 << 40:
            raise ValueError(f"the score {score!r}")
        cost[p] = round((value if abs(value) < 1 << 20 else Fraction(score.decode())) * -QUANTA)  # beyond: every digit
        has[p, [number[name] for name in parents]] = True
    # Blanks, commas and control characters of names are written %20, %2C and so on; %22%22 is the empty name.
    coded = re.compile(rb"%22%22|%(0[0-9A-F]|1[0-9A-F]|20|23|25|2C|7F)")
    decoded = [coded.sub(lambda m: bytes.fromhex((m[1] or b"").decode()), name).decode("utf-8") for name in names]
    return Graph(decoded, child, cost, has, {})


class Fields(dict[str, str]):
    """The fields of a line, `strike part=1 target=500 weights=2 sets=3,7`."""

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

    def pairs(self, first: str, second: str) -> Iterator[tuple[int, int]]:
        return zip(self.list(first).tolist(), self.list(second).tolist(), strict=True)


# --- Sets that are of no use ------------------------------------------------------------------------------------------


def drop_dominated(part: Part, marks: Bools) -> None:
    """RULE drop. A set S may go if a set T of the same variable stays that is inside S and costs no more.

    Wherever S is chosen T can be: fewer parents make no cycle, and the network costs no more. So the least cost of a
    network of the part stays what it is.
    """
    words = words_of(part.has)
    for p in np.flatnonzero(marks):
        stays = np.flatnonzero(~marks & (part.child == part.child[p]) & (part.cost <= part.cost[p]))
        if not inside(words[stays], words[p : p + 1]).any():
            raise Refused(f"set {part.at[p]} is not dominated by one that stays")
    part.drop(marks)


def impossible(part: Part) -> bool:
    """RULE impossible. Place whoever has a set among those placed, until nobody has: if some are left, no network is.

    In the order of a network the first of those left would have a set among the variables before it, which are placed.
    (So one set for each variable is a network if and only if this is not impossible.)
    """
    placed, before = np.zeros(part.n, bool), -1
    while placed.sum() > before:
        before = int(placed.sum())
        placed[part.child[~(part.has & ~placed).any(axis=1)]] = True
    return not placed.all()


# --- Weights: clusters and cuts ---------------------------------------------------------------------------------------


@dataclass(eq=False)
class Row:
    """An inequality that holds for every network: the sum of a(i,S) over the sets chosen is at least k.

    RULE cluster. For a set C of more than k variables a(i,S) is 1 if i is in C and S has fewer than k members of C,
    else 0. Take an order in which parents come before children. The first k members of C in this order have fewer than
    k members of C before them, hence fewer than k among their parents: so at least k sets count.

    RULE cut. Rows, and equations "variable v has exactly one set" (a = 1 for the sets of v, k = 1), are added up with
    multipliers, those of the inequalities 0 or more. Divide by d, and round every coefficient up: the left side only
    grows. It is an integer, so the right side may be rounded up as well. (Chvatal and Gomory; zero-half for d = 2.)
    """

    k: int
    members: Ints  # of C; none for a cut
    rows: list[tuple[Row | int, int]] = field(default_factory=list)  # of a cut, with multipliers; a number: a variable
    divisor: int = 1
    depth: int = 0

    def coefficients(self, part: Part, known: dict[Row, Ints]) -> Ints:
        """a(i,S) for all sets of a part; `known` are those of cuts that cuts are made of."""
        if self in known:
            return known[self]
        own, out = part.local(self.members), np.zeros(len(part.at), np.int64)
        for row, times in self.rows:
            if isinstance(row, Row):
                out += times * row.coefficients(part, known)
            else:
                out[part.child == part.local(np.array([row]))[0]] += times
            if (np.abs(out) > 1 << 30).any():
                raise Refused("coefficients too large")
        if self.rows:
            known[self] = out = -(-out // self.divisor)
        else:
            which = np.flatnonzero(np.isin(part.child, own))
            out[which] = part.has[np.ix_(which, own)].sum(axis=1) < self.k
        return out


Weights = list[tuple[Row, int]]  # rows and their weights y >= 0


class ByWeights:
    """RULE weights. For y >= 0:   bound = sum of y k + sum over i of min over S of [s(i,S) - sum of y a(i,S)].

    A network's cost is the sum of its s(i,S); its rows say that the sum of a(i,S) is at least k; so the cost is at
    least sum of y k + sum over i of [s(i,S) - sum of y a(i,S)] with its own S, and the least S costs no more. What
    stands in brackets is the reduced cost of S. With i's list cut down to one S, the same rule says what a network with
    this S costs at least: bound - (least of i) + (reduced cost of S).
    """

    def __init__(self, part: Part, weights: Weights) -> None:
        self.part, self.weights, constant = part, weights, 0
        self.reduced, known = part.cost.copy(), dict[Row, Ints]()
        for row, y in weights:
            constant += y * row.k
            a = row.coefficients(part, known)
            if y * int(np.abs(a).max(initial=0)) >= ROOM:
                raise Refused("weights too large to be added up")
            self.reduced -= y * a
            if (np.abs(self.reduced) >= ROOM).any():
                raise Refused("weights too large to be added up")
        self.least, bound = part.least(self.reduced)
        self.bound = INFINITE if bound == INFINITE else constant + bound
        cuts = sum(bool(row.rows) for row, _ in weights)
        self.words = f"weights of {many(len(weights) - cuts, 'cluster')}" + (
            f" and {many(cuts, 'cut')}" if cuts else ""
        )

    def below(self, target: int, marks: Bools) -> Ints:
        """Which of the marked sets may be in a network that costs less than the target."""
        if self.bound == INFINITE:
            return np.zeros(0, np.int64)
        return np.flatnonzero(marks & (self.bound - self.least[self.part.child] + self.reduced < target))

    def after(self, placed: Bools) -> Ints:
        """For sets U at the front of an order, one a row: what the others cost at least. For clusters alone.

        Of the first k members of C at least k - |C cap U| are not in U. So what the others cost is at least the sum of
        y (k - |C cap U|) + sum over i of min over S of [s(i,S) - ...], where a cluster of which U has k is left out.
        """
        y, left = np.array([y for _, y in self.weights], np.int64), np.zeros((len(placed), len(self.weights)), np.int64)
        for c, (row, _) in enumerate(self.weights):
            if row.rows:
                raise Refused("clusters alone bound what remains")
            left[:, c] = np.maximum(row.k - placed[:, self.part.local(row.members)].sum(axis=1), 0)
        reduced = self.part.cost - ((left > 0) * y) @ self.credits
        least = np.minimum.reduceat(reduced, np.searchsorted(self.part.child, np.arange(self.part.n)), axis=1)
        bound: Ints = left @ y + np.where(placed, 0, least).sum(axis=1)
        return bound

    @cached_property
    def credits(self) -> Ints:
        rows = [row.coefficients(self.part, {}) for row, _ in self.weights]
        return np.array(rows, np.int64).reshape(len(rows), len(self.part.at))


# --- Patterns: groups of variables, and tables over their subsets -----------------------------------------------------


class Group:
    """The table of a group G: T[P] is the least that its variables P cost when they come after the others of G.

    Everything outside G is available to all. T[P] = min over i in P of T[P - i] + D_i[G - P], T[{}] = 0, where D_i[A]
    is the least of s(i,S) - (credits) over the sets S with S cap G inside A. A crossing cluster C with i in it gives S
    its weight as a credit if |S cap C| < k and |A cap C| < k. A subset is a number: bit j is the j-th variable of G.
    """

    def __init__(self, part: Part, members: Ints, crossing: list[Crossing], striking: bool) -> None:
        self.members, self.g = members, len(members)
        self.lists = [Member(part, members, int(v), crossing) for v in members]
        self.low = min(self.g, 12 if any(len(m.y) for m in self.lists) else 17)
        self.table = np.full(1 << self.g, INFINITE)
        self.table[0] = 0
        self.rows = np.zeros((self.g if striking else 0, 1 << self.g), np.int64)  # D_i[G - P] for all P
        for high in range(0, 1 << self.g, 1 << self.low):
            self._fill(high, striking)

    def _fill(self, high: int, striking: bool) -> None:
        """T for the subsets P = high + (anything of the lowest bits); then G - P runs backwards as P runs forwards."""
        size, everything = 1 << self.low, (1 << self.g) - 1
        block, rows = self.table[high : high + size], dict[int, Ints]()
        for j, member in enumerate(self.lists):
            if j < self.low or high >> j & 1:
                rows[j] = member.least(everything ^ high ^ (size - 1), self.low)[::-1]
            if striking and j in rows:
                self.rows[j, high : high + size] = rows[j]
            if j >= self.low and j in rows:
                before = self.table[high - (1 << j) : high - (1 << j) + size]
                np.minimum(block, before + rows[j], out=block)
        for j, which in layers(self.low):
            block[which] = np.minimum(block[which], block[which - (1 << j)] + rows[j][which])

    def below(self, room: int, marks: Bools) -> list[int]:
        """Which of the marked sets may be part of an order of the group that costs less than `room`.

        If i is placed with S when P remains, the group costs at least F[P] + (s - credits) + T[P - i], where F[P] is
        the least cost of the variables G - P, placed before P: F[P - i] = min over i of F[P] + D_i[G - P].
        """
        found, index = list[int](), np.arange(1 << self.g)
        if not any(marks[m.at].any() for m in self.lists):
            return found
        forward = np.full(1 << self.g, INFINITE)
        forward[-1] = 0
        for j, which in reversed(layers(self.g)):
            to = which - (1 << j)
            forward[to] = np.minimum(forward[to], forward[which] + self.rows[j][which])
        for j, member in enumerate(self.lists):
            remains = index[index >> j & 1 == 1]
            around = forward[remains] + self.table[remains - (1 << j)]
            near = np.flatnonzero(around + self.rows[j][remains] < room)
            near = near[np.argsort(around[near])]
            placed, around = index[-1] ^ remains[near], around[near]
            for k in np.flatnonzero(marks[member.at]).tolist():
                few = int(np.searchsorted(around, room - member.value[k] + member.credit[k] @ member.y))
                fits = np.flatnonzero(member.needs[k] & ~placed[:few] == 0)
                if (around[fits] + member.value[k] - member.credits_of(k, placed[fits]) < room).any():
                    found.append(int(member.at[k]))
        return found


Crossing = tuple[Row, int, Bools, Ints]  # a cluster, its weight, its members in the part, its coefficients


class Member:
    """The sets of variable v of a group, cheapest first: `value`, what each `needs` of the group, and its credits.

    A credit that no order of the group can lose, since C has so few other members in it, is taken off the value.
    """

    def __init__(self, part: Part, group: Ints, v: int, crossing: list[Crossing]) -> None:
        bits, at, lasting = 1 << np.arange(len(group)), np.flatnonzero(part.child == v), list[Any]()
        value = part.cost[at].copy()
        for cluster, y, own, earns in crossing:
            others = int(bits[own[group] & (group != v)].sum())
            if own[v] and others.bit_count() < cluster.k:
                value -= y * earns[at]
            elif own[v] and earns[at].any():
                lasting.append((others, cluster.k, y, earns[at]))
        order = np.argsort(value, kind="stable")
        self.at, self.value, self.needs = at[order], value[order], (part.has[np.ix_(at, group)] @ bits)[order]
        self.mask, self.k, self.y = (np.array([c[f] for c in lasting], np.int64) for f in range(3))
        self.credit = np.array([c[3] for c in lasting], np.int64).reshape(len(lasting), len(at)).T[order]

    def credits_of(self, k: int, placed: Ints) -> Ints:
        """The credits of set k when these subsets are placed."""
        some = np.flatnonzero(self.credit[k])
        return self.y[some] @ (popcount(placed & self.mask[some, None]) < self.k[some, None])

    def least(self, high: int, low: int) -> Ints:
        """D for the subsets `high` + (anything of the `low` lowest bits)."""
        below = (1 << low) - 1
        fits = np.flatnonzero(self.needs & ~(high | below) == 0)
        if not len(self.y):  # the first set that fits, by minima over subsets, one variable after the other
            rank = np.full(1 << low, len(self.value), np.min_scalar_type(len(self.value)))
            rank[(self.needs[fits] & below)[::-1]] = fits[::-1]
            for b in range(low):
                pair = rank.reshape(-1, 2, 1 << b)
                np.minimum(pair[:, 1], pair[:, 0], out=pair[:, 1])
            values: Ints = np.append(self.value, INFINITE)[rank]
            return values
        lost = popcount(self.mask & high & ~below)
        live = np.flatnonzero(lost < self.k)  # clusters that may still give credit in this block
        best = self.value[fits] - self.credit[np.ix_(fits, live)] @ self.y[live]
        enough = self.value[fits][self.needs[fits] & below == 0].min(initial=INFINITE)  # always there, at its dearest
        order = np.argsort(best, kind="stable")
        index, out = np.arange(1 << low), np.full(1 << low, INFINITE)
        active = popcount(index & self.mask[live, None] & below) < (self.k - lost)[live, None]
        gives = active * self.y[live, None]
        for k in order[best[order] <= enough]:
            if best[k] >= out.max():
                break
            value = self.value[fits[k]] - gives[self.credit[fits[k], live] > 0].sum(axis=0)
            need = self.needs[fits[k]] & below
            np.minimum(out, value, out=out, where=index & need == need)
        return out


BITS = np.array([bin(v).count("1") for v in range(1 << 16)], np.int8)


def popcount(values: Ints) -> NDArray[np.int8]:
    """The number of bits set (values of up to 32 bits)."""
    out: NDArray[np.int8] = BITS[values & 0xFFFF] + BITS[values >> 16]
    return out


@lru_cache(4)
def layers(g: int) -> list[tuple[int, Ints]]:
    """The subsets of g variables, smaller ones first: for each size and bit j those that have it."""
    size = popcount(np.arange(1 << g))
    by_size = [np.flatnonzero(size == k) for k in range(1, g + 1)]
    return [(j, which[which >> j & 1 == 1]) for which in by_size for j in range(g)]


class ByTables:
    """RULE pattern. bound(U) = sum over crossing C of (k - |C cap U|)^+ y + sum over groups of T[what is not in U].

    A cluster crosses if no group contains it. U is what stands at the front of an order; U = {} bounds the whole. Of
    the members of a cluster C the first k in the order have fewer than k of C before them; of those not in U at least
    k - |C cap U| are such members. Whoever is one earns the credit in its group's table, for among the placed of its
    group there are fewer than k of C, and fewer than k in its S. So the tables, which take each group's order at its
    cheapest and let everything outside the group be available, are below the cost minus at least these credits.
    With one S in one group, the other groups still cost at least their tables: so much for strikes.

    RULE solve. With all variables in one group and no weights, the table is the cost of the best network itself.
    """

    def __init__(
        self, part: Part, weights: Weights, group_of: Ints, striking: bool = False, largest: int = LARGEST_GROUP
    ) -> None:
        groups = [np.flatnonzero(group_of == g) for g in np.unique(group_of)]
        if len(group_of) != part.n or max(map(len, groups)) > largest:
            raise Refused(f"a pattern needs a group for every variable, each of at most {largest}")
        self.part, self.crossing = part, list[Crossing]()
        for row, y in weights:
            if row.rows:
                raise Refused("the weights of a pattern are those of clusters alone")
            own = np.zeros(part.n, bool)
            own[part.local(row.members)] = True
            if len(np.unique(group_of[own])) > 1 and y > 0:
                self.crossing.append((row, y, own, row.coefficients(part, {})))
        if sum(y * len(cluster.members) for cluster, y, _, _ in self.crossing) >= ROOM:
            raise Refused("weights too large to be added up")
        self.groups = [Group(part, group, self.crossing, striking) for group in groups]
        self.bound = int(self.after(np.zeros((1, part.n), bool))[0])
        self.words = f"tables over groups of {', '.join(str(group.g) for group in self.groups)} variables"

    def below(self, target: int, marks: Bools) -> Ints:
        """Which of the marked sets may be in a network that costs less than the target."""
        rooms = [target - (self.bound - int(group.table[-1])) for group in self.groups]
        pairs = zip(self.groups, rooms, strict=True) if self.bound < INFINITE else ()
        return np.array([p for group, room in pairs for p in group.below(room, marks)], np.int64)

    def after(self, placed: Bools) -> Ints:
        """bound(U) for several U, one a row."""
        out = np.zeros(len(placed), np.int64)
        for cluster, y, own, _ in self.crossing:
            out += y * np.maximum(cluster.k - placed[:, own].sum(axis=1), 0)
        for group in self.groups:
            out = np.minimum(out + group.table[~placed[:, group.members] @ (1 << np.arange(group.g))], INFINITE)
        return out


# --- The order lattice: a search, checked set by set ------------------------------------------------------------------


class Lattice:
    """RULE search. A list of subsets U of the part's variables proves that no network costs less than `lower`.

    An order of the variables is a way from {} to all of them; the step from U to U + i costs d(i,U), the least cost of
    a set of i inside U. Let c(U) be the least cost from U to the end; c({}) is that of the best network. Two lemmas
    say which steps are enough. (1) Let rel(i) be the variables outside U that occur in a set of i cheaper than d(i,U),
    and C a set of variables outside U with rel(i) inside C for all its i. In any order after U the members of C can be
    pulled to the front: what they gain from lies in U and C, and the others only see more. So some best way from U
    begins in C. (2) If d(i,U) is i's least cost of all, then {i} is such a C: i comes next at no loss (`extend`).

    The check: going through the list by size, let g(U) be the least cost of coming to U by steps between listed sets;
    {} is listed, with g = 0 (moved on by lemma 2). For each U there must be a C such that every step from U by a
    member of C, moved on by lemma 2, leads to a listed set, or to a set V with g + bound(V) >= lower.

    Why that is enough: if c({}) < lower, then g(U) + c(U) < lower for U = {}. From a listed U with this, the best step
    inside C leads to a V with g + c(V) < lower; as bound(V) <= c(V), V is listed, and g(V) + c(V) < lower. So it goes
    on to larger and larger listed sets, until all variables are placed: that set is never listed, its bound is 0, and
    g + 0 < lower is a contradiction.
    """

    def __init__(self, part: Part, bounds: list[ByTables | ByWeights], lower: int, extends: bool) -> None:
        self.part, self.bounds, self.lower, self.extends = part, bounds, lower, extends
        n, sets, self.words = part.n, len(part.at), words_of(part.has)
        self.starts = np.searchsorted(part.child, np.arange(n))
        self.best = part.cost[self.starts]
        rows = np.flatnonzero(part.cost == self.best[part.child])
        self.best_words, self.best_starts = self.words[rows], np.searchsorted(part.child[rows], np.arange(n))
        self.cheaper = np.zeros((sets + n, n), bool)  # what is in cheaper sets; the last n: in any set of a variable
        for i, (own, costs) in enumerate((part.has[part.child == i], part.cost[part.child == i]) for i in range(n)):
            union = np.logical_or.accumulate(np.vstack([np.zeros((1, n), bool), own]))
            self.cheaper[self.starts[i] : self.starts[i] + len(own)] = union[np.searchsorted(costs, costs)]
            self.cheaper[sets + i] = union[-1]

    def check(self, listed: Bools) -> None:
        self.place = {row.tobytes(): k for k, row in enumerate(words_of(listed))}
        if len(self.place) < len(listed) or listed.all(axis=1).any():
            raise Refused("a set is listed twice, or all variables are")
        self.g = np.full(len(listed), INFINITE)
        start, cost = self._extended(np.zeros((1, self.part.n), bool), np.zeros(1, np.int64))
        place, good = self._arrive(start, cost)
        if not good[0]:
            raise Refused("the set it starts from is not listed")
        self.g[place[place >= 0]] = cost[0]
        size = listed.sum(axis=1)
        step = max(1, 4_000_000 // max(len(self.part.at), self.part.n**2))
        for k in np.unique(size):
            which = np.flatnonzero((size == k) & (self.g < INFINITE))  # what no way leads to needs no way out
            for begin in range(0, len(which), step):
                self._leave(listed[which[begin : begin + step]], self.g[which[begin : begin + step]])

    def _arrive(self, placed: Bools, cost: Ints) -> tuple[Ints, Bools]:
        """Where some sets stand in the list, -1 if nowhere; and whether they do or their bounds reach `lower`."""
        place = np.array([self.place.get(row.tobytes(), -1) for row in words_of(placed)], np.int64)
        good = place >= 0
        good[~good] = cost[~good] + np.max([bound.after(placed[~good]) for bound in self.bounds], axis=0) >= self.lower
        return place, good

    def _extended(self, placed: Bools, cost: Ints) -> tuple[Bools, Ints]:
        """Moved on by lemma 2, as long as it applies."""
        while self.extends:
            fits = inside(self.best_words, words_of(placed))
            ready = np.logical_or.reduceat(fits, self.best_starts, axis=1) & ~placed
            if not ready.any():
                break
            placed, cost = placed | ready, cost + ready @ self.best
        return placed, cost

    def _leave(self, placed: Bools, g: Ints) -> None:
        """Every way out of some listed sets of the same size."""
        sets, n = len(self.part.at), self.part.n
        fits = inside(self.words, words_of(placed))
        first = np.minimum.reduceat(np.where(fits, np.arange(sets), sets), self.starts, axis=1)  # of each variable
        row, variable = np.nonzero(~placed & (first < sets))
        to = placed[row]
        to[np.arange(len(row)), variable] = True
        to, cost = self._extended(to, g[row] + self.part.cost[first[row, variable]])
        place, good = self._arrive(to, cost)
        bad = np.zeros_like(placed)
        bad[row[~good], variable[~good]] = True
        # For every variable outside U the smallest C that it is in: all that rel leads to.
        reach = self.cheaper[np.where(first < sets, first, sets + np.arange(n))] & ~placed[:, None, :]
        reach |= np.eye(n, dtype=bool)
        for via in range(n):
            reach |= reach[:, :, via : via + 1] & reach[:, via : via + 1, :]
        chosen = np.array([self._choose(*of_one) for of_one in zip(placed, reach, bad, strict=True)])
        used = chosen[row, variable] & (place >= 0)
        np.minimum.at(self.g, place[used], cost[used])

    def _choose(self, placed: Bools, closed: Bools, bad: Bools) -> Bools:
        """The C that the step is made in: first the one a search would take, going down from the first variable."""
        outside, size = np.flatnonzero(~placed), closed.sum(axis=1)
        down = outside[0]
        while len(smaller := np.flatnonzero(closed[down] & (size < size[down]))):
            down = smaller[0]
        for i in [down, *outside]:
            if not (closed[i] & bad).any():
                chosen: Bools = closed[i]
                return chosen
        names = np.flatnonzero(placed).tolist()
        raise Refused(f"from the set of variables {names} a step leads below {self.lower} to a set that is not listed")


# --- The derivation, line by line: `_on_strike` applies lines that begin with `strike` --------------------------------


class Derivation:
    """Applies the lines of a certificate, one after the other, to the parts of a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.parts = graph, {0: graph.only(graph.members, graph.at >= 0)}
        self.rows: dict[str, dict[int, Row]] = {"clusters": {}, "cuts": {}}
        self.weights: dict[int, Weights] = {}
        self.patterns: dict[int, tuple[Weights, Ints]] = {}
        self.network: tuple[int, Ints] | None = None
        self.claim: dict[str, int] = {}
        self.status = ""
        self.left_out = 0  # sets that the user's knowledge forbids
        self.held = graph.has.size  # bytes of the tables of parents
        self.story: list[str] = []
        self.strikes: list[tuple[Part, int, type, int]] = []  # in a row: part, target, rule, sets

    def apply(self, word: str, fields: Fields) -> None:
        """One line. What a rule does to a part it tells in words."""
        rule = getattr(self, f"_on_{word.replace('-', '_')}", None)
        if rule is None:
            raise Refused(f"there is no rule {word!r}")
        if "part" not in fields:
            rule(fields)
        elif (part := self.parts[int(fields["part"])]).kind != "open":
            raise Refused("the part is no longer there")
        else:
            of = f"part {fields['part']} ({many(part.n, 'variable')}, {many(len(part.at), 'set')})"
            words = rule(part, fields)
            self.strikes = self.strikes if word == "strike" else []
            if len(self.strikes) > 1:  # strikes of one part are told as one
                of = self.story.pop().partition(":")[0]
            self.story.append(f"{of}: {words}")

    def proven(self) -> int:
        """b(P) of part 0, see the head of this file; parts come after those they are made from."""
        b = dict[int, int]()
        for number, part in reversed(self.parts.items()):
            of_parts = [b[c] for c in part.parts]
            of_rest = sum(of_parts) if part.kind == "split" else min([part.least(part.cost)[1], *of_parts])
            b[number] = min(part.cap, max(part.proven, of_rest), INFINITE)
            if part.parts:
                what = {"split": "the sum", "branch": "the least"}[part.kind] + " of what its parts cost"
                what = "the target of its strikes" if b[number] == part.cap else what
                self.story.append(f"so part {number} costs at least {nats(b[number])}, {what}")
        return b[0]

    # What the certificate is about.

    def _on_graph(self, fields: Fields) -> None:
        if self.graph.digest() != fields["sha256"]:
            raise Refused("the certificate is about another parent graph")

    def _on_note(self, fields: Fields) -> None:
        """For the reader: nothing is proven by it."""

    _on_end = _on_note  # the checksum has been looked at before

    def _on_leave_out(self, fields: Fields) -> None:
        """Sets that the user's knowledge forbids: the claim is about the networks that do without them."""
        part, marks = self.parts[0], self.parts[0].marked(fields.list("sets"))
        if self.story:
            raise Refused("sets can be left out before the derivation begins, not later")
        self.left_out += int(marks.sum())
        part.drop(marks)

    def _on_network(self, fields: Fields) -> None:
        sets, whole, cost = fields.list("sets"), self.graph, int(fields["cost"])
        if len(sets) != whole.n or sets.min() < 0 or sets.max() >= len(whole.at):
            raise Refused("a network needs one parent set for each variable")
        chosen = Part(whole.members, sets, whole.child[sets], whole.cost[sets], whole.has[sets])
        if (chosen.child != chosen.members).any() or impossible(chosen):
            raise Refused("the network has a cycle, or a set of another variable")
        if sum(chosen.cost.tolist()) != cost:
            raise Refused(f"the network costs {sum(chosen.cost.tolist())} quanta, not {cost}")
        self.network = (cost, sets)

    def _on_claim(self, fields: Fields) -> None:
        self.claim = {name: int(fields[name]) for name in ("lower", "cost", "tolerance")}
        self.status = fields["status"]

    # What weights and patterns are made of.

    def _on_cluster(self, fields: Fields) -> None:
        members, k = fields.list("members"), int(fields["k"])
        if not 1 <= k < len(set(members.tolist())) == len(members):
            raise Refused("a cluster needs more than k different members, and k of 1 or more")
        self.rows["clusters"][int(fields["id"])] = Row(k, members)

    def _on_cut(self, fields: Fields) -> None:
        known = [(self.rows[kind][c], t) for kind in self.rows for c, t in fields.pairs(kind, f"times_{kind}")]
        variables, divisor = list(fields.pairs("variables", "times_variables")), int(fields["divisor"])
        k = sum(times * row.k for row, times in known) + sum(times for _, times in variables)
        depth = 1 + max((row.depth for row, _ in known), default=0)
        every = [times for _, times in known] + [abs(times) for _, times in variables]
        if not (
            2 <= divisor < 1 << 20
            and depth <= 64
            and 0 < len(every) <= 4096
            and 0 <= min(every) <= max(every) < 1 << 20
        ):
            raise Refused("a cut divides by 2 or more, and takes inequalities with multipliers that are not negative")
        row = Row(-(-k // divisor), fields.list("none"), [*known, *variables], divisor, depth)
        self.rows["cuts"][int(fields["id"])] = row

    def _on_weights(self, fields: Fields) -> None:
        weights = [(self.rows["clusters"][number], y) for number, y in fields.pairs("clusters", "y")]
        weights += [(self.rows["cuts"][number], z) for number, z in fields.pairs("cuts", "z")]
        if any(y < 0 for _, y in weights):
            raise Refused("a weight is negative")
        self.weights[int(fields["id"])] = weights

    def _on_pattern(self, fields: Fields) -> None:
        self.patterns[int(fields["id"])] = (self.weights[int(fields["weights"])], fields.list("groups"))

    def _by(self, part: Part, fields: Fields, striking: bool = False) -> ByWeights | ByTables:
        if "pattern" in fields:
            return ByTables(part, *self.patterns[int(fields["pattern"])], striking)
        return ByWeights(part, self.weights[int(fields["weights"])])

    # What happens to parts.

    def _on_drop(self, part: Part, fields: Fields) -> str:
        marks = part.marked(fields.list("sets"))
        drop_dominated(part, marks)
        return f"{marks.sum()} can go, since a subset that stays costs no more"

    def _on_strike(self, part: Part, fields: Fields) -> str:
        target, marks = int(fields["target"]), part.marked(fields.list("sets"))
        by = self._by(part, fields, striking=True)
        if len(wrong := by.below(target, marks)):
            raise Refused(f"set {part.at[wrong[0]]} may be in a network that costs less than {target}")
        part.drop(marks)
        part.proven, part.cap = max(part.proven, by.bound), min(part.cap, target)
        series = [of for of in self.strikes if of[:3] == (part, target, type(by))]
        self.strikes = [*series, (part, target, type(by), int(marks.sum()))]
        steps = f" in {len(self.strikes)} steps, the last" if series else ""
        struck = f"{sum(of[3] for of in self.strikes)} are struck out{steps} by {by.words}"
        return f"{struck}: no network that costs less than {nats(target)} has one of them"

    def _raise(self, part: Part, bound: int, how: str) -> str:
        part.proven = max(part.proven, bound)
        return ("no network is left, " if bound >= INFINITE else f"no network costs less than {nats(bound)}, ") + how

    def _on_bound(self, part: Part, fields: Fields) -> str:
        by = self._by(part, fields)
        return self._raise(part, by.bound, f"by {by.words}")

    def _on_solve(self, part: Part, fields: Fields) -> str:
        table = ByTables(part, [], np.zeros(part.n, np.int64), largest=LARGEST_SOLVED)
        return self._raise(part, table.bound, "solved here by a table of all subsets of its variables")

    def _on_impossible(self, part: Part, fields: Fields) -> str:
        if not impossible(part):
            raise Refused("there are networks")
        return self._raise(part, INFINITE, "since each set of some variables needs another of them")

    def _on_search(self, part: Part, fields: Fields) -> str:
        lower, each = int(fields["lower"]), fields.list("patterns").tolist()
        if abs(lower) >= ROOM or len(np.unique(part.child)) < part.n:
            raise Refused("a variable without a set, or a bound out of all proportion")
        placed = bools_of(fields.list("placed").view(np.uint64).reshape(-1, width(part.n)), part.n)
        bounds = [self._by(part, Fields(pattern=str(k))) for k in each] or [self._by(part, fields)]
        Lattice(part, bounds, lower, fields["extend"] == "1").check(placed)
        return self._raise(part, lower, f"by a search through {len(placed)} sets of variables")

    def _on_split(self, part: Part, fields: Fields) -> str:
        to, every = fields.list("to"), np.ones(len(part.at), bool)
        if len(to) != part.n:
            raise Refused("a split must deal out every variable once")
        self._replace(part, "split", [(k, part.only(np.flatnonzero(to == k), every)) for k in np.unique(to).tolist()])
        sizes = ", ".join(f"{k} ({many(self.parts[k].n, 'variable')})" for k in part.parts)
        return f"falls apart into the parts {sizes}"

    def _on_branch(self, part: Part, fields: Fields) -> str:
        """RULE branch. Which sets each of two parts does without; every network does without those of one of them.

        kind=order, variables a, b: b is not a parent of a, or a is not a parent of b; for with both there would be a
        cycle. kind=arc: b is a parent of a (and then a is none of b), or it is not.
        """
        a, b = part.local(fields.list("variables")).tolist()
        of_a, a_with_b, b_with_a = (
            part.child == a,
            (part.child == a) & part.has[:, b],
            (part.child == b) & part.has[:, a],
        )
        first, second = (repr(self.graph.names[part.members[v]]) for v in (a, b))
        kinds = {"arc": ((of_a & ~a_with_b) | b_with_a, a_with_b), "order": (a_with_b, b_with_a)}
        words = {"arc": f"{second} is a parent of {first}, or it is not"}
        words |= {"order": f"{second} is no parent of {first}, or {first} is none of {second}"}
        new = [part.only(np.arange(part.n), ~marks) for marks in kinds[fields["kind"]]]
        self._replace(part, "branch", list(zip(fields.list("parts").tolist(), new, strict=True)))
        return f"becomes the parts {part.parts[0]} and {part.parts[1]}: {words[fields['kind']]}"

    def _replace(self, part: Part, kind: str, new: list[tuple[int, Part]]) -> None:
        for number, made in new:
            if number in self.parts:
                raise Refused(f"part {number} is there already")
            self.parts[number] = made
        part.kind, part.parts = kind, [number for number, _ in new]
        self.held += sum(made.has.size for _, made in new) - part.has.size
        part.drop(part.at >= 0)
        if self.held > MOST_BYTES:
            raise MemoryError


def many(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


def nats(quanta: int) -> str:
    return f"{quanta / QUANTA:.6f} nats"


# --- The verdict ------------------------------------------------------------------------------------------------------


def check(certificate: str, graph_path: str) -> tuple[Derivation, bool]:
    """Apply all lines of a certificate, whose last one has the checksum of those before; whether it is there."""
    try:
        with open(certificate, "rb") as file:
            data = file.read(MOST_TEXT)
    except OSError as error:
        raise Unreadable(f"{certificate}: {error}") from None
    body, end, checksum = data.rpartition(b"\nend sha256=")
    complete = bool(end) and checksum.endswith(b"\n")
    if not data.startswith(b"sabna-certificate 1\n"):
        raise Unreadable(f"{certificate}: not a certificate of version 1")
    if complete and hashlib.sha256(body + b"\n").hexdigest().encode() != checksum[:-1]:
        raise Unreadable(f"{certificate}: its checksum does not fit, so that it was cut or changed")
    derivation, left = Derivation(read_graph(graph_path)), MOST_NUMBERS
    for number, line in enumerate(io.BytesIO(data), start=1):
        word, *words = line.decode("utf-8", "replace").rstrip("\n").split(" ")
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
            raise Refused(f"line {number} ({word}): {error}") from None
        except SENSELESS as error:
            raise Refused(f"line {number} ({word}): makes no sense ({type(error).__name__}: {error})") from None
    return derivation, complete


def verdict(derivation: Derivation, complete: bool) -> list[str]:
    """What is proven, in words; Refused if it is less than what is claimed."""
    if derivation.network is None:
        raise Refused("the certificate has no network")
    proven, claim, cost = derivation.proven(), derivation.claim, derivation.network[0]
    if not complete:
        so_far = f"no network costs less than {nats(proven)} ({proven} quanta); the network given costs {cost} quanta"
        raise Refused(f"the certificate has no end: the run was cut off. What its lines prove by then: {so_far}")
    if not claim:
        raise Refused("the certificate has no claim")
    lower, tolerance, optimal = claim["lower"], claim["tolerance"], cost - claim["lower"] <= claim["tolerance"]
    if proven < lower:
        raise Refused(f"claimed is that no network costs less than {lower} quanta, but proven is {proven} only")
    if claim["cost"] != cost or lower > cost:
        raise Refused("the claim's bounds contradict its network")
    if derivation.status == "optimal" and not optimal:
        raise Refused(f"claimed is 'optimal', but {cost - lower} quanta are open and {tolerance} are tolerated")
    sets, left_out = f"these {len(derivation.graph.at)} parent sets", derivation.left_out
    sets += f" and without the {left_out} sets that prior knowledge forbids" if left_out else ""
    best = f"is optimal for these local scores, within {tolerance} quanta (2^-30 nat each)"
    gap = f"is at most {nats(cost - lower)} above the best: the run was stopped before the end"
    unchecked = "Not checked: that the sets left out are those that the prior knowledge means."
    return [
        f"Checked: no network made of {sets} costs less than {nats(lower)} ({lower} quanta).",
        f"Checked: the network given is acyclic, is made of these sets, and costs {nats(cost)} ({cost} quanta).",
        f"So it {best if optimal else gap}.",
        *([unchecked] if left_out else []),
    ]


def of_the_table(derivation: Derivation, given: argparse.Namespace) -> list[str]:
    """What check_scores.py, the second file, says of the table."""
    path, network = Path(__file__).with_name("check_scores.py"), derivation.network
    try:
        lines: list[str] = runpy.run_path(str(path))["check_scores"](derivation.graph, network and network[1], given)
    except (OSError, UnicodeDecodeError, NotImplementedError) as error:
        raise Unreadable(f"the table: {error} (scores are checked by the second file, {path})") from None
    except (ValueError, ArithmeticError) as error:
        raise Refused(f"the table: {error}") from None
    return lines


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="check_certificate", description="Check a certificate of optimality.")
    parser.add_argument("certificate")
    parser.add_argument("graph", help="the parent graph it is about: .pg, .jkl or .pss")
    parser.add_argument("--explain", action="store_true", help="tell the derivation, step by step")
    parser.add_argument("--data", help="the table, as CSV: check the scores too, by check_scores.py beside this file")
    parser.add_argument("--score", help="bic, mdl, aic, bdeu or k2; else the one that the graph names")
    parser.add_argument("--equivalent-sample-size", help="of bdeu")
    parser.add_argument("--max-parents", type=int, help="the lists have sets of up to so many parents")
    parser.add_argument("--sample", type=int, help="check the costs of so many sets, not of all")
    parser.add_argument("--effort", type=int, default=20_000, help="sets scored to see whether lists are complete")
    given = parser.parse_args(arguments)
    try:
        derivation, complete = check(given.certificate, given.graph)
        lines = verdict(derivation, complete)
        print("\n".join([*(derivation.story if given.explain else []), *lines]))
        unchecked = "that the parent graph has the scores of some table, and that no useful set is missing from it"
        print("\n".join(of_the_table(derivation, given) if given.data else [f"Not checked: {unchecked}."]))
    except Refused as error:
        print(f"REFUSED: {error}")
        return 1
    except Unreadable as error:
        print(f"NOT CHECKED: {error}", file=sys.stderr)
        return 2
    except (MemoryError, RecursionError) as error:
        print(f"NOT CHECKED: too large for the memory at hand ({type(error).__name__})", file=sys.stderr)
        return 2
    print("ACCEPTED")
    return 0


if __name__ == "__main__":
    sys.exit(main())

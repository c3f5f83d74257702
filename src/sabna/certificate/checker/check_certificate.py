#!/usr/bin/env python3
"""Check that a network is optimal, from a certificate and the parent graph it is about.

    python check_certificate.py proof.cert graph.pg          (or graph.jkl, graph.pss; --explain tells the derivation)

This file stands alone: Python's standard library and numpy, nothing of the program that wrote the certificate. It reads
as an explanation: every rule stands beside the few lines that apply it, with the reason why it is valid. All arithmetic
is on integers. Exit code 0: accepted. 1: refused, with the step and the reason. 2: a file cannot be read.

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

Weights, groups and the like may come from anywhere. Every bound below holds for whatever they are; that is why nothing
in the certificate has to be believed.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib.util
import json
import re
import struct
import sys
import zlib
from dataclasses import dataclass, field
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
MOST_NUMBERS = 1 << 26  # in one array of a certificate
LARGEST_SOLVED = 26  # variables of a part that is solved here: a table of 2^26 numbers, half a gigabyte
LARGEST_GROUP = 20  # variables of a group: tables of 21 x 2^20 numbers


class Refused(Exception):
    """The certificate proves less than it claims."""


class Unreadable(Exception):
    """A file is not what it should be."""


# --- The parent graph: read by a few lines of our own -----------------------------------------------------------------


@dataclass
class Graph:
    """Parent set p belongs to variable `child[p]`, costs `cost[p]` and has the variables `has[p]`."""

    names: list[str]
    child: Ints
    cost: Ints
    has: Bools
    arities: list[int] | None = None
    header: dict[str, Any] = field(default_factory=dict)

    def digest(self) -> str:
        """A fingerprint of the content; the same graph in another file format has the same."""
        n = len(self.names)
        offsets = np.searchsorted(self.child, np.arange(n + 1)).astype("<i8")
        content = hashlib.sha256(b"parent graph\n")
        for name in self.names:
            text = name.encode("utf-8", "surrogatepass")
            content.update(struct.pack("<q", len(text)) + text)
        for array in (offsets, self.cost.astype("<i8"), words_of(self.has).astype("<u8")):
            content.update(np.ascontiguousarray(array).tobytes())
        return content.hexdigest()


def words_of(has: Bools) -> Words:
    """Sets of variables as bits, 64 to a word; the number of words is 1, 2, 4 or 8."""
    n = has.shape[1]
    width = 64 * next(w for w in (1, 2, 4, 8) if n <= 64 * w)
    out = np.zeros((len(has), width // 8), np.uint8)
    packed = np.packbits(has, axis=1, bitorder="little")
    out[:, : packed.shape[1]] = packed
    return out.view("<u8")


def bools_of(words: Words, n: int) -> Bools:
    """The other way round."""
    flat = np.ascontiguousarray(words, "<u8").view(np.uint8).reshape(len(words), 8 * words.shape[1])
    return np.unpackbits(flat, axis=1, bitorder="little", count=n).astype(bool)


def read_graph(path: str) -> Graph:
    """The parent graph of a .pg, .jkl or .pss file, every set of it, cheapest first, ties by the set's number."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        if data[:8] == b"sabna-pg":
            graph = _read_pg(data)
        else:
            graph = _read_text(data.removeprefix(b"\xef\xbb\xbf"), path.lower().endswith(".pss"))
    except (OSError, ValueError, KeyError, IndexError, TypeError, struct.error, OverflowError) as error:
        raise Unreadable(f"{path}: no parent graph that this checker can read ({error})") from None
    order = np.lexsort([*words_of(graph.has).T, graph.cost, graph.child])
    graph.child, graph.cost, graph.has = graph.child[order], graph.cost[order], graph.has[order]
    if graph.has[np.arange(len(graph.child)), graph.child].any():
        raise Unreadable(f"{path}: a variable is listed as its own parent")
    largest = [max(map(abs, graph.cost[graph.child == i].tolist()), default=-1) for i in range(len(graph.names))]
    if min(largest) < 0 or sum(largest) >= ROOM:
        raise Unreadable(f"{path}: a variable without parent sets, or costs too large to be added up")
    return graph


def _read_pg(data: bytes) -> Graph:
    """The binary format: header, then offsets, costs and sets, each from a multiple of 64 on, then a checksum."""
    if hashlib.sha256(data[:-32]).digest() != data[-32:]:
        raise ValueError("its checksum does not fit")
    length = struct.unpack("<I", data[12:16])[0]
    header = json.loads(data[16 : 16 + length])
    n, sets = header["n"], header["sets"]
    words = next(w for w in (1, 2, 4, 8) if n <= 64 * w)
    at = -(-(16 + length) // 64) * 64
    offsets = np.frombuffer(data, "<i8", n + 1, at)
    at = -(-(at + 8 * (n + 1)) // 64) * 64
    costs = np.frombuffer(data, "<i8", sets, at)
    at = -(-(at + 8 * sets) // 64) * 64
    has = bools_of(np.frombuffer(data, "<u8", sets * words, at).reshape(sets, words), n)
    child = np.repeat(np.arange(n), np.diff(offsets))
    if len(header["names"]) != n or len(child) != sets or np.abs(costs).max() > ROOM:
        raise ValueError("names, offsets and costs do not fit together")
    return Graph(header["names"], child, costs.astype(np.int64), has, header.get("arities"), header)


def _read_text(data: bytes, pss: bool) -> Graph:
    """Scores to be maximised, as decimal numbers: the double nearest to each, times -2^30, to the nearest integer."""
    lists: list[tuple[bytes, list[tuple[bytes, list[bytes]]]]] = []
    lines = [line.split() for line in data.split(b"\n") if line.strip() and not line.startswith(b"#")]
    if pss:
        for words in lines:
            if words[0] == b"VAR":
                lists.append((b" ".join(words[1:]), []))
            elif words[0] != b"META":
                lists[-1][1].append((words[0], words[1:]))
    else:
        at = 1
        for _ in range(int(lines[0][0])):
            count = int(lines[at][-1])
            entries = [(words[0], words[2:]) for words in lines[at + 1 : at + 1 + count]]
            if any(int(words[1]) != len(words) - 2 for words in lines[at + 1 : at + 1 + count]):
                raise ValueError("names with blanks; convert the file to .pg first")
            lists.append((b" ".join(lines[at][:-1]), entries))
            at += 1 + count
    number = {name: i for i, (name, _) in enumerate(lists)}
    total = sum(len(entries) for _, entries in lists)
    child, cost, has = np.zeros(total, np.int64), np.zeros(total, np.int64), np.zeros((total, len(lists)), bool)
    p = 0
    for i, (_, entries) in enumerate(lists):
        for score, parents in entries:
            value = float(score)
            exact = value * -QUANTA if abs(value) < 1 << 20 else _exact_quanta(score)
            child[p], cost[p] = i, round(exact)
            has[p, [number[name] for name in parents]] = True
            p += 1
    return Graph([_decoded(name) for name, _ in lists], child, cost, has)


def _exact_quanta(score: bytes) -> Any:
    from fractions import Fraction

    return Fraction(score.decode()) * -QUANTA


def _decoded(name: bytes) -> str:
    """Blanks, commas and control characters of names are written %20, %2C and so on; %22%22 is the empty name."""
    coded = re.compile(rb"%(0[0-9A-F]|1[0-9A-F]|20|23|25|2C|7F)")
    return "" if name == b"%22%22" else coded.sub(lambda m: bytes([int(m[1], 16)]), name).decode("utf-8")


# --- The certificate: lines of a word and fields, `strike part=1 target=500 weights=2 sets=3,7` -----------------------


def read_records(path: str) -> tuple[list[tuple[int, str, dict[str, str]]], bool]:
    """The numbered lines, and whether the certificate has its end: a last line with the checksum of all before it."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        lines = data.decode("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path}: {error}") from None
    if lines[0] != "sabna-certificate 1":
        raise Unreadable(f"{path}: not a certificate of version 1")
    records = []
    for number, line in enumerate(lines[1:-1], start=2):  # what follows the last line end was cut off while written
        word, *fields = line.split(" ")
        if not all("=" in f for f in fields):
            raise Unreadable(f"{path}, line {number}: fields must be name=value")
        records.append((number, word, dict(f.split("=", 1) for f in fields)))
    complete = bool(records) and records[-1][1] == "end" and not lines[-1]
    if complete:
        body = data[: data.rindex(b"end ", 0, len(data) - 1)]
        if hashlib.sha256(body).hexdigest() != records[-1][2].get("sha256"):
            raise Unreadable(f"{path}: its checksum does not fit, so that it was cut or changed")
    return records, complete


def numbers(text: str) -> Ints:
    """A list of integers: 3,7,8 as it stands; or ~ and base64 of zlib of 64-bit differences between neighbours."""
    if not text:
        return np.zeros(0, np.int64)
    if text[0] != "~":
        return np.array([int(word) for word in text.split(",")], np.int64)
    inflate = zlib.decompressobj()
    data = inflate.decompress(base64.b64decode(text[1:], validate=True), 8 * MOST_NUMBERS)
    if not inflate.eof or len(data) % 8:
        raise ValueError("an array is damaged or too long")
    out: Ints = np.cumsum(np.frombuffer(data, "<i8"))
    return out


# --- Parts ------------------------------------------------------------------------------------------------------------


class Part:
    """Variables `members` (numbers in the graph, ascending) and sets: `at` their places in the graph, ascending."""

    def __init__(self, members: Ints, at: Ints, child: Ints, cost: Ints, has: Bools) -> None:
        self.members, self.at, self.child, self.cost, self.has = members, at, child, cost, has
        self.cap = INFINITE  # the least target of a strike
        self.proven = -INFINITE  # the best bound of what is left
        self.kind, self.parts = "open", list[int]()

    @property
    def n(self) -> int:
        return len(self.members)

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

    def keep(self, stay: Bools) -> None:
        self.at, self.child, self.cost, self.has = self.at[stay], self.child[stay], self.cost[stay], self.has[stay]

    def least(self, values: Ints) -> list[int]:
        """The least of some values over the sets of each variable."""
        out = np.full(self.n, INFINITE, np.int64)
        np.minimum.at(out, self.child, values)
        return [int(v) for v in out]

    def raise_to(self, bound: int) -> None:
        self.proven = max(self.proven, min(bound, INFINITE))


def cut_down(part: Part, variables: Ints) -> Part:
    """The part of some variables (numbers in `part`), its sets cut down to them."""
    stay = np.isin(part.child, variables)
    child = np.searchsorted(variables, part.child[stay])
    return Part(part.members[variables], part.at[stay], child, part.cost[stay], part.has[stay][:, variables])


def drop_dominated(part: Part, marks: Bools) -> None:
    """RULE drop. A set S may go if a set T of the same variable stays that is inside S and costs no more.

    Wherever S is chosen T can be: fewer parents make no cycle, and the network costs no more. So the least cost of a
    network of the part stays what it is.
    """
    words = words_of(part.has)
    for i in np.unique(part.child[marks]):
        stays = np.flatnonzero((part.child == i) & ~marks)
        for p in np.flatnonzero((part.child == i) & marks):
            cheap = stays[part.cost[stays] <= part.cost[p]]
            if not (words[cheap] & ~words[p] == 0).all(axis=1).any():
                raise Refused(f"set {part.at[p]} is not dominated by one that stays")
    part.keep(~marks)


# --- Weights: clusters and cuts ---------------------------------------------------------------------------------------


@dataclass
class Cluster:
    """RULE cluster. At least k members i of the cluster C have a parent set S with fewer than k members of C in it.

    For |C| > k >= 1. Take an order in which parents come before children. The first k members of C in this order have
    fewer than k members of C before them, hence fewer than k among their parents.
    """

    members: Ints
    k: int

    def coefficients(self, part: Part, known: dict[int, Ints]) -> Ints:
        """1 for the sets that the cluster counts, else 0."""
        inside = part.local(self.members)
        rows = np.flatnonzero(np.isin(part.child, inside))
        out = np.zeros(len(part.at), np.int64)
        out[rows] = part.has[np.ix_(rows, inside)].sum(axis=1) < self.k
        return out


@dataclass
class Cut:
    """RULE cut. From rows that hold for every network, "sum of a(i,S) over the sets chosen >= r", follows another one.

    Rows are clusters (a is 0 or 1, r = k), earlier cuts, and "variable v has exactly one set" (a = 1 for the sets of v,
    r = 1, an equation, so that it may be taken any number of times, also negative). Add them up with multipliers, 0 or
    more for the inequalities. Divide by d, and round every coefficient up: the left side only grows. Now the left side
    is an integer, so the right side may be rounded up as well. (Chvatal and Gomory; zero-half cuts for d = 2.)
    """

    rows: list[tuple[Cluster | Cut | int, int]]  # with multipliers; a variable's number stands for its equation
    divisor: int
    depth: int = 1  # cuts of cuts of ...

    @property
    def k(self) -> int:
        """The right side."""
        total = sum(times * (1 if isinstance(row, int) else row.k) for row, times in self.rows)
        return -(-total // self.divisor)

    def coefficients(self, part: Part, known: dict[int, Ints]) -> Ints:
        if id(self) not in known:
            total = np.zeros(len(part.at), np.int64)
            for row, times in self.rows:
                if isinstance(row, int):
                    total[part.child == part.local(np.array([row]))[0]] += times
                else:
                    total += times * row.coefficients(part, known)
                if (np.abs(total) > 1 << 30).any():
                    raise Refused("coefficients too large")
            known[id(self)] = -(-total // self.divisor)
        return known[id(self)]


@dataclass
class Weights:
    """Clusters and cuts with weights y >= 0."""

    clusters: list[tuple[Cluster, int]]
    cuts: list[tuple[Cut, int]]

    def reduced(self, part: Part) -> tuple[int, Ints]:
        """RULE weights. For y >= 0:   bound = sum of y r + sum over i of min over S of [s(i,S) - sum of y a(i,S)].

        A network's cost is the sum of its s(i,S); its rows say that the sum of a(i,S) is at least r; so the cost is at
        least sum of y r + sum over i of [s(i,S) - sum of y a(i,S)] with its own S, and the least S costs no more.
        Returned: the sum of y r, and what stands in brackets, the reduced cost of every set.
        """
        constant, cost = 0, part.cost.copy()
        rows: list[tuple[Cluster | Cut, int]] = [*self.clusters, *self.cuts]
        known: dict[int, Ints] = {}  # coefficients of cuts that other cuts are made of
        for row, y in rows:
            constant += y * row.k
            coefficients = row.coefficients(part, known)
            if y * int(np.abs(coefficients).max(initial=0)) >= ROOM:
                raise Refused("weights too large to be added up")
            cost -= y * coefficients
            if (np.abs(cost) >= ROOM).any():
                raise Refused("weights too large to be added up")
        return constant, cost

    def bound(self, part: Part) -> tuple[int, list[int], Ints]:
        """The bound, the least reduced cost of each variable, and the reduced costs."""
        constant, cost = self.reduced(part)
        least = part.least(cost)
        return INFINITE if INFINITE in least else constant + sum(least), least, cost


def strike_by_weights(part: Part, weights: Weights, target: int, marks: Bools) -> int:
    """RULE strike by weights. A network with S as the parents of i costs at least bound - least(i) + reduced(i,S).

    That is the bound of RULE weights with i's list cut down to S. Where it reaches T, no network below T has S.
    """
    bound, least, cost = weights.bound(part)
    if bound < INFINITE:
        through = bound - np.array(least)[part.child] + cost
        if (through[marks] < target).any():
            worst = np.flatnonzero(marks)[np.argmin(through[marks])]
            raise Refused(f"set {part.at[worst]} may be in a network of cost {through[worst]}, below {target}")
    part.raise_to(bound)
    return bound


# --- Patterns: groups of variables, and tables over their subsets -----------------------------------------------------


class Group:
    """The table of a group G under weights of clusters that no group contains.

    T[P] is the least that the variables P of G can cost when they come after the others of G in the order, everything
    outside G being available to all: T[P] = min over i in P of T[P - i] + D_i[G - P], T[{}] = 0, where D_i[A] is the
    least of s(i,S) - (credits) over the sets S with S cap G inside A. A cluster C with i in it gives S its weight as
    a credit if |S cap C| < k and |A cap C| < k. A subset is a number: bit j stands for the j-th variable of the group.
    """

    def __init__(self, part: Part, members: Ints, clusters: list[tuple[Cluster, int]], keep_rows: bool) -> None:
        self.part, self.members, self.g = part, members, len(members)
        self.bit = {int(v): j for j, v in enumerate(members)}
        self.lists = [_Member(part, self, int(v), clusters) for v in members]
        low = min(self.g, 12 if any(len(m.y) for m in self.lists) else 17)
        self.size = 1 << low
        self.table = np.full(1 << self.g, INFINITE, np.int64)
        self.rows = np.zeros((self.g if keep_rows else 0, 1 << self.g), np.int64)
        layers = _layers(low)
        for high in range(0, 1 << self.g, self.size):
            self._fill_block(high, low, layers, keep_rows)

    def _fill_block(self, high: int, low: int, layers: list[list[tuple[int, Ints]]], keep_rows: bool) -> None:
        """T for the subsets P = high + anything below `size`; their complements have the high part of G - high."""
        everything, block = (1 << self.g) - 1, self.table[high : high + self.size]
        if high == 0:
            block[0] = 0
        # Within a block G - P runs backwards as P runs forwards.
        rows = {
            j: member.least(everything ^ high ^ (self.size - 1), low)[::-1]
            for j, member in enumerate(self.lists)
            if j < low or high >> j & 1
        }
        for j, row in rows.items():
            if keep_rows:
                self.rows[j, high : high + self.size] = row
            if j >= low:
                before = self.table[high - (1 << j) : high - (1 << j) + self.size]
                np.minimum(block, np.minimum(before + row, INFINITE), out=block)
        for layer in layers:
            for j, which in layer:
                value = np.minimum(block[which - (1 << j)] + rows[j][which], INFINITE)
                block[which] = np.minimum(block[which], value)

    def forward(self) -> Ints:
        """F[P], the least cost of the variables G - P, placed before P: F[P - i] = min of F[P] + D_i[G - P]."""
        out = np.full(1 << self.g, INFINITE, np.int64)
        out[-1] = 0
        for layer in reversed(_layers(self.g)):
            for j, which in layer:
                value = np.minimum(out[which] + self.rows[j][which], INFINITE)
                to = which - (1 << j)
                out[to] = np.minimum(out[to], value)
        return out

    def strike(self, marks: Bools, room: int) -> None:
        """Refuses if a marked set of a member can be part of an order of the group that costs less than `room`.

        If i is placed with S when P remains, the group costs at least F[P] + (s - credits) + T[P - i].
        """
        if not any(marks[m.at].any() for m in self.lists):
            return
        forward, index = self.forward(), np.arange(1 << self.g)
        for j, member in enumerate(self.lists):
            if not marks[member.at].any():
                continue
            remains = index[index >> j & 1 == 1]
            around = np.minimum(forward[remains] + self.table[remains - (1 << j)], INFINITE)
            near = around + self.rows[j][remains] < room
            placed, around = index[-1] ^ remains[near], around[near]
            order = np.argsort(around)
            placed, around = placed[order], around[order]
            for k in np.flatnonzero(marks[member.at]).tolist():
                few = int(np.searchsorted(around, room - member.value[k] + member.y[member.credit[k]].sum()))
                fits = member.needs[k] & ~placed[:few] == 0
                cost = member.value[k] - member.credits_of(k, placed[:few][fits])
                if (around[:few][fits] + cost < room).any():
                    raise Refused(f"set {self.part.at[member.at[k]]} may be in a network below the target")


class _Member:
    """The sets of one variable of a group, cheapest first, and the clusters whose credits depend on what is placed."""

    def __init__(self, part: Part, group: Group, variable: int, clusters: list[tuple[Cluster, int]]) -> None:
        self.at = np.flatnonzero(part.child == variable)
        bits = np.array([1 << j for j in range(group.g)], np.int64)
        self.needs: Ints = part.has[np.ix_(self.at, group.members)] @ bits
        self.value = part.cost[self.at].copy()
        masks, ks, ys, credit = list[Any](), list[Any](), list[Any](), list[Any]()
        for cluster, y in clusters:
            inside = part.local(cluster.members)
            if variable not in inside or y == 0:
                continue
            earns = part.has[np.ix_(self.at, inside)].sum(axis=1) < cluster.k
            others = sum(1 << group.bit[int(v)] for v in inside if int(v) in group.bit and v != variable)
            if others.bit_count() < cluster.k:  # so few others in the group: the credit is never lost
                self.value -= y * earns
            elif earns.any():
                for column, value in ((masks, others), (ks, cluster.k), (ys, y), (credit, earns)):
                    column.append(value)
        self.mask, self.k, self.y = np.array(masks, np.int64), np.array(ks, np.int64), np.array(ys, np.int64)
        self.credit = np.array(credit, bool).reshape(len(masks), len(self.at)).T

    def credits_of(self, k: int, placed: Ints) -> Ints:
        """The credits of set k when these subsets are placed."""
        out = np.zeros(len(placed), np.int64)
        for c in np.flatnonzero(self.credit[k]):
            out += self.y[c] * (_popcount(placed & self.mask[c]) < self.k[c])
        return out

    def least(self, high: int, low: int) -> Ints:
        """D for the subsets `high` + (anything of the `low` lowest bits)."""
        size = 1 << low
        below = size - 1
        fits = np.flatnonzero((self.needs & ~(high | below)) == 0)
        if not len(self.y):
            return self._without_credits(fits, below, low)
        lost = _popcount(self.mask & (high & ~below))
        live = np.flatnonzero(lost < self.k)  # clusters that may still give credit in this block
        credit = self.credit[np.ix_(fits, live)].astype(np.int64)
        best = self.value[fits] - credit @ self.y[live]
        free = self.needs[fits] & below == 0
        enough = self.value[fits][free].min(initial=INFINITE)  # one that is always there, at its dearest
        order = np.argsort(best, kind="stable")
        order = order[best[order] <= enough]
        out = np.full(size, INFINITE, np.int64)
        index = np.arange(size)
        active = _popcount(index & (self.mask[live] & below)[:, None]) < (self.k[live] - lost[live])[:, None]
        gives = active * self.y[live][:, None]
        for k in order:
            if best[k] >= out.max():
                break
            value = self.value[fits[k]] - gives[credit[k] > 0].sum(axis=0)
            need = int(self.needs[fits[k]] & below)
            if need:
                value = np.where(index & need == need, value, INFINITE)
            np.minimum(out, value, out=out)
        return out

    def _without_credits(self, fits: Ints, below: int, low: int) -> Ints:
        """The first set that fits, by minima over subsets, one variable after the other."""
        kind = np.uint16 if len(self.value) < 65535 else np.uint32
        rank = np.full(below + 1, len(self.value), kind)
        order = fits[np.argsort(self.value[fits], kind="stable")]
        ranks = np.argsort(np.argsort(self.value, kind="stable"), kind="stable")
        rank[(self.needs[order] & below)[::-1]] = ranks[order][::-1].astype(kind)
        for b in range(low):
            pair = rank.reshape(-1, 2, 1 << b)
            np.minimum(pair[:, 1], pair[:, 0], out=pair[:, 1])
        values: Ints = np.append(np.sort(self.value), INFINITE)[rank]
        return values


def _popcount(values: Ints) -> Ints:
    """The number of bits set (values of up to 32 bits)."""
    v = values.astype(np.uint32)
    v = v - ((v >> np.uint32(1)) & np.uint32(0x55555555))
    v = (v & np.uint32(0x33333333)) + ((v >> np.uint32(2)) & np.uint32(0x33333333))
    v = (v + (v >> np.uint32(4))) & np.uint32(0x0F0F0F0F)
    return (v * np.uint32(0x01010101) >> np.uint32(24)).astype(np.int64)


_LAYERS: dict[int, list[list[tuple[int, Ints]]]] = {}


def _layers(g: int) -> list[list[tuple[int, Ints]]]:
    """For each size from 1 to g: for each bit j, the subsets of this size that have it."""
    if g not in _LAYERS:
        for large in [size for size in _LAYERS if size > 17]:
            del _LAYERS[large]  # they take much memory, and one is used at a time
        index = np.arange(1 << g)
        size = _popcount(index)
        by_size = [index[size == k] for k in range(1, g + 1)]
        _LAYERS[g] = [[(j, which[which >> j & 1 == 1]) for j in range(g)] for which in by_size]
    return _LAYERS[g]


class Pattern:
    """RULE pattern. bound(U) = sum over crossing C of (k - |C cap U|)^+ y + sum over groups of T[what is not in U].

    A cluster crosses if no group contains it. U is what stands at the front of an order; U = {} bounds the whole. Of
    the members of a cluster C the first k in the order have fewer than k of C before them; of those not in U at least
    k - |C cap U| are such members. Whoever is one earns the credit in its group's table, for among the placed of its
    group there are fewer than k of C, and fewer than k in its S. So the tables, which take each group's order at its
    cheapest and let everything outside the group be available, are below the cost minus at least these credits.
    """

    def __init__(self, part: Part, weights: Weights, group_of: Ints, keep_rows: bool) -> None:
        if len(group_of) != part.n or weights.cuts:
            raise Refused("a pattern needs a group for every variable, and clusters alone as weights")
        self.part = part
        groups = [np.flatnonzero(group_of == g) for g in np.unique(group_of)]
        self.crossing = []
        for cluster, y in weights.clusters:
            if len(set(group_of[part.local(cluster.members)].tolist())) > 1:
                self.crossing.append((cluster, y))
        if sum(y * len(cluster.members) for cluster, y in self.crossing) >= ROOM:
            raise Refused("weights too large to be added up")
        if max(len(group) for group in groups) > LARGEST_GROUP:
            raise Refused(f"a group of more than {LARGEST_GROUP} variables")
        self.groups = [Group(part, group, self.crossing, keep_rows) for group in groups]
        tops = [int(group.table[-1]) for group in self.groups]
        constant = sum(cluster.k * y for cluster, y in self.crossing)
        self.bound = INFINITE if INFINITE in tops else constant + sum(tops)

    def strike(self, target: int, marks: Bools) -> None:
        """RULE strike by pattern: as by weights; the other groups cost at least their tables, wherever S stands."""
        if self.bound < INFINITE:
            for group in self.groups:
                group.strike(marks, target - (self.bound - int(group.table[-1])))
        self.part.raise_to(self.bound)

    def after(self, placed: Bools) -> Ints:
        """bound(U) for several U, one a row."""
        total = np.zeros(len(placed), np.int64)
        for cluster, y in self.crossing:
            inside = placed[:, self.part.local(cluster.members)].sum(axis=1)
            total += y * np.maximum(cluster.k - inside, 0)
        for group in self.groups:
            bits = (~placed[:, group.members]) @ (1 << np.arange(group.g))
            total = np.minimum(total + group.table[bits], INFINITE)
        return total


def solve(part: Part) -> int:
    """RULE solve. With all variables in one group and no weights the table is the cost of the best network itself."""
    if part.n > LARGEST_SOLVED:
        raise Refused(f"a part of {part.n} variables is too large to be solved here")
    return int(Group(part, np.arange(part.n), [], keep_rows=False).table[-1])


def impossible(part: Part) -> None:
    """RULE impossible. Place whoever has a set among those placed, until nobody has: if some are left, no network is.

    In the order of a network the first of those left would have a set among the variables before it, which are placed.
    """
    placed, before = np.zeros(part.n, bool), -1
    while placed.sum() > before:
        before = int(placed.sum())
        placed[part.child[~(part.has & ~placed).any(axis=1)]] = True
    if placed.all():
        raise Refused("there are networks")


def acyclic(child: Ints, has: Bools) -> bool:
    """Whether one set for each variable has no cycle: again and again remove those whose parents are gone."""
    left = np.ones(has.shape[1], bool)
    while left.any():
        ready = left.copy()
        ready[child[(has & left).any(axis=1)]] = False
        if not ready.any():
            return False
        left &= ~ready
    return True


class ClusterBound:
    """RULE pattern with every variable a group of its own, and one thing more: what U has spent is lost to all.

    A cluster with k or more members in U gives no credit any more, to anyone.
    """

    def __init__(self, part: Part, weights: Weights) -> None:
        if weights.cuts:
            raise Refused("clusters alone bound what remains")
        self.part, self.clusters = part, weights.clusters
        weights.reduced(part)  # refuses weights that are too large
        self.y = np.array([y for _, y in self.clusters], np.int64)
        self.credit = np.array([c.coefficients(part, {}) for c, _ in self.clusters], np.int64).reshape(-1, len(part.at))
        self.starts = np.searchsorted(part.child, np.arange(part.n))

    def after(self, placed: Bools) -> Ints:
        """bound(U) for several U, one a row."""
        inside = [placed[:, self.part.local(c.members)].sum(axis=1) for c, _ in self.clusters]
        left = np.array([np.maximum(c.k - count, 0) for (c, _), count in zip(self.clusters, inside, strict=True)])
        left = left.reshape(len(self.clusters), len(placed)).T
        reduced = self.part.cost - ((left > 0) * self.y) @ self.credit
        least = np.minimum.reduceat(reduced, self.starts, axis=1)
        bound: Ints = (left * self.y).sum(axis=1) + np.where(placed, 0, least).sum(axis=1)
        return bound


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

    def __init__(self, part: Part, bounds: list[Pattern] | list[ClusterBound], lower: int, extend: bool) -> None:
        self.part, self.bounds, self.lower, self.extends = part, bounds, lower, extend
        self.n, self.words = part.n, words_of(part.has)
        self.width = self.words.shape[1]
        self.starts = np.searchsorted(part.child, np.arange(part.n))
        self.best = part.cost[self.starts]
        self.cheaper = np.zeros((len(part.at) + part.n, self.width), np.uint64)  # the last n: all of a variable's sets
        union, level = np.zeros(self.width, np.uint64), np.zeros(self.width, np.uint64)
        for p in range(len(part.at)):
            first = p in self.starts[part.child[p] : part.child[p] + 1]
            if first:
                union, level = np.zeros_like(union), np.zeros_like(union)
            elif part.cost[p] != part.cost[p - 1]:
                level = union
            self.cheaper[p] = level
            union = union | self.words[p]
            self.cheaper[len(part.at) + part.child[p]] = union
        rows = np.flatnonzero(part.cost == self.best[part.child])
        self.best_words, self.best_starts = self.words[rows], np.searchsorted(part.child[rows], np.arange(part.n))

    def check(self, listed: Bools) -> None:
        start, cost = self._extended(np.zeros((1, self.n), bool), np.zeros(1, np.int64))
        self.place = {row.tobytes(): k for k, row in enumerate(words_of(listed))}
        if len(self.place) < len(listed) or listed.all(axis=1).any():
            raise Refused("a set is listed twice, or all variables are")
        self.g = np.full(len(listed), INFINITE, np.int64)
        found = self._places(start)[0]
        if found < 0 and cost[0] + self._bound(start)[0] < self.lower:
            raise Refused("the set it starts from is not listed")
        if found >= 0:
            self.g[found] = cost[0]
        size = listed.sum(axis=1)
        step = max(1, 4_000_000 // max(len(self.part.at), self.n * self.n * self.width))
        for k in np.unique(size):
            which = np.flatnonzero((size == k) & (self.g < INFINITE))  # what no way leads to needs no way out
            for begin in range(0, len(which), step):
                self._leave(listed[which[begin : begin + step]], self.g[which[begin : begin + step]])

    def _places(self, placed: Bools) -> Ints:
        return np.array([self.place.get(row.tobytes(), -1) for row in words_of(placed)], np.int64)

    def _bound(self, placed: Bools) -> Ints:
        values: Ints = np.max([bound.after(placed) for bound in self.bounds], axis=0)
        return values

    def _extended(self, placed: Bools, cost: Ints) -> tuple[Bools, Ints]:
        """Moved on by lemma 2, as long as it applies."""
        while self.extends:
            outside = ~words_of(placed)
            fits = np.ones((len(placed), len(self.best_words)), bool)
            for w in range(self.width):
                fits &= self.best_words[None, :, w] & outside[:, None, w] == 0
            ready = np.logical_or.reduceat(fits, self.best_starts, axis=1) & ~placed
            if not ready.any():
                break
            placed, cost = placed | ready, cost + ready @ self.best
        return placed, cost

    def _leave(self, placed: Bools, g: Ints) -> None:
        """Every way out of some listed sets of the same size."""
        sets, inside = len(self.part.at), words_of(placed)
        fits = np.ones((len(placed), sets), bool)
        for w in range(self.width):
            fits &= self.words[None, :, w] & ~inside[:, None, w] == 0
        first = np.minimum.reduceat(np.where(fits, np.arange(sets), sets), self.starts, axis=1)  # of each variable
        row, variable = np.nonzero(~placed & (first < sets))
        to = placed[row]
        to[np.arange(len(row)), variable] = True
        to, cost = self._extended(to, g[row] + self.part.cost[first[row, variable]])
        place = self._places(to)
        good = place >= 0
        good[~good] = cost[~good] + self._bound(to[~good]) >= self.lower
        bad = np.zeros_like(placed)
        bad[row[~good], variable[~good]] = True
        closed = self._closed_sets(placed, inside, first)
        chosen = np.array([self._choose(p, c, b) for p, c, b in zip(placed, closed, bad, strict=True)])
        used = chosen[row, variable] & (place >= 0)
        np.minimum.at(self.g, place[used], cost[used])

    def _closed_sets(self, placed: Bools, inside: Words, first: Ints) -> Bools:
        """For every variable outside U the smallest C that it is in: all that rel leads to."""
        sets = len(self.part.at)
        rel = self.cheaper[np.where(first < sets, first, sets + np.arange(self.n))] & ~inside[:, None, :]
        reach = bools_of(rel.reshape(-1, self.width), self.n).reshape(len(placed), self.n, self.n)
        reach |= np.eye(self.n, dtype=bool)
        for via in range(self.n):
            reach |= reach[:, :, via : via + 1] & reach[:, via : via + 1, :]
        return reach

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


# --- The derivation, line by line -------------------------------------------------------------------------------------


class Derivation:
    """Applies the lines of a certificate, one after the other, to the parts of a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph, n = graph, len(graph.names)
        whole = Part(np.arange(n), np.arange(len(graph.child)), graph.child, graph.cost, graph.has)
        self.parts = {0: whole}
        self.clusters: dict[int, Cluster] = {}
        self.cuts: dict[int, Cut] = {}
        self.weights: dict[int, Weights] = {}
        self.patterns: dict[int, tuple[int, Ints]] = {}
        self.network: tuple[int, Ints] | None = None
        self.claim: dict[str, int] = {}
        self.status = ""
        self.left_out = 0  # sets that the user's knowledge forbids
        self.story: list[str] = []

    def apply(self, word: str, fields: dict[str, str]) -> None:
        """One line."""
        rule = getattr(self, f"_on_{word.replace('-', '_')}", None)
        if rule is None:
            raise Refused(f"there is no rule {word!r}")
        rule(fields)

    def proven(self, number: int = 0) -> int:
        """b(P): see the head of this file."""
        part = self.parts[number]
        least = part.least(part.cost) if part.kind == "open" else []
        bound = max(part.proven, -INFINITE if not least else INFINITE if INFINITE in least else sum(least))
        if part.kind == "split":
            bound = max(bound, min(sum(self.proven(c) for c in part.parts), INFINITE))
        elif part.kind == "branch":
            bound = max(bound, min(self.proven(c) for c in part.parts))
        return min(part.cap, bound)

    def _open(self, fields: dict[str, str]) -> Part:
        part = self.parts[int(fields["part"])]
        if part.kind != "open":
            raise Refused("the part is no longer there")
        return part

    def _tell(self, fields: dict[str, str], what: str) -> None:
        part = self.parts[int(fields["part"])]
        self.story.append(f"part {fields['part']} ({part.n} variables): {what}")

    # What the certificate is about.

    def _on_graph(self, fields: dict[str, str]) -> None:
        if self.graph.digest() != fields["sha256"]:
            raise Refused("the certificate is about another parent graph")

    def _on_note(self, fields: dict[str, str]) -> None:
        """For the reader: nothing is proven by it."""

    def _on_leave_out(self, fields: dict[str, str]) -> None:
        """Sets that the user's knowledge forbids: the claim is about the networks that do without them."""
        part, marks = self.parts[0], self.parts[0].marked(numbers(fields["sets"]))
        if len(self.parts) > 1 or part.cap < INFINITE or part.proven > -INFINITE:
            raise Refused("sets can be left out before the derivation begins, not later")
        self.left_out += int(marks.sum())
        part.keep(~marks)

    def _on_network(self, fields: dict[str, str]) -> None:
        sets, graph = numbers(fields["sets"]), self.graph
        if len(sets) != len(graph.names) or sets.min() < 0 or sets.max() >= len(graph.child):
            raise Refused("a network needs one parent set for each variable")
        if (graph.child[sets] != np.arange(len(sets))).any() or not acyclic(graph.child[sets], graph.has[sets]):
            raise Refused("the network has a cycle, or a set of another variable")
        if sum(graph.cost[sets].tolist()) != int(fields["cost"]):
            raise Refused(f"the network costs {sum(graph.cost[sets].tolist())} quanta, not {fields['cost']}")
        self.network = (int(fields["cost"]), sets)

    def _on_claim(self, fields: dict[str, str]) -> None:
        self.claim = {name: int(fields[name]) for name in ("lower", "cost", "tolerance")}
        self.status = fields["status"]

    def _on_end(self, fields: dict[str, str]) -> None:
        """The checksum has been looked at before."""

    # What weights and patterns are made of.

    def _on_cluster(self, fields: dict[str, str]) -> None:
        members, k = np.sort(numbers(fields["members"])), int(fields["k"])
        if not 1 <= k < len(set(members.tolist())) == len(members):
            raise Refused("a cluster needs more than k different members, and k of 1 or more")
        self.clusters[int(fields["id"])] = Cluster(members, k)

    def _on_cut(self, fields: dict[str, str]) -> None:
        rows: list[tuple[Cluster | Cut | int, int]] = []
        tables: list[tuple[str, dict[int, Any]]] = [("clusters", self.clusters), ("cuts", self.cuts)]
        for name, known in tables:
            for number, times in _pairs(fields, name, "times_" + name):
                if not 0 <= times < 1 << 20:
                    raise Refused("a multiplier of an inequality must not be negative")
                rows.append((known[number], times))
        for variable, times in _pairs(fields, "variables", "times_variables"):
            if abs(times) >= 1 << 20:
                raise Refused("a multiplier is too large")
            rows.append((variable, times))
        divisor = int(fields["divisor"])
        depth = 1 + max((row.depth for row, _ in rows if isinstance(row, Cut)), default=0)
        if not 2 <= divisor < 1 << 20 or depth > 64 or len(rows) > 4096:
            raise Refused("a cut divides by 2 or more")
        self.cuts[int(fields["id"])] = Cut(rows, divisor, depth)

    def _on_weights(self, fields: dict[str, str]) -> None:
        pairs = [_pairs(fields, "clusters", "y"), _pairs(fields, "cuts", "z")]
        if any(y < 0 for pair in pairs for _, y in pair):
            raise Refused("a weight is negative")
        weights = Weights([(self.clusters[c], y) for c, y in pairs[0]], [(self.cuts[c], z) for c, z in pairs[1]])
        self.weights[int(fields["id"])] = weights

    def _on_pattern(self, fields: dict[str, str]) -> None:
        self.patterns[int(fields["id"])] = (int(fields["weights"]), numbers(fields["groups"]))

    def _pattern(self, part: Part, number: int, keep_rows: bool) -> Pattern:
        weights, group_of = self.patterns[number]
        return Pattern(part, self.weights[weights], group_of, keep_rows)

    # What happens to parts.

    def _on_drop(self, fields: dict[str, str]) -> None:
        part = self._open(fields)
        drop_dominated(part, part.marked(numbers(fields["sets"])))

    def _on_strike(self, fields: dict[str, str]) -> None:
        part, target = self._open(fields), int(fields["target"])
        marks = part.marked(numbers(fields["sets"]))
        if "pattern" in fields:
            pattern = self._pattern(part, int(fields["pattern"]), keep_rows=True)
            pattern.strike(target, marks)
            by = f"the tables of groups of {', '.join(str(group.g) for group in pattern.groups)} variables"
        else:
            weights = self.weights[int(fields["weights"])]
            strike_by_weights(part, weights, target, marks)
            cuts = f" and {len(weights.cuts)} cuts" if weights.cuts else ""
            by = f"the weights of {len(weights.clusters)} clusters{cuts}"
        part.keep(~marks)
        part.cap = min(part.cap, target)
        self._tell(fields, f"{marks.sum()} sets struck out by {by}, {len(part.at)} stay; target {nats(target)}")

    def _on_bound(self, fields: dict[str, str]) -> None:
        part = self._open(fields)
        if "pattern" in fields:
            part.raise_to(self._pattern(part, int(fields["pattern"]), keep_rows=False).bound)
        else:
            part.raise_to(self.weights[int(fields["weights"])].bound(part)[0])
        kind = "tables over groups" if "pattern" in fields else "weights of clusters"
        self._tell(fields, f"costs at least {nats(part.proven)} by {kind}")

    def _on_solve(self, fields: dict[str, str]) -> None:
        part = self._open(fields)
        part.raise_to(solve(part))
        self._tell(fields, f"solved here: costs at least {nats(part.proven)}")

    def _on_impossible(self, fields: dict[str, str]) -> None:
        part = self._open(fields)
        impossible(part)
        part.raise_to(INFINITE)
        self._tell(fields, "no network is left")

    def _on_search(self, fields: dict[str, str]) -> None:
        part, lower = self._open(fields), int(fields["lower"])
        if abs(lower) >= ROOM or len(np.unique(part.child)) < part.n:
            raise Refused("a variable without a set, or a bound out of all proportion")
        placed = bools_of(numbers(fields["placed"]).view(np.uint64).reshape(-1, words_of(part.has).shape[1]), part.n)
        bounds: Any = [self._pattern(part, k, keep_rows=False) for k in numbers(fields.get("patterns", "")).tolist()]
        bounds = bounds or [ClusterBound(part, self.weights[int(fields["weights"])])]
        Lattice(part, bounds, lower, fields["extend"] == "1").check(placed)
        part.raise_to(lower)
        self._tell(fields, f"costs at least {nats(lower)}, by a search of {len(placed)} sets of variables")

    def _on_split(self, fields: dict[str, str]) -> None:
        part, to = self._open(fields), numbers(fields["to"])
        if len(to) != part.n:
            raise Refused("a split must deal out every variable once")
        for number in np.unique(to).tolist():
            self._new(number, cut_down(part, np.flatnonzero(to == number)))
            part.parts.append(number)
        part.kind = "split"
        self._tell(fields, f"falls apart into {sorted((self.parts[c].n for c in part.parts), reverse=True)} variables")

    def _on_branch(self, fields: dict[str, str]) -> None:
        """RULE branch. Which sets each of two parts does without; every network does without those of one of them.

        kind=order, variables a, b: b is not a parent of a, or a is not a parent of b; for with both there would be a
        cycle. kind=arc: b is a parent of a (and then a is none of b), or it is not.
        """
        part, parts = self._open(fields), numbers(fields["parts"]).tolist()
        a, b = part.local(numbers(fields["variables"])).tolist()
        of_a, a_with_b = part.child == a, (part.child == a) & part.has[:, b]
        b_with_a = (part.child == b) & part.has[:, a]
        if fields["kind"] == "arc":
            without = [(of_a & ~a_with_b) | b_with_a, a_with_b]
        elif fields["kind"] == "order":
            without = [a_with_b, b_with_a]
        else:
            raise Refused(f"there is no rule to branch by {fields['kind']!r}")
        for number, marks in zip(parts, without, strict=True):
            new = cut_down(part, np.arange(part.n))
            new.keep(~marks)
            self._new(number, new)
        part.kind, part.parts = "branch", parts
        self._tell(fields, f"branches ({fields['kind']})")

    def _new(self, number: int, part: Part) -> None:
        if number in self.parts:
            raise Refused(f"part {number} is there already")
        self.parts[number] = part


def _pairs(fields: dict[str, str], first: str, second: str) -> list[tuple[int, int]]:
    return list(zip(numbers(fields.get(first, "")).tolist(), numbers(fields.get(second, "")).tolist(), strict=True))


def nats(quanta: int) -> str:
    return "nothing" if quanta >= INFINITE else f"{quanta / QUANTA:.6f}"


# --- The verdict ------------------------------------------------------------------------------------------------------


def check(certificate: str, graph_path: str) -> tuple[Derivation, bool]:
    """Apply all lines of a certificate; whether it is complete. Raises Refused, naming the line, or Unreadable."""
    records, complete = read_records(certificate)
    derivation = Derivation(read_graph(graph_path))
    if not records or records[0][1] != "graph":
        raise Refused("line 2: a certificate begins with the fingerprint of its graph")
    for number, word, fields in records:
        try:
            derivation.apply(word, fields)
        except Refused as error:
            raise Refused(f"line {number} ({word}): {error}") from None
        except (ValueError, KeyError, IndexError, TypeError, OverflowError, zlib.error) as error:
            raise Refused(f"line {number} ({word}): makes no sense ({type(error).__name__}: {error})") from None
    return derivation, complete


def verdict(derivation: Derivation, complete: bool, of_table: list[str]) -> list[str]:
    """What is proven, in words; Refused if it is less than what is claimed. `of_table`: what was checked of a table."""
    proven, claim, graph = derivation.proven(), derivation.claim, derivation.graph
    if derivation.network is None:
        raise Refused("the certificate has no network")
    cost = derivation.network[0]
    so_far = f"no network costs less than {nats(proven)} ({proven} quanta); the network given costs {cost} quanta"
    if not complete:
        raise Refused(f"the certificate has no end: the run was cut off. What its lines prove by then: {so_far}")
    if not claim:
        raise Refused("the certificate has no claim")
    lower, tolerance = claim["lower"], claim["tolerance"]
    if proven < lower:
        raise Refused(f"claimed is that no network costs less than {lower} quanta, but proven is {proven} only")
    if claim["cost"] != cost or lower > cost:
        raise Refused("the claim's bounds contradict its network")
    if derivation.status == "optimal" and cost - lower > tolerance:
        raise Refused(f"claimed is 'optimal', but {cost - lower} quanta are open and {tolerance} are tolerated")
    without = f" and without the {derivation.left_out} sets that prior knowledge forbids" if derivation.left_out else ""
    lines = [
        f"Checked: no network made of these {len(graph.child)} parent sets{without} costs less than {nats(lower)} nats "
        f"({lower} quanta).",
        f"Checked: the network given is acyclic, is made of these sets, and costs {nats(cost)} nats ({cost} quanta).",
    ]
    if cost - lower <= tolerance:
        lines.append(f"So it is optimal for these local scores, within {tolerance} quanta (2^-30 nat each).")
    else:
        lines.append(f"So it is at most {nats(cost - lower)} nats above the best: the run was stopped before the end.")
    if not of_table:
        unchecked = "that the parent graph has the scores of some table, and that no useful set is missing from it"
        lines.append(f"Not checked: {unchecked}.")
    lines += of_table
    if derivation.left_out:
        lines.append("Not checked: that the sets left out are those that the prior knowledge means.")
    return lines


def of_the_table(derivation: Derivation, given: argparse.Namespace) -> list[str]:
    """What check_scores.py, the second file, says of the table."""
    path = Path(__file__).with_name("check_scores.py")
    try:
        spec = importlib.util.spec_from_file_location("check_scores", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except OSError as error:
        raise Unreadable(f"{path}: {error}; the scores of tables are checked by this file") from None
    network = derivation.network[1] if derivation.network else np.zeros(0, np.int64)
    try:
        lines: list[str] = module.check_scores(derivation.graph, network, given)
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{given.data}: {error}") from None
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
    parser.add_argument("--score", default="bic", help="bic, mdl, aic, bdeu or k2")
    parser.add_argument("--equivalent-sample-size", default="1", help="of bdeu")
    parser.add_argument("--max-parents", type=int, help="the lists have sets of up to so many parents")
    parser.add_argument("--sample", type=int, help="check the costs of so many sets, not of all")
    parser.add_argument(
        "--effort", type=int, default=20_000, help="parent sets scored to see whether lists are complete"
    )
    given = parser.parse_args(arguments)
    try:
        derivation, complete = check(given.certificate, given.graph)
        lines = verdict(derivation, complete, of_the_table(derivation, given) if given.data else [])
    except Refused as error:
        print(f"REFUSED: {error}")
        return 1
    except Unreadable as error:
        print(f"UNREADABLE: {error}", file=sys.stderr)
        return 2
    except (MemoryError, RecursionError) as error:
        print(f"UNREADABLE: too large for the memory at hand ({type(error).__name__})", file=sys.stderr)
        return 2
    print("\n".join([*(derivation.story if given.explain else []), *lines, "ACCEPTED"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

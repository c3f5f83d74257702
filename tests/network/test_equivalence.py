"""Markov equivalence against brute force: every network of up to five variables, and the classes they fall into."""

from __future__ import annotations

import itertools
from collections import defaultdict
from functools import cache

import pytest

from sabna import Network
from tests.network.networks import random_dag


@cache
def all_networks(n: int) -> list[Network]:
    """Every acyclic directed graph over n variables, built by the choice of parents."""
    names = "ABCDE"[:n]
    others = {v: [set(c) for k in range(n) for c in itertools.combinations(names.replace(v, ""), k)] for v in names}
    found: list[Network] = []

    def extend(k: int, parents: dict[str, set[str]]) -> None:
        if k == n:
            found.append(Network(names, parents))
            return
        for choice in others[names[k]]:
            chosen = {**parents, names[k]: choice}
            if not has_cycle(chosen):
                extend(k + 1, chosen)

    extend(0, {})
    return found


def has_cycle(parents: dict[str, set[str]]) -> bool:
    left = dict(parents)
    while left:
        roots = [v for v, ps in left.items() if not any(p in left for p in ps)]
        if not roots:
            return True
        for v in roots:
            del left[v]
    return False


def independence_signature(net: Network) -> tuple[frozenset[frozenset[str]], frozenset[tuple[frozenset[str], str]]]:
    """Verma and Pearl: networks are equivalent when they have the same skeleton and the same v-structures."""
    skeleton = frozenset(frozenset(e) for e in net.edges)
    colliders = frozenset(
        (frozenset(pair), v)
        for v in net.variables
        for pair in itertools.combinations(net.parents[v], 2)
        if frozenset(pair) not in skeleton
    )
    return skeleton, colliders


@pytest.mark.parametrize(
    ("n", "networks", "classes"),
    [(2, 3, 2), (3, 25, 11), (4, 543, 185), pytest.param(5, 29281, 8782, marks=pytest.mark.slow)],
)
def test_members_of_a_class_share_their_cpdag(n: int, networks: int, classes: int) -> None:
    groups = defaultdict(list)
    for net in all_networks(n):
        groups[independence_signature(net)].append(net)
    assert (sum(map(len, groups.values())), len(groups)) == (networks, classes)
    cpdags = set()
    for members in groups.values():
        mine = {net.cpdag() for net in members}
        assert len(mine) == 1
        shared = set.intersection(*(set(net.edges) for net in members))
        (graph,) = mine
        assert graph.compelled == shared
        assert len(graph.compelled) + len(graph.reversible) == len(members[0].edges)
        cpdags.add(graph)
    assert len(cpdags) == classes


def members_of_class(net: Network) -> set[Network]:
    """Chickering (1995): a class is what turning covered edges makes of one member, whose ends else share parents."""
    found, new = {net}, [net]
    while new:
        one = new.pop()
        for a, b in one.edges:
            if set(one.parents[b]) - {a} == set(one.parents[a]):
                turned = Network(one.variables, {**one.parents, a: (*one.parents[a], b), b: one.parents[a]})
                if turned not in found:
                    found.add(turned)
                    new.append(turned)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_larger_classes_share_their_cpdag(seed: int) -> None:
    net = Network([f"V{k}" for k in range(6 + seed % 3)], random_dag(6 + seed % 3, seed, max_parents=2))
    members = members_of_class(net)
    assert {member.cpdag() for member in members} == {net.cpdag()}
    assert net.cpdag().compelled == set.intersection(*(set(member.edges) for member in members))
    assert len({independence_signature(member) for member in members}) == 1


def test_equivalence_and_distance() -> None:
    chain = Network("ABC", {"B": "A", "C": "B"})
    fork = Network("ABC", {"A": "B", "C": "B"})
    collider = Network("ABC", {"B": ["A", "C"]})
    assert chain.equivalent_to(fork)
    assert not chain.equivalent_to(collider)
    assert not chain.equivalent_to(Network("ABD", {"B": "A", "D": "B"}))
    assert (chain.shd(fork), chain.shd(collider), chain.shd(chain)) == (1, 1, 0)
    assert chain.compare(fork).same_class
    assert chain.compare(fork).shd_class == 0
    assert chain.compare(collider).shd_class == 2
    assert chain.compare(Network("ABC", {"C": "A"})).shd == 3

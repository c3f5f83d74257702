"""What the registry says about score equivalence, against costs of covered edges turned round.

Networks of a class become each other by turning covered edges round (Chickering 1995): x -> y where y has the parents
of x and x itself, nothing else. A score is equivalent exactly if no such turn changes the cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from sabna.base.cost import QUANTA_PER_NAT
from sabna.parents.builders.gaussian import gaussian_costs
from sabna.parents.builders.mixed import NO_VALUE, mixed_costs
from sabna.scores.local import local_costs
from sabna.scores.registry import SCORES, ScoreType
from sabna.table.mixed import NO_CODE, MixedTable, mixed_of
from tests.slow_scorer import random_table
from tests.test_gaussian import linear_data

Family = tuple[int, list[int]]


def family_costs(kind: ScoreType, seed: int, families: list[Family]) -> list[int]:
    rng = np.random.default_rng(seed)
    if kind.mixed is not None:
        found = mixed_costs(mixed_table(seed, kind), families, kind.id)
        assert found.max() < NO_VALUE
        return [int(c) for c in found]
    if kind.continuous:
        table = linear_data(seed, n=5, rows=int(rng.integers(8, 80)))
        return gaussian_costs(table, [(table.names[i], [table.names[p] for p in ps]) for i, ps in families], kind.id)
    coded = random_table(rng, 5, int(rng.integers(1, 120)), largest_arity=4)
    options = {"equivalent_sample_size": float(rng.uniform(0.1, 20))} if kind.parameters else {}
    return [int(c) for c in local_costs(coded, families, kind.id, **options)]


def mixed_table(seed: int, kind: ScoreType) -> MixedTable:
    """Of one kind, so that every edge can be turned round; with holes where the score takes them."""
    rng = np.random.default_rng(seed)
    categories = kind.mixed == "discrete" or (kind.mixed == "mixed" and seed % 2 == 0)
    table = mixed_of(random_table(rng, 5, 120, 3) if categories else linear_data(seed, n=5, rows=60))
    if not kind.incomplete:
        return table
    hole = NO_CODE if categories else np.nan
    columns = [np.where(rng.random(table.rows) < 0.2, hole, c).astype(c.dtype) for c in table.columns]
    return replace(table, columns=tuple(columns))


def turns(kind: ScoreType) -> Iterator[int]:
    """How much the cost changes when a covered edge is turned round, in quanta."""
    for seed in range(12):
        rng = np.random.default_rng([7, seed])
        families: list[Family] = []
        for _ in range(15):
            x, y, *shared = rng.permutation(5)[: int(rng.integers(2, 6))].tolist()
            families += [(x, shared), (y, [*shared, x]), (y, shared), (x, [*shared, y])]
        for here, below, there, above in np.array(family_costs(kind, seed, families)).reshape(-1, 4).tolist():
            yield here + below - there - above


@pytest.mark.parametrize("kind", SCORES, ids=lambda kind: kind.id)
def test_the_registry_knows_which_scores_are_equivalent(kind: ScoreType) -> None:
    differences = list(turns(kind))
    assert len(differences) == 12 * 15
    if kind.score_equivalent:
        assert set(differences) == {0}
    else:
        # Not by rounding: some direction is better by a tenth of a nat and more (a hundredth, where it is an average).
        assert max(map(abs, differences)) > QUANTA_PER_NAT // (100 if kind.incomplete else 10)

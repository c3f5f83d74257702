"""The optima and counts that others have published."""

from __future__ import annotations

from pathlib import Path

import pytest

import sabna


@pytest.mark.slow
def test_the_papers_count_of_nodes_on_autos(benchmark_data: Path) -> None:
    """1.84 million in the paper's Table III."""
    graph = sabna.build_parent_graph(benchmark_data / "paper/lit/autos.csv")
    result = sabna.search(graph, "astar", "simple", upper_bound=False)
    assert result.statistics["search"]["stored"] == 1_843_832
    assert 16 <= result.statistics["search"]["bytes_per_node"] <= 24
    assert result.cost == pytest.approx(1585.7597, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "cost"), [("insurance", 14350.4705), ("water", 13290.1069), ("autos", 1585.7597)])
def test_published_optima_are_proven(benchmark_data: Path, name: str, cost: float) -> None:
    result = sabna.learn(benchmark_data / f"paper/lit/{name}.csv", time_limit=600)
    assert result.status == "optimal"
    assert result.cost == pytest.approx(cost, abs=0.01)

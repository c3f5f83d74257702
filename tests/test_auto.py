"""The default strategy: the same optimum as the plain strategies, by whatever way it takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sabna
from sabna._native import core
from sabna.base.limits import Limits
from sabna.bounds.weights import Clusters, dual_ascent, reduced_costs
from sabna.parents.graph import ParentGraph
from sabna.searching import decisions
from tests.graphs import graph_of, optimum, random_graph
from tests.repeats import few_or_many


def some_graph(seed: int, most: int = 12) -> ParentGraph:
    """Random shapes: sparse and dense, many ties, large parent sets, missing empty sets, XOR-like costs."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, most + 1))
    if seed % 3 == 0:
        return parity_graph(rng, n)
    return random_graph(
        seed,
        n,
        sets=int(rng.integers(2, 25)),
        largest=int(rng.integers(1, min(n, 6) + 1)),
        costs=int(rng.choice([3, 20, 1000, 1 << 34])),
        empty_sets=bool(rng.random() < 0.8),
        hard=bool(rng.random() < 0.3),
    )


def parity_graph(rng: np.random.Generator, n: int) -> ParentGraph:
    """Only whole sets help, as in XOR-like data: no subset of a useful set is of use."""
    lists: list[dict[int, int]] = []
    for i in range(n):
        sets = {0: 1000}
        for _ in range(int(rng.integers(1, 12))):
            members = [v for v in rng.permutation(n)[: int(rng.integers(2, 5))] if v != i]
            sets[sum(1 << int(v) for v in members) if members else 0] = int(rng.integers(0, 1000))
        sets[0] = 1000
        lists.append(sets)
    return graph_of(lists)


@pytest.fixture
def without_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send small graphs the way of large ones: ascent, linear program, pattern databases, search."""
    monkeypatch.setattr(decisions, "DENSE_AT_ONCE", 0)
    monkeypatch.setattr(decisions, "DENSE_MOST", 0)
    monkeypatch.setattr(decisions, "GROUP_SIZES", (3, 4, 5))
    monkeypatch.setattr(decisions, "SMALL_GROUP", 3)
    monkeypatch.setattr(decisions, "GROUPS_FROM", 5)


def check(graph: ParentGraph, best: int, tolerance: float = 0.0) -> None:
    result = sabna.search(graph, gap_tolerance=tolerance, n_jobs=1)
    assert result.status == "optimal"
    slack = int(tolerance * (1 << 30))
    assert best <= result.cost_quanta <= best + slack
    assert result.lower_bound_quanta <= best
    assert result.gap <= tolerance


@few_or_many("graphs", 10, 25)
@pytest.mark.parametrize("block", range(4))
@pytest.mark.usefixtures("without_tables")
def test_the_long_way_finds_the_optimum(block: int, graphs: int) -> None:
    """Protects from fixing, cuts or splitting that delete the optimum."""
    for seed in range(25 * block, 25 * block + graphs):
        graph = some_graph(seed, most=9)
        check(graph, optimum(graph), tolerance=0.0 if seed % 2 else 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
@pytest.mark.usefixtures("without_tables")
def test_the_long_way_agrees_with_plain_search_on_a_thousand_graphs(block: int) -> None:
    """The same on more and larger instances, against A* without any of these bounds."""
    for seed in range(1000 + 50 * block, 1000 + 50 * block + 50):
        graph = some_graph(seed)
        plain = sabna.search(graph, strategy="astar", gap_tolerance=0.0, n_jobs=1)
        check(graph, plain.cost_quanta)


def test_dense_tables_find_the_optimum() -> None:
    """Protects from a table that differs from the plain recursion."""
    for seed in range(40):
        graph = some_graph(seed, most=9)
        check(graph, optimum(graph))


@pytest.mark.usefixtures("without_tables")
def test_threads_do_not_matter() -> None:
    """Protects from results that depend on who does what first."""
    for seed in range(8):
        graph = some_graph(seed, most=10)
        one, two = (sabna.search(graph, n_jobs=jobs) for jobs in (1, 2))
        assert one.network == two.network
        assert one.lower_bound_quanta == two.lower_bound_quanta


@few_or_many("graphs", 10, 20)
@pytest.mark.parametrize("heuristic", ["cuts", "dual-pattern"])
@pytest.mark.parametrize("strategy", ["astar", "bfs"])
def test_weighted_heuristics_with_the_strategies_of_the_paper(strategy: str, heuristic: str, graphs: int) -> None:
    """Protects from a heuristic that prunes the optimum."""
    for seed in range(graphs):
        graph = some_graph(seed, most=8)
        best = optimum(graph)
        for upper in (True, False):
            result = sabna.search(graph, strategy, heuristic, upper_bound=upper, gap_tolerance=0.0, n_jobs=1)
            assert (result.status, result.cost_quanta) == ("optimal", best)


@pytest.mark.usefixtures("without_tables")
def test_two_of_three_must_come_first() -> None:
    """Every variable wants both of the others: the bound of k = 1 is below the truth, cuts with k = 2 are needed."""
    cheap = {0b000: 100, 0b010: 90, 0b100: 90, 0b110: 0}
    lists = [{_rotate(s, i): c for s, c in cheap.items()} for i in range(3)]
    check(graph_of(lists), optimum(graph_of(lists)))


def _rotate(bits: int, by: int) -> int:
    return sum(1 << ((v + by) % 3) for v in range(3) if bits >> v & 1)


def test_weights_give_a_bound_whatever_they_are() -> None:
    """Protects from trusting a solver: any weights at all must give a valid bound."""
    rng = np.random.default_rng(7)
    for seed in range(60):
        graph = some_graph(seed, most=8)
        if graph.n < 3:
            continue
        sets = rng.integers(1, 1 << graph.n, size=(6, 1)).astype(np.uint64)
        sizes = np.array([int(s).bit_count() for s in sets[:, 0]])
        k = np.where(sizes > 2, rng.integers(1, 3, size=6), 1)
        fit = sizes > k
        clusters = Clusters(np.ascontiguousarray(sets[fit]), k[fit], rng.integers(0, 500, size=int(fit.sum())))
        best = optimum(graph)
        assert reduced_costs(graph, clusters).bound <= best
        bound, raised = dual_ascent(graph, clusters, 1 << 62, Limits())
        assert reduced_costs(graph, raised).bound == bound <= best


def test_a_cluster_the_bound_is_wrong_for_is_refused() -> None:
    """|C| <= k: the cut would not hold."""
    graph = random_graph(1, 4)
    one = Clusters(np.array([[0b1]], np.uint64), np.array([1]), np.array([5]))
    with pytest.raises(ValueError, match="more than k members"):
        reduced_costs(graph, one)


def test_time_limit_gives_a_network_and_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time at all: still a network and a valid bound."""
    monkeypatch.setattr(decisions, "DENSE_AT_ONCE", 0)
    graph = some_graph(1, most=12)
    result = sabna.search(graph, time_limit=0.0, gap_tolerance=0.0)
    assert result.lower_bound_quanta <= optimum(graph) <= result.cost_quanta
    assert result.status in ("optimal", "time_limit")


def test_it_says_what_it_did() -> None:
    """Protects from decisions that nobody can follow."""
    result = sabna.search(some_graph(1))
    assert result.statistics["search"]["explain"]
    assert result.statistics["trace"]


def test_rounding_gives_networks_of_the_graph() -> None:
    """Protects from an upper bound that is no network: it must cost what it says and have no cycle."""
    from sabna.bounds.rounding import rounded_order
    from sabna.parents.orders import network_of_order, topological_order

    for seed in range(30):
        graph = some_graph(seed, most=8)
        rng = np.random.default_rng(seed)
        share = rng.random(len(graph))
        variable = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.offsets))
        order = rounded_order(graph.n, variable, graph.sets, share)
        assert sorted(order) == list(range(graph.n))
        found = network_of_order(graph, order)
        if found is not None:
            assert found[0] == graph.costs[found[1]].sum() >= optimum(graph)
            assert topological_order(graph, found[1])


def test_explain_on_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`--explain` prints what was decided, on standard error."""
    from sabna.cli.app import run

    file = tmp_path / "graph.pg"
    some_graph(1).save(file)
    assert run(["search", str(file), "--explain", "--quiet"]) == 0
    out, err = capfd.readouterr()
    assert "parent sets, components" in err
    assert out == ""


@pytest.mark.parametrize("memory", [1 << 40, 40_000])
def test_branch_and_bound_finds_the_optimum_in_any_memory(memory: int) -> None:
    """Protects from a full table that loses work, and from taking a bare cost for a network."""
    for seed in range(60):
        graph = some_graph(seed, most=8)
        best = optimum(graph)
        _, clusters = dual_ascent(graph, Clusters.none(1), 1 << 62, Limits())
        for upper, found in ((1 << 62, True), (best + 1, True), (best, False)):
            outcome = core.search_weighted(
                *graph.arrays,
                *clusters.arrays,
                patterns=[],
                strategy="branch-and-bound",
                path_extension=bool(seed % 2),
                scc_branching=bool(seed % 3),
                prune=True,
                upper=upper,
                tolerance=0,
                known_order=[],
                threads=1,
                limits=core.Limits(bytes=memory),
            )
            assert outcome.stop == core.Stop.none
            assert (outcome.cost, outcome.lower) == (best, best)
            assert outcome.known == found
            if found:
                assert graph.costs[outcome.choice].sum() == best


BENCHMARKS = [
    *(f"uci/{name}.csv" for name in ("zoo", "voting", "lymphography", "hepatitis126", "spect", "german-credit.bin")),
    *(f"paper/lit/{name}.csv" for name in ("autos", "insurance", "water")),
    *(f"paper/{name}.bin.csv" for name in ("insurance", "water")),
    *(
        f"scores/{name}_1.bdeu.jkl"
        for name in ("asia_1000", "sachs_1000", "child_2000", "insurance_2000", "water_1000")
    ),
    *(f"scores/{name}.bic.pss" for name in ("heart", "hepatitis", "letter", "image", "census", "flag")),
    *(f"scores/{name}-5000.blip.jkl" for name in ("sachs", "insurance")),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_same_cost_as_plain_search_on_benchmark_data(benchmark_data: Path, name: str) -> None:
    """Protects from an optimum lost on data that look like users' data, to the integer."""
    file = benchmark_data / name
    graph = sabna.build_parent_graph(file) if file.suffix == ".csv" else sabna.read_parent_graph(file)
    plain = sabna.search(graph, "astar", "pattern", time_limit=60, memory_limit="4GB")
    if plain.status != "optimal":
        pytest.skip("plain search met its cap")
    found = sabna.search(graph, gap_tolerance=0.0)
    assert found.status == "optimal"
    assert found.cost_quanta == plain.cost_quanta

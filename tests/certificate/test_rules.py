"""Protects from rules of the checker that prove too much: each by hand-made certificates, and against brute force."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import venv
from pathlib import Path

import numpy as np
import pytest

from sabna.certificate.checker import check_certificate as checker
from sabna.certificate.writing import CertificateFile, fingerprint, list_text
from sabna.parents.graph import ParentGraph
from tests.certificate.runs import certified, verdict
from tests.graphs import graph_of, optimum, random_graph


def three_in_a_ring() -> ParentGraph:
    """Each of three wants the other two, or one of them, or costs 12: clusters of k = 1 and 2 leave a half."""
    return graph_of([{0: 12, 0b010: 4, 0b100: 4}, {0: 12, 0b001: 4, 0b100: 4}, {0: 12, 0b001: 4, 0b010: 4}])


def claim(folder: Path, graph: ParentGraph, lower: int, lines: list[tuple[str, dict[str, object]]]) -> tuple[int, str]:
    """The verdict on a certificate of these lines, about a graph whose best network is said to cost `lower`."""
    file, proof = folder / "graph.pg", folder / "proof.cert"
    graph.save(file)
    certificate = CertificateFile(proof)
    certificate.line("graph", sha256=fingerprint(graph), variables=graph.n, sets=len(graph))
    for word, fields in lines:
        certificate.line(word, **fields)  # type: ignore[arg-type]
    chosen = best_choice(graph)
    cost = int(graph.costs[chosen].sum())
    certificate.line("network", cost=cost, sets=chosen)
    certificate.end(lower, cost, 0, "optimal" if lower == cost else "time_limit")
    return verdict(proof, file)


def best_choice(graph: ParentGraph) -> list[int]:
    """The best network by trying all, as places in the graph."""
    lists = [range(graph.offsets[i], graph.offsets[i + 1]) for i in range(graph.n)]
    best: tuple[int, list[int]] | None = None
    for chosen in itertools.product(*lists):
        cost = int(graph.costs[list(chosen)].sum())
        if (best is None or cost < best[0]) and acyclic(graph, chosen):
            best = (cost, list(chosen))
    assert best is not None
    return best[1]


def acyclic(graph: ParentGraph, chosen: tuple[int, ...]) -> bool:
    """Whether some order of the variables has all parents before their children."""
    parents = [{v for v in range(graph.n) if int(graph.sets[p, 0]) >> v & 1} for p in chosen]
    orders = itertools.permutations(range(graph.n))
    return any(all(parents[v] <= set(order[:k]) for k, v in enumerate(order)) for order in orders)


PAIRS = [("cluster", {"id": k + 1, "k": 1, "members": pair}) for k, pair in enumerate([(0, 1), (0, 2), (1, 2)])]


def test_clusters_bound_a_ring(tmp_path: Path) -> None:
    """Pairs say that one of two has no parent among them: 4 + 4 + 12 = 20 is the optimum, and weights of 4 reach 18."""
    graph = three_in_a_ring()
    assert optimum(graph) == 20
    weights = ("weights", {"id": 1, "rows": (1, 2, 3), "y": (4, 4, 4)})
    lines = [*PAIRS, weights, ("bound", {"part": 0, "by": 1})]
    assert claim(tmp_path, graph, 12, lines)[0] == 0
    code, words = claim(tmp_path, graph, 20, lines)
    assert code == 1
    assert "proven" in words


def test_a_cluster_of_all_closes_a_ring_and_so_does_a_cut_made_of_it(tmp_path: Path) -> None:
    """The triple says that one has no parents at all: 12 + 8. Twice the triple, halved, is the same row again."""
    graph = three_in_a_ring()
    triple = ("cluster", {"id": 4, "k": 1, "members": (0, 1, 2)})
    bound = ("bound", {"part": 0, "by": 1})
    assert claim(tmp_path, graph, 20, [triple, ("weights", {"id": 1, "rows": (4,), "y": (8,)}), bound])[0] == 0
    cuts = [
        ("cluster", {"id": 5, "k": 1, "members": (0,)}),
        ("cluster", {"id": 6, "k": 1, "members": (1,)}),
        ("cut", {"id": 1, "rows": (4,), "times": (2,), "divisor": 2}),
        ("cut", {"id": 2, "rows": (1, 5, 6), "times": (3, 2, -2), "divisor": 2}),
        ("cut", {"id": 3, "rows": (1,), "times": (3,), "divisor": 3}),
    ]
    for cut, z, works in ((1, 8, True), (1, 7, False), (3, 8, True), (2, 8, False)):
        weights = ("weights", {"id": 1, "rows": (cut,), "y": (z,)})
        code, words = claim(tmp_path, graph, 20, [triple, *cuts, weights, bound])
        assert code == (0 if works else 1), words


def test_cuts_hold_for_every_network() -> None:
    """Random cuts, and cuts of cuts, against all networks of small graphs."""
    rng = random.Random(3)
    for seed in range(15):
        graph = random_graph(seed, 4, sets=6, costs=50)
        made = checker.Derivation(whole(graph))
        for k, size in ((1, 1), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4)):
            for members in itertools.combinations(range(4), size):
                apply(made, "cluster", id=len(made.rows), k=k, members=members)
        for number in range(20, 26):
            others = [*rng.sample(range(4, 20), 3), *range(20, number)[-3:]]
            times = [rng.randint(-2, 2) for _ in range(4)] + [rng.randint(0, 2) for _ in others]
            apply(made, "cut", id=number, rows=[0, 1, 2, 3, *others], times=times, divisor=rng.choice((2, 2, 3)))
        lists = [range(graph.offsets[i], graph.offsets[i + 1]) for i in range(graph.n)]
        rows = list(made.rows.values())
        assert len(rows) == 4 + 16 + 6
        coefficients = [(row.coefficients(made.parts[0], {}), row.k) for row in rows]
        for chosen in itertools.product(*lists):
            if acyclic(graph, chosen):
                assert all(a[list(chosen)].sum() >= r for a, r in coefficients)


def whole(graph: ParentGraph) -> checker.Graph:
    child = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    return checker.Graph(list(graph.names), child, graph.costs, checker.bools_of(graph.sets, graph.n), {})


def apply(derivation: checker.Derivation, word: str, **fields: object) -> None:
    """A line, as the file would have it."""
    texts = {name: str(v) if isinstance(v, int | str) else list_text(v) for name, v in fields.items()}  # type: ignore[arg-type]
    derivation.apply(word, checker.Fields(texts))


@pytest.mark.parametrize("kind", ["arc", "order"])
def test_branches_are_exhaustive(tmp_path: Path, kind: str) -> None:
    """Both alternatives together give the optimum; one that is left out gives nothing."""
    for seed in range(12):
        graph = random_graph(seed, 4, sets=8, costs=100)
        branch = ("branch", {"part": 0, "parts": (1, 2), "kind": kind, "variables": (0, 1)})
        solved = [("solve", {"part": 1}), ("solve", {"part": 2})]
        assert claim(tmp_path, graph, optimum(graph), [branch, *solved])[0] == 0, seed
        assert claim(tmp_path, graph, optimum(graph) - 10**9, [branch, solved[0]])[0] == 0
    assert claim(tmp_path, graph, optimum(graph), [("branch", {**branch[1], "parts": (1,)}), solved[0]])[0] == 1
    assert claim(tmp_path, graph, optimum(graph), [("branch", {**branch[1], "kind": "hope"}), *solved])[0] == 1


@pytest.mark.parametrize(
    "lines",
    [
        [("split", {"part": 0, "to": (1, 1)}), ("solve", {"part": 1})],  # a variable is missing
        [("split", {"part": 0, "to": (1, 1, 0)})],  # part 0 is there already
        [("drop", {"part": 0, "sets": (0,)})],  # not dominated
        [("cluster", {"id": 1, "k": 3, "members": (0, 1)})],  # too few members
        [("cluster", {"id": 1, "k": 1, "members": (0, 0)})],
        [("cluster", {"id": 1, "k": 1, "members": (0, 1)}), ("weights", {"id": 1, "rows": (1,), "y": (-1,)})],
        [("leave-out", {"sets": (0,)}), ("leave-out", {"sets": (0,)})],
        [("solve", {"part": 0}), ("leave-out", {"sets": (0,)})],  # too late
        [*PAIRS[:1], ("cut", {"id": 1, "rows": (1,), "times": (-1,), "divisor": 2})],
        [("hope", {})],
        [("bound", {"part": 7, "by": 1})],
        [("weights", {"id": 1, "rows": (9,), "y": (1,)})],
        [*PAIRS[:1], ("weights", {"id": 1, "rows": (1,), "y": (1 << 62,)}), ("bound", {"part": 0, "by": 1})],
    ],
)  # fmt: skip
def test_lines_that_prove_nothing_are_refused(tmp_path: Path, lines: list[tuple[str, dict[str, object]]]) -> None:
    code, words = claim(tmp_path, three_in_a_ring(), 20, lines)
    assert code == 1
    assert words.startswith("REFUSED: line ")


def test_tables_of_groups_agree_with_brute_force() -> None:
    """Bounds of patterns at every node are at most the true cost to go, and exact for one group."""
    from tests.graphs import costs_to_go

    rng = random.Random(8)
    for seed in range(25):
        n = rng.randint(2, 6)
        graph = random_graph(seed, n, sets=10, costs=rng.choice((5, 1000)), empty_sets=rng.random() < 0.7)
        part, to_go = whole(graph), costs_to_go(graph)
        clusters: checker.Weights = []
        for _ in range(rng.randint(0, 5)):
            size = rng.randint(2, n)
            members = np.sort(np.array(rng.sample(range(n), size)))
            clusters.append((checker.Row(rng.randint(1, min(2, size - 1)), members), rng.randrange(400)))
        placed = checker.bools_of(np.arange(1 << n, dtype=np.uint64).reshape(-1, 1), n)
        group_of = np.array([rng.randrange(3) for _ in range(n)])
        for groups in (group_of, np.arange(n)):
            bound = checker.Bound(part, clusters, groups)
            values = bound.after(placed.T)
            assert values[0] == bound.value
            assert all(rest is None or value <= rest for value, rest in zip(values.tolist(), to_go, strict=True))
            after_each = bound.after_each(placed.T)
            for v in range(n):  # the bound of U + v, unless it is infinite for U
                without = np.flatnonzero(~placed[:, v] & (values < checker.INFINITE))
                assert (np.minimum(after_each[v, without], checker.INFINITE) == values[without | 1 << v]).all()
        assert checker.Bound(part, [], np.zeros(n, np.int64)).value == optimum(graph)


def test_the_story_tells_every_step(tmp_path: Path) -> None:
    """Every step of a part is one sentence; what parts prove together comes last."""
    strike = {"part": 1, "target": 20, "by": 1}
    lines = [
        ("split", {"part": 0, "to": (1, 1, 1)}),
        ("cluster", {"id": 1, "k": 1, "members": (0, 1, 2)}),
        ("weights", {"id": 1, "rows": (1,), "y": (8,)}),
        ("strike", {**strike, "sets": (0,)}),
        ("strike", {**strike, "sets": (3, 4)}),
        ("bound", {"part": 1, "by": 1}),
    ]
    assert claim(tmp_path, three_in_a_ring(), 20, lines)[0] == 0
    told = verdict(tmp_path / "proof.cert", tmp_path / "graph.pg", "--explain")[1].splitlines()
    by = "by weights (clusters: 1, cuts: 0)"
    assert told[:5] == [
        "part 0 (variables: 3, sets: 9): falls apart: part 1 (variables: 3)",
        f"part 1 (variables: 3, sets: 9): 1 struck out {by}: in no network that costs less than 0.000000 nats",
        f"part 1 (variables: 3, sets: 8): 2 struck out {by}: in no network that costs less than 0.000000 nats",
        f"part 1 (variables: 3, sets: 6): no network costs less than 0.000000 nats, {by}",
        "so part 0 costs at least 0.000000 nats, the sum of what its parts cost",
    ]
    parents = ["'X1'", "'X2'", "none"]
    assert told[5:8] == [f"the network given: 'X{i}' has the parents {those}" for i, those in enumerate(parents)]
    assert told[8].startswith("Checked: ")


def test_the_checker_runs_in_an_environment_with_numpy_and_nothing_else(tmp_path: Path) -> None:
    """The two files lie by themselves; of what is installed here, a new environment gets numpy alone."""
    graph = random_graph(4, 7, sets=9)
    _, proof, file = certified(graph, tmp_path, {"n_jobs": 1})
    venv.create(tmp_path / "alone", symlinks=True)
    python = tmp_path / "alone/bin/python"
    (packages,) = (tmp_path / "alone/lib").glob("python*/site-packages")
    for part in ("numpy", "numpy.libs"):
        if (there := Path(np.__file__).parents[1] / part).exists():
            (packages / part).symlink_to(there)
    source = Path(checker.__file__)
    for name in ("check_certificate.py", "check_scores.py"):
        text = source.with_name(name).read_text()
        assert "import sabna" not in text
        assert "from sabna" not in text
        (tmp_path / "alone" / name).write_text(text)
    nothing = [str(python), "-I", "-c", "import sabna"]
    assert subprocess.run(nothing, capture_output=True, cwd=tmp_path).returncode == 1
    for suffix in (".jkl", ".pss"):
        graph.save(file.with_suffix(suffix))
        command = [str(python), "-I", "alone/check_certificate.py", str(proof), str(file.with_suffix(suffix))]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env={"PATH": os.environ["PATH"]})
        assert done.returncode == 0, done.stdout + done.stderr
        assert "ACCEPTED" in done.stdout
    command[2:3], no_table = ["alone/check_scores.py"], ["--data", "nowhere.csv"]
    done = subprocess.run([*command, *no_table], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert "Checked: no network made of" in done.stdout
    assert "NOT CHECKED: the table: " in done.stderr

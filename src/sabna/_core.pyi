"""The native core of sabna. Use the functions of the package instead."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

def build_parent_graph(
    codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    score: str,
    parameter: float,
    max_parents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    threads: int,
    seconds: float,
    bytes: int,
    progress: object | None,
    allowed: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)]
    | None = None,
    hear: object | None = None,
) -> dict[str, Any]:
    """
    Build the parent graph of a coded table; `allowed`: the possible parents of each variable, as sets; `hear` is called with short lists of the sets so far: offsets, costs, sets, floor, settled (core/parents/so_far.h). Keys: offsets, costs, sets, evaluated, counted, peak_bytes, stop, floor.
    """

def prune_dominated(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
) -> tuple[Any, ...]:
    """
    Sort each variable's sets by cost and remove those that cost no less than one of their subsets.
    """

def best_parents(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    available: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    sliced: bool,
) -> tuple[Any, ...]:
    """
    d(i, U) for many pairs: costs (2^62: no set fits) and positions in the graph (-1).
    """

def local_costs(
    codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    score: str,
    parameter: float,
    children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The exact costs of given families."""

largest_dense_component: int = 25

def alternatives(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    count: int,
    slack: int,
    seconds: float = -1.0,
    bytes: int = 18446744073709551615,
    progress: object | None = None,
) -> dict[str, Any]:
    """
    The `count` best networks within `slack` quanta of the best: costs, and choices (a position per variable).
    """

def branch_networks(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_k: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    cluster_y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    best: int,
    count: int,
    slack: int,
    most_visited: int = -1,
    seconds: float = -1.0,
    bytes: int = 18446744073709551615,
    progress: object | None = None,
) -> dict[str, Any]:
    """
    The `count` best networks within `slack` of `best`, by branching on parent sets with cluster weights.
    """

def combine_costs(
    parts: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)]],
    count: int,
    slack: int,
    seconds: float = -1.0,
    bytes: int = 18446744073709551615,
) -> dict[str, Any]:
    """
    Sums of one cost of every ascending list, cheapest first: costs, and a position per list for each.
    """

def build_gaussian(
    values: NDArray[numpy.float64],
    score: str,
    alpha_mu: float,
    alpha_w: float,
    required: NDArray[numpy.uint64],
    allowed: NDArray[numpy.uint64],
    limits: NDArray[numpy.int32],
    slack: int,
    threads: int,
    seconds: float = -1.0,
    bytes: int = 18446744073709551615,
    progress: object | None = None,
    hear: object | None = None,
) -> tuple[
    tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.uint64]], NDArray[numpy.int64], int, int, int
]:
    """
    The parent graph of bic-g or bge: (offsets, costs, sets), floors, sets evaluated, peak bytes, reason of a stop. `hear` as for build_parent_graph.
    """

def gaussian_costs(
    values: NDArray[numpy.float64],
    score: str,
    alpha_mu: float,
    alpha_w: float,
    children: NDArray[numpy.int64],
    parents: list[list[int]],
) -> NDArray[numpy.int64]:
    """Costs in quanta of families: a child and its parents, ascending."""

def search(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    strategy: str,
    heuristic: str,
    groups: int,
    grouping: str,
    path_extension: bool,
    scc_branching: bool,
    prune: bool,
    tolerance: int,
    threads: int,
    known_order: Sequence[int],
    seconds: float,
    bytes: int,
    progress: object | None,
) -> dict[str, Any]:
    """Search the order lattice of a parent graph."""

def local_search(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    seed: int,
    restarts: int,
    kicks: int,
    work: int,
    start: Sequence[int],
    seconds: float,
    bytes: int,
    progress: object | None,
) -> dict[str, Any]:
    """
    A good network by order-based local search, from the order `start` unless that is empty.
    """

def components(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
) -> list[list[int]]:
    """
    The strongly connected components of `may be a parent of`, parents first.
    """

def extract_component(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    members: Sequence[int],
) -> tuple[Any, ...]:
    """
    One component as a parent graph, and the position in the whole graph of each of its sets.
    """

def heuristic_values(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    heuristic: str,
    groups: int,
    grouping: str,
    placed: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """A heuristic at the given nodes of the order lattice."""

def build_child_by_child(
    codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    score: str,
    parameter: float,
    required: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    allowed: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    limits: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    children: Sequence[int],
    slack: int,
    threads: int,
    seconds: float,
    bytes: int,
    progress: object | None,
    hear: object | None = None,
) -> dict[str, Any]:
    """
    The parent lists of some variables, child by child; `hear` as for build_parent_graph. Keys: offsets, costs, sets, evaluated, peak_bytes, stop, floor.
    """

def cluster_reduced_costs(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_k: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    cluster_y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[Any, ...]:
    """
    The cluster bound at the root: (bound, reduced cost per set, least per variable), in quanta.
    """

def dual_ascent(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_k: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    cluster_y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target: int,
    work: int,
    seed: int,
    seconds: float,
    bytes: int,
    progress: object | None,
) -> tuple[Any, ...]:
    """Raise cluster weights greedily: (bound, sets, k, y, work done, stop)."""

def fix_by_reduced_costs(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_k: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    cluster_y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target: int,
) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """1 for every parent set that a network below the target may use."""

def search_weighted(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_k: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    cluster_y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    patterns: Sequence[
        tuple[
            Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
        ]
    ],
    strategy: str,
    path_extension: bool,
    scc_branching: bool,
    prune: bool,
    upper: int,
    tolerance: int,
    known_order: Sequence[int],
    threads: int,
    seconds: float,
    bytes: int,
    progress: object | None,
) -> dict[str, Any]:
    """
    Search the order lattice with the heuristic dual-pattern, or cuts where there is no pattern.
    """

def weighted_values(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_k: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    cluster_y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    patterns: Sequence[
        tuple[
            Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
        ]
    ],
    placed: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    The heuristic dual-pattern, or cuts where there is no pattern, at the given nodes of the order lattice.
    """

def fix_sets(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    patterns: Sequence[
        tuple[
            Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
        ]
    ],
    target: int,
    threads: int,
    seconds: float,
    bytes: int,
    progress: object | None,
) -> tuple[Any, ...]:
    """
    Fix by pattern databases on reduced costs: (bound of each pattern, 1 per set that may stay, stop).
    """

def best_of_groups(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    pattern: tuple[
        Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
        Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    ],
    threads: int,
    seconds: float,
    bytes: int,
    progress: object | None,
) -> tuple[Any, ...]:
    """
    The cheapest network of each group on reduced costs: (bound, parent set per variable, order, stop).
    """

def count_credits(
    order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    n: int,
    cluster_sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_k: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    How many variables of a group, placed in this order with these parents, earn each cluster's credit.
    """

def choose_groups(
    n: int,
    cluster_sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_k: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    cluster_y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    largest: int,
    partitions: int,
    seed: int,
) -> list[Any]:
    """
    Partitions into groups that few weighty clusters cross: sets [groups, words] each.
    """

def separate_clusters(
    variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n: int,
    k: int,
    least_violation: float,
    most: int,
) -> tuple[Any, ...]:
    """
    Clusters whose cut the point x breaks: (sets, violations), deepest first.
    """

def cluster_rows(
    variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    n: int,
    cluster_sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_k: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[Any, ...]:
    """Cluster cuts as sparse rows over columns: (starts, column positions)."""

def dense_search(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    threads: int,
    seconds: float,
    bytes: int,
    progress: object | None,
) -> tuple[Any, ...]:
    """
    The whole lattice as one table: (stop, cost, position of each variable's parent set, subsets).
    """

def dense_bytes(n: int, threads: int) -> int:
    """Memory that dense_search takes."""

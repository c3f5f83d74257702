"""The native core of sabna. Use the functions of the package instead."""

from collections.abc import Sequence
import enum
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

class Stop(enum.IntEnum):
    """Why a run ended; `none`: it came to its end."""

    none = 0

    time_limit = 1

    memory_limit = 2

    interrupted = 3

class Limits:
    """What one call may take; below 0 seconds there is no time limit."""

    def __init__(
        self, seconds: float = -1.0, bytes: int = 18446744073709551615, *, halted: object | None = None
    ) -> None: ...
    @property
    def seconds(self) -> float: ...
    @property
    def bytes(self) -> int: ...

class GraphArrays:
    """A parent graph: offsets [n + 1], costs [N] in quanta, sets [N, words]."""

    @property
    def offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def costs(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def sets(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]: ...

class Built(GraphArrays):
    """What a builder made of a table, or what a limit left of it."""

    @property
    def floor(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """No set of variable i that was not scored costs less."""

    @property
    def evaluated(self) -> int: ...
    @property
    def counted(self) -> int: ...
    @property
    def peak_bytes(self) -> int: ...
    @property
    def stop(self) -> Stop: ...

class Outcome:
    """What a search returns, however it ended."""

    @property
    def stop(self) -> Stop: ...
    @property
    def known(self) -> bool:
        """Whether there is a network, not a bare cost."""

    @property
    def cost(self) -> int: ...
    @property
    def order(self) -> list[int]: ...
    @property
    def choice(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Per variable the position of its parent set."""

    @property
    def lower(self) -> int: ...
    @property
    def expanded(self) -> int: ...
    @property
    def generated(self) -> int: ...
    @property
    def stored(self) -> int: ...
    @property
    def pruned(self) -> int: ...
    @property
    def nodes_expected(self) -> float:
        """About so many nodes have to be stored in the end (A*); 0: not known."""

    @property
    def bytes_per_node(self) -> float: ...
    @property
    def peak_bytes(self) -> int: ...
    @property
    def recorded(self) -> bool:
        """Whether `expanded_sets` has all that was expanded."""

    @property
    def expanded_sets(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """Words, one set after the other."""

class FirstFits:
    """Costs (2^62: no set fits) and positions in the graph (-1)."""

    @property
    def costs(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def positions(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def build_parent_graph(
    codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    score: str,
    parameter: float,
    max_parents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    threads: int,
    limits: Limits,
    progress: object | None = None,
    allowed: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)]
    | None = None,
    hear: object | None = None,
) -> Built:
    """
    Build the parent graph of a coded table; `allowed`: the possible parents of each variable, as sets; `hear` is called with short lists of the sets so far: graph, floor, settled (core/parents/so_far.h).
    """

def prune_dominated(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
) -> GraphArrays:
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
) -> FirstFits:
    """d(i, U) for many pairs."""

def local_costs(
    codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    score: str,
    parameter: float,
    children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The exact costs of given families."""

class Slice:
    """
    What a run of sets of a level is extended to; see core/parents/level_walk.h.
    """

    @property
    def child_mask(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]: ...
    @property
    def alive(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]: ...
    @property
    def narrow(self) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]: ...
    @property
    def best(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...
    @property
    def scored_sets(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]: ...
    @property
    def scored_costs(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def scored_children(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def scored_unsure(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...
    @property
    def floor(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def evaluated(self) -> int: ...
    @property
    def counted(self) -> int: ...
    @property
    def stop(self) -> Stop: ...

class SliceBuilder:
    """Builds a parent graph level by level, each level in slices."""

    @property
    def level(self) -> int:
        """Size of the sets extended next."""

    @property
    def sets(self) -> int: ...
    def empty_costs(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    def floor(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    def walk(self, begin: int, end: int, threads: int, limits: Limits, progress: object | None) -> Slice:
        """Walk some sets of the level."""

    def advance(
        self,
        child_masks: Sequence[
            Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)]
        ],
        alive: Sequence[
            Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)]
        ],
        narrow: Sequence[
            Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)]
        ],
        best: Sequence[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)]],
    ) -> None:
        """
        Go to the next level, given the arrays of all slices; of a level that is not the last one, the masks.
        """

    def take(
        self,
        sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
        costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        unsure: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        floor: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        complete: bool,
        evaluated: int,
        counted: int,
    ) -> None:
        """Take the families that a level scored."""

    def finish(self, complete: bool) -> Built:
        """The parent graph of all families taken."""

def slice_builder(
    codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    score: str,
    parameter: float,
    max_parents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    allowed: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)]
    | None = None,
) -> SliceBuilder:
    """
    A builder of the parent graph of a coded table; `allowed`: the possible parents of each variable, as sets.
    """

largest_dense_component: int = 25

class Alternatives:
    """Networks, cheapest first; choices [networks * n]."""

    @property
    def costs(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def choices(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def complete(self) -> bool: ...
    @property
    def stop(self) -> Stop: ...
    @property
    def too_large(self) -> int: ...
    @property
    def visited(self) -> int: ...

class BranchingResult:
    """
    As Alternatives; nothing within `within` quanta of the best is missing.
    """

    @property
    def costs(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def choices(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...
    @property
    def complete(self) -> bool: ...
    @property
    def cut(self) -> bool: ...
    @property
    def within(self) -> int: ...
    @property
    def gave_up(self) -> bool: ...
    @property
    def stop(self) -> Stop: ...
    @property
    def visited(self) -> int: ...

class Combined:
    """
    Sums, cheapest first, and the position taken in every list [sums * lists].
    """

    @property
    def costs(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def positions(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...
    @property
    def cut(self) -> bool: ...
    @property
    def stop(self) -> Stop: ...

def alternatives(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    count: int,
    slack: int,
    limits: Limits,
    progress: object | None = None,
) -> Alternatives:
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
    most_visited: int,
    limits: Limits,
    progress: object | None = None,
) -> BranchingResult:
    """
    The `count` best networks within `slack` of `best`, by branching on parent sets with cluster weights.
    """

def combine_costs(
    parts: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)]],
    count: int,
    slack: int,
    limits: Limits,
) -> Combined:
    """
    Sums of one cost of every ascending list, cheapest first: costs, and a position per list for each.
    """

def build_gaussian(
    values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    score: str,
    alpha_mu: float,
    alpha_w: float,
    required: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    allowed: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    parent_limits: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    slack: int,
    threads: int,
    limits: Limits,
    progress: object | None = None,
    hear: object | None = None,
) -> Built:
    """The parent graph of bic-g or bge; `hear` as for build_parent_graph."""

def gaussian_costs(
    values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    score: str,
    alpha_mu: float,
    alpha_w: float,
    children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parents: Sequence[Sequence[int]],
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """Costs in quanta of families: a child and its parents, ascending."""

def build_mixed(
    arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    was_set: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    rows: int,
    score: str,
    parameters: Sequence[float],
    required: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    allowed: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    parent_limits: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    slack: int,
    threads: int,
    limits: Limits,
    progress: object | None = None,
    hear: object | None = None,
) -> Built:
    """
    The parent graph of bcg, bic-cg or pnal; `hear` as for build_parent_graph.
    """

def mixed_costs(
    arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    was_set: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    rows: int,
    score: str,
    parameters: Sequence[float],
    children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parents: Sequence[Sequence[int]],
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Costs in quanta of families: a child and its parents, ascending; 2^62 where a family has no value.
    """

class Component(GraphArrays):
    """A component as a parent graph of its own."""

    @property
    def origin(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Per set its position in the whole graph."""

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
    limits: Limits,
    progress: object | None = None,
    layers: object | None = None,
    checkpoints: object | None = None,
) -> Outcome:
    """
    Search the order lattice; `layers` keeps those of a breadth-first search, `checkpoints` how far A* is.
    """

def local_search(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    seed: int,
    restarts: int,
    kicks: int,
    crossings: int,
    work: int,
    starts: Sequence[Sequence[int]],
    threads: int,
    limits: Limits,
    progress: object | None = None,
) -> Outcome:
    """
    A good network by order-based local search, from the orders `starts` and then from random ones.
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
) -> Component:
    """One component as a parent graph."""

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

class LayerPiece:
    """Expanded nodes and their children; see core/search/layer_files.h."""

    @property
    def layer(self) -> int: ...
    @property
    def words(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...
    @property
    def costs(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def child_words(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...
    @property
    def child_costs(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def child_begin(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def build_child_by_child(
    codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    score: str,
    parameter: float,
    required: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    allowed: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    parent_limits: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    children: Sequence[int],
    slack: int,
    threads: int,
    limits: Limits,
    progress: object | None = None,
    hear: object | None = None,
) -> Built:
    """
    The parent lists of some variables, child by child; `hear` as for build_parent_graph.
    """

def build_every_set(
    codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    score: str,
    parameter: float,
    required: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    allowed: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    parent_limits: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    children: Sequence[int],
    threads: int,
    limits: Limits,
    progress: object | None = None,
) -> Built:
    """
    Every parent set of some variables, none left out; for up to `every_set_most_variables`.
    """

every_set_most_variables: int = 24

class ReducedCosts:
    """The cluster bound at the root, and the reduced costs behind it."""

    @property
    def bound(self) -> int: ...
    @property
    def cost(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Per parent set."""

    @property
    def least(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Per variable."""

class Ascent:
    """Clusters with raised weights, and their bound."""

    @property
    def bound(self) -> int: ...
    @property
    def sets(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]: ...
    @property
    def k(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def y(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def work(self) -> int:
        """Parent sets looked at."""

    @property
    def stop(self) -> Stop: ...

class Cuts:
    """Clusters whose cut a point breaks, and by how much."""

    @property
    def sets(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]: ...
    @property
    def violations(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class SparseRows:
    """Row c has the columns at start[c]:start[c + 1]."""

    @property
    def start(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    @property
    def column(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

class Fixed:
    """The bound of each pattern; 1 for every parent set that may stay."""

    @property
    def bounds(self) -> list[int]: ...
    @property
    def keep(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...
    @property
    def by(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """Bits of the patterns that strike a set out."""

    @property
    def stop(self) -> Stop: ...

class GroupBest:
    """The cheapest networks of the groups of a pattern, and its bound."""

    @property
    def bound(self) -> int: ...
    @property
    def order(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    @property
    def choice(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Per variable the position of its parent set."""

    @property
    def stop(self) -> Stop: ...

def cluster_reduced_costs(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_k: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    cluster_y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> ReducedCosts:
    """The cluster bound at the root, in quanta."""

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
    limits: Limits,
    progress: object | None = None,
) -> Ascent:
    """Raise cluster weights greedily."""

def volume_ascent(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_k: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    cluster_y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target: int,
    work: int,
    threads: int,
    limits: Limits,
    progress: object | None = None,
) -> Ascent:
    """Raise cluster weights by the volume algorithm."""

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
    limits: Limits,
    progress: object | None = None,
    record: bool = False,
    nodes_at_once: int = 1,
    most_nodes: int = 0,
    layers: object | None = None,
    checkpoints: object | None = None,
) -> Outcome:
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
    limits: Limits,
    progress: object | None = None,
) -> Fixed:
    """Fix by pattern databases on reduced costs."""

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
    limits: Limits,
    progress: object | None = None,
) -> GroupBest:
    """The cheapest network of each group on reduced costs."""

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
    threads: int,
) -> Cuts:
    """Clusters whose cut the point x breaks, deepest first."""

def cluster_walks(
    variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n: int,
    starts: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    k: int,
    least_violation: float,
    round: int,
    most: int,
    blocks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)]
    | None = None,
    unions: int = 0,
    singles: bool = True,
    stale: int = 0,
    threads: int = 1,
) -> Cuts:
    """
    Clusters of any size whose cut the point x breaks, by walks from those given, and from random unions of blocks; deepest first.
    """

def cluster_rows(
    variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    n: int,
    cluster_sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    cluster_k: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> SparseRows:
    """Cluster cuts as sparse rows over columns."""

def dense_search(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    threads: int,
    limits: Limits,
    progress: object | None = None,
) -> Outcome:
    """The whole lattice as one table; all its subsets are expanded."""

def dense_bytes(n: int, threads: int) -> int:
    """Memory that dense_search takes."""

class Posterior:
    """Sums over all networks of some parent sets."""

    @property
    def edges(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """At [u * n + j] the probability that u is a parent of j."""

    @property
    def choices(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        Of the networks drawn, n positions each: which of its parent sets a variable has.
        """

    @property
    def log_total(self) -> float: ...
    @property
    def possible(self) -> bool:
        """Whether there is a network."""

    @property
    def stop(self) -> Stop: ...

def posterior(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    uniform: bool,
    samples: int,
    seed: int,
    threads: int,
    limits: Limits,
    progress: object | None = None,
) -> Posterior:
    """Probabilities of edges, and networks drawn from the posterior."""

def posterior_bytes(n: int, threads: int) -> int:
    """Memory that posterior takes."""

class Combinations:
    """
    Combination c adds up the rows at row_start[c]:row_start[c + 1], and the equations of variables likewise.
    """

    @property
    def row_start(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def row(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def variable_start(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def variable(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def zero_half(
    variable: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parity: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    odd: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
    slack: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    orders: int,
    seed: int,
    most: int,
) -> Combinations:
    """
    Combinations of rows that a point breaks once halved, the most broken first.
    """

def keep_columns(
    matrix: Annotated[NDArray[numpy.int16], dict(shape=(None, None), order="C", device="cpu")],
    which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> None:
    """
    Move these columns, ascending, to the beginning of the matrix's memory, row after row.
    """

class LocalCutRows:
    """
    Cut c has the blocks block_start[c]:block_start[c + 1], a right side, and the entries start[c]:start[c + 1], each a block and a set of blocks, by their places in the cut, and a coefficient.
    """

    @property
    def start(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def member(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def family(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def coefficient(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def right(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def block_start(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def blocks(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]: ...
    @property
    def stop(self) -> Stop: ...

def local_cuts(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    largest: int,
    most_per_variable: int,
    seed: int,
    blocks: bool,
    threads: int,
    limits: Limits,
) -> LocalCutRows:
    """
    Local cuts that a point breaks, the deepest first: of single variables, or of blocks of some.
    """

def local_rows(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    sets: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    member: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    family: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    coefficient: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    block_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    blocks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    rows: Annotated[NDArray[numpy.int16], dict(shape=(None, None), order="C", device="cpu")],
) -> None:
    """Writes the coefficients of local cuts into `rows`, which hold 0."""

"""The result of a search: the best network known, the proof, and how it was found.

A result is complete in itself: saved as JSON and read again, it prints, compares and makes the same report.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sabna.base.atomic import atomic_write
from sabna.base.cost import QUANTA_PER_NAT
from sabna.base.errors import DataError
from sabna.base.stop import CONVERGED, STATUSES
from sabna.base.texts import check_file_name
from sabna.base.version import __version__
from sabna.network import Network
from sabna.network.files import check_dialect
from sabna.network.files.jsonfile import load, network_fields, network_from_fields
from sabna.network.parameters import DEFAULT_PRIOR, as_table, cells
from sabna.network.strengths import local_costs_of, strengths
from sabna.result.confidence import with_bootstrap
from sabna.result.document import checked_fields, is_status
from sabna.result.views import view

if TYPE_CHECKING:
    from sabna.alternatives.networks import Alternatives
    from sabna.network import Difference
    from sabna.network.equivalence import CPDAG
    from sabna.network.strengths import ArcStrength

# A result holds the tables of its network up to this many cells; beyond, `network.fit(data)` makes them when needed.
MAX_DETAILED_CELLS = 200_000

# Files that hold a figure of a result.
FIGURES = (".svg", ".pdf", ".png")

# How the parameters of a result are estimated, in the words of its `run`.
ESTIMATE = "posterior mean under a prior of equivalent sample size 1"

# Keys of the JSON object that are fields or computed from fields; any other key is a section of `statistics`.
_OWN_KEYS = frozenset(
    """status score cost lower_bound upper_bound gap gap_tolerance quantum cost_quanta lower_bound_quanta n rows
    score_type variables parents order states tables gaussian mixed preparation local_costs arcs certificate run seconds
    peak_memory_bytes version
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True, eq=False)
class Result:
    """A network with its status and bounds. Costs are in quanta (2^-30 nat, lower is better).

    `status` is "optimal" when `cost_quanta - lower_bound_quanta` is at most the gap tolerance, otherwise it says what
    ended the run; after EM it is "converged", and cost and bounds are those given the completed counts of the last
    round. `statistics` holds the sections "parent_graph" and "search" of the JSON output, and the "trace".
    Where the data was at hand, `local_costs` has the cost of each variable with its parents and `arcs` the strength of
    each edge; `run` says how the result came about: the call, its options, the source of the data. `certificate` tells
    of the file the proof was written to, if there is one: its name, what it proves, and whether it has been checked.
    `rows` and `score_type` say what was scored, `seconds` and `peak_memory_bytes` what the run took.

    >>> import sabna
    >>> result = sabna.learn("example:asia")
    >>> result.is_optimal, result.gap, result.rows, len(result.network.edges)
    (True, 0.0, 2000, 7)
    """

    network: Network
    status: str
    cost_quanta: int
    lower_bound_quanta: int
    gap_tolerance: float = 1e-6
    rows: int | None = None
    score_type: str | None = None
    seconds: float = 0.0
    peak_memory_bytes: int = 0
    statistics: dict[str, Any] = field(default_factory=dict)
    local_costs: dict[str, int] | None = None
    arcs: tuple[ArcStrength, ...] | None = None
    run: dict[str, Any] = field(default_factory=dict)
    certificate: dict[str, Any] | None = None

    @property
    def cost(self) -> float:
        """Cost of the network in nats; lower is better."""
        return self.cost_quanta / QUANTA_PER_NAT

    @property
    def score(self) -> float:
        """Score of the network with its usual sign: natural logarithm, higher is better."""
        return 0.0 - self.cost  # not -0.0 for a cost of 0

    @property
    def upper_bound(self) -> float:
        """Cost of the best network known."""
        return self.cost

    @property
    def lower_bound(self) -> float:
        """No network costs less than this."""
        return self.lower_bound_quanta / QUANTA_PER_NAT

    @property
    def gap(self) -> float:
        """How far the network may be from the optimum, in nats."""
        return (self.cost_quanta - self.lower_bound_quanta) / QUANTA_PER_NAT

    @property
    def is_optimal(self) -> bool:
        """Whether the network is proven to be optimal, within the gap tolerance."""
        return self.status == "optimal"

    def compare(self, other: Result | Network) -> Difference:
        """How another result's network differs from this one; see Network.compare."""
        return self.network.compare(other.network if isinstance(other, Result) else other)

    def alternatives(self, data: Any, k: int | None = None, **options: Any) -> Alternatives:
        """The k best networks of `data`, or all within a Bayes factor, under the options of this result.

        `data` is what the result was learned from, or a ParentGraph built with slack. `options` are those of
        `sabna.kbest`: `bayes_factor`, `at_most`, limits.
        """
        found: Alternatives = view("alternatives")(self, data, k, **options)
        return found

    def cpdag(self) -> CPDAG:
        """The equivalence class of the network; under prior knowledge, and kinds of columns, its members that obey.

        Where variables were set it is the interventional class.
        """
        return self.network.cpdag(self.run.get("class_knowledge", self.run.get("knowledge")), self.run.get("targets"))

    def with_details(self, data: Any, **score_options: Any) -> Result:
        """The result with what only the data can tell: local costs, arc strengths and, unless huge, the parameters.

        Parameters are estimated under a Dirichlet prior of equivalent sample size 1 (of quantities: a prior worth one
        row), so that no row is impossible; `network.fit(data)` gives those of maximum likelihood.
        """
        data = as_table(data)
        costs_of = local_costs_of(data, self.score_type or "bic", **score_options)
        families = list(self.network.parents.items())
        local = {v: cost for (v, _), cost in zip(families, costs_of(families), strict=True) if cost is not None}
        network, run = self.network, self.run
        if cells(network, data) <= MAX_DETAILED_CELLS:
            try:
                network, run = network.fit(data, DEFAULT_PRIOR), {**run, "parameters": ESTIMATE}
            except DataError as error:  # quantities whose variance is no number
                self.statistics["left_out"] = f"parameters: {error}"
        arcs = strengths(network, costs_of, self.cpdag())
        return replace(self, network=network, local_costs=local, arcs=arcs, run=run)

    # --- in and out ------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of the command line."""
        document = {
            "status": self.status,
            "score": self.score,
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "upper_bound": self.upper_bound,
            "gap": self.gap,
            "gap_tolerance": self.gap_tolerance,
            "quantum": 1 / QUANTA_PER_NAT,
            "cost_quanta": self.cost_quanta,
            "lower_bound_quanta": self.lower_bound_quanta,
            "n": len(self.network.variables),
            "rows": self.rows,
            "score_type": self.score_type,
            **network_fields(self.network),
            "order": list(self.network.order),
        }
        if self.local_costs is not None:
            document["local_costs"] = self.local_costs
        if self.certificate is not None:
            document["certificate"] = self.certificate
        if self.arcs is not None:
            document["arcs"] = [arc.to_dict() for arc in self.arcs]
        return document | {
            **self.statistics,
            "run": self.run,
            "seconds": self.seconds,
            "peak_memory_bytes": self.peak_memory_bytes,
            "version": __version__,
        }

    @staticmethod
    def from_dict(document: Any, path: str = "the JSON object") -> Result:
        """Back from the JSON object."""
        if not isinstance(document, dict) or not is_status(document.get("status")):
            raise DataError(f"{path}: not a result of sabna: its status must be one of {', '.join(STATUSES)}")
        network = network_from_fields(document, path)
        try:
            return Result(network=network, **checked_fields(document, network, _OWN_KEYS))
        except ValueError as error:
            raise DataError(f"{path}: a part of the result is missing or broken: {error}") from error

    def with_bootstrap(self, found: Any) -> Result:
        """The result with the bootstrap confidence of its edges, which the report shows; `found` is of `bootstrap`."""
        return with_bootstrap(self, found)

    def save(self, path: str | os.PathLike[str], dialect: str | None = None) -> None:
        """Write the result: .json whole, .html as a report, .svg, .pdf and .png as a figure; else the network alone.

        `dialect` as for `Network.save`.
        """
        check_dialect(path, dialect)
        suffix = os.path.splitext(os.fspath(path))[1].lower()
        if suffix == ".json":
            atomic_write(path, json.dumps(self.to_dict(), indent=1) + "\n")
        elif suffix in (".html", ".htm"):
            atomic_write(path, view("page")(self))
        elif suffix in FIGURES:
            atomic_write(path, view("figure")(self, suffix))
        else:
            self.network.save(
                path, knowledge=self.run.get("knowledge"), targets=self.run.get("targets"), dialect=dialect
            )

    # --- for the eye -----------------------------------------------------------------------------------------------

    def plot(self, ax: Any = None) -> Any:
        """Draw the network with matplotlib (extra `plot`), on `ax` or a new figure; returns the axes.

        Width tells the strength of an edge, dashes that the data leave its direction open.
        """
        return view("plot")(self, ax)

    def plot_gap(self, ax: Any = None) -> Any:
        """Draw the bounds over time with matplotlib; returns the axes."""
        return view("gap")(self, ax)

    def plot_comparison(self, other: Result | Network, ax: Any = None) -> Any:
        """Draw this network and another in one: edges of both, added, lost and turned round; returns the axes."""
        return view("comparison")(self, other, ax)

    def __repr__(self) -> str:
        gap = "" if self.status in ("optimal", CONVERGED) else f", gap {self.gap:.4g}"
        return f"Result({self.status}, score {self.score:.4f}{gap}, {self.network!r})"

    def __str__(self) -> str:
        return str(view("text")(self))

    def _repr_html_(self) -> str:
        return str(view("html")(self))


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read a result that was saved as JSON at `path`, or printed by `--json`.

    >>> import os, sabna, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "asia.json")
    >>> sabna.learn("example:asia").save(path)
    >>> read_result(path).status
    'optimal'
    """
    check_file_name(path)
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        reason = error.strerror or error
        raise DataError(f"{os.fspath(path)}: cannot be read: {reason}; check the name of the file") from error
    try:
        document = load(content, os.fspath(path))
    except DataError as error:
        raise DataError(f"{error}; a result is what `sabna learn DATA -o result.json` writes") from error
    return Result.from_dict(document, os.fspath(path))

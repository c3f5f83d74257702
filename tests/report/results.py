"""A result to show: learned by nobody, scored for real."""

from __future__ import annotations

from dataclasses import replace

from sabna import Network, Result
from sabna.network.strengths import local_costs_of
from sabna.table import Table
from tests.network.test_network import as_codes


def made_up_result(network: Network, status: str = "optimal", rows: int = 300) -> Result:
    """The network with data sampled from it, and all that a run would add."""
    table = sampled_table(network, rows)
    cost = sum(local_costs_of(table, "bic")(list(network.parents.items())))
    bound = cost if status == "optimal" else cost - (1 << 33)
    bounds = [(0.0, 2.0, 1.5), (0.2, 1.0, 1.1), (0.5, 0.5, 1.0), (0.9, 0.0 if status == "optimal" else 0.2, 1.0)]
    nats = cost / 2**30
    result = Result(
        Network(network.variables, network.parents),
        status,
        cost,
        bound,
        rows=rows,
        score_type="bic",
        seconds=1.25,
        peak_memory_bytes=81_234_567,
        statistics={
            "parent_graph": {"sets": 671, "evaluated": 12034, "seconds": 0.12},
            "search": {"strategy": "auto", "heuristic": "dual-pattern", "expanded": 17, "seconds": 0.4},
            "trace": [
                {"seconds": t, "lower_bound": nats - 50 * gap, "upper_bound": nats * over} for t, gap, over in bounds
            ],
        },
        run={"command": "sabna learn data.csv", "source": "data.csv", "options": {"score": "bic"}},
    )
    return replace(result.with_details(table), run=result.run)


def sampled_table(network: Network, rows: int) -> Table:
    """Data drawn from the network, coded."""
    return as_codes(network, network.sample(rows, seed=1).to_pylist())

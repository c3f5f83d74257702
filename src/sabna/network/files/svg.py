"""SVG: the drawing of a network, with text as text; nothing but sabna is needed. See network/drawing.py."""

from __future__ import annotations

from sabna.network import Network
from sabna.network.drawing import standalone_svg
from sabna.network.equivalence import CPDAG


def write(network: Network, graph: CPDAG | None = None) -> str:
    """The drawing; `graph` is the network's class if that is another under prior knowledge."""
    return standalone_svg(network, graph, caption=f"Bayesian network of {len(network.variables)} variables") + "\n"

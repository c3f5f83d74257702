"""Search strategies: each decides which step a part of the graph needs next (sabna.searching.strategy).

To add one, write its file, list it here, and name it in the table of settings.
"""

from __future__ import annotations

from sabna.searching.strategies.auto import Auto
from sabna.searching.strategies.lattice import Lattice
from sabna.searching.strategy import Strategy

STRATEGIES: dict[str, Strategy] = {"auto": Auto(), "astar": Lattice("astar"), "bfs": Lattice("bfs")}

__all__ = ["STRATEGIES", "Strategy"]

"""The learned network and what one can do with it."""

from sabna.network.compare import Difference
from sabna.network.equivalence import CPDAG
from sabna.network.network import Network

__all__ = ["CPDAG", "Difference", "Network"]

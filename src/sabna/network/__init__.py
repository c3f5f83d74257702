"""The learned network and what one can do with it."""

from sabna.network.network import Network

__all__ = ["Network"]

"""Lower bounds from cluster cuts: weights, and the linear program that finds the best ones."""

from sabna.bounds.weights import Clusters

__all__ = ["Clusters"]

"""Averages over all networks: posterior probabilities."""

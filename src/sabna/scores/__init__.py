"""Local scores: the registry, and the costs of given families."""

"""The result of a run, and how it came about."""

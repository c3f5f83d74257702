"""Certificates: what a run proves, in a file that anyone can check. `checker/` imports nothing of sabna."""

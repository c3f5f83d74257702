"""Benchmarks, in one home; their data lies outside the package.

`sabna bench` runs what users compare: `paper`, `score`, `peers`, `gaussian`. `larger`, `networks` and `bounds_story`
made the figures of docs/bounds.md and are run as modules: `python -m sabna.bench.larger --help`.
"""

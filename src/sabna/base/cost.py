"""Costs are integers: quanta of 2^-30 nat (core/cost.h)."""

from __future__ import annotations

# One nat is this many quanta.
QUANTA_PER_NAT = 1 << 30
# The largest cost in size of every variable, added up, stays below this: then no sum of the core or of numpy leaves 64
# bits (core/cost.h says why). 2^30 nats, about a billion.
LARGEST_TOTAL = 1 << 60
# No two networks are further apart: a slack of this keeps everything.
LARGEST_SLACK = 2 * LARGEST_TOTAL
# A cost that stands for "none known": `Cost::infinite` of core/cost.h.
INFINITE = 1 << 62

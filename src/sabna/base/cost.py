"""Costs are integers: quanta of 2^-30 nat (core/cost.h)."""

from __future__ import annotations

# One nat is this many quanta.
QUANTA_PER_NAT = 1 << 30
# A cost that stands for "none known": `Cost::infinite` of core/cost.h.
INFINITE = 1 << 62

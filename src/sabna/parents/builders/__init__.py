"""Builders of parent graphs, one file each; `sabna.parents.build` is the front door."""

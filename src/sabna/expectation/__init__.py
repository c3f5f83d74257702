"""Structural EM: networks of categories with holes."""

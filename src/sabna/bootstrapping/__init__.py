"""Bootstrap confidence of edges."""

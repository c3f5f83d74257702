"""The parent graph: the data type, prior knowledge, builders and files."""

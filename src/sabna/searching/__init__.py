"""Search: from a parent graph to the best network, with proof."""

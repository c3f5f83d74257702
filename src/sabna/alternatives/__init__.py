"""Networks near the best: the k best, and all within a Bayes factor."""

"""The probability of rows that a network was not learned from; never 0, whatever they hold."""

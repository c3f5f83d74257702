"""UAI, the format of the inference competitions: numbers only.

It has no place for names, and readers take no comments: variables are known by their position, states by theirs.
Reading gives them the names `var_0`, `var_1`, ... (as pgmpy does) and the states `0`, `1`, ...

A table runs over the variables as listed, the child last and fastest: so the competitions define it and toulbar2 reads
it. Beware of others: pyAgrum 3 lets the first parent run fastest, pgmpy 1 the child slowest.
"""

from __future__ import annotations

import re

from sabna.base.errors import DataError
from sabna.base.texts import shown
from sabna.network import Network
from sabna.network.files.assemble import Draft
from sabna.network.files.text import as_number, decode_text, numbers
from sabna.network.parameters import fitted


def write(network: Network) -> str:
    """The network in the UAI format."""
    states, tables = fitted(network)
    position = {name: k for k, name in enumerate(network.variables)}
    lines = ["BAYES", str(len(position)), " ".join(str(len(states[v])) for v in network.variables), str(len(position))]
    for v in network.variables:
        family = [position[u] for u in (*network.parents[v], v)]
        lines.append(" ".join(map(str, [len(family), *family])))
    for v in network.variables:
        rows = tables[v].reshape(-1, len(states[v]))
        lines += ["", str(rows.size), *(" " + numbers(row, " ") for row in rows)]
    return "\n".join(lines) + "\n"


def read(content: bytes, path: str) -> Network:
    """The network of a UAI file."""
    words = _Words(re.sub("#.*", "", decode_text(content, path)).split(), path)
    if words.next("BAYES").upper() != "BAYES":
        raise DataError(f"{path}: a Bayesian network in this format begins with BAYES")
    draft = Draft(path)
    # Each variable has a word for its states, and each state a probability in the table of its variable.
    names = [f"var_{k}" for k in range(words.whole("the number of variables", words.left))]
    states_left = words.left
    for name in names:
        arity = words.whole("the number of states of a variable", states_left)
        states_left -= arity
        draft.add_variable(name, [str(s) for s in range(arity)])
    scopes = []
    for _ in range(words.whole("the number of tables", words.left)):
        size = words.whole("the number of variables of a table", min(len(names), words.left))
        scopes.append([names[words.whole("a variable's number", len(names) - 1)] for _ in range(size)])
    for scope in scopes:
        if not scope:
            raise DataError(f"{path}: a table of no variable; a Bayesian network has one for each")
        table = draft.add_table(scope[-1], scope[:-1])
        table.set_whole(words.numbers(words.whole("the size of a table", words.left)))
        table.finish()
    return draft.network()


class _Words:
    """The words of a file, one after the other; no number is believed before it is compared with what is there."""

    def __init__(self, words: list[str], path: str) -> None:
        self.words, self.path, self.at = words, path, 0

    @property
    def left(self) -> int:
        """How many words are still to come."""
        return len(self.words) - self.at

    def next(self, what: str) -> str:
        """The next word, which should be `what`."""
        if not self.left:
            raise DataError(f"{self.path}: the file ends where {what} is due")
        self.at += 1
        return self.words[self.at - 1]

    def whole(self, what: str, most: int) -> int:
        """A whole number up to `most`; more would not fit in the rest of the file."""
        word = self.next(what)
        if not (word.isascii() and word.isdigit() and len(word) < 16 and int(word) <= most):
            raise DataError(f"{self.path}: {what} must be a whole number of at most {most} here, not {shown(word)}")
        return int(word)

    def numbers(self, count: int) -> list[float]:
        """So many probabilities."""
        try:
            return [as_number(self.next("a probability")) for _ in range(count)]
        except DataError:
            raise
        except ValueError as error:
            raise DataError(f"{self.path}: {error}") from error

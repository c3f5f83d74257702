"""Makes the example data: `python -m sabna.examples.generate FOLDER`.

Both tables are forward samples: variables in an order in which parents come first, each drawn given its parents.
Python's own generator is used, since its stream for a seed is the same in every version; the files come out byte
for byte.

`asia` has the structure and probabilities published by Lauritzen and Spiegelhalter (1988). `greenhouse` is our
invention: every variable has ordered states, and pulls from its parents (weights below) shift it up or down.
"""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path

ASIA_ROWS, GREENHOUSE_ROWS, SEED = 2000, 1500, 1988


def asia(rows: int, seed: int) -> list[list[str]]:
    """A sample of the chest clinic network, with its header."""
    draw = random.Random(seed).random
    dyspnoea = {(True, True): 0.9, (True, False): 0.7, (False, True): 0.8, (False, False): 0.1}
    table = [["asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"]]
    for _ in range(rows):
        visit = draw() < 0.01
        tuberculosis = draw() < (0.05 if visit else 0.01)
        smoker = draw() < 0.5
        cancer = draw() < (0.1 if smoker else 0.01)
        bronchitis = draw() < (0.6 if smoker else 0.3)
        either = tuberculosis or cancer
        shadow = draw() < (0.98 if either else 0.05)
        breathless = draw() < dyspnoea[either, bronchitis]
        row = (visit, tuberculosis, smoker, cancer, bronchitis, either, shadow, breathless)
        table.append(["yes" if value else "no" for value in row])
    return table


# Variable -> its states, and the pull of each parent: by how much the parent's highest state shifts it against its
# lowest.
GREENHOUSE: dict[str, tuple[list[str], dict[str, float]]] = {
    "season": (["winter", "spring", "summer", "autumn"], {}),
    "sunshine": (["dull", "fair", "bright"], {"season": 1.0}),
    "heating": (["off", "on"], {"sunshine": -4.0}),
    "vents": (["closed", "half", "open"], {"sunshine": 3.0, "heating": -3.0}),
    "soil": (["sand", "loam", "peat"], {}),
    "irrigation": (["scarce", "normal", "ample"], {"sunshine": 2.5, "soil": -1.5}),
    "humidity": (["dry", "medium", "damp"], {"vents": -3.0, "irrigation": 3.0}),
    "fertiliser": (["none", "half dose", "full dose"], {"soil": -2.5}),
    "mildew": (["none", "spots", "severe"], {"humidity": 4.0}),
    "aphids": (["few", "many"], {"fertiliser": 2.0, "heating": 1.5}),
    "ladybirds": (["absent", "released"], {"aphids": 3.0}),
    "leaf damage": (["slight", "visible", "heavy"], {"mildew": 3.0, "aphids": 2.0, "ladybirds": -2.0}),
    "growth": (["weak", "steady", "strong"], {"fertiliser": 3.0, "sunshine": 2.0, "leaf damage": -2.5}),
    "bumblebees": (["lazy", "busy"], {"sunshine": 2.5, "vents": 1.5}),
    "fruit set": (["poor", "fair", "good"], {"bumblebees": 3.0, "growth": 2.5}),
    "harvest": (["meagre", "modest", "plenty", "record"], {"fruit set": 4.0, "leaf damage": -1.5}),
    "grade": (["B", "A", "extra"], {"leaf damage": -2.5, "harvest": 2.0}),
}


def greenhouse(rows: int, seed: int) -> list[list[str]]:
    """A sample of the greenhouse, with its header."""
    draw = random.Random(seed).random
    table = [list(GREENHOUSE)]
    for _ in range(rows):
        level: dict[str, float] = {}  # the state of each variable, between -0.5 (lowest) and 0.5 (highest)
        row = []
        for name, (states, pulls) in GREENHOUSE.items():
            shift = sum(pull * level[parent] for parent, pull in pulls.items())
            state = _ordered_draw(len(states), shift, draw())
            level[name] = state / (len(states) - 1) - 0.5
            row.append(states[state])
        table.append(row)
    return table


def _ordered_draw(states: int, shift: float, chance: float) -> int:
    """A state of an ordered variable: cumulative logits, evenly spaced where nothing shifts them."""
    for state in range(states - 1):
        middle = math.log((state + 1) / (states - 1 - state))
        if chance < 1 / (1 + math.exp(1.5 * shift - middle)):
            return state
    return states - 1


def write(folder: Path) -> None:
    """Write both files."""
    for name, table in (("asia", asia(ASIA_ROWS, SEED)), ("greenhouse", greenhouse(GREENHOUSE_ROWS, SEED + 1))):
        text = "".join(",".join(row) + "\n" for row in table)
        (folder / f"{name}.csv").write_bytes(text.encode())


if __name__ == "__main__":
    write(Path(sys.argv[1]))

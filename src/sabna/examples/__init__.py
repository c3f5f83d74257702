"""Example data that come with the package, made by `sabna.examples.generate`.

Wherever a table is expected, `example:NAME` stands for one: `sabna score example:asia -o asia.pg`.
"""

from __future__ import annotations

from pathlib import Path

from sabna.base.errors import UsageError

# Name -> what it is. The file is NAME.csv in this folder.
EXAMPLES = {
    "asia": "8 variables, 2000 rows: a sample of the chest clinic network of Lauritzen and Spiegelhalter (1988)",
    "greenhouse": "17 variables, 1500 rows: an invented year in a tomato greenhouse, from the season to the harvest",
}


def example_path(name: str) -> Path:
    """The CSV file of an example.

    >>> example_path("asia").name
    'asia.csv'
    """
    if name not in EXAMPLES:
        raise UsageError(f"there is no example {name!r}; there are {', '.join(EXAMPLES)}")
    return Path(__file__).parent / f"{name}.csv"

"""The command lines that are run, and the files they need."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

SABNA = [sys.executable, "-c", "from sabna.cli import main; main()"]


@dataclass(frozen=True)
class Case:
    """One command line; `{inputs}` stands for the folder of inputs, and it runs in a folder of its own."""

    words: tuple[str, ...]
    output: str | None = None
    as_json: bool = True

    def arguments(self, inputs: Path) -> list[str]:
        """The command line."""
        written = ["-o", self.output] if self.output and self.words[0] != "convert" else []
        written = [self.output] if self.output and self.words[0] == "convert" else written
        return [word.format(inputs=inputs) for word in self.words] + written + ["--json"] * self.as_json

    def __str__(self) -> str:
        return " ".join(self.arguments(Path("INPUTS")))


def _cases(words: str, *suffixes: str) -> list[Case]:
    return [Case(tuple(words.split()), f"o.{suffix}") for suffix in suffixes]


# Short runs, one for every way of writing a file.
SHORT = [
    *_cases("learn example:asia", "json", "html", "bif", "xml", "net", "dsc", "uai", "dot", "graphml", "gexf", "csv"),
    *_cases("score example:asia", "pg", "jkl", "pss"),
    *_cases("search {inputs}/graph.pg", "json", "html", "dot"),
    *_cases("kbest example:asia -k 3", "json"),
    *_cases("bootstrap example:asia -B 3 --jobs 1", "json"),
    *_cases("posterior example:asia", "json"),
    *_cases("report {inputs}/result.json", "html"),
    *_cases("convert {inputs}/graph.pg", "jkl", "pss"),
    *_cases("convert {inputs}/network.bif", "net", "xml", "json"),
]
SHORT += [replace(case, as_json=False) for case in SHORT[::4]] + [Case(("examples",)), Case(("look", "example:asia"))]

# Runs that take a second or more: for signals and limits in the middle of the work.
LONG = [
    *_cases("learn {inputs}/noise.csv --score bdeu", "json", "html"),
    *_cases("learn {inputs}/wide.csv --time-limit 2", "bif"),
    *_cases("score {inputs}/noise.csv --score bdeu", "pg"),
    *_cases("search {inputs}/wide.pg --strategy astar --time-limit 2", "json"),
    *_cases("search {inputs}/wide.pg --time-limit 2", "dot"),
    *_cases("kbest {inputs}/noise.csv -k 200", "json"),
    *_cases("bootstrap {inputs}/noise.csv --max-parents 3 -B 60 --jobs 2", "json"),
]


def write_noise(path: Path, columns: int, rows: int) -> None:
    """A table in which every column tells a little of the next."""
    cells = np.random.default_rng(columns).random((rows, columns)) < 0.5
    cells[:, 1:] ^= cells[:, :-1] & (np.random.default_rng(rows).random((rows, columns - 1)) < 0.6)
    lines = [",".join(f"v{i}" for i in range(columns)), *(",".join(map(str, row)) for row in cells.astype(int))]
    path.write_text("\n".join(lines) + "\n")


def make_inputs(folder: Path) -> None:
    """What the cases read; made by sabna itself, undisturbed and in this process, which has its libraries loaded."""
    from sabna.cli.app import run

    write_noise(folder / "noise.csv", 15, 300)
    write_noise(folder / "wide.csv", 60, 1000)
    for words in (
        f"score example:asia -o {folder}/graph.pg",
        f"learn example:asia -o {folder}/result.json",
        f"learn example:asia -o {folder}/network.bif",
        f"score {folder}/wide.csv --score aic --max-parents 2 -o {folder}/wide.pg",
    ):
        assert run([*words.split(), "--quiet"]) == 0, words

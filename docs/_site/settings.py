"""Writes docs/settings.md from the table of settings: `python docs/_site/settings.py`. A test compares the two."""

from __future__ import annotations

from pathlib import Path

from sabna.settings.table import PANELS, TAKERS, Setting, rows

PAGE = Path(__file__).parents[1] / "settings.md"
HEAD = """# Settings

Every option of reading, scoring, searching and running. In Python an option is a keyword of the functions named in the
last column; on the command line it is a flag of the command of that name. Everything is checked before any work is
done, and an option that the chosen score or strategy does not use is refused. So are options of reading that the reader
of the data does not take (`delimiter` for a parquet file), and all of them with a table that is read already
(`sabna.learn(table, columns=...)`): give them where the data are read.

`--settings FILE` reads options from a TOML file, one a line under their Python names, or from a result saved as JSON.
`data` names the table. Options on the command line override those of the file; what belonged to the overridden value
alone is left out, and a note says so (`--strategy auto` leaves out the `heuristic` of the file, `--score bic` an
`equivalent_sample_size`). Names of files are relative to the folder that the command runs in.

```toml
data = "patients.csv"
score = "bdeu"
max_parents = 3
time_limit = 600
```

A result keeps the options it was made with under `run`, so that `sabna learn --settings result.json` makes it again. So
do the files of `kbest`, `bootstrap` and `posterior`. A note tells if the table has changed since. Beside the
options below, files for `kbest` may name `k` or `bayes_factor`, and `at_most`, those for `bootstrap` `replicates`, and
those for `estimate` `seconds`.
"""


def page() -> str:
    """The page, a table for each group of options."""
    parts = [HEAD]
    for panel in dict.fromkeys(PANELS.values()):
        parts.append(f"## {panel}\n")
        parts.append("| Python | command line | default | | taken by |\n|---|---|---|---|---|")
        for group in [g for g in PANELS if PANELS[g] == panel]:
            takers = [taker for taker, groups in TAKERS.items() if group in groups]
            parts += [_row(name, row, takers) for name, row in rows(group).items()]
        parts.append("")
    return "\n".join(parts)


def _row(name: str, row: Setting, takers: list[str]) -> str:
    flag = f"--no-{name}" if row.default is True else f"--{name}"
    flags = ", ".join(f"`{f}`" for f in row.flags or (flag.replace("_", "-"),)) if row.on_the_command_line else "–"
    default = "–" if row.default in (None, ()) else f"`{row.default!r}`"
    text = row.help.replace("|", "\\|")
    return f"| `{name}` | {flags} | {default} | {text} | {', '.join(takers)} |"


if __name__ == "__main__":
    PAGE.write_text(page())

"""`sabna posterior DATA`: posterior probabilities of edges, over all networks."""

from __future__ import annotations

from typing import Annotated

import typer

from sabna.base.errors import UsageError
from sabna.base.texts import did_you_mean
from sabna.cli import options as o
from sabna.settings import limits_of

Paths = Annotated[
    list[str] | None,
    typer.Option(
        "--path",
        metavar="'A -> B'",
        help="Also the probability of a directed path from A to B, from the networks drawn. Repeatable.",
    ),
]
# Drawn where a path is asked for and nobody says how many: a standard error of at most 0.016.
SAMPLES = 1000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("posterior", rich_help_panel=o.RUN)(posterior)


@o.takes("posterior")
def posterior(
    data: o.Data = None,
    path: Paths = None,
    output: o.AlternativesOutput = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    *,
    options: o.Options,
    table_before: str | None = None,
) -> int:
    """Tell how probable each edge is, over all networks: exactly for up to 22 variables, beyond from the k best."""
    limits = limits_of(options)
    from sabna.averaging.posterior import checked_settings
    from sabna.averaging.posterior import posterior as run
    from sabna.cli.answer import check_suffix, tell_findings
    from sabna.cli.console import Console
    from sabna.parents.reading import TableOf, read_rows

    check_suffix(output, ".json")
    ends = [_ends(text) for text in path or ()]
    options = _with_samples(options, bool(ends))
    settings = checked_settings(data, options)
    console = Console(quiet, as_json)
    with console.progress("Posterior") as progress, console.warnings_as_notes():
        table = read_rows(data, settings, limits)
        for name in (name for pair in ends for name in pair if name not in table.names):
            hint = did_you_mean(name, table.names) or "check its name"
            raise UsageError(f"path: there is no variable {name!r}; {hint}")
        found = run(TableOf(table, data), limits=limits, progress=progress, **options)
    o.tell_of_another_table(console, table_before, found.statistics["run"], data)
    paths = [((start, end), *found.path(start, end)) for start, end in ends]
    lines = [
        f"path {start} -> ... -> {end}: {share:.1%}" + ("" if error is None else f" (standard error {error:.1%})")
        for (start, end), share, error in paths
    ]
    return tell_findings(console, found.to_dict(paths), "\n".join([str(found), *lines]), output)


def _with_samples(options: o.Options, asked: bool) -> o.Options:
    """Paths need networks to look at."""
    if not asked or options.get("samples") or options.get("method") == "kbest":
        return options
    return {**options, "samples": SAMPLES}


def _ends(text: str) -> tuple[str, str]:
    parts = [part.strip() for part in text.split("->")]
    if len(parts) != 2 or not all(parts):
        raise UsageError(f"path {text!r}: write 'A -> B'")
    if parts[0] == parts[1]:
        raise UsageError(f"path {text!r}: networks have no cycles; name two variables")
    return parts[0], parts[1]

"""`sabna resume DIR`: go on with a run that is kept in a work directory, with the settings it began with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sabna.base.errors import UsageError
from sabna.cli import options as o

if TYPE_CHECKING:
    from sabna.workdir.folder import WorkDir

Directory = Annotated[
    str, typer.Argument(metavar="DIR", help="The folder that --work named when the run began.", show_default=False)
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="Where to write the result; if not given, where the first command was to write it.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("resume", rich_help_panel=o.RUN)(resume)


@o.takes("resume")
def resume(
    directory: Directory,
    output: Output = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
    *,
    options: o.Options,
) -> int:
    """Go on with a run that was stopped or killed; see `--work` of the other commands.

    Limits and the number of threads are not kept: give them again if you want any.
    """
    from sabna.workdir.folder import WorkDir
    from sabna.workdir.manifest import read_manifest

    folder = Path(directory)
    if not folder.is_dir():
        what = "a file, not a folder" if folder.exists() else "there is no such folder"
        raise UsageError(f"{directory}: {what}; give the folder that --work named when the run began")
    manifest = read_manifest(folder)
    if manifest is None:
        raise UsageError(f"{directory}: no work directory, for it has no manifest; `--work` makes one")
    with WorkDir(directory) as work:
        work.claimed = True
        note = manifest["note"] if output is None else {**manifest["note"], "output": output, "dialect": None}
        given = {**manifest["settings"], **options, "work": work}
        return _go_on(work, {**manifest, "note": note}, as_json, quiet, given)


def _go_on(work: WorkDir, manifest: dict[str, Any], as_json: bool, quiet: bool, options: o.Options) -> int:
    from sabna.cli import bootstrap, kbest, learn, score, search

    note = manifest["note"]
    output, explain = note.get("output"), bool(note.get("explain"))
    kept, arguments = _input(work, manifest), manifest["arguments"]
    source = manifest["input"]["source"] or str(work.path)
    if manifest["command"] == "learn":
        return learn.learn_from(kept, source, output, explain, as_json, quiet, options, note.get("dialect"))
    if manifest["command"] == "search":
        return search.search_in(kept, source, output, explain, as_json, quiet, options)
    if manifest["command"] == "kbest":
        factor = arguments["bayes_factor"]
        k = arguments["k"] if factor is None else None
        most = arguments["at_most"]
        return kbest.list_best(kept, k, factor, output, as_json, quiet, options, at_most=most)
    if manifest["command"] == "bootstrap":
        return bootstrap.bootstrap_from(kept, arguments, output, as_json, quiet, options)
    if output is None:
        raise UsageError(f"{work.path}: a run of `sabna score`: say where to write the parent graph (-o GRAPH)")
    score.score_table(kept, output, as_json, quiet, options)
    return 0


def _input(work: WorkDir, manifest: dict[str, Any]) -> Any:
    """The table or parent graph of the run; its source where the copy in the directory is damaged, or not there yet.

    A source is read as it was when the run began, and refused if it has another content by now.
    """
    from sabna.parents.files import pg
    from sabna.parents.keeping import PARENTS, kept_table
    from sabna.parents.reading import TableOf

    if manifest["input"]["kind"] == "table":
        table = kept_table(work)
        kept: Any = None if table is None else TableOf(table, manifest["input"]["source"])
    else:
        path = work.path / f"{PARENTS}.pg"
        kept = work.reading(path.name, lambda: pg.read(path, keep_dominated=True))
    source = manifest["input"]["source"]
    if kept is None and source is not None and (source.startswith("example:") or Path(source).is_file()):
        work.claimed = False  # so that the content is compared, and kept
        return source
    if kept is None:
        raise UsageError(
            f"{work.path}: the {manifest['input']['kind']} of this run is missing or damaged there; give the command "
            f"again that began it, with --work (it was `sabna {manifest['command']}` on {manifest['input']['source']})"
        )
    return kept

"""`sabna check CERTIFICATE GRAPH`: check a proof, by files that can also be run alone."""

from __future__ import annotations

import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer

from sabna.base.errors import UsageError
from sabna.cli import options as o

# What the checker's exit codes mean.
VERDICTS = {0: "accepted", 1: "refused", 2: "not checked"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check", rich_help_panel=o.LOOK)(check)


def check(
    certificate: Annotated[str, typer.Argument(metavar="CERTIFICATE", help="What --certificate wrote.")],
    graph: Annotated[str, typer.Argument(metavar="GRAPH", help="The parent graph it is about: .pg, .jkl or .pss.")],
    data: Annotated[
        str | None, typer.Option("--data", metavar="CSV", help="The table: check the scores in the graph too.")
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            "--score",
            metavar="NAME",
            help="The score: bic, mdl, aic, bdeu or k2; if not given, the one that the graph names.",
        ),
    ] = None,
    equivalent_sample_size: Annotated[
        str | None,
        typer.Option(
            "--equivalent-sample-size",
            metavar="X",
            help="Equivalent sample size of bdeu; if not given, the one that the graph names.",
        ),
    ] = None,
    max_parents: Annotated[
        int | None, typer.Option("--max-parents", metavar="N", min=0, help="The graph was made with at most N parents.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", metavar="N", min=1, help="Check the scores of N listed sets, not of all.")
    ] = None,
    effort: Annotated[
        int | None,
        typer.Option(
            "--effort",
            metavar="N",
            min=0,
            help="How many parent sets to score, to see whether the lists are complete; 20,000 if not given.",
        ),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Print every step of the proof.")] = False,
    result: Annotated[
        str | None, typer.Option("--result", metavar="JSON", help="Write into this result that its proof was checked.")
    ] = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Check a certificate of optimality: 0 accepted, 1 refused, 2 not checked (unreadable, or an unknown score).

    The checker is one file that shares no code with the rest of sabna; docs/proof.md explains each of its rules.
    """
    from sabna.certificate.checker import check_certificate, check_scores

    arguments, main = [certificate, graph, *(["--explain"] if explain else [])], check_certificate.main
    named = {"max-parents": max_parents, "sample": sample, "score": score, "effort": effort}
    named |= {"equivalent-sample-size": equivalent_sample_size}
    given = [(f"--{name}", str(value)) for name, value in named.items() if value is not None]
    if data is not None:
        main = check_scores.main
        arguments += [text for pair in [("--data", data), *given] for text in pair]
    elif given:
        raise UsageError(f"{given[0][0]}: it belongs to --data; name the table too")
    told = StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        code = main(arguments)
    if as_json and result is not None and code == 0:
        _note_in(result, certificate)  # first: what is wrong with it takes the place of the object
    if as_json:
        print(json.dumps({"status": VERDICTS[code], "code": code, "words": told.getvalue().splitlines()}))
    elif not quiet:
        print(told.getvalue(), end="")
    if not as_json and result is not None and code == 0:
        _note_in(result, certificate)
    return code


def _note_in(path: str, certificate: str) -> None:
    """The result says from now on that its certificate was checked; refused if it is about another one."""
    from sabna.result.result import read_result

    found = read_result(path)
    checksum = Path(certificate).read_text().rstrip("\n").rpartition("sha256=")[2]
    if found.certificate is None or found.certificate.get("sha256") != checksum:
        raise UsageError(f"{path}: this result has another certificate; name the result that came with {certificate}")
    replace(found, certificate={**found.certificate, "checked": True}).save(path)

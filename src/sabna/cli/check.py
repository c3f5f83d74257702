"""`sabna check CERTIFICATE GRAPH`: check a proof, by the file that can also be run alone."""

from __future__ import annotations

import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Annotated

import typer

from sabna.cli import options as o

# What the checker's exit codes mean.
VERDICTS = {0: "accepted", 1: "refused", 2: "unreadable"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check", rich_help_panel=o.LOOK)(check)


def check(
    certificate: Annotated[str, typer.Argument(metavar="CERTIFICATE", help="What --certificate wrote.")],
    graph: Annotated[str, typer.Argument(metavar="GRAPH", help="The parent graph it is about: .pg, .jkl or .pss.")],
    explain: Annotated[bool, typer.Option("--explain", help="Tell the derivation, step by step.")] = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Check a certificate of optimality: 0 accepted, 1 refused, 2 unreadable.

    The checker is one file that shares no code with the rest of sabna; docs/proof.md explains each of its rules.
    """
    from sabna.certificate.checker.check_certificate import main

    arguments = [certificate, graph, *(["--explain"] if explain else [])]
    if not as_json and not quiet:
        return main(arguments)
    told = StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        code = main(arguments)
    if as_json:
        print(json.dumps({"status": VERDICTS[code], "code": code, "words": told.getvalue().splitlines()}))
    return code

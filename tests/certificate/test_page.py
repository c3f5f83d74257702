"""Protects from a page that explains another certificate than the one that is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sabna
from sabna.base.version import __version__
from tests.certificate.runs import searched_to_the_end, verdict

PAGE = Path(__file__).parents[2] / "docs/proof.md"


def test_the_example_of_the_page_is_what_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, certificate = re.findall(r"^```text\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    searched_to_the_end(monkeypatch)
    file, proof = tmp_path / "g.jkl", tmp_path / "p.cert"
    file.write_text(graph)
    result = sabna.search(file, certificate=proof, n_jobs=1, gap_tolerance=0)
    assert result.cost == 28.5
    assert verdict(proof, file)[0] == 0
    written = proof.read_text().replace(f"sabna%20{__version__}", "sabna%200.1.0")
    assert written.splitlines()[:-1] == certificate.splitlines()[:-1]


def test_every_line_of_the_example_is_explained() -> None:
    text = PAGE.read_text(encoding="utf-8")
    lines = re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1].splitlines()
    table = text[text.index("| Line | What it says |") :].split("\n\n")[0].splitlines()[2:]
    explained = [re.findall(r"`([a-z-]+)`", row)[0] for row in table]
    assert [line.split()[0] for line in lines] == explained


def test_every_word_of_the_format_is_documented() -> None:
    from sabna.certificate.checker.check_certificate import Derivation

    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index("| Line | Fields |") :]
    words = [name.removeprefix("_on_").replace("_", "-") for name in dir(Derivation) if name.startswith("_on_")]
    assert all(f"`{word}`" in table for word in words)

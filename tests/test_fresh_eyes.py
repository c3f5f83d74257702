"""What users lost or were told wrongly once: files replaced by proofs, lost exit codes, directions no model has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sabna
from sabna.base.errors import UsageError
from sabna.cli.app import run as command
from sabna.cli.ending import is_out_of_memory


def a_table(path: Path) -> Path:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2, (60, 3))
    path.write_text("a,b,c\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


def test_a_certificate_that_replaced_the_table_is_refused(tmp_path: Path) -> None:
    data, graph, knowledge = a_table(tmp_path / "t.csv"), tmp_path / "g.pg", tmp_path / "k.toml"
    knowledge.write_text('forbidden = [["a", "b"]]\n')
    sabna.build_parent_graph(str(data)).save(graph)
    kept = [path.read_bytes() for path in (data, graph, knowledge)]
    for source, options in (
        (data, {"certificate": str(data)}),
        (data, {"certificate": str(knowledge), "knowledge": str(knowledge)}),
    ):
        with pytest.raises(UsageError, match="replace what it is made from"):
            sabna.learn(str(source), **options)
    assert command(["search", str(graph), "--certificate", str(graph), "--quiet"]) == 2
    both = str(tmp_path / "x.json")
    assert command(["learn", str(data), "--certificate", both, "-o", both, "--quiet"]) == 2
    assert kept == [path.read_bytes() for path in (data, graph, knowledge)]


def test_an_edge_that_the_model_of_mixed_columns_cannot_turn_is_not_called_reversible() -> None:
    rng = np.random.default_rng(2)
    group = rng.integers(0, 2, 200)
    data = {"group": np.where(group == 1, "x", "y"), "size": group + rng.normal(size=200) / 4}
    result = sabna.learn(data, score="bcg")
    assert result.network.edges == (("group", "size"),)
    assert result.cpdag().compelled == {("group", "size")}
    assert result.arcs is not None
    assert all(arc.compelled for arc in result.arcs)
    assert ("size", "group") not in sabna.bootstrap(data, 3, score="bcg").edges


def test_a_busy_folder_is_not_told_as_a_lack_of_memory() -> None:
    def busy() -> None:
        try:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        except BlockingIOError:
            raise UsageError("another run holds it") from None

    with pytest.raises(UsageError) as told:
        busy()
    assert not is_out_of_memory(told.value)


def test_a_run_under_way_at_the_end_of_a_script_does_not_abort_it(tmp_path: Path) -> None:
    code = "import sabna, time; run = sabna.start('example:greenhouse'); time.sleep(0.3)"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=120).returncode == 0


def test_independence_is_claimed_of_optimal_networks_only() -> None:
    from sabna.result.target import target_text

    assert "independent" not in target_text({"name": "a", "markov_blanket": []})

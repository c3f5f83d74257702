"""`sabna bench peers`: reads the peers' table, runs us, compares."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabna.bench import peers
from sabna.bench.peers import (
    PEERS_CALIBRATION,
    Comparison,
    Instance,
    Peer,
    calibrate,
    geometric_mean,
    read_instances,
    run_peers,
    table,
)

HEADER = "instance,score,n,rows,in_degree_limit,parent_sets,solver,status,cost,nodes,cpu_s,wall_s,rss_mb\n"
ROWS = (
    "data/uci/small.csv,BIC,3,8,none,4,urlearning,optimal,{cost},1,5.00,5.0,20\n"
    "data/uci/small.csv,BIC,3,8,none,4,gobnilp,unsolved,,,1.00,1.0,30\n"
)


def test_a_small_instance_from_table_to_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects from a benchmark that cannot read its own inputs, or that calls different costs equal."""
    monkeypatch.setattr(peers, "calibrate", lambda: 2 * PEERS_CALIBRATION)  # a machine of half the speed
    (tmp_path / "data" / "uci").mkdir(parents=True)
    (tmp_path / "data" / "uci" / "small.csv").write_text("A,B,C\n" + "a,b,c\na,b,d\nx,y,c\nx,y,d\n" * 2)
    results = tmp_path / "results.csv"
    results.write_text(HEADER + ROWS.format(cost="0.0"))
    calibration, runs = run_peers(tmp_path / "data", results, tmp_path / "graphs", None, 60.0, lambda line: None)
    assert (runs[0].status, runs[0].agrees, runs[0].theirs) == ("optimal", False, 10.0)
    results.write_text(HEADER + ROWS.format(cost=runs[0].cost))
    _, again = run_peers(tmp_path / "data", results, tmp_path / "graphs", ["small"], 60.0, lambda line: None)
    assert again[0].agrees
    assert "Costs equal on 1 of 1, optimal on 1." in table(calibration, again)


def test_the_calibration_is_a_time() -> None:
    assert calibrate(1000) > 0


def test_the_better_peer_is_the_faster_one_that_finished(tmp_path: Path) -> None:
    """Protects from comparing with a run that proved nothing."""
    results = tmp_path / "results.csv"
    results.write_text(HEADER + ROWS.format(cost="1.0"))
    assert read_instances(results)[0].better().solver == "urlearning"


def test_two_limits_of_one_table_are_two_instances(tmp_path: Path) -> None:
    """They were taken for one, whose peers had solved another problem."""
    results = tmp_path / "results.csv"
    results.write_text(HEADER + ROWS.format(cost="1.0") + ROWS.format(cost="2.0").replace("none", "2"))
    assert [(i.limit, len(i.peers), i.better().cost) for i in read_instances(results)] == [
        ("none", 2, 1.0),
        ("2", 2, 2.0),
    ]


def test_ratio_and_mean() -> None:
    """Faster is above one; the mean of ratios is geometric."""
    instance = Instance("x", 3, "none", (Peer("gobnilp", "optimal", 1.0, 8.0, 10.0),))
    run = Comparison(instance, 4, "optimal", 1.0, 0.0, 2.0, 10.0, 0, 8.0)
    assert run.ratio == 4.0
    assert round(geometric_mean([2.0, 8.0]), 9) == 4.0

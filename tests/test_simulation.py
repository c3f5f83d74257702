"""The simulated schedules of docs/scaling.md, against schedules worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sabna
from sabna.bench.recording import Recorder
from sabna.bench.simulation import DRIVER, Network, Simulated, Stage, Task, simulate
from sabna.parents.builders import levels
from tests.test_levels import SCORING, content, noisy

ONE = [Stage()]
QUICK = Network()


def seconds(tasks: list[Task], workers: int, network: Network = QUICK, stages: list[Stage] = ONE) -> float:
    return simulate(tasks, stages, workers, network).seconds


def test_tasks_go_to_the_worker_that_is_free_first() -> None:
    tasks = [Task(s) for s in (3.0, 3.0, 2.0, 2.0, 2.0)]
    # one: all in turn; two: 3 2 2 and 3 2; three: 3 2, 3 and 2 2
    assert [seconds(tasks, k) for k in (1, 2, 3, 5, 1024)] == [12.0, 7.0, 5.0, 3.0, 3.0]
    assert simulate(tasks, ONE, 3, Network()) == Simulated(5.0, 12.0, 3, 0)


def test_a_task_waits_for_what_it_needs() -> None:
    # a chain of three beside one long task: 0 -> 1 -> 2, and 3
    tasks = [Task(1.0), Task(2.0, (0,)), Task(3.0, (1,)), Task(4.0)]
    assert seconds(tasks, 1) == 10.0
    assert seconds(tasks, 2) == 6.0
    # two alternatives below a part, each with two below it: two workers do 1, then 2 2, then 4 4 and 4 4
    tree = [Task(1.0), *[Task(2.0, (0,))] * 2, *[Task(4.0, (1,))] * 2, *[Task(4.0, (2,))] * 2]
    assert [seconds(tree, k) for k in (1, 2, 4)] == [21.0, 11.0, 7.0]


def test_handing_out_takes_its_time_one_task_after_the_other() -> None:
    network = Network(overhead=0.5)
    assert seconds([Task(1.0)] * 4, 1, network) == 4.5  # handed out while the worker is busy
    assert seconds([Task(1.0)] * 4, 4, network) == 3.0  # at 0.5, 1, 1.5 and 2
    assert seconds([Task(0.25)] * 4, 1024, network) == 2.25


def test_data_travel_to_all_workers_and_answers_over_one_link() -> None:
    network, stages = Network(bandwidth=10.0), [Stage(setup=2.0, bytes=20)]
    # one worker: 1 round of 2 s; 2 s to set up; 1 s; 1 s for the answer
    assert simulate([Task(1.0, (), 10)], stages, 1, network) == Simulated(6.0, 3.0, 1, 30)
    # three workers, two rounds: 4 s, 3 s each, then three answers one after the other
    assert simulate([Task(1.0, (), 10)] * 3, stages, 3, network) == Simulated(10.0, 9.0, 3, 90)
    # a worker is set up once for a stage: 2 + (2 + 1) + 1, answers of 1 s while the second runs, and after it
    assert seconds([Task(1.0, (), 10)] * 2, 1, network, stages) == 7.0


def test_the_driver_is_one_process() -> None:
    stages = [Stage(), Stage()]
    # 1 s of the driver, two tasks side by side, two answers taken in turn, a second stage
    tasks = [Task(1.0, (), 0, DRIVER), Task(2.0, (0,)), Task(2.0, (0,))]
    tasks += [Task(1.0, (1,), 0, DRIVER), Task(1.0, (2,), 0, DRIVER), Task(3.0, (3, 4), 0, 1)]
    assert seconds(tasks, 2, stages=stages) == 1 + 2 + 1 + 1 + 3
    assert seconds(tasks, 1, stages=stages) == 1 + 2 + 2 + 1 + 3  # the first answer is taken while the second task runs


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=25),
    st.integers(1, 6),
    st.integers(0, 2**20),
)
def test_never_quicker_than_possible_nor_slower_than_graham_says(work: list[int], k: int, seed: int) -> None:
    tasks = []
    for i, s in enumerate(work):
        before = tuple(b for b in range(i) if (seed >> (i + b) % 20) & 1 and b % 3 == 0)
        tasks.append(Task(float(s), before))
    longest: list[float] = []
    for task in tasks:
        longest.append(task.seconds + max((longest[b] for b in task.after), default=0.0))
    found, total = simulate(tasks, ONE, k, Network()), float(sum(work))
    assert max(max(longest), total / k) - 1e-9 <= found.seconds <= total / k + (1 - 1 / k) * max(longest) + 1e-9
    assert found.busy == total
    assert found.most <= k


def test_a_recorded_run_is_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "MOST_SETS", 4)
    monkeypatch.setattr(levels, "LEAST_SETS", 4)
    recorder = Recorder()
    expected = content(sabna.build_parent_graph(noisy(), **SCORING))
    assert content(sabna.build_parent_graph(noisy(), **SCORING, engine=recorder)) == expected
    recorder.finish()
    assert len(recorder.stages) >= 2
    assert all(stage.bytes > 1000 for stage in recorder.stages)
    here = [task for task in recorder.tasks if task.stage != DRIVER]
    assert {task.stage for task in here} == set(range(len(recorder.stages)))
    alone = simulate(recorder.tasks, recorder.stages, 1, Network())
    assert alone.seconds >= sum(task.seconds for task in here)
    assert simulate(recorder.tasks, recorder.stages, 8, Network()).seconds <= alone.seconds

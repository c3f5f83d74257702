"""The tree of parts in a work directory.

What is kept is the state between two steps, never in the middle of one: so a run that goes on does the interrupted step
again from where it began, takes the same way as a run that was never interrupted, and returns the same network to the
bit. What an interrupted step had proven and found by then is kept apart (`Best`): it is told if the run is stopped
again, and does not steer the search.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sabna.base.limits import Limits
from sabna.base.trace import Trace
from sabna.parents.graph import ParentGraph
from sabna.searching.part import Known, Part
from sabna.searching.state import DONE, OPEN, State
from sabna.searching.steps.checkpoints import Checkpoints, forget_reached
from sabna.searching.steps.layer_files import LayerFiles, forget_layers
from sabna.workdir.folder import Saver, WorkDir
from sabna.workdir.record import RECORD, Record, seconds_so_far

TREE, BEST = "tree", "best"


@dataclass(frozen=True, eq=False)
class SavedSearch:
    """A search between two steps."""

    state: State
    trace: Trace
    seconds: float  # of all runs up to here
    lines: list[str] = field(default_factory=list)  # of the explanation


@dataclass(frozen=True, eq=False)
class Best:
    """The best network and bound known when a run was stopped."""

    network: Known
    lower: int


class TreeKeeper:
    """Keeps the tree of one search over `graph`."""

    def __init__(self, work: WorkDir, graph: ParentGraph, limits: Limits, trace: Trace) -> None:
        self.work, self.graph, self.limits, self.trace = work, graph, limits, trace
        self.saver = Saver()
        self.open_parts = 0  # as of the last save

    def saved(self) -> SavedSearch | None:
        """The search as it was kept, its bounds taken over; None if there is none."""
        found = self.work.load(TREE, SavedSearch, {"graph": self.graph})
        if found is not None:
            self.trace.go_on(found.trace, found.seconds)
        record = self.work.load(RECORD, Record)
        if record is not None:  # the time of a step that was interrupted counts, too
            self.trace.before = max(self.trace.before, record.seconds)
        return found

    def after_step(self, state: State, lines: list[str], last: bool = False) -> None:
        """Keep the state, if it is time to, or if this was the last step."""
        if not last and not self.saver.due():
            return
        with self.saver.saving():
            trace = replace(self.trace, points=list(self.trace.points))
            seconds = seconds_so_far(self.trace, self.limits)
            self.work.save(TREE, SavedSearch(state, trace, seconds, list(lines)), {"graph": self.graph})
            self._record(state, "optimal" if last else "running")
        done = [node.part.id for node in state.nodes if node.kind == DONE]
        forget_layers(self.work, done)
        forget_reached(self.work, done)

    def layers(self, part: Part) -> LayerFiles:
        """Where the layers of a part's breadth-first search are kept."""
        return LayerFiles(self.work, part.id, part.n, self._after_piece)

    def checkpoints(self, part: Part) -> Checkpoints:
        """Where A*, and branch and bound, keep how far they are in a part."""
        return Checkpoints(self.work, part.id, self.limits, self._after_checkpoint)

    def _after_checkpoint(self, size: int) -> None:
        """Say how far a search is that keeps what it has reached."""
        points, seconds = list(self.trace.points), seconds_so_far(self.trace, self.limits)
        Record("search", "running", seconds, points, open_parts=self.open_parts, bytes=size).save(self.work)

    def _after_piece(self, files: LayerFiles) -> None:
        """Say how far a search in files is."""
        if self.saver.due():
            with self.saver.saving():
                points, seconds = list(self.trace.points), seconds_so_far(self.trace, self.limits)
                done = Record("search in files", "running", seconds, points, files.layer, files.n)
                replace(done, unit="layers", bytes=files.bytes).save(self.work)

    def stopped(self, network: Known, state: State, status: str) -> tuple[Known, int]:
        """A run was stopped: keep the best it knows, and return the best of all runs so far."""
        lower = state.lower
        before = self.work.load(BEST, Best)
        if before is not None:
            network = before.network if before.network.cost < network.cost else network
            lower = max(lower, before.lower)
        self.work.save(BEST, Best(network, lower))
        self._record(state, status)
        return network, lower

    def _record(self, state: State, status: str) -> None:
        self.open_parts = sum(node.kind == OPEN for node in state.nodes)
        points, seconds = list(self.trace.points), seconds_so_far(self.trace, self.limits)
        Record("search", status, seconds, points, open_parts=self.open_parts).save(self.work)

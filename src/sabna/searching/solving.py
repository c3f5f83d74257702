"""From a parent graph to an outcome: a tree of parts, advanced step by step to its end or to a limit."""

from __future__ import annotations

from contextlib import closing

from sabna.base.progress import Parents
from sabna.base.stop import Stop, Stopped, status_of
from sabna.base.varsets import members
from sabna.engine.engine import Engine
from sabna.parents.graph import ParentGraph
from sabna.searching import events
from sabna.searching.completing import complete
from sabna.searching.explain import Explanation
from sabna.searching.ledger import Ledger
from sabna.searching.outcome import Outcome, Run, SearchOptions
from sabna.searching.part import Part, simple_bound
from sabna.searching.saving import TreeKeeper
from sabna.searching.state import DONE, State
from sabna.searching.steps.local_search import quick_network
from sabna.searching.strategy import Strategy
from sabna.searching.tree import Tree


def solve(
    graph: ParentGraph,
    order: list[int],
    strategy: Strategy,
    options: SearchOptions,
    run: Run,
    keeper: TreeKeeper | None = None,
    ledger: Ledger | None = None,
    engine: Engine | None = None,
) -> Outcome:
    """Search by a strategy. `order` is any order of the variables that has a network.

    `keeper` keeps the tree, `ledger` notes the proof, `engine` makes steps of several parts at a time. A tree that is
    kept may go on where the ledger has not listened: then the proof is found again at the end.
    """
    explanation = Explanation(run.limits)
    saved = None if keeper is None else keeper.saved()
    if saved is None:
        state = State.of(graph, options.tolerance, order)
    else:
        state, explanation.lines = saved.state, saved.lines
    listeners: list[events.Listener] = [RunListener(run, state), explanation]
    listens = ledger is not None and keeper is None
    if ledger is not None and listens:
        listeners.append(ledger)
    tree = Tree(state, strategy, options, run.limits, listeners, listens, engine, keeper)
    stop = Stop.none
    try:
        with closing(tree):
            while tree.step():
                if keeper is not None:
                    keeper.after_step(state, explanation.lines)
    except Stopped as stopped:
        stop = stopped.stop
    except KeyboardInterrupt:  # between two calls of the core
        stop = Stop.interrupted
    if state.best.network.cost - state.lower <= options.tolerance:
        stop = Stop.none
    run.progress = None  # an interrupt that comes from the callback is not to come again
    tree.end(stop)
    network, lower = tree.network(), state.lower
    if ledger is not None and not listens:
        ledger.leave_unproven(graph, lower)
    if ledger is not None and stop == Stop.none:
        complete(ledger, options, run.limits)
    if keeper is not None and state.nodes[0].kind == DONE:
        keeper.after_step(state, explanation.lines, last=True)
    elif keeper is not None:
        network, lower = keeper.stopped(network, state, status_of(stop))
    statistics = {**strategy.statistics(state.counts, options), "explain": explanation.lines}
    if options.components:
        sizes = [state.nodes[c].part.n for c in state.nodes[0].children]
        statistics |= {"components": len(sizes), "largest_component": max(sizes, default=0)}
    return Outcome(stop, network.choice, network.cost, lower, statistics)


def quick_outcome(graph: ParentGraph, seed: int, stop: Stop) -> Outcome:
    """Something to return when there is no time to search: a short local search and the simple bound."""
    known = quick_network(Part.whole(graph), seed)
    assert known is not None, "callers make sure that there is a network"
    return Outcome(stop, known.choice, known.cost, simple_bound(graph))


class RunListener:
    """Notes the bounds of the whole in the trace of a run, and passes progress reports on."""

    def __init__(self, run: Run, state: State) -> None:
        self.run, self.state = run, state
        run.best = self._parents

    def _parents(self) -> Parents:
        """The best network so far; whoever asks may be another thread, which sees one network or the next."""
        graph = self.state.graph
        chosen = zip(graph.names, self.state.best.network.choice.tolist(), strict=True)
        return {name: tuple(graph.names[p] for p in members(graph.sets[k])) for name, k in chosen}

    def __call__(self, event: events.Event) -> None:
        """Listen."""
        if isinstance(event, events.Started):
            self.run.note(event.lower, event.cost)
        elif isinstance(event, events.BoundRaised):
            self.run.note(event.lower, None)
        elif isinstance(event, events.NetworkFound):
            self.run.note(None, event.cost)
        elif isinstance(event, events.Reported):
            so_far = {key: event.report[key] + int(self.state.counts.get(key, 0)) for key in _ADDED_UP}
            self.run.report({**event.report, **so_far})


# What reports count of the part that is worked on.
_ADDED_UP = ("expanded", "generated", "stored")

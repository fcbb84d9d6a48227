"""Each event as a sentence, for the line under the plot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ccviz import events
from ccviz.bounds import relative_gap
from ccviz.numbers import count, number
from ccviz.views.frames.states import STATES, decision_words


def sentence(event: events.Event) -> str:
    """Describe an event in words."""
    return _SENTENCES[type(event)](event)


def _started(event: events.Started) -> str:
    blocks = f", {event.n_blocks} blocks of points" if event.n_blocks < event.n else ""
    return f"{event.solver} started on {event.n:,} points{blocks}; k = {event.k}."


def _assigned(event: events.Assigned) -> str:
    waiting = int((event.labels < 0).sum())
    rest = f", {count(waiting, 'point')} still without a cluster" if waiting else ""
    return (
        f"Iteration {event.iteration}: {count(event.moved, 'point')} changed cluster{rest}; "
        f"objective {number(event.objective)}."
    )


def _opened(event: events.NodeOpened) -> str:
    if event.pair is None:
        return f"Node {event.node}: the root of the tree."
    said = decision_words(event)
    return f"Node {event.node} under node {event.parent}: {'' if event.place else 'points '}{said}."


def _branched(event: events.NodeBranched) -> str:
    i, j = event.pair
    if event.place:
        return f"Node {event.node} branched on whether a centre is near point {i} (as far as {j})."
    return f"Node {event.node} branched on points {i} and {j}."


def _cuts(event: events.CutsAdded) -> str:
    return (
        f"Node {event.node}, round {event.round}: violated inequalities: {event.pair} on pairs, "
        f"{event.triangle} on triangles, {event.clique} on cliques; "
        f"bound {number(event.lower_bound)}."
    )


def _columns(event: events.ColumnsPriced) -> str:
    return (
        f"Node {event.node}, pricing {event.iteration}: {count(event.columns, 'column')} added, "
        f"best reduced cost {number(event.best_reduced_cost)}, "
        f"{'exact' if event.exact else 'heuristic'}; bound {number(event.lower_bound)}."
    )


def _residuals(event: events.ResidualsUpdated) -> str:
    return (
        f"Iteration {event.iteration}: primal residual {event.primal_residual:.2g}, "
        f"dual residual {event.dual_residual:.2g}."
    )


def _generation(event: events.GenerationEnded) -> str:
    return (
        f"Generation {event.generation}: best {number(float(np.min(event.objectives)))}, "
        f"diversity {number(event.diversity)}."
    )


def _answered(event: events.QuestionAnswered) -> str:
    i, j = event.pair
    if event.together is None:
        return f"Whether points {i} and {j} belong together is not known."
    return f"Points {i} and {j} {'' if event.together else 'do not '}belong together."


def _incumbent(event: events.IncumbentFound) -> str:
    return f"A better clustering was found{f' by {event.source}' if event.source else ''}."


def _parts(event: events.PartsCut) -> str:
    shared = int((event.part_of < 0).sum())
    rest = f"; {count(shared, 'point')} far from the others went to all of them" if shared else ""
    return f"The points were cut into {count(event.parts, 'part')} that are alike{rest}."


def _part(event: events.PartBounded) -> str:
    gap = relative_gap(event.upper_bound, event.lower_bound)
    if event.merged:
        return f"Part {event.part} and {count(len(event.merged), 'other')} as one: gap {gap:.2g}."
    return f"Part {event.part}: gap {gap:.2g}."


def _kept(event: events.ProofKept) -> str:
    return (
        f"The earlier proof holds with {count(event.added, 'more link')}: "
        f"every clustering costs at least {number(event.lower_bound)}."
    )


_SENTENCES: dict[type[events.Event], Callable[[Any], str]] = {
    events.Started: _started,
    events.Noted: lambda event: event.text,
    events.Restarted: lambda event: f"Start {event.restart + 1}.",
    events.Assigned: _assigned,
    events.CentersMoved: lambda event: f"Iteration {event.iteration}: the centres moved.",
    events.DeadEnded: lambda event: (
        f"Dead end: every cluster is forbidden to point {event.point}. "
        "That says nothing about whether a clustering exists."
    ),
    events.IncumbentFound: _incumbent,
    events.BoundImproved: lambda event: f"The lower bound rose to {number(event.lower_bound)}.",
    events.InfeasibilityProved: lambda event: f"Proved infeasible: {event.reason}",
    events.TreeKept: lambda _: "The problem was edited, and the earlier tree goes on.",
    events.NodeReopened: lambda event: f"Node {event.node} is opened again.",
    events.NodeLeft: lambda event: f"Node {event.node} is open at {number(event.lower_bound)}.",
    events.NodeOpened: _opened,
    events.NodeBounded: lambda event: f"Node {event.node}: bound {number(event.lower_bound)}.",
    events.CutsAdded: _cuts,
    events.RelaxationSolved: lambda event: f"Node {event.node}: its relaxation is solved.",
    events.NodeBranched: _branched,
    events.NodePruned: lambda event: f"Node {event.node} closed: {STATES[event.reason].because}.",
    events.ColumnsPriced: _columns,
    events.ResidualsUpdated: _residuals,
    events.GenerationEnded: _generation,
    events.PartsCut: _parts,
    events.PartBounded: _part,
    events.ProofKept: _kept,
    events.QuestionAsked: lambda event: (
        f"Question {event.number}: do points {event.pair[0]} and {event.pair[1]} belong together?"
    ),
    events.QuestionAnswered: _answered,
    events.Finished: lambda event: event.message or events.TERMINATION_SENTENCES[event.termination],
}

"""Conditions of a lesson's step; each returns a sentence that names what is missing, or none."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from ccviz.events import TERMINATION_SENTENCES
from ccviz.numbers import count
from ccviz.problem.partition import Partition
from ccviz.runs.run import STATUS_SENTENCES, Run
from ccviz.views.lab.session import Session
from ccviz.views.lessons.course import Memory

Need = Callable[[Session, Memory], str]
"""What is missing from a step, as a sentence; empty if nothing is."""


def proved(session: Session, _memory: Memory) -> str:
    """Need a run that proved its optimum."""
    run = session.run
    assert run is not None
    if run.status == "optimal":
        return ""
    return (
        f"{_ending(run)} This run proves no optimum. Clear the time limit, and the limits and the "
        "tolerance under More settings, and run again."
    )


def answered(session: Session, _memory: Memory) -> str:
    """Need a run with a clustering."""
    run = session.run
    assert run is not None
    if run.status in ("optimal", "feasible"):
        return ""
    return f"{_ending(run)} This run has no clustering to show: run again without limits."


def met_dead_end(session: Session, _memory: Memory) -> str:
    """Need a run of COP-k-means that met a dead end in every start."""
    run = session.run
    assert run is not None
    if run.incumbent is not None:
        return "This run found a clustering. For a dead end take the seed 0 and a single start."
    # COP-k-means stalls only if every start met a dead end.
    return "" if run.termination == "stalled" else f"{_ending(run)} That is no dead end."


def _ending(run: Run) -> str:
    assert run.finished is not None
    if run.infeasible is not None:
        return STATUS_SENTENCES["infeasible"]
    return run.finished.message or TERMINATION_SENTENCES[run.finished.termination]


def takes(data: str, links: int = 0) -> Need:
    """Need a data set with its own k, without sizes, and at least a number of links; 0 for none."""

    def missing(session: Session, _memory: Memory) -> str:
        draft = session.draft
        enough = len(draft.links) >= links if links else not draft.links
        if enough and draft.data.name == data and draft.k == draft.data.k and not draft.lower:
            return ""
        some = count(links, "link") if links else "no links"
        return f"Another problem is open: this step takes {data}, its own k, and {some}."

    return missing


def cost(weight: float) -> Need:
    """Need links of this weight only."""

    def missing(session: Session, _memory: Memory) -> str:
        if all(link.weight == weight for link in session.draft.links):
            return ""
        return "Every link should be hard." if weight == inf else f"Each link should cost {weight}."

    return missing


def kept_by_truth(session: Session, _memory: Memory) -> str:
    """Need links, sizes and a k that the known classes keep."""
    problem = session.draft.problem
    if problem.truth is not None and problem.truth.max() < problem.k:
        truth = Partition(problem, problem.truth).violations
        if truth.none_hard and truth.must_link == truth.cannot_link == 0:
            return ""
    return "This step takes links, sizes and a k that the true classes keep."


def breaks_no_link(session: Session, _memory: Memory) -> str:
    """Need a clustering that keeps every link."""
    answer = session.run.incumbent if session.run else None
    if answer is not None and answer.violations.must_link == answer.violations.cannot_link == 0:
        return ""
    return "This run breaks a link: take hard ones."


def has_must_link(session: Session, _memory: Memory) -> str:
    """Need a must-link."""
    has = any(link.kind == "must" for link in session.draft.links)
    return "" if has else "Make a must-link first."


def has_sizes(session: Session, _memory: Memory) -> str:
    """Need the sizes 50, 50, 50."""
    draft = session.draft
    return "" if draft.lower == draft.upper == (50, 50, 50) else "Ask for the sizes 50, 50, 50."


def is_refused(session: Session, _memory: Memory) -> str:
    """Need links that contradict each other; the plot then lights up their chain."""
    notice = session.notice
    refused = notice is not None and notice.kind != "info" and session.lit
    return "" if refused else "No link was refused."


def has_prices(session: Session, _memory: Memory) -> str:
    """Need the proved prices of the current links."""
    known = session.pricing.known
    whole = known is not None and not known.todo and len(known.pairs)
    if whole and known.problem.asks_the_same(session.draft.problem):
        return ""
    return "Prove the prices of all links first."


def lacks_highest(session: Session, memory: Memory) -> str:
    """Need that the links of the highest prices of the step before are gone."""
    there = {(link.kind, *link.pair) for link in session.draft.links}
    left = [link for link in memory[-1]["highest"] if (link.kind, *link.pair) in there]
    return f"Delete {left[0]} too: its price is among the highest." if left else ""


def same_points(session: Session, memory: Memory) -> str:
    """Need the points and the k of the step before."""
    ours, theirs = session.draft.problem, memory[-1]["problem"]
    if ours.k == theirs.k and np.array_equal(ours.X, theirs.X):
        return ""
    return "The step before had other points or another k: take these again."


def same_problem(session: Session, memory: Memory) -> str:
    """Need the problem of the step before."""
    if session.draft.problem.asks_the_same(memory[-1]["problem"]):
        return ""
    return "The step before had another problem: take that again."

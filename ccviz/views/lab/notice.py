"""Notices: sentences for the person at the page, and which solver suits the problem."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, Literal

import param

from ccviz.errors import CcvizError, ContradictionError, UnsupportedError
from ccviz.feasibility.check import check_feasibility
from ccviz.feasibility.conflict import can_explain
from ccviz.feasibility.cure import Cure, Cures, explain
from ccviz.numbers import count
from ccviz.problem.asked import AnyAsked
from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.runs.run import Run
from ccviz.solvers import SOLVERS, Solver, check, solver_class
from ccviz.solvers.advice import Advice, advice, obstacles
from ccviz.views.draft import Draft
from ccviz.views.lab.player import PlayerState
from ccviz.views.upstream import is_of_page

_SOLVER_NAMES = frozenset(solver.name for solver in SOLVERS)


@dataclass(frozen=True)
class Notice:
    """A sentence for the person: an error, a warning or information."""

    kind: Literal["error", "warning", "info"]
    text: str
    about: str = ""  # The action it is about; the notice goes away once that action succeeds
    title: str = ""  # A few words; by default one for its kind
    take: str = ""  # A solver that a button offers to switch to
    cures: tuple[Cure, ...] = ()  # Changes that buttons offer
    rules: tuple[AnyAsked, ...] | None = None  # The rules that they were found for, if refused
    finds_k: bool = False  # Whether a button looks for the least k under these rules
    # (str, str): A list under the sentence: names, each with what it means.
    rows: tuple[tuple[str, str], ...] = ()

    @property
    def heading(self) -> str:
        """Its kind and its title."""
        kind, usual = _KINDS[self.kind]
        title = self.title or usual
        return f"{kind}: {title}." if title else f"{kind}:"

    @property
    def in_full(self) -> str:
        """All of it as plain text."""
        listed = "; ".join(f"{name}: {meaning}" for name, meaning in self.rows)
        return " ".join(filter(None, (self.heading, self.text, listed)))


_KINDS = {
    "error": ("Error", "nothing was changed"),
    "warning": ("Warning", ""),
    "info": ("Note", ""),
}
"""Name of each kind of notice, and its default title."""


def as_sentence(text: str) -> str:
    """Return the text with a capital first, unless its first word is a name."""
    first = text.partition(" ")[0]
    return (
        text[0].upper() + text[1:]
        if len(first) > 1 and first.islower() and first.isalpha() and first not in _SOLVER_NAMES
        else text
    )


def failure(shot: PlayerState) -> Notice:
    """Return the notice for a run that failed."""
    kept = f"Its results so far are kept: {count(shot.last, 'event')} of the run {shot.info.name}."
    return Notice("error", f"{shot.info.message} {kept}", title="the run failed")


# --- What is refused, and what went wrong, becomes a sentence over the plot -----------------------


_log = logging.getLogger(__name__)


class ReportsErrors(param.Parameterized):
    """Something whose methods raise nothing on bad input."""

    notice = param.Parameter(default=None)
    # Points lit up on the plot: the chain of a contradiction, the witness of infeasibility.
    lit = param.Parameter(default=())
    picked = param.Parameter(default=())

    def report(self, mistake: Exception) -> None:
        """Report an error; write the traceback of an unexpected one to the log."""
        if isinstance(mistake, CcvizError):
            self.notice = Notice("error", as_sentence(str(mistake)))
            return
        if is_of_page(mistake):
            _log.warning("a value of a page was refused: %s", type(mistake).__name__)
            self.notice = Notice("error", "The page sent a value that cannot be; it was not used.")
            return
        _log.error("unforeseen", exc_info=mistake)
        what = f"{type(mistake).__name__}: {mistake}"
        text = f"Something went wrong that should not ({what})."
        self.notice = Notice("error", text, title="a fault of ccviz")

    @contextmanager
    def reporting_errors(self, what: str = "") -> Iterator[None]:
        """Turn a refusal in this block into the session's notice.

        `what`: What is tried. Once it works, a refusal of the same is put away.
        """
        before = self.notice
        try:
            yield
            if before is not None and before is self.notice and before.about == what != "":
                self.notice = None
        except ContradictionError as refused:
            self.param.update(
                notice=Notice("error", f"Refused: {refused}", what, "links contradict each other"),
                lit=refused.chain, picked=(),
            )  # fmt: skip
        except CcvizError as refused:
            self.notice = Notice("error", as_sentence(str(refused)), what)


# --- Which solver suits the current problem, and what to say where one does not -------------------


_CHECK_S = 0.2
EXPLAIN_S = 1.0  # time limit in seconds of the search for a conflict and for what to change
_SIZES_CHECKED_TO = 5_000  # points up to which sizes are checked after each edit, in milliseconds
_TITLES = {kind.name: kind.title for kind in SOLVERS}
_NAME = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, _TITLES))})(?![\w-])")


def in_titles(text: str) -> str:
    """Return a sentence about solvers with their titles in place of their names."""
    return _NAME.sub(lambda found: _TITLES[found[0]], text)


def advised(draft: Draft, but: str = "", seconds: float | None = None) -> Advice | None:
    """Return the solver to take for a draft, None where no other can have it."""
    try:
        return advice(draft.problem, draft.keeping, but, seconds)
    except UnsupportedError:
        return None


def unable(draft: Draft) -> dict[str, str]:
    """Return which solvers cannot have a draft: by their names, each with the reason."""
    return obstacles(draft.problem, draft.keeping)


def refusal(draft: Draft, solver: Solver) -> str:
    """Return why a solver cannot have a draft, a sentence; nothing where it can."""
    try:
        check(solver, draft.problem_for(solver))
    except UnsupportedError as refused:
        return as_sentence(in_titles(str(refused)))
    return ""


def unsuited(draft: Draft, refused: UnsupportedError) -> Notice:
    """Return the notice for a solver that was refused, with one that supports the draft."""
    other = advised(draft)
    return Notice(
        "error", as_sentence(in_titles(str(refused))), "solver", title="this solver cannot do it",
        take=other.solver if other else "",
    )  # fmt: skip


def impossible(draft: Draft) -> tuple[Notice, tuple[int, ...]] | None:
    """Return what to say if it is seen at once that a draft's constraints cannot be kept."""
    asked = draft.rules or draft.neighbors or draft.links.has("cannot")
    # Links and sizes may contradict each other, and few points make that quick to see.
    if not asked and draft.links.has("must") and draft.n <= _SIZES_CHECKED_TO:
        asked = draft.problem.sizes is not None
    if not asked:
        return None
    found = verdict(draft.problem, _CHECK_S, EXPLAIN_S, only_if_sure=True)
    return None if found.feasible is not False else (said_of(draft, found), found.points)


@dataclass(frozen=True)
class Verdict:
    """Whether constraints can be kept, and what to change if not, or where that is unknown."""

    feasible: bool | None
    why: str
    points: tuple[int, ...]
    cures: Cures


_NO_CURES = Cures(())


def verdict(
    problem: Problem, check_s: float, explain_s: float, only_if_sure: bool = False
) -> Verdict:
    """Judge the constraints of a problem, in the seconds given for the check and for the reasons.

    `only_if_sure`: Look for reasons only if the check proves that no clustering keeps them.
    """
    answer = check_feasibility(problem, check_s, with_labels=False, with_sums=True)
    feasible, why, points = answer.feasible, answer.reason, tuple(map(int, answer.points))
    if feasible or (only_if_sure and feasible is None):
        knows_all = can_explain(problem)  # the check leaves rules of other kinds out
        return Verdict(True if feasible and knows_all else None, "", (), _NO_CURES)
    conflict, cures = explain(problem, explain_s)
    if conflict is not None:
        why = why if points and feasible is False else conflict.reason
        feasible, points = False, points or conflict.points
    return Verdict(feasible, why if feasible is False else "", points, cures)


def said_of(draft: Draft, found: Verdict) -> Notice:
    """Return what to say of a verdict."""
    if found.feasible:
        text = "A clustering that keeps all constraints exists. The solver is looking for one."
        return Notice("info", text, title="no answer yet")
    if found.feasible is None:
        known = found.cures.sentence if found.cures.found else ""
        text = f"It is not known whether a clustering keeps all constraints. {known}".rstrip()
        return Notice("info", text, title="no answer yet", cures=found.cures.found)
    rules = " and rules" if draft.rules else ""
    text = f"No clustering can keep these links{rules}: {found.why} {found.cures.sentence}"
    return Notice("warning", text, title="this cannot be solved", cures=found.cures.found)


def gave_up(draft: Draft, run: Run) -> Notice:
    """Return what to say of a run that has ended without a clustering, with a solver to try."""
    assert run.started is not None
    assert run.finished is not None
    other = advised(draft, but=run.started.solver)
    name = _TITLES[run.started.solver]
    keeping = " that keeps every hard constraint" * run.problem.must_keep
    why = run.finished.message or "That does not mean that there is none."
    text = f"{name} found no clustering{keeping}. {in_titles(why)}"
    return Notice(
        "warning", text, "solver", title="the solver gave up",
        take=other.solver if other else "",
    )  # fmt: skip


# --- Solver settings that make a run report more for the page -------------------------------------


MOST_BLOCKS = 300
"""Most blocks whose matrix is sent to the page after every round."""


def watched_settings(solver: str, problem: Problem) -> dict[str, Any]:
    """Return the settings by which a solver shows more of itself than it does unasked.

    `problem`: The relaxation's matrix is shown if it has at most `MOST_BLOCKS` blocks.
    """
    if "show_relaxation" not in {each.name for each in fields(solver_class(solver))}:
        return {}
    return {"show_relaxation": contract(problem).s <= MOST_BLOCKS}

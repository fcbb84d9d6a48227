"""Rules added by hand, with the clustering of a stored run or a column if they refer to one."""

from __future__ import annotations

from functools import partial

from ccviz.arrays import IntArray
from ccviz.data.names import column_values
from ccviz.errors import (
    ArchiveError,
    CcvizError,
    ContradictionError,
    ProblemError,
    UnfillableError,
)
from ccviz.feasibility.cure import explain
from ccviz.problem.asked import AnyAsked, AskedRule, joined, parts_of
from ccviz.problem.rule_base import RuleKind
from ccviz.runs.archive import Archive
from ccviz.runs.info import RunInfo
from ccviz.views.lab.notice import Notice, as_sentence
from ccviz.views.lab.session import Session

_MOST_RUNS = 50
_ABOUT = "a refused rule"
_EXPLAIN_S = 1.0  # Seconds that are spent on what to change where a rule is refused


def add_rule(
    session: Session, kind: RuleKind, limit: str, named: str = "", place: int | None = None
) -> str:
    """Ask for one more rule, or join it by *or* to one that is there.

    `named`: The id of the run whose clustering it names, or the column. Returns: Why it was
    refused, a sentence; nothing if it was taken.
    """
    if session.notice is not None and session.notice.about == _ABOUT:
        session.notice = None
    try:
        if kind.needs_limit and not limit.strip():
            raise ProblemError("type a number.")
        called = called_by(session.archive, named) if kind.names == "run" else named
        text = kind.written(limit.strip(), called)
        rule: AnyAsked = AskedRule.read(
            text,
            lambda _: clustering_of(session.archive, named),
            partial(column_values, session.draft.data),
        )
        rules = [*session.draft.rules]
        if place is None:
            rules.append(rule)
        else:
            rule = rules[place] = joined([*parts_of(rules[place]), *parts_of(rule)])
        draft = session.draft.with_rules(rules)
    except (ContradictionError, UnfillableError) as refused:
        session.lit = refused.chain if isinstance(refused, ContradictionError) else ()
        cures = explain(session.draft.given, _EXPLAIN_S, rules)[1]
        session.notice = Notice(
            "warning", cures.sentence, _ABOUT, title="this rule cannot be kept",
            cures=cures.found, rules=tuple(rules),
        )  # fmt: skip
        return as_sentence(str(refused))
    except CcvizError as refused:
        return as_sentence(str(refused))
    if rule in session.draft.rules:
        return "This rule is there already."
    before = session.notice
    session.edits.adopt(draft)
    taken = session.draft is draft
    if taken or session.notice is None or session.notice is before:
        return ""
    refused_by_session, session.notice = session.notice, before
    return refused_by_session.text


def drop_rule(session: Session, rule: AnyAsked) -> None:
    """Take a rule away."""
    with session.reporting_errors():
        left = [each for each in session.draft.rules if each != rule]
        session.edits.adopt(session.draft.with_rules(left))


def clustering_of(archive: Archive, run_id: str) -> IntArray:
    """Return the labels that a stored run found."""
    if not run_id:
        raise ProblemError("choose a run first: there must be one with a clustering.")
    found = archive.load(run_id).incumbent
    if found is None:
        raise ProblemError(f"the run {archive.info(run_id).name} has no clustering.")
    return found.labels[: found.problem.n_points]


def called_by(archive: Archive, run_id: str) -> str:
    """Return what a rule calls a run: its name, or its id where others have that name."""
    if not run_id:
        return "?"
    name = archive.info(run_id).name
    try:
        return name if archive.find(name) == run_id else run_id
    except ArchiveError:
        return run_id


def runs_to_name(session: Session) -> list[RunInfo]:
    """Return the runs that a rule can name, the one that is shown first."""
    draft, shown = session.draft, session.player.run_id
    fit = [
        info
        for info in session.archive.runs()
        if info.n == draft.n and info.dataset == draft.data.name and info.status in _HAVE_ONE
    ]
    return sorted(fit, key=lambda info: info.id != shown)[:_MOST_RUNS]


_HAVE_ONE = {"optimal", "feasible"}

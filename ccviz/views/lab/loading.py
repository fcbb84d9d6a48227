"""What is brought at once: a data set with what comes with it, links, a run again, rules."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import numpy as np

from ccviz.arrays import IntArray
from ccviz.data.datasets import Dataset
from ccviz.data.link_files import read_links_file
from ccviz.data.names import column_values
from ccviz.data.neighbors import neighbors_text, read_neighbors_file
from ccviz.data.random_links import random_pairs
from ccviz.errors import (
    ArchiveError,
    CcvizError,
    ContradictionError,
    ParameterError,
    ProblemError,
    UnfillableError,
)
from ccviz.feasibility.cure import explain
from ccviz.problem.asked import AnyAsked, AskedRule, joined, label_rules, parts_of
from ccviz.problem.rule_base import RuleKind
from ccviz.problem.rules import RULE_KINDS
from ccviz.runs.archive import Archive
from ccviz.runs.info import RunInfo
from ccviz.solvers import Solver, make_solver, solver_class
from ccviz.views.draft import Draft
from ccviz.views.lab.notice import EXPLAIN_S, Notice, as_sentence, watched_settings
from ccviz.views.lab.session import Session
from ccviz.views.link_table import LinkTable


def load_data(session: Session, data: Dataset) -> None:
    """Load a data set into a session; an example problem brings its solver and its story."""
    session.edits.load(data)
    if data.setup is not None and session.draft.data is data:  # it was not refused
        solver: Any = solver_of(session.draft)
        session.param.update(solver=solver, story=data.setup.story)


def solver_of(draft: Draft) -> Solver | None:
    """Return the solver that comes with a draft's data, None if they have none."""
    setup = draft.data.setup
    if setup is None:
        return None
    watched = watched_settings(setup.solver, draft.problem)
    return make_solver(setup.solver, **watched | dict(setup.settings))


# --- Many links at once: drawn from the known classes, or read from a file ------------------------


def draw_links(session: Session, many: int, noise: float = 0.0) -> None:
    """Draw links from the known classes, a share of them wrong, in the weight for new links."""
    truth = session.draft.data.truth
    if truth is None:
        text = "These data have no known classes to draw links from."
        session.notice = Notice("info", text, title="no classes")
        return
    with session.reporting_errors():
        session.person.quota.check_links(many)
        drawn = random_pairs(truth, many, noise, session.seed)
        links = LinkTable.of_pairs(drawn.must_link, drawn.cannot_link)
        session.edits.add_links(replace(links, weights=np.full(len(links), session.weight)))


def link_labels(session: Session) -> None:
    """Ask for a cluster for each label, in the weight for new links."""
    limit = "" if session.weight == inf else f"{session.weight:.15g}"
    column = label_column(session.draft.data)
    refused = add_rule(session, RULE_KINDS["labels()"], limit, column)
    if refused and session.notice is None:
        session.notice = Notice("error", refused)


def labelled(draft: Draft) -> int:
    """Return how many points have a label; 0 if none or all have, or a rule links them."""
    truth, column = draft.data.truth, label_column(draft.data)
    asked = {rule.words.name for rule in label_rules(draft.rules)}
    if truth is None or not column or column in asked:
        return 0
    known = int((truth >= 0).sum())
    return known if known < len(truth) else 0


def label_column(data: Dataset) -> str:
    """Return the column of the known classes, empty if there is none."""
    roles = data.origin.roles if data.origin is not None else {}
    return next((name for name, role in roles.items() if role == "class"), "")


def load_links(session: Session, name: str, content: bytes) -> None:
    """Add the links of a file, now or in some `Session.tick`."""
    draft = session.draft
    session.read_file(
        name, read_link_table, content, draft.n, name, draft.data.names,
        then=partial(_take, session),
    )  # fmt: skip


def read_link_table(
    content: bytes, n: int, name: str, names: tuple[str, ...]
) -> tuple[LinkTable, str]:
    """Read links as a table, and what may be wrong with its numbers; see `read_links_file`."""
    given = read_links_file(content, n, name, names)
    table = LinkTable.of_pairs(given.must_link, given.cannot_link, given.sources)
    return table, given.notice


def load_neighbors(session: Session, name: str, content: bytes) -> None:
    """Ask for clusters that are connected among the neighbours of a file, as `load_links`."""
    data = session.draft.data
    session.read_file(
        name, read_neighbors_file, content, session.draft.n, name, data.names,
        then=lambda near: session.edits.set_neighbors(neighbors_text(near)),
    )  # fmt: skip


def _take(session: Session, found: tuple[LinkTable, str]) -> None:
    links, notice = found
    session.person.quota.check_links(len(links))
    session.edits.add_links(links)
    if notice:
        session.notice = Notice("warning", notice)


# --- Returning to a run after the connection to the server was lost -------------------------------


def rejoin(session: Session, run_id: str, *, keeps_problem: bool = False) -> None:
    """Show a run to who comes back to it, and say what became of it.

    `keeps_problem`: Whether the current problem stays: it may have been edited since the run.
    """
    info = session.archive.info(run_id)
    if not keeps_problem:
        session.open_run(run_id)
    if info.state == "running" and session.person.owns(info):
        session.playback.join(run_id)
    elif keeps_problem:
        session.playback.show(run_id)
    if info.state == "running" and session.runner.state != "paused":
        session.player.playing = True
    if session.notice is None or session.notice.kind != "error":
        session.notice = Notice(
            "info", f"The page has come back. {_became(info)}", title="welcome back"
        )


def _became(info: RunInfo) -> str:
    """Report what became of a run in the meantime."""
    if info.state == "running":
        return f"The run {info.name} goes on."
    later = ""
    with suppress(ParameterError):  # a solver of another version
        later = " Under Runs it can go on." if solver_class(info.solver).supports.resume else ""
    if info.state == "lost":
        return f"The run {info.name} was broken off, and what it had found is kept.{later}"
    if info.termination == "interrupted":
        return f"The run {info.name} was stopped, and what it had found is kept.{later}"
    return f"The run {info.name} has ended: {info.message}"


# --- Rules ----------------------------------------------------------------------------------------


_MOST_RUNS = 50
_ABOUT = "a refused rule"


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
        cures = explain(session.draft.given, EXPLAIN_S, rules)[1]
        session.notice = Notice(
            "warning", cures.sentence, _ABOUT, title="this rule cannot be kept",
            cures=cures.found, rules=tuple(rules), finds_k=isinstance(refused, UnfillableError),
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

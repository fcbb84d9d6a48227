"""Tables of runs and of the columns of a sheet."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import numpy as np

from ccviz import events
from ccviz.bounds import relative_gap
from ccviz.data.cells import PLAIN_CSV, markdown_table
from ccviz.data.columns import MOST_CATEGORIES, Column
from ccviz.data.datasets import Dataset
from ccviz.data.roles import NUMBERS
from ccviz.data.scaling import scale_as, scaling_name, settled
from ccviz.data.sheet import Sheet
from ccviz.data.table import ROLE_WORDS, Decision, Role
from ccviz.numbers import count, number, ordinal, percent, seconds
from ccviz.runs.info import RunInfo
from ccviz.solvers import SOLVERS
from ccviz.solvers.base import label_of
from ccviz.studies.batch import Outcome
from ccviz.views.frames.node import STATES, called, decision_words
from ccviz.views.person import ALONE, Person

# --- Past runs as rows of a table -----------------------------------------------------------------


COLUMNS = (
    "Run", "Objective", "Proof", "Time", "Nodes", "ARI", "Broken", "Data", "k", "Links", "Scaling",
)  # fmt: skip
OUTCOME_COLUMNS = ("k", "Solver", "Runs", "Proved", "Best", "Median", "Broken", "ARI", "Time")
"""Of the table of a batch; broken constraints and ARI are the best answer's."""

_MOST_LETTERS = 24
"""Longest name of data within the name of a run."""

_MOST_SETTINGS = 3
"""Settings that the name of a run says."""

_RESUMABLE = frozenset(solver.name for solver in SOLVERS if solver.supports.resume)


@dataclass(frozen=True)
class RunRow:
    """A run in the table: its cells, their sorting keys (None: unknown), and allowed actions."""

    id: str
    name: str
    cells: tuple[str, ...]
    keys: tuple[str | float | None, ...]
    may: tuple[str, ...]


def run_row(info: RunInfo, person: Person = ALONE, name: str = "") -> RunRow:
    """Return the row of a run, with the actions that a person may take.

    `name`: What people call it, see `run_names`; its own name if not given.
    """
    ari = math.nan if info.ari is None else info.ari
    broken = math.nan if info.violations is None else info.violations
    measures: tuple[tuple[str, float], ...] = (
        (number(info.objective), info.objective),
        (_proof(info), info.gap),
        (seconds(info.time_s), info.time_s),
        (f"{info.nodes:,}" if info.nodes else "–", info.nodes),
        ("–" if math.isnan(ari) else f"{ari:.3f}", ari),
        ("–" if math.isnan(broken) else f"{broken:,}", broken),
    )
    run = name or info.name
    run += f", {info.solver}" * (info.solver not in run)
    links = "–" if info.links is None else f"{info.links:,}"
    asked = (f"{info.k:,}", links, scaling_name(info.scaling) or "–")
    cells = (run, *(words for words, _ in measures), info.dataset, *asked)
    sorted_by = [value if math.isfinite(value) else None for _, value in measures]
    keys = (run, *sorted_by, info.dataset, info.k, info.links, scaling_name(info.scaling))
    unfinished = info.state == "lost" or info.termination not in (None, "proved", "converged")
    allowed = {
        "open": True,
        "rename": person.owns(info),
        "resume": person.owns(info) and unfinished and info.solver in _RESUMABLE,
        "hide" if info.shared else "share": person.owns(info) and person.in_class,
        "delete": person.owns(info),
    }
    may = tuple(action for action, is_allowed in allowed.items() if is_allowed)
    return RunRow(info.id, name or info.name, cells, keys, may)


@dataclass(frozen=True)
class Wanted:
    """Which of very many runs are looked for: words of their rows, and a column to sort by."""

    words: str = ""
    column: int | None = None
    down: bool = False

    def of(self, rows: Sequence[RunRow]) -> list[RunRow]:
        """Return the rows with all of the words, in order; those without a value last."""
        words = self.words.lower().split()
        texts = [" ".join(row.cells).lower() for row in rows]
        found = [
            row
            for row, text in zip(rows, texts, strict=True)
            if all(word in text for word in words)
        ]
        at = self.column
        if at is None or not 0 <= at < len(COLUMNS):
            return found
        known = [row for row in found if row.keys[at] is not None]
        known.sort(key=lambda row: row.keys[at], reverse=self.down)  # type: ignore[arg-type, return-value]
        return known + [row for row in found if row.keys[at] is None]


def run_names(infos: Iterable[RunInfo]) -> dict[str, str]:
    """Return what people call runs: the names they were given, or data, k, solver and links.

    The number of clusters is said where a data set has runs of several, and of runs with one name
    the seed, the settings and the limits in which they differ. Of several that were asked the
    same, all but the first have their number.
    """
    infos = sorted(infos, key=lambda each: each.created)
    of_data = Counter(data for data, _ in {(info.dataset, info.k) for info in infos})
    names = {info.id: info.name for info in infos}
    groups: dict[str, list[RunInfo]] = {}
    for info in infos:
        # An archive, of this machine or another, has made the name up.
        if info.name == info.id or re.fullmatch(rf"{re.escape(info.solver)}-\w{{4}}", info.name):
            said = " · ".join(_what_was_run(info, says_k=of_data[info.dataset] > 1))
            groups.setdefault(said, []).append(info)
    many: Counter[str] = Counter()
    for said, group in groups.items():
        asked = [{"seed": info.seed, **info.settings, **info.limits.given} for info in group]
        keys = dict.fromkeys(key for each in asked for key in each)
        apart = [key for key in keys if len({str(each.get(key)) for each in asked}) > 1]
        for info, given in zip(group, asked, strict=True):
            own = (_setting(info.solver, key, given[key]) for key in apart if key in given)
            name = " · ".join((said, *islice(own, _MOST_SETTINGS)))
            many[name] += 1
            names[info.id] = f"{name} · {ordinal(many[name])}" if many[name] > 1 else name
    return names


def _setting(solver: str, key: str, value: object) -> str:
    kinds = [each for each in SOLVERS if each.name == solver]
    words = f"{value:g}" if isinstance(value, float) else str(value)
    if isinstance(value, bool):
        words = "yes" if value else "no"
    return f"{label_of(key, *kinds).lower()} {words}"


def _what_was_run(info: RunInfo, says_k: bool) -> Iterator[str]:
    data = info.dataset or count(info.n, "point")
    yield data if len(data) <= _MOST_LETTERS else f"{data[: _MOST_LETTERS - 1]}…"
    if says_k:
        yield f"k = {info.k:,}"
    yield info.solver
    if info.links:
        yield count(info.links, "link")


def outcome_row(found: Outcome) -> tuple[str, ...]:
    """Return the cells of what came of a solver's runs in a batch."""
    ari = "–" if found.ari is None else f"{found.ari:.3f}"
    broken = "–" if found.violations is None else f"{found.violations:,}"
    return (
        f"{found.k:,}", " · ".join(filter(None, (found.solver, found.links))),
        f"{found.runs:,}", f"{found.proved:,}", number(found.best),
        number(found.median), broken, ari, seconds(found.time_s),
    )  # fmt: skip


def run_table(infos: Sequence[RunInfo], style: Literal["csv", "markdown"]) -> str:
    """Return runs as a table for other programs, with every digit and all settings."""
    rows = [_TAKEN, *([getattr(info, name) for name in _TAKEN] for info in infos)]
    if style == "csv":
        return PLAIN_CSV.table(rows)
    unknown = (None, math.inf, -math.inf)
    return markdown_table(
        ["" if value in unknown or value != value else str(value) for value in row] for row in rows
    )


_TAKEN = (
    "name", "dataset", "n", "d", "k", "scaling", "links", "solver", "settings", "seed", "status",
    "termination", "objective", "lower_bound", "gap", "nodes", "time_s", "ari", "violations",
)  # fmt: skip


def _proof(info: RunInfo) -> str:
    """Return what is proved of a run's answer, and what the run is at unless it has ended."""
    state: str = info.status if info.state == "finished" else info.state
    if info.termination == "failed":
        state = "failed"
    if info.status == "optimal" or not math.isfinite(info.gap):
        return state
    within = f"gap {percent(info.gap)}"
    return within if state == "feasible" else f"{state}, {within}"


# --- A table that waits to be loaded: a line for each of its columns ------------------------------


FIRST_ROWS = 4
_MOST_CELL_LETTERS = 40
_MOST_PREVIEWED = 12  # features of the points that a sheet shows


@dataclass(frozen=True)
class Line:
    """A column of the table."""

    name: str
    role: Role
    roles: tuple[tuple[Role, str], ...]  # (role, words): What it may be taken as
    holds: str  # What its cells are, in words
    why: str  # Reason of the role; empty if the person chose it
    cells: tuple[str, ...]


def lines(sheet: Sheet, decisions: Sequence[Decision]) -> tuple[Line, ...]:
    """Return a line for each column of a sheet."""
    return tuple(
        Line(
            column.name,
            decision.role,
            tuple((role, _words(role, column)) for role in ROLE_WORDS if _fits(role, column)),
            _holds(column),
            "" if decision.why == NUMBERS else decision.why,
            tuple(map(_short, islice(column.cells, FIRST_ROWS))),
        )
        for column, decision in zip(sheet.columns, decisions, strict=True)
    )


def preview(data: Dataset | None, scaling: str) -> dict[str, Any]:
    """Return the first points as they will be clustered: words, names of features, and rows."""
    if data is None:
        return {"words": "", "columns": [], "rows": []}
    n, d = data.X.shape
    shown, rows = data.features[:_MOST_PREVIEWED], min(FIRST_ROWS, n)
    how = settled(scaling, data.X, data.features)
    X = scale_as(data.X[:rows], data.X, how)[:, :_MOST_PREVIEWED]
    more = f", the first {_MOST_PREVIEWED} of them below" if d > _MOST_PREVIEWED else ""
    names = data.names or [f"point {i}" for i in range(rows)]
    return {
        "words": f"To be clustered: {count(n, 'point')} by {count(d, 'feature')}{more}.",
        "columns": ["", *shown],
        "rows": [[names[i], *(number(value, 4) for value in X[i].tolist())] for i in range(rows)],
    }


def _fits(role: Role, column: Column) -> bool:
    if role == "feature":
        return column.has_categories or column.is_countable
    if role == "weight":
        return column.kind == "number"
    return role == "ignore" or column.kind != "empty"


def _words(role: Role, column: Column) -> str:
    if role == "feature" and column.kind == "text":
        many = 1 if column.yes else min(column.n_distinct, MOST_CATEGORIES)
        return f"{count(many, 'feature')} of 0 and 1"
    if role == "feature" and column.kind == "date":
        return "feature: days since the first"
    return ROLE_WORDS[role]


def _holds(column: Column) -> str:
    if column.kind == "empty":
        return "nothing"
    if column.kind == "number":
        low, high = (float(end(column.values)) for end in (np.nanmin, np.nanmax))
        unit = {"": "numbers", "%": "percent"}.get(column.unit, column.unit)
        words = [f"{unit}, {low:.6g} to {high:.6g}"]
    elif column.kind == "date":
        words = ["dates"]
    else:
        all_differ = column.is_unique
        words = ["words, all different" if all_differ else count(column.n_distinct, "word")]
    if gone := int(column.missing.sum()):
        words.append(f"{gone:,} missing")
    if column.kind == "number" and (bad := int(column.bad.sum())):
        at = int(np.flatnonzero(column.bad)[0])
        what = "too large" if np.isfinite(column.values[at]) else "words"
        words.append(f"{bad:,} are {what}, such as {_short(str(column.cells[at]).strip())!r}")
    return ", ".join(words)


def _short(cell: object) -> str:
    text = "" if cell is None else str(cell).strip()
    return text if len(text) <= _MOST_CELL_LETTERS else f"{text[: _MOST_CELL_LETTERS - 1]}…"


# --- Each event as a sentence, for the line under the plot ----------------------------------------


def sentence(event: events.Event, names: Sequence[str] = ()) -> str:
    """Describe an event in words.

    `names`: Of the points, if they have any.
    """
    of_points = _OF_POINTS.get(type(event))
    return _SENTENCES[type(event)](event) if of_points is None else of_points(event, names)


def _assigned(event: events.Assigned) -> str:
    waiting = int((event.labels < 0).sum())
    rest = f", {count(waiting, 'point')} still without a cluster" if waiting else ""
    return (
        f"Iteration {event.iteration}: {count(event.moved, 'point')} changed cluster{rest}; "
        f"objective {number(event.objective)}."
    )


def _opened(event: events.NodeOpened, names: Sequence[str]) -> str:
    if event.pair is None:
        return f"Node {event.node}: the root of the tree."
    said = decision_words(event, names)
    return f"Node {event.node} under node {event.parent}: {'' if event.place else 'points '}{said}."


def _branched(event: events.NodeBranched, names: Sequence[str]) -> str:
    i, j = called(event.pair, names)
    if event.place:
        return f"Node {event.node} branched on whether a centre is near point {i} (as far as {j})."
    return f"Node {event.node} branched on points {i} and {j}."


def _answered(event: events.QuestionAnswered, names: Sequence[str]) -> str:
    i, j = called(event.pair, names)
    if event.together is None:
        return f"Whether points {i} and {j} belong together is not known."
    return f"Points {i} and {j} {'' if event.together else 'do not '}belong together."


def _incumbent(event: events.IncumbentFound) -> str:
    if event.source == "start":
        return "The run begins with an earlier clustering."
    by = f" by {event.source}" if event.source else ""
    return f"The best clustering of this run so far was found{by}."


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
    # Neighbours are no links, and may be all that was added.
    added = count(event.added, "more link") if event.added else "what was added"
    return (
        f"The earlier proof holds with {added}: "
        f"every clustering costs at least {number(event.lower_bound)}."
    )


def _asked(event: events.QuestionAsked, names: Sequence[str]) -> str:
    i, j = called(event.pair, names)
    return f"Question {event.number}: do points {i} and {j} belong together?"


def _dead(event: events.DeadEnded, names: Sequence[str]) -> str:
    [point] = called([event.point], names)
    return (
        f"Dead end: every cluster is forbidden to point {point}. "
        "That says nothing about whether a clustering exists."
    )


_OF_POINTS: dict[type[events.Event], Callable[[Any, Sequence[str]], str]] = {
    events.DeadEnded: _dead,
    events.NodeOpened: _opened,
    events.NodeBranched: _branched,
    events.QuestionAsked: _asked,
    events.QuestionAnswered: _answered,
}

_SENTENCES: dict[type[events.Event], Callable[[Any], str]] = {
    events.Started: lambda event: (
        f"{event.solver} started on {event.n:,} points"
        f"{f', {event.n_blocks} blocks of points' * (event.n_blocks < event.n)}; k = {event.k}."
    ),
    events.Noted: lambda event: event.text,
    events.Restarted: lambda event: f"Start {event.restart + 1}.",
    events.Assigned: _assigned,
    events.CentersMoved: lambda event: f"Iteration {event.iteration}: the centres moved.",
    events.IncumbentFound: _incumbent,
    events.BoundImproved: lambda event: f"The lower bound rose to {number(event.lower_bound)}.",
    events.InfeasibilityProved: lambda event: f"Proved infeasible: {event.reason}",
    events.TreeKept: lambda _: "The problem was edited, and the earlier tree goes on.",
    events.NodeReopened: lambda event: f"Node {event.node} is opened again.",
    events.NodeLeft: lambda event: f"Node {event.node} is open at {number(event.lower_bound)}.",
    events.NodeBounded: lambda event: f"Node {event.node}: bound {number(event.lower_bound)}.",
    events.CutsAdded: lambda event: (
        f"Node {event.node}, round {event.round}: violated inequalities: {event.pair} on pairs, "
        f"{event.triangle} on triangles, {event.clique} on cliques"
        f"{f', {event.rows} on sums' if event.rows else ''}"
        f"{f', {event.separators} on neighbours' if event.separators else ''}; "
        f"bound {number(event.lower_bound)}."
    ),
    events.RelaxationSolved: lambda event: f"Node {event.node}: its relaxation is solved.",
    events.NodePruned: lambda event: f"Node {event.node} closed: {STATES[event.reason].because}.",
    events.ColumnsPriced: lambda event: (
        f"Node {event.node}, pricing {event.iteration}: {count(event.columns, 'column')} added, "
        f"best reduced cost {number(event.best_reduced_cost)}, "
        f"{'exact' if event.exact else 'heuristic'}; bound {number(event.lower_bound)}."
    ),
    events.ResidualsUpdated: lambda event: (
        f"Iteration {event.iteration}: primal residual {event.primal_residual:.2g}, "
        f"dual residual {event.dual_residual:.2g}."
    ),
    events.GenerationEnded: lambda event: (
        f"Generation {event.generation}: best {number(float(np.min(event.objectives)))}, "
        f"diversity {number(event.diversity)}."
    ),
    events.PartsCut: _parts,
    events.PartBounded: _part,
    events.ProofKept: _kept,
    events.Finished: lambda event: event.message or events.TERMINATION_SENTENCES[event.termination],
}

"""Past runs as rows of a table."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ccviz.data.csv_style import PLAIN_CSV
from ccviz.data.markdown import markdown_table
from ccviz.data.scaling import scaling_name
from ccviz.numbers import count, number, ordinal, percent, seconds
from ccviz.runs.info import RunInfo
from ccviz.solvers import SOLVERS
from ccviz.studies.batch import Outcome
from ccviz.views.person import ALONE, Person

COLUMNS = (
    "Run", "Objective", "Proof", "Time", "Nodes", "ARI", "Broken", "Data", "k", "Links", "Scaling",
)  # fmt: skip
OUTCOME_COLUMNS = ("k", "Solver", "Runs", "Proved", "Best", "Median", "Broken", "ARI", "Time")
"""Of the table of a batch; broken constraints and ARI are the best answer's."""

_MOST_LETTERS = 24
"""Longest name of data within the name of a run."""

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

    Parameters
    ----------
    info : RunInfo
    person : Person
    name : str
        What people call it, see `run_names`; its own name if not given.
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
    run = _run_words(info, name or info.name)
    links = "–" if info.links is None else f"{info.links:,}"
    asked = (f"{info.k:,}", links, scaling_name(info.scaling) or "–")
    cells = (run, *(words for words, _ in measures), info.dataset, *asked)
    sorted_by = [value if math.isfinite(value) else None for _, value in measures]
    keys = (run, *sorted_by, info.dataset, info.k, info.links, scaling_name(info.scaling))
    unfinished = info.state == "lost" or info.termination not in (None, "proved", "converged")
    may = tuple(_actions(info, person, unfinished and info.solver in _RESUMABLE))
    return RunRow(info.id, name or info.name, cells, keys, may)


def run_names(infos: Iterable[RunInfo]) -> dict[str, str]:
    """Return what people call runs: the names they were given, or data, k, solver and links.

    The number of clusters is said where a data set has runs of several. Of several that were asked
    the same, all but the first have their number.

    Parameters
    ----------
    infos : iterable of RunInfo

    Returns
    -------
    dict of str to str
        By the runs' ids.
    """
    infos = sorted(infos, key=lambda each: each.created)
    of_data = Counter(data for data, _ in {(info.dataset, info.k) for info in infos})
    names: dict[str, str] = {}
    many: Counter[str] = Counter()
    for info in infos:
        said = info.name
        if _is_made_up(info):
            said = " · ".join(_what_was_run(info, says_k=of_data[info.dataset] > 1))
            many[said] += 1
            said += f" · {ordinal(many[said])}" if many[said] > 1 else ""
        names[info.id] = said
    return names


def _is_made_up(info: RunInfo) -> bool:
    """Return whether a run has the name that an archive makes up, of this machine or another."""
    return re.fullmatch(rf"{re.escape(info.solver)}-\w{{4}}", info.name) is not None or (
        info.name == info.id
    )


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
        f"{found.k:,}", found.solver, f"{found.runs:,}", f"{found.proved:,}", number(found.best),
        number(found.median), broken, ari, seconds(found.time_s),
    )  # fmt: skip


def run_table(infos: Sequence[RunInfo], style: Literal["csv", "markdown"]) -> str:
    """Return runs as a table for other programs, with every digit and all settings.

    Parameters
    ----------
    infos : sequence of RunInfo
    style : {"csv", "markdown"}
    """
    rows = [_TAKEN, *([getattr(info, name) for name in _TAKEN] for info in infos)]
    if style == "markdown":
        return markdown_table([_plain(value) for value in row] for row in rows)
    return PLAIN_CSV.table(rows)


def _plain(value: object) -> str:
    """Return a cell of the table in Markdown, empty where nothing is known."""
    known = value is not None and not (isinstance(value, float) and not math.isfinite(value))
    return str(value) if known else ""


_TAKEN = (
    "name", "dataset", "n", "d", "k", "scaling", "links", "solver", "settings", "seed", "status",
    "termination", "objective", "lower_bound", "gap", "nodes", "time_s", "ari", "violations",
)  # fmt: skip


def _actions(info: RunInfo, person: Person, resumable: bool) -> Iterator[str]:
    yield "open"
    if person.owns(info):
        yield "rename"
        if resumable:
            yield "resume"
        if person.in_class:
            yield "hide" if info.shared else "share"
        yield "delete"


def _proof(info: RunInfo) -> str:
    """Return what is proved of a run's answer, and what the run is at unless it has ended."""
    state: str = info.status if info.state == "finished" else info.state
    if info.termination == "failed":
        state = "broke off"
    if info.status == "optimal" or not math.isfinite(info.gap):
        return state
    within = f"gap {percent(info.gap)}"
    return within if state == "feasible" else f"{state}, {within}"


def _run_words(info: RunInfo, name: str) -> str:
    """Return the name of a run with its solver, unless it is part of the name."""
    return name if info.solver in name else f"{name}, {info.solver}"

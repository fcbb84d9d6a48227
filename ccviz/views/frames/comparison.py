"""Runs side by side: their results, how far they agree, and their different settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ccviz.arrays import IntArray
from ccviz.numbers import number, percent, seconds
from ccviz.runs.info import RunInfo
from ccviz.solvers import SOLVERS
from ccviz.solvers.base import label_of
from ccviz.views.frames.scatter import matching


@dataclass(frozen=True)
class Row:
    """A line of the comparison.

    Attributes
    ----------
    name : str
    cells : tuple of str
        One for each run.
    best : tuple of int
        The runs that are ahead in it; empty where that means nothing, or all are level.
    """

    name: str
    cells: tuple[str, ...]
    best: tuple[int, ...] = ()


_Measure = tuple[str, Callable[[RunInfo], float], Callable[[float], str], int]

_MEASURES: tuple[_Measure, ...] = (
    ("Objective", lambda info: info.objective, number, 1),
    ("Lower bound", lambda info: info.lower_bound, number, -1),
    ("Gap", lambda info: info.gap, percent, 1),
    ("Nodes", lambda info: info.nodes or np.nan, lambda value: f"{value:,.0f}", 0),
    ("Time", lambda info: info.time_s, seconds, 1),
    ("ARI", lambda info: np.nan if info.ari is None else info.ari, lambda v: f"{v:.3f}", -1),
    ("Broken links", lambda info: np.nan if info.violations is None else info.violations,
     lambda value: f"{value:,.0f}", 1),
)  # fmt: skip
"""Name, value, words, and whether less (1) or more (-1) is better."""


def comparison(infos: Sequence[RunInfo], labels: Sequence[IntArray | None]) -> tuple[Row, ...]:
    """Return the measures of runs, their agreement with the first, and differing settings.

    Parameters
    ----------
    infos : sequence of RunInfo
    labels : sequence of (n,) int or None
        The clustering that each run found.
    """
    agreement = tuple(_agreement(labels[0], other) for other in labels)
    return (
        *(_measured(measure, infos) for measure in _MEASURES),
        Row("Agrees with the first", agreement),
        *(row for row in (*_facts(infos), *_settings(infos)) if len(set(row.cells)) > 1),
    )


def differing(first: IntArray, other: IntArray, k: int) -> IntArray:
    """Return the points that two clusterings put into different clusters, renumbered to agree most.

    Parameters
    ----------
    first, other : (n,) int
        Below k.
    k : int
    """
    return np.flatnonzero(matching(other, first, k)[other] != first)


def _facts(infos: Sequence[RunInfo]) -> list[Row]:
    return [
        Row("Data", tuple(info.dataset or "–" for info in infos)),
        Row("Points, k", tuple(f"{info.n:,}, {info.k}" for info in infos)),
        Row("Solver", tuple(info.solver for info in infos)),
        Row("Seed", tuple(str(info.seed) for info in infos)),
    ]


def _settings(infos: Sequence[RunInfo]) -> list[Row]:
    """Return the limits, and the settings in which runs that have them differ."""
    solvers = [solver for solver in SOLVERS if solver.name in {info.solver for info in infos}]
    settings = sorted({name for info in infos for name in info.settings if _differs(name, infos)})
    limits = sorted({name for info in infos for name in info.limits.given})
    return [
        *(_asked(label_of(name, *solvers), name, [info.settings for info in infos])
          for name in settings),
        *(_asked(label_of(name), name, [info.limits.given for info in infos]) for name in limits),
    ]  # fmt: skip


def _differs(name: str, infos: Sequence[RunInfo]) -> bool:
    """Whether runs differ in a setting; solvers without the setting are ignored."""
    having = {info.solver for info in infos if name in info.settings}
    return len({_words(info.settings.get(name)) for info in infos if info.solver in having}) > 1


def _asked(label: str, name: str, values: Sequence[dict[str, Any]]) -> Row:
    return Row(label, tuple(_words(each.get(name)) for each in values))


def _words(value: object) -> str:
    if value is None:
        return "–"
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _measured(measure: _Measure, infos: Sequence[RunInfo]) -> Row:
    name, value, words, sense = measure
    values = np.array([value(info) for info in infos], dtype=np.float64)
    cells = tuple(words(each) if np.isfinite(each) else "–" for each in values.tolist())
    known = sense * values[np.isfinite(values)]
    if not sense or len(known) < 2 or known.min() == known.max():
        return Row(name, cells)
    return Row(name, cells, tuple(np.flatnonzero(sense * values == known.min()).tolist()))


def _agreement(first: IntArray | None, other: IntArray | None) -> str:
    if first is None or other is None or len(first) != len(other):
        return "–"
    from sklearn.metrics import adjusted_rand_score  # a second of the first page otherwise

    return f"ARI {adjusted_rand_score(first, other):.3f}"

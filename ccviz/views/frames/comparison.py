"""Runs side by side: what they were asked, what they came to, and how far they agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import adjusted_rand_score

from ccviz.links import IntArray
from ccviz.runinfo import RunInfo
from ccviz.views.frames.numbers import number, percent, seconds


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
    """Return the lines that tell runs apart, their measures, and their agreement with the first.

    Parameters
    ----------
    infos : sequence of RunInfo
    labels : sequence of (n,) int or None
        The clustering that each run came to.
    """
    facts = [
        ("Data", [info.dataset or "–" for info in infos]),
        ("Points, k", [f"{info.n:,}, {info.k}" for info in infos]),
        ("Solver", [info.solver for info in infos]),
        ("Seed", [str(info.seed) for info in infos]),
        *_settings(infos),
    ]
    rows = [Row(name, tuple(cells)) for name, cells in facts]
    rows += [_measured(measure, infos) for measure in _MEASURES]
    agreement = tuple(_agreement(labels[0], other) for other in labels)
    return (*rows, Row("Agrees with the first", agreement))


def _settings(infos: Sequence[RunInfo]) -> list[tuple[str, list[str]]]:
    """Return the settings and limits in which the runs differ."""
    given = [info.settings | info.limits for info in infos]
    names = sorted({name for values in given for name in values})
    lines = [(name.replace("_", " "), [_words(values.get(name)) for values in given])
             for name in names]  # fmt: skip
    return [(name, cells) for name, cells in lines if len(set(cells)) > 1]


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
    return f"ARI {adjusted_rand_score(first, other):.3f}"

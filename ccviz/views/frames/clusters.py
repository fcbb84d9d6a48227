"""Tables of clusters, of two clusterings, and of the weights of features."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ccviz.arrays import IntArray
from ccviz.data.datasets import Dataset
from ccviz.data.scaling import feature_weights
from ccviz.numbers import count, number, percent, seconds
from ccviz.problem.asked import parts_of
from ccviz.problem.partition import Partition, cluster_means
from ccviz.runs.info import RunInfo
from ccviz.solvers import SOLVERS
from ccviz.solvers.base import label_of
from ccviz.studies.profile import Profile, profile
from ccviz.studies.rows import scores_of
from ccviz.views.draft import Draft
from ccviz.views.frames.scatter import matching

# --- The features that distinguish each cluster of an answer, and how well its points fit ---------


MOST_FEATURES, _FEW_FEATURES, _MOST_CELLS = 60, 6, 6000
"""Features of the table at most, and of one whose cells are more than that."""
MOST_COMPARED = 3000
"""Number of points up to which silhouettes compare all pairs, to keep the page fast."""
_MOST_COSTS = 5 * 10**9
"""Products of coordinates up to which every point is compared with every mean: half a second."""


@dataclass(frozen=True)
class Head:
    """A cluster."""

    number: int  # On the page; its colour too
    size: int
    share: float
    silhouette: float
    name: str = ""  # That a person gave it; empty without


@dataclass(frozen=True)
class Cell:
    """A feature in a cluster."""

    mean: float
    spread: float
    apart: float  # How many standard deviations of all points its mean is above that of all points


@dataclass(frozen=True)
class FeatureRow:
    """A feature in all clusters."""

    name: str
    separation: float  # Share of its variance between the clusters
    whole: Cell
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Clusters:
    """How the clusters differ, the features that separate them most first."""

    heads: tuple[Head, ...]
    rows: tuple[FeatureRow, ...]
    features: int
    silhouette: float  # Mean over all points
    simplified: bool  # Whether silhouettes compare with means of clusters
    sampled: bool = False  # Whether silhouettes are means over some of the points


def clusters(
    data: Dataset, partition: Partition, names: Mapping[int, str] | None = None
) -> Clusters:
    """Return how the clusters of a clustering differ.

    `data`: The points in the units that people read. `partition`: Its numbers are those on the
    page.
    """
    k, called, n = partition.problem.n_clusters, names or {}, partition.problem.n_points
    found = profile(data.X, partition.shown, k, data.features)
    labels = partition.labels[:n]
    some = _some(labels, partition.problem.d)
    fit = scores_of(partition, MOST_COMPARED, some)
    sizes = np.bincount(labels, minlength=partition.problem.k)
    most = min(MOST_FEATURES, max(_FEW_FEATURES, _MOST_CELLS // k))
    compared = labels[some] if fit.simplified else labels
    means = cluster_means(fit.silhouette[:, None], compared, len(sizes))[:, 0]
    return Clusters(
        heads=tuple(
            Head(j, int(sizes[j]), float(sizes[j] / n), float(means[j]), called.get(j, ""))
            for j in range(k)
        ),
        rows=tuple(_row(found, j) for j in range(min(len(found.features), most))),
        features=len(found.features),
        silhouette=float(sizes @ np.nan_to_num(means) / n),
        simplified=fit.simplified,
        sampled=fit.simplified and len(some) < n,
    )


def _some(labels: IntArray, d: int) -> IntArray:
    """Return the points whose silhouettes are computed: the same number, at most, a cluster."""
    sizes = np.bincount(labels)
    k = np.count_nonzero(sizes)
    if len(labels) * k * d <= _MOST_COSTS:
        return np.arange(len(labels))
    most = max(1, _MOST_COSTS // (k * k * d))
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(sizes)
    picked = [
        order[end - size : end][np.linspace(0, size - 1, min(size, most)).astype(np.int64)]
        for size, end in zip(sizes.tolist(), ends.tolist(), strict=True)
    ]
    return np.sort(np.concatenate(picked))


def _row(found: Profile, j: int) -> FeatureRow:
    spread = float(found.spread[j])
    apart = (found.means[:, j] - found.mean[j]) / (spread if spread > 0 else 1.0)
    cells = np.column_stack([found.means[:, j], found.spreads[:, j], apart]).tolist()
    whole = Cell(float(found.mean[j]), spread, 0.0)
    return FeatureRow(
        found.features[j], float(found.separation[j]), whole, tuple(Cell(*each) for each in cells)
    )


def sums_in_words(partition: Partition, names: Mapping[int, str] | None = None) -> tuple[str, ...]:
    """Return what each cluster has of the columns whose sums are limited by rules.

    `partition`, `names`: As for `clusters`.
    """
    problem, called = partition.problem, names or {}
    limited = [each for rule in problem.given.rules for each in parts_of(rule)
               if each.kind.name.startswith("sum()")]  # fmt: skip
    columns = {each.words.name: np.array(each.known) for each in limited}
    said = []
    for name, values in columns.items():
        labels = partition.labels[: len(values)]
        sums = np.bincount(labels, values, problem.k)[: problem.n_clusters].tolist()
        total = float(values.sum()) or 1.0
        listed = (f"{called.get(j, f'cluster {j}')} {number(each)} ({each / total:.1%})"
                  for j, each in enumerate(sums))  # fmt: skip
        said.append(f"Sum of {name}: {', '.join(listed)}")
    return tuple(said)


# --- Runs side by side: their results, how far they agree, and their different settings -----------


@dataclass(frozen=True)
class Row:
    """A line of the comparison."""

    name: str
    cells: tuple[str, ...]
    # The runs that are ahead in it; empty where that means nothing, or all are level.
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

    `labels` (n,): The clustering that each run found.
    """
    agreement = tuple(_agreement(labels[0], other) for other in labels)
    facts = [
        Row("Data", tuple(info.dataset or "–" for info in infos)),
        Row("Points, k", tuple(f"{info.n:,}, {info.k}" for info in infos)),
        Row("Solver", tuple(info.solver for info in infos)),
        Row("Seed", tuple(str(info.seed) for info in infos)),
    ]
    return (
        *(_measured(measure, infos) for measure in _MEASURES),
        Row("Agrees with the first", agreement),
        *(row for row in (*facts, *_settings(infos)) if len(set(row.cells)) > 1),
    )


def differing(first: IntArray, other: IntArray, k: int) -> IntArray:
    """Return the points that two clusterings put into different clusters, renumbered to agree most.

    `first`, `other` (n,): Below k.
    """
    return np.flatnonzero(matching(other, first, k)[other] != first)


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


# --------------------------------------------------------------------------------------------------
# What each feature counts once it is weighted, and whether its weight is as old as the links.


@dataclass(frozen=True)
class FeatureWeight:
    """One feature."""

    name: str
    weight: float  # Of its squared differences, in its own unit
    share: float  # Part of the squared distances between points, all pairs together


def listed_weights(draft: Draft) -> tuple[FeatureWeight, ...]:
    """Return the features of a draft with weights, those that count most first."""
    weights = feature_weights(draft.scaling)
    parts = draft.X.var(axis=0, dtype=np.float64)
    shares = parts / (parts.sum() or 1.0)
    return tuple(
        FeatureWeight(draft.data.features[j], float(weights[j]), float(shares[j]))
        for j in np.argsort(-shares, kind="stable").tolist()
    )


def is_outdated(draft: Draft) -> bool:
    """Return whether the links are others than those from which the weights were learned."""
    return draft.learned_from != draft.links


def origin_words(draft: Draft) -> str:
    """Return from which links the weights of a draft were learned, as a sentence."""
    if not draft.learned_from:
        return "Each feature has a weight of its own."
    words = f"Weights learned from {count(len(draft.learned_from), 'link')}"
    return f"{words}; the links have changed since." if is_outdated(draft) else f"{words}."

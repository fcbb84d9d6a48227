"""What marks the clusters of a clustering: their means and spreads, feature by feature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.data.cells import PLAIN_CSV, CsvStyle, markdown_table
from ccviz.problem.partition import cluster_means, cluster_squares

_ROUNDING = 1e-12
"""Deviation of a feature, as a share of its mean, up to which it is rounding of a constant."""


@dataclass(frozen=True, eq=False)
class Profile:
    """Means and spreads of clusters, the features that separate most first.

    Attributes
    ----------
    features : tuple of str
        Names of the d features.
    separation : (d,) float64
        Share of each feature's variance that lies between the clusters, 0 to 1.
    mean, spread : (d,) float64
        Of all points: mean and standard deviation, in the feature's own units.
    means, spreads : (k, d) float64
        Of the points of each cluster; NaN for an empty one.
    sizes : (k,) int64
        Points in each cluster.
    called : tuple of str
        What each cluster is called.
    """

    features: tuple[str, ...]
    separation: FloatArray
    mean: FloatArray
    spread: FloatArray
    means: FloatArray
    spreads: FloatArray
    sizes: IntArray
    called: tuple[str, ...]


def profile(
    X: FloatArray,
    labels: IntArray,
    k: int,
    features: Sequence[str],
    names: Mapping[int, str] | None = None,
) -> Profile:
    """Return what marks each cluster.

    Parameters
    ----------
    X : (n, d) float64
        The points in the units that people read, whatever they were scaled to for the solver.
    labels : (n,) int64
        0 to k - 1; -1 for points left out, which count only among all.
    features : sequence of str
        Names of the columns of X.
    names : mapping of int to str, optional
        Of clusters; one without is called by its number.
    """
    groups = np.where(labels < 0, k, labels)  # those left out are one more
    sizes = np.bincount(groups, minlength=k + 1)
    means = cluster_means(X, groups, k + 1)
    squares = cluster_squares(X, groups, k + 1, means)
    mean = sizes @ np.nan_to_num(means) / len(X)
    between = sizes[:, None] * (np.nan_to_num(means) - mean) ** 2
    total = (squares + between).sum(axis=0) / len(X)
    varies = total > (_ROUNDING * mean) ** 2
    sizes, means, squares = sizes[:k], means[:k], squares[:k]
    inside = squares.sum(axis=0) / sizes.sum()
    separation = np.clip(1.0 - inside / np.where(varies, total, 1.0), 0.0, 1.0)
    separation = np.where(varies, separation, 0.0)
    with np.errstate(invalid="ignore"):
        spreads = np.sqrt(squares / sizes[:, None])
    order = np.argsort(-separation, kind="stable")
    return Profile(
        features=tuple(features[j] for j in order.tolist()),
        separation=separation[order],
        mean=mean[order],
        spread=np.sqrt(total)[order],
        means=means[:, order],
        spreads=spreads[:, order],
        sizes=sizes,
        called=tuple((names or {}).get(j, f"cluster {j}") for j in range(k)),
    )


def profile_rows(found: Profile, digits: int = 4) -> Iterator[list[str]]:
    """Yield a profile, in significant digits: a line of names, the sizes, then a line a feature."""
    yield ["feature", "separation", "all", *found.called]
    yield ["points", "", f"{found.sizes.sum()}", *map(str, found.sizes.tolist())]
    for j, feature in enumerate(found.features):
        pairs = [
            (found.mean[j], found.spread[j]),
            *zip(found.means[:, j], found.spreads[:, j], strict=True),
        ]
        cells = [f"{mean:.{digits}g} ± {spread:.{digits}g}" for mean, spread in pairs]
        yield [feature, f"{found.separation[j]:.3f}", *cells]


def profile_parts(found: Profile, width: int = 80) -> Iterator[list[list[str]]]:
    """Yield a profile as tables of some clusters each, which fit into lines of some characters."""
    rows = [*profile_rows(found)]
    wide = [max(map(len, column)) + len(" | ") for column in zip(*rows, strict=True)]
    shown, at = [0, 1, 2], 3  # the feature, its separation, and all points; later the feature alone
    while at < len(wide):
        end, room = at + 1, width - 1 - sum(wide[column] for column in shown)
        while end < len(wide) and sum(wide[at : end + 1]) <= room:
            end += 1
        yield [[row[column] for column in (*shown, *range(at, end))] for row in rows]
        shown, at = [0], end


def profile_csv(found: Profile, style: CsvStyle = PLAIN_CSV) -> str:
    """Return a profile as CSV, means and spreads in columns of their own, with all digits."""
    both = [f"{group} {what}" for group in ("all", *found.called) for what in ("mean", "spread")]
    sizes = [int(found.sizes.sum()), *found.sizes.tolist()]
    rows: list[list[Any]] = [
        ["feature", "separation", *both],
        ["points", "", *(cell for size in sizes for cell in (size, ""))],
    ]
    means = np.vstack([found.mean, found.means])
    spreads = np.vstack([found.spread, found.spreads])
    for j, feature in enumerate(found.features):
        pairs = np.column_stack([means[:, j], spreads[:, j]])
        rows.append([feature, float(found.separation[j]), *pairs.ravel().tolist()])
    return style.table(rows)


def profile_markdown(found: Profile) -> str:
    """Return a profile as tables in Markdown, in lines of 80 characters."""
    parts = profile_parts(found)
    return "\n".join(markdown_table(part, numbers_from=1) for part in parts)

"""Points painted by hand: a draft with more points or fewer, drawn as data of two features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError
from ccviz.views.draft import Draft
from ccviz.views.frames.scatter import Plane
from ccviz.views.link_table import LinkTable

NAME = "painted"
FEATURES = ("x0", "x1")


def blank_plane() -> Plane:
    """Return an empty sheet."""
    nothing = np.zeros(0)
    axes = tuple((np.eye(2)[axis], np.zeros(2)) for axis in range(2))
    return Plane(*FEATURES, *FEATURES, nothing, nothing, [], axes)  # type: ignore[arg-type]


def with_points(sheet: Draft | None, where: Plane, points: FloatArray, cluster: int) -> Draft:
    """Return a draft with more points, of the class of the brush.

    Parameters
    ----------
    sheet : Draft or None
        What has been drawn so far; nothing on an empty sheet.
    where : Plane
        The axes that are drawn: they become the features, unless they are them already.
    points : (m, 2) float
        On these axes.
    cluster : int
    """
    if sheet is None:
        data = Dataset(NAME, points, FEATURES, np.full(len(points), cluster), _classes((), cluster))
        return Draft(data, 1)
    flat = flattened(sheet, where)
    old = flat.data
    columns = [old.features.index(name) for name in (where.x_name, where.y_name)] \
        if sheet is flat else [0, 1]  # fmt: skip
    more = np.empty_like(points)
    more[:, columns] = points
    truth, classes = old.truth, old.classes
    if truth is not None:
        truth = np.append(truth, np.full(len(points), cluster))
        classes = _classes(classes, max(cluster, int(truth.max())))
    weights = None if old.weights is None else np.append(old.weights, np.ones(len(points)))
    data = Dataset(
        NAME, np.concatenate([old.X, more]), old.features, truth, classes, weights=weights
    )
    k = max(flat.k, len(classes)) if old.name == NAME else flat.k
    rules = tuple(rule for rule in flat.rules if not rule.known)  # of the old points alone
    return replace(flat, data=data, k=min(k, len(data.X)), lower=(), upper=(), rules=rules)


def without_points(sheet: Draft, where: Plane, gone: Sequence[int]) -> Draft:
    """Return a draft without some points, and without their links.

    Raises
    ------
    CcvizError
        If no point would be left.
    """
    flat = flattened(sheet, where)
    stays = np.ones(flat.n, dtype=bool)
    stays[list(gone)] = False
    if not stays.any():
        raise CcvizError("The last points cannot be erased; take an empty sheet instead.")
    number = np.cumsum(stays) - 1
    kept = flat.links.taken(np.all(stays[flat.links.pairs], axis=1))
    links = replace(kept, pairs=freeze(number[kept.pairs]))
    old = flat.data
    truth = None if old.truth is None else old.truth[stays]
    weights = None if old.weights is None else old.weights[stays]
    names = tuple(name for name, stay in zip(old.names, stays.tolist(), strict=False) if stay)
    data = replace(
        old, name=NAME, X=old.X[stays], truth=truth, k=None, notices=(), names=names, origin=None,
        weights=weights,
    )  # fmt: skip
    rules = tuple(rule.of_points(stays) for rule in flat.rules)
    return replace(
        flat, data=data, links=links, k=min(flat.k, len(data.X)), lower=(), upper=(), unsure=(),
        rules=rules, cluster_names=(),
    )  # fmt: skip


def flattened(draft: Draft, where: Plane) -> Draft:
    """Return a draft whose two features are the axes that are drawn; itself if they are."""
    features = draft.data.features
    if draft.scaling == "none" and sorted(features) == sorted((where.x_name, where.y_name)):
        return draft
    data = replace(
        draft.data, name=NAME, X=np.column_stack([where.x, where.y]), features=FEATURES,
        notices=(), origin=None,
    )  # fmt: skip
    return replace(draft, data=data, scaling="none", learned_from=LinkTable(), lower=(), upper=())


def _classes(known: tuple[str, ...], cluster: int) -> tuple[str, ...]:
    return known + tuple(f"class {place + 1}" for place in range(len(known), cluster + 1))


def spray(at: tuple[float, float], spread: tuple[float, float], seed: Sequence[int], many: int
          ) -> FloatArray:  # fmt: skip
    """Return (many, 2) points around a place; the same seed, the same points."""
    return np.random.default_rng(seed).normal(at, spread, (many, 2))


def within(where: Plane, at: FloatArray, radius: tuple[float, float]) -> IntArray:
    """Return the points that an eraser touches on its way.

    Parameters
    ----------
    where : Plane
    at : (m, 2) float
        Its way.
    radius : pair of float
        Of the eraser, along each axis.
    """
    touched = np.zeros(len(where.x), dtype=bool)
    for x, y in at:
        touched |= np.hypot((where.x - x) / radius[0], (where.y - y) / radius[1]) <= 1.0
    return np.flatnonzero(touched)

"""The scatter matrix: which features it shows, and the points in each of its cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.views.draft import Draft

MOST_FEATURES = 5
MOST_POINTS = 2000


@dataclass(frozen=True, eq=False)
class Pairs:
    """Points by the features that weigh most.

    Attributes
    ----------
    features : tuple of str
        Those with the largest variance as they are clustered, in the order of the data: they make
        up most of the objective.
    rows : (m,) int64
        The points shown: all, or an even selection of very many.
    columns : (m, len(features)) float64
    """

    features: tuple[str, ...]
    rows: IntArray
    columns: FloatArray


def pairs(draft: Draft) -> Pairs:
    """Return the scatter matrix of a draft."""
    chosen = np.sort(
        np.argsort(-draft.X.var(axis=0, dtype=np.float64), kind="stable")[:MOST_FEATURES]
    )
    rows = np.linspace(0, draft.n - 1, min(draft.n, MOST_POINTS)).astype(np.int64)
    names = tuple(draft.data.features[at] for at in chosen.tolist())
    return Pairs(names, rows, draft.X[np.ix_(rows, chosen)])

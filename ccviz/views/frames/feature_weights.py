"""What each feature counts once it is weighted, and whether its weight is as old as the links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.data.scaling import feature_weights
from ccviz.numbers import count
from ccviz.views.draft import Draft


@dataclass(frozen=True)
class FeatureWeight:
    """One feature.

    Attributes
    ----------
    name : str
    weight : float
        Of its squared differences, in its own unit.
    share : float
        Part of the squared distances between points, all pairs together.
    """

    name: str
    weight: float
    share: float


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
    told = f"Weights learned from {count(len(draft.learned_from), 'link')}"
    return f"{told}; the links have changed since." if is_outdated(draft) else f"{told}."

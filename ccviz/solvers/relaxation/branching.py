"""The branching rule of Piccialli et al. 2022, section 3.3, with soft links first.

In the Z of a clustering any two blocks have Z_ij = 0 or equal rows. The pair that is farthest from
both, by min(Z_ij, |Z_i - Z_j|^2), is put together in one child and kept apart in the other.

A soft link whose pair is decided costs a constant. So the soft link with the largest undecided
weight comes first, by the share of a cluster that its pair has in common, if that is a part of the
gap.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.solvers.relaxation.model import Relaxation

_PART_OF_GAP = 0.05
"""Least undecided weight of a soft link that is branched on, relative to the gap of the node."""


def branching_pair(
    relaxation: Relaxation, Y: FloatArray, gap: float = np.inf
) -> tuple[int, int] | None:
    """Return the pair of blocks to branch on; None if every two blocks conflict.

    Parameters
    ----------
    relaxation : Relaxation
    Y : (s, s) float64
    gap : float
        How far the bound is below the one that closes the node.
    """
    Z = relaxation.to_z(Y)
    soft = _undecided(relaxation, Z)
    if soft is not None and soft[1] >= _PART_OF_GAP * gap:
        return soft[0]
    return _farthest(relaxation, Z)


def _undecided(relaxation: Relaxation, Z: FloatArray) -> tuple[tuple[int, int], float] | None:
    """Return the soft link with the largest undecided weight, and that weight."""
    found = (relaxation.soft, relaxation.priced)
    pairs = np.concatenate([each for soft in found for each in (soft.must, soft.cannot)])
    if not len(pairs):
        return None
    weight = np.concatenate(
        [each for soft in found for each in (soft.must_weight, soft.cannot_weight)]
    )
    share = np.minimum(Z[pairs[:, 0]], Z[pairs[:, 1]]) @ relaxation.mass
    score = weight * np.clip(np.minimum(share, 1.0 - share), 0.0, None)
    at = int(score.argmax())
    return (int(pairs[at, 0]), int(pairs[at, 1])), float(score[at])


def _farthest(relaxation: Relaxation, Z: FloatArray) -> tuple[int, int] | None:
    gram = Z @ Z.T
    squares = np.diag(gram)
    distance = squares[:, None] + squares[None, :] - 2.0 * gram
    score = np.minimum(Z, np.maximum(distance, 0.0))
    score[np.tril_indices(relaxation.s)] = -1.0
    score[relaxation.conflicts[:, 0], relaxation.conflicts[:, 1]] = -1.0
    i, j = np.unravel_index(int(score.argmax()), score.shape)
    return (int(i), int(j)) if score[i, j] >= 0.0 else None

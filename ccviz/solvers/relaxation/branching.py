"""The branching rule of Piccialli et al. 2022, section 3.3.

In the Z of a clustering any two blocks have Z_ij = 0 or equal rows. The pair that is farthest from
both, by min(Z_ij, |Z_i - Z_j|^2), is put together in one child and kept apart in the other.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.solvers.relaxation.model import Relaxation


def branching_pair(relaxation: Relaxation, Y: FloatArray) -> tuple[int, int] | None:
    """Return the pair of blocks to branch on; None if every two blocks conflict."""
    Z = relaxation.to_z(Y)
    gram = Z @ Z.T
    squares = np.diag(gram)
    distance = squares[:, None] + squares[None, :] - 2.0 * gram
    score = np.minimum(Z, np.maximum(distance, 0.0))
    score[np.tril_indices(relaxation.s)] = -1.0
    score[relaxation.conflicts[:, 0], relaxation.conflicts[:, 1]] = -1.0
    i, j = np.unravel_index(int(score.argmax()), score.shape)
    return (int(i), int(j)) if score[i, j] >= 0.0 else None

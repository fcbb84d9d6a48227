"""Ryan-Foster branching: two blocks that a fractional solution puts together by half."""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.problem.blocks import Blocks

_WHOLE = 1e-6
"""Distance from 0 or 1 at which a weight counts as whole."""


def branching_pair(
    blocks: Blocks, columns: np.ndarray, weights: FloatArray
) -> tuple[int, int] | None:
    """Return two points, of the pair of blocks nearest to half together; None if all are whole.

    Ties go to the heavier pair, which changes more.
    """
    used = weights > _WHOLE
    inside = columns[used].astype(np.float64)
    together = inside.T @ (weights[used, None] * inside)
    half = np.abs(np.minimum(together, 1.0) - 0.5)
    np.fill_diagonal(half, 0.5)
    if half.min() >= 0.5 - _WHOLE:
        return None
    weight = np.minimum.outer(blocks.mass, blocks.mass)
    score = np.where(half < 0.5 - _WHOLE, half - 1e-3 * weight / weight.max(), np.inf)
    a, b = np.unravel_index(int(np.argmin(score)), score.shape)
    first, second = (int(blocks.members(int(block))[0]) for block in (a, b))
    return min(first, second), max(first, second)

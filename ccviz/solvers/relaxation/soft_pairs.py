"""Soft links as the relaxation sees them: a price for each undecided pair of blocks.

A pair of blocks that is together costs the weights of its soft cannot-links, one that is apart
those of its soft must-links. The smaller of the two is always paid. What remains is the weight of
a single must-link or cannot-link of the pair. A pair that can only be apart is decided.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccviz.arrays import FloatArray, IntArray, freeze
from ccviz.problem.blocks import Blocks

_ROUNDED_DOWN = 1.0 - 1e-9
"""Factor on weights, so that they are no larger than exact sums of the links' weights."""


@dataclass(frozen=True, eq=False)
class SoftPairs:
    """Undecided pairs of blocks with soft links.

    Attributes
    ----------
    must, cannot : (a, 2), (b, 2) int64
        Pairs that cost their weight if they are apart, or together; smaller block first.
    must_weight, cannot_weight : (a,), (b,) float64
        Positive, and cut off where they exceed all costs.
    constant : float
        Weight of soft links that every clustering breaks.
    """

    must: IntArray
    must_weight: FloatArray
    cannot: IntArray
    cannot_weight: FloatArray
    constant: float

    def __post_init__(self) -> None:
        for array in (self.must, self.must_weight, self.cannot, self.cannot_weight):
            freeze(array)

    def __len__(self) -> int:
        return len(self.must) + len(self.cannot)

    def linear_arrays(self) -> dict[str, np.ndarray]:
        """Return pairs and their prices together, as a certificate carries them."""
        if not len(self):
            return {}
        return {
            "soft_pairs": np.concatenate([self.must, self.cannot]),
            "soft_prices": np.concatenate([-self.must_weight, self.cannot_weight]),
        }


NO_SOFT_PAIRS = SoftPairs(
    np.empty((0, 2), np.int64), np.empty(0), np.empty((0, 2), np.int64), np.empty(0), 0.0
)


def soft_pairs_of(blocks: Blocks, conflicts: IntArray, heaviest: float) -> SoftPairs:
    """Return the undecided pairs of a problem's blocks.

    Parameters
    ----------
    blocks : Blocks
    conflicts : (c, 2) int64
        Pairs of blocks that cannot share a cluster.
    heaviest : float
        Weight beyond which a weight is cut off; the bound stays valid.
    """
    if not (len(blocks.soft_must) or len(blocks.soft_cannot) or blocks.penalty):
        return NO_SOFT_PAIRS
    key, if_apart, if_together = _prices(blocks)
    pairs: IntArray = np.stack(np.divmod(key, blocks.s), axis=1)
    is_apart = np.isin(key, conflicts[:, 0] * blocks.s + conflicts[:, 1])
    if blocks.s == blocks.k:
        is_apart[:] = True
    constant = blocks.penalty + float(if_apart[is_apart].sum())
    undecided = ~is_apart
    pairs, if_apart, if_together = pairs[undecided], if_apart[undecided], if_together[undecided]
    constant += float(np.minimum(if_apart, if_together).sum())
    net = np.clip(if_apart - if_together, -heaviest, heaviest) * _ROUNDED_DOWN
    must, cannot = net > 0.0, net < 0.0
    return SoftPairs(pairs[must], net[must], pairs[cannot], -net[cannot], constant)


def _prices(blocks: Blocks) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return a number for each pair of blocks, and its costs if apart and if together."""
    kinds = (blocks.soft_must, blocks.soft_cannot)
    keys = [each.pairs[:, 0] * blocks.s + each.pairs[:, 1] for each in kinds]
    key, which = np.unique(np.concatenate(keys), return_inverse=True)
    sides = np.split(which, [len(keys[0])])
    apart, together = (
        np.bincount(side, links.weights, len(key)).astype(np.float64)
        for side, links in zip(sides, kinds, strict=True)
    )
    return key.astype(np.int64), apart, together

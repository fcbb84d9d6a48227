"""Projection on {R : 0 <= R <= I, R u = 0, trace R = k - 1}, the spectral half of the splitting.

The projection keeps the eigenvectors of W on the complement of u and moves the eigenvalues on the
capped simplex, so only the leading ones matter. From call to call W changes little: a Chebyshev
filter of low degree turns the last eigenvectors to the new ones (Zhou, Saad, Tiago, Chelikowsky
2006), at the price of a few products of W with a thin block. What it misses has weights near zero.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray

_DEGREE = 4  # of the filter
_SPARE = 8  # eigenvectors followed beyond those that count
_MOST_FOLLOWED = 0.4  # share of s up to which following beats computing afresh
_SMALLEST = 60  # below this size LAPACK is faster anyway
_MARGIN = 0.1  # by which the unwanted part of the spectrum is taken too wide


def cap_simplex(values: FloatArray, total: int) -> FloatArray:
    """Return the projection of descending values on {0 <= x <= 1, sum x = total}."""
    if total <= 0:
        return np.zeros_like(values)
    if total >= len(values):
        return np.ones_like(values)
    # sum(clip(values - t, 0, 1)) falls in t, linearly between the breakpoints.
    breaks = np.sort(np.concatenate([values, values - 1.0]))[::-1]
    sums = np.clip(values[None, :] - breaks[:, None], 0.0, 1.0).sum(axis=1)
    at = int(np.searchsorted(sums, total))
    low, high = sums[at - 1], sums[at]
    share = (total - low) / (high - low)
    level = breaks[at - 1] + share * (breaks[at] - breaks[at - 1])
    return np.clip(values - level, 0.0, 1.0)


class SpectralProjector:
    """Projects one matrix after the other; close matrices make it fast.

    Parameters
    ----------
    u : (s,) float64
        Unit vector that is projected out.
    total : int
        The trace, k - 1.
    """

    def __init__(self, u: FloatArray, total: int) -> None:
        self.u, self.total = u, total
        self.basis: FloatArray | None = None
        self.values = np.empty(0)
        self.lowest = 0.0

    def __call__(self, W: FloatArray) -> FloatArray:
        """Return F (s, r) with F F^T the projection of the symmetric W."""
        s = len(self.u)
        if s >= _SMALLEST and self.basis is not None and self.basis.shape[1] < _MOST_FOLLOWED * s:
            values, vectors = self._follow(W, self.basis)
            weights = cap_simplex(values, self.total)
            if weights[-1] == 0.0:
                return self._keep(values, vectors, weights)
        values, vectors = self._afresh(W)
        self.lowest = min(values, default=0.0)  # a single block leaves no complement of u
        return self._keep(values, vectors, cap_simplex(values, self.total))

    def _follow(self, W: FloatArray, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Filter the last eigenvectors and solve in their span (Rayleigh and Ritz)."""
        spread = self.values[0] - self.lowest
        V = self._filter(W, V, self.lowest - _MARGIN * spread, self.values[-1], self.values[0])
        V /= np.linalg.norm(V, axis=0)
        V = np.linalg.qr(V)[0]
        values, rotation = np.linalg.eigh(V.T @ self._apply(W, V))
        return values[::-1], V @ rotation[:, ::-1]

    def _filter(
        self, W: FloatArray, V: FloatArray, low: float, high: float, top: float
    ) -> FloatArray:
        """Return p(W) V for the Chebyshev polynomial p that is small on [low, high], 1 at top."""
        center, half = (high + low) / 2.0, (high - low) / 2.0
        first = half / (top - center)
        scale = first
        before, now = V, (self._apply(W, V) - center * V) * (scale / half)
        for _ in range(_DEGREE - 1):
            after_scale = 1.0 / (2.0 / first - scale)
            after = self._apply(W, now)
            after -= center * now
            after *= 2.0 * after_scale / half
            after -= (scale * after_scale) * before
            before, now, scale = now, after, after_scale
        return now

    def _apply(self, W: FloatArray, V: FloatArray) -> FloatArray:
        """Return W V less its part along u; V has none."""
        image = W @ V
        image -= np.outer(self.u, self.u @ image)
        return image

    def _afresh(self, W: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the whole spectrum on the complement of u, descending."""
        u = self.u
        image = W @ u
        inner = float(u @ image)
        lift = 2.0 * float(np.abs(W).sum(axis=1).max()) + 1.0
        inside = W - np.outer(u, image) - np.outer(image, u)
        inside += np.outer(u, (inner - lift) * u)  # u goes below all others
        values, vectors = np.linalg.eigh(inside)
        return values[:0:-1], vectors[:, :0:-1]

    def _keep(self, values: FloatArray, vectors: FloatArray, weights: FloatArray) -> FloatArray:
        rank = int((weights > 0.0).sum())
        kept = min(max(rank, self.total) + _SPARE, len(values))
        self.values, self.basis = values[:kept], np.ascontiguousarray(vectors[:, :kept])
        return vectors[:, :rank] * np.sqrt(weights[:rank])

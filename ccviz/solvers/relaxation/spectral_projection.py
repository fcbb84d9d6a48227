"""Projection on {R : 0 <= R <= I, R u = 0, trace R = k - 1}, the spectral half of ADMM.

The projection keeps the eigenvectors of W on the complement of u and moves the eigenvalues on the
capped simplex, so only the leading ones matter. From call to call W changes little: a Chebyshev
filter of low degree turns the last eigenvectors to the new ones (Zhou, Saad, Tiago, Chelikowsky
2006), at the price of a few products of W with a thin block. Eigenvectors that it misses have
weights near zero.

The whole spectrum takes the cube of the size, so with many blocks it is computed once: the products
are then in single precision, the first matrix of a round follows the last one of the round before,
and further eigenvectors join where more than the known ones have weights. With fewer blocks the
loss of accuracy outweighs that: on 100 to 300 blocks the tree had a third more nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import ArpackError, eigsh

from ccviz.arrays import FloatArray

_TINY = 1e-30  # Length below which a vector counts as zero


@dataclass(frozen=True)
class FilterParams:
    """Parameters of the filter that follows the leading eigenvectors."""

    degree: int = 4
    spare: int = 8  # Eigenvectors followed beyond those with a weight
    # Share of the blocks above which the whole spectrum is computed instead.
    most_followed: float = 0.4
    smallest: int = 60  # Blocks below which LAPACK is always faster
    # Widening of the unwanted part of the spectrum, relative to the wanted part's distance.
    margin: float = 0.1
    # Blocks from which products are in single precision and further eigenvectors may join.
    large: int = 800
    end_tolerance: float = 0.02  # Relative accuracy of the lower end of the spectrum


DEFAULTS = FilterParams()


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

    `u` (s,): Unit vector that is projected out. `basis` (s, r): Eigenvectors of a matrix that is
    close to the first. `cap`: Takes descending eigenvalues and ``total``, returns their projection.
    """

    def __init__(
        self,
        u: FloatArray,
        total: int,
        basis: FloatArray | None = None,
        params: FilterParams = DEFAULTS,
        cap: Callable[[FloatArray, int], FloatArray] = cap_simplex,
    ) -> None:
        self.u, self.total, self.params, self.cap = u, total, params, cap
        self.basis = basis
        self.values = np.empty(0)
        self.lowest = 0.0

    def __call__(self, W: FloatArray) -> FloatArray:
        """Return F (s, r) with F F^T the projection of the symmetric W."""
        found = None if self.basis is None else self._follow(W, self.basis)
        if found is None:
            values, vectors = self._whole(W)
            self.lowest = min(values, default=0.0)  # a single block leaves no complement of u
            found = values, vectors, self.cap(values, self.total)
        return self._keep(*found)

    def _follow(
        self, W: FloatArray, V: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """Filter the last eigenvectors; None if that is not enough or does not pay."""
        values, lowest = self.values, self.lowest
        if not self._pays(V) or (len(values) == 0 and not self._is_large):
            return None
        if len(values) == 0:
            values, V = self._in_span(W, V)
            lowest = _lowest(W, self.params.end_tolerance)
        high, filtered = values[-1], W.astype(np.float32) if self._is_large else W
        while self._pays(V) and values[0] > lowest:
            low = lowest - self.params.margin * (values[0] - lowest)
            V = self._filter(filtered, V.astype(filtered.dtype), low, high, values[0])
            values, V = self._in_span(W, V)
            weights = self.cap(values, self.total)
            if weights[-1] == 0.0:
                self.lowest = lowest
                return values, V, weights
            if not self._is_large:
                break
            high = values[-1] - weights[-1]  # what has a weight is above it
            V = np.column_stack([V, self._others(max(self.params.spare, V.shape[1] // 2))])
        return None

    def _others(self, count: int) -> FloatArray:
        """Return random vectors that have no part along u."""
        drawn = np.random.default_rng(count).normal(size=(len(self.u), count))
        return drawn - np.outer(self.u, self.u @ drawn)

    @property
    def _is_large(self) -> bool:
        return len(self.u) >= self.params.large

    def _pays(self, V: FloatArray) -> bool:
        """Whether following these eigenvectors beats computing all."""
        s = len(self.u)
        return s >= self.params.smallest and V.shape[1] < self.params.most_followed * s

    def _in_span(self, W: FloatArray, V: np.ndarray) -> tuple[FloatArray, FloatArray]:
        """Return the eigenvalues in the span of V, descending, and vectors (Rayleigh and Ritz)."""
        V = V.astype(np.float64)
        V = np.linalg.qr(V / np.maximum(np.linalg.norm(V, axis=0), _TINY))[0]
        values, rotation = np.linalg.eigh(V.T @ self._apply(W, V))
        return values[::-1], V @ rotation[:, ::-1]

    def _filter(
        self, W: np.ndarray, V: np.ndarray, low: float, high: float, top: float
    ) -> np.ndarray:
        """Return p(W) V for the Chebyshev polynomial p that is small on [low, high], 1 at top."""
        center, half = float((high + low) / 2.0), float((high - low) / 2.0)
        first = half / (float(top) - center)
        scale = first
        before, now = V, (self._apply(W, V) - center * V) * (scale / half)
        for _ in range(self.params.degree - 1):
            after_scale = 1.0 / (2.0 / first - scale)
            after = self._apply(W, now)
            after -= center * now
            after *= 2.0 * after_scale / half
            after -= (scale * after_scale) * before
            before, now, scale = now, after, after_scale
        return now

    def _apply(self, W: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Return W V less its part along u, in the precision of W; V has none."""
        image, u = W @ V, self.u.astype(W.dtype)
        image -= np.outer(u, u @ image)
        return image

    def _whole(self, W: FloatArray) -> tuple[FloatArray, FloatArray]:
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
        kept = min(max(rank, self.total) + self.params.spare, len(values))
        self.values, self.basis = values[:kept], np.ascontiguousarray(vectors[:, :kept])
        return vectors[:, :rank] * np.sqrt(weights[:rank])


def _lowest(W: FloatArray, tolerance: float) -> float:
    """Return an estimate of the least eigenvalue of W, infinity if ARPACK finds none."""
    start = np.ones(len(W))
    try:
        found = eigsh(W, 1, which="SA", tol=tolerance, v0=start, return_eigenvectors=False)
    except ArpackError:
        return np.inf
    return float(found[0])

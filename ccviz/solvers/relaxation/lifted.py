r"""The relaxation lifted by size: a matrix for each class of clusters of one size.

For a class of c clusters of u points each let p_i say that block i is in one of them and P_ij that
blocks i and j are in the same one. With block sizes e and D = diag(e) put

    W = D^1/2 P D^1/2 / u,    r_i = sqrt(e_i) p_i / sqrt(u c),    B = [[1, r^T], [r, W]].

For clusters B is a sum of c rank-one matrices whose eigenvalues are 2 once and 1 another c - 1
times, and B (-sqrt(u c), sqrt(e)) = 0 because each of the class's clusters has u points. So B lives
on the complement of that vector (facial reduction), its spectrum is majorised by (2, 1, ..., 1),
and the classes are tied together only by

    W_ii = e_i p_i / u,   r_i = sqrt(e_i) p_i / sqrt(u c),   p >= 0,   sum over classes of p_i = 1.

The objective is constant + sum of <C, W>, where C has the prices of soft links by size, and Y = sum
of W is the matrix of the relaxation without sizes. The 2-partition inequalities (pairs and
triangles among them) hold for each W by itself.
Lifting by size is due to Rujeerapaiboon, Schindler, Kuhn and Wiesemann (2019) and Piccialli and
Sudoso (2023); the alternating direction method is that of `admm`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy
from scipy.linalg import block_diag

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.relaxation import kernels
from ccviz.solvers.relaxation.admm import (
    FORBIDDEN,
    STEP,
    balanced_penalty,
    first_scales,
    isometry,
    relative_residuals,
)
from ccviz.solvers.relaxation.cuts import Cuts, no_cuts, separate
from ccviz.solvers.relaxation.exchange import short_kmeans
from ccviz.solvers.relaxation.kernels import MOST_MEMBERS, TWO_PARTITION
from ccviz.solvers.relaxation.lifted_model import (
    LiftedCertificate,
    LiftedModel,
    certify,
    lifted_rows,
)
from ccviz.solvers.relaxation.model import Relaxation
from ccviz.solvers.relaxation.spectral_projection import SpectralProjector


@dataclass(frozen=True, eq=False)
class LiftedIterate:
    """State of the method between two rounds, as `admm.Iterate` for one matrix a class."""

    # B, M, (q, s + 1, s + 1): Points of the polyhedron, multipliers of the consensus (scaled
    # objective).
    B: FloatArray
    M: FloatArray
    cuts: tuple[Cuts, ...]
    weights: tuple[FloatArray, ...]  # (m,): Their multipliers (scaled objective)
    penalty: float  # penalty, unit: rho; what the objective was divided by
    unit: float
    iterations: int = 0  # iterations, rounds: Counted from the root of the tree
    rounds: int = 0
    best: LiftedCertificate | None = None  # The best bound so far at this node
    # (s + 1, r): Leading eigenvectors of each class's last projection.
    bases: tuple[FloatArray | None, ...] = ()
    # Relative primal and dual residual of the last iteration.
    residuals: tuple[float, float] = (np.inf, np.inf)

    @property
    def lower_bound(self) -> float:
        """Best proved bound, ``-inf`` before the first."""
        return -np.inf if self.best is None else self.best.lower_bound

    @property
    def Y(self) -> FloatArray:  # noqa: N802 - the papers' letter
        """(s, s) matrix of the relaxation without sizes."""
        return self.B[:, 1:, 1:].sum(axis=0)

    @property
    def cut_count(self) -> int:
        """Number of cuts of all classes."""
        return sum(map(len, self.cuts))

    def packed(self) -> LiftedIterate:
        """Return the iterate in single precision, without its certificate."""
        return replace(self, B=self.B.astype(np.float32), M=self.M.astype(np.float32), best=None)


def cold_start(relaxation: Relaxation) -> LiftedIterate:
    """Return the iterate to begin the root with: every block in each class by its share."""
    model = LiftedModel.of(relaxation)
    unit, penalty = first_scales(relaxation)
    border = model.border * model.share[:, None]
    full = np.concatenate([np.ones((model.q, 1)), border], axis=1)
    return LiftedIterate(
        B=full[:, :, None] * full[:, None, :],
        M=np.zeros((model.q, relaxation.s + 1, relaxation.s + 1)),
        cuts=(no_cuts(relaxation.k),) * model.q,
        weights=(np.empty(0),) * model.q,
        penalty=penalty,
        unit=unit,
        bases=(None,) * model.q,
    )


def inherit(
    parent: LiftedIterate, child_of: IntArray, parent_mass: FloatArray, child: Relaxation
) -> LiftedIterate:
    """Return the iterate to begin a child with, as `admm.inherit` does."""
    T = block_diag(1.0, isometry(child_of, parent_mass, child))
    moved = [cuts.merged(child_of) for cuts in parent.cuts]
    return replace(
        parent,
        B=T @ parent.B @ T.T,
        M=T @ parent.M @ T.T,
        cuts=tuple(cuts for cuts, _ in moved),
        weights=tuple(
            weights[proper] for weights, (_, proper) in zip(parent.weights, moved, strict=True)
        ),
        best=None,
        bases=tuple(None if basis is None else T @ basis for basis in parent.bases),
    )


class LiftedSplitting:
    """ADMM on fixed cuts, with the arrays that its iterations change in place.

    Weights of cuts are here multiplied by the norms of their rows and divided by rho.
    """

    def __init__(self, relaxation: Relaxation, start: LiftedIterate) -> None:
        model = self._model = LiftedModel.of(relaxation)
        self._relaxation, self._start = relaxation, start
        self._rows = [lifted_rows(cuts, relaxation) for cuts in start.cuts]
        self._project = [
            SpectralProjector(
                model.kernel[c], int(model.count[c]), start.bases[c], cap=lifted_spectrum
            )
            for c in range(model.q)
        ]
        self._C = model.cost / start.unit
        self._B, self._M = start.B.astype(np.float64), start.M.astype(np.float64)
        self._weights = [
            weights * rows.norm / start.penalty
            for weights, rows in zip(start.weights, self._rows, strict=True)
        ]
        self._W = self._B - (self._C + self._M) / start.penalty
        self._G, self._X = np.empty_like(self._B), np.empty_like(self._B)
        self._residuals = (np.inf, np.inf)

    def step(self) -> None:
        """Project on the spectral set, move towards the polyhedron, update the multiplier."""
        rho, X, G = self._start.penalty, self._X, self._G
        for c, project in enumerate(self._project):
            F = project(self._W[c])
            np.matmul(F, F.T, out=X[c])
            np.divide(self._M[c], rho, out=G[c])
            G[c] += X[c]
        self._move_to_polyhedron()
        squares = np.zeros(2)
        for c in range(self._model.q):
            squares += np.square(
                kernels.admm_update(
                    X[c], G[c], self._C[c], self._B[c], self._M[c], self._W[c], rho, STEP
                )
            )
        primal, dual = np.sqrt(squares)
        self._residuals = (primal, dual)

    def _move_to_polyhedron(self) -> None:
        """Move G towards its projection by one ascent over the multipliers of ties and cuts."""
        model, G = self._model, self._G
        for c in range(model.q):
            kernels.forbid(G[c], model.barred[c], FORBIDDEN)
            kernels.add_rows(G[c], self._weights[c], self._rows[c])
        _, level = model.shares(G)
        for c, rows in enumerate(self._rows):
            kernels.hildreth_sweep(G[c], self._weights[c], rows, *model.diagonal(c, G[c], level))
        share, _ = model.shares(G)
        model.tie(G, share)

    def reached(self, iterations: int) -> LiftedIterate:
        """Return the iterate after a number of steps, with the better bound of start and end."""
        start, at = self._start, self.paused(iterations)
        found = self._certificate(at.weights)
        is_better = start.best is None or found.lower_bound > start.best.lower_bound
        return replace(at, best=found) if is_better else at

    def paused(self, iterations: int) -> LiftedIterate:
        """Return the iterate after a number of steps, with the bound of the start."""
        start = self._start
        return replace(
            start,
            iterations=start.iterations + iterations,
            B=self._B,
            M=self._M,
            weights=tuple(
                weights * self._start.penalty / rows.norm
                for weights, rows in zip(self._weights, self._rows, strict=True)
            ),
            bases=tuple(each.basis for each in self._project),
            residuals=relative_residuals(*self._residuals, self._B, self._M),
        )

    def _certificate(self, weights: tuple[FloatArray, ...]) -> LiftedCertificate:
        """Return the bound that the multipliers of the last step prove."""
        rho, unit = self._start.penalty, self._start.unit
        multiplier = self._M - (STEP - 1.0) * rho * (self._X - self._B)
        return certify(
            self._relaxation, unit * multiplier, self._start.cuts, [unit * each for each in weights]
        )


def lifted_spectrum(values: FloatArray, count: int) -> FloatArray:
    """Return the projection of descending values on the vectors majorised by (2, 1, ..., 1).

    The projection on such a set is the values less their isotonic fit to what they exceed its
    vertex by (Lim and Wright 2016).
    """
    vertex = np.zeros_like(values)
    vertex[:count] = 1.0
    vertex[0] = 2.0
    found = values - scipy.optimize.isotonic_regression(values - vertex, increasing=False).x
    found[np.abs(found) < 1e-13] = 0.0
    return np.maximum(found, 0.0)


def exchange_cuts(
    relaxation: Relaxation,
    at: LiftedIterate,
    most: int,
    tolerance: float,
    first_members: int | None = None,
    most_members: int = MOST_MEMBERS,
) -> tuple[LiftedIterate, Cuts, int]:
    """Drop the inactive cuts and add violated ones; return also the new cuts and how many went.

    Each class may add its share of ``most``; the other parameters are those of `cuts.separate`.
    The penalty is balanced, too.
    """
    cuts, weights, fresh, dropped = [], [], no_cuts(relaxation.k), 0
    for c, (own, own_weights) in enumerate(zip(at.cuts, at.weights, strict=True)):
        active = own_weights > 0.0
        kept = own.where(active)
        W = np.ascontiguousarray(at.B[c, 1:, 1:])
        share = most // len(at.cuts)
        new = separate(relaxation, W, kept, share, tolerance, first_members, most_members)
        new = new.where(new.kind == TWO_PARTITION)
        cuts.append(kept.joined(new))
        weights.append(np.concatenate([own_weights[active], np.zeros(len(new))]))
        fresh, dropped = fresh.joined(new), dropped + int((~active).sum())
    at = replace(
        at,
        cuts=tuple(cuts),
        weights=tuple(weights),
        rounds=at.rounds + 1,
        penalty=balanced_penalty(at.penalty, at.residuals, at.iterations),
    )
    return at, fresh, dropped


def class_centers(relaxation: Relaxation, at: LiftedIterate, seed: int) -> FloatArray:
    """Return (k, d) centres that the matrices point to, clusters by ascending size.

    A class of one cluster has the mean of its blocks by their shares. Otherwise row i of W times
    the data approximates the centre of block i's cluster, and k-means over these rows the centres.
    """
    model = LiftedModel.of(relaxation)
    root = np.sqrt(relaxation.mass)
    centers = []
    for c in range(model.q):
        share = at.B[c, 0, 1:].astype(np.float64) / model.border[c]
        count = int(model.count[c])
        if count == 1:
            centers.append((root * share)[None, :] @ relaxation.factor / model.size[c])
            continue
        inside = share >= min(0.5, np.sort(share)[-count])
        rows = at.B[c, 1:, 1:][inside] @ relaxation.factor / (root * share)[inside, None]
        rng = np.random.default_rng(seed)
        first = rng.choice(len(rows), count, replace=False)
        found = short_kmeans(rows, rows[first])  # None if a cluster ran empty
        centers.append(rows[first] if found is None else found[0])
    return np.concatenate(centers)

"""The relaxation by two-block ADMM with cutting planes.

A solution lies in two sets, the spectral set {u u^T + R : 0 <= R <= I, R u = 0, trace R = k - 1}
and the polyhedron {Y >= 0, Y_ij = 0 on conflicts, cuts}, where soft links have their prices. The
alternating direction method of multipliers (with a step of 1.5) projects on them in turn, as de
Meijer, Sotirov, Wiegele and Zhao (2023) do for graph partition. The projection on the polyhedron is
one warm-started Hildreth sweep over the cuts; cuts are separated long before convergence. The
multipliers of any iteration prove a bound, see `certificate`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.relaxation import kernels, soft_prices
from ccviz.solvers.relaxation.certificate import Certificate, certify
from ccviz.solvers.relaxation.cuts import Cuts, no_cuts, rows_of, separate
from ccviz.solvers.relaxation.kernels import MOST_MEMBERS
from ccviz.solvers.relaxation.model import Relaxation
from ccviz.solvers.relaxation.soft_prices import SoftAscent, SoftPrices
from ccviz.solvers.relaxation.spectral_projection import SpectralProjector

STEP = 1.5  # Step of the multipliers; the method converges below (1 + sqrt 5) / 2
FORBIDDEN = -1e6  # Value on conflicts before projection, below zero for any multiplier of the cuts
_BALANCE = 5.0  # Target of the primal over the dual residual: a small penalty serves the bound
_PENALTY_CHANGE = 1.5  # Largest factor by which the penalty changes in a round
_PENALTY_SETTLES = 1000  # Iterations after which the penalty is fixed, so that the method converges


@dataclass(frozen=True, eq=False)
class Iterate:
    """State of ADMM between two rounds."""

    # Y, M, (s, s): Point of the polyhedron, multiplier of the consensus X = Y (scaled objective).
    Y: FloatArray
    M: FloatArray
    cuts: Cuts
    weights: FloatArray  # (m,): Multipliers of the cuts in terms of Z (scaled objective)
    penalty: float
    unit: float
    # Multipliers of soft links (scaled objective); None without such links.
    prices: SoftPrices | None = None
    iterations: int = 0  # iterations, rounds: Counted from the root of the tree
    rounds: int = 0
    best: Certificate | None = None  # The best bound so far at this node
    basis: FloatArray | None = None  # (s, r): Leading eigenvectors of what was projected last
    # Relative primal and dual residual of the last iteration.
    residuals: tuple[float, float] = (np.inf, np.inf)

    @property
    def lower_bound(self) -> float:
        """Best proved bound, ``-inf`` before the first."""
        return -np.inf if self.best is None else self.best.lower_bound

    @property
    def cut_count(self) -> int:
        """Number of cuts."""
        return len(self.cuts)

    def packed(self) -> Iterate:
        """Return the iterate in single precision, without its certificate."""
        return replace(self, Y=self.Y.astype(np.float32), M=self.M.astype(np.float32), best=None)


def cold_start(relaxation: Relaxation) -> Iterate:
    """Return the first iterate of a root."""
    s = relaxation.s
    unit, penalty = first_scales(relaxation)
    return Iterate(
        Y=np.outer(relaxation.u, relaxation.u),
        M=np.zeros((s, s)),
        cuts=no_cuts(relaxation.k),
        weights=np.empty(0),
        penalty=penalty,
        unit=unit,
        prices=soft_prices.no_prices(relaxation) if len(relaxation.soft) else None,
    )


def first_scales(relaxation: Relaxation) -> tuple[float, float]:
    """Return what the objective is divided by, and the first penalty."""
    unit = float(np.linalg.norm(relaxation.factor, 2)) ** 2 or 1.0
    mean = float(np.abs(relaxation.cost).mean())
    return unit, 12.0 * mean * np.sqrt(relaxation.s) / unit or 1.0


def isometry(child_of: IntArray, parent_mass: FloatArray, child: Relaxation) -> FloatArray:
    """Return T, T_ca = sqrt(e_a / e_c), for blocks a that are in the child's block c."""
    T = np.zeros((child.s, len(child_of)))
    T[child_of, np.arange(len(child_of))] = np.sqrt(parent_mass / child.mass[child_of])
    return T


def inherit(parent: Iterate, child_of: IntArray, of: Relaxation, child: Relaxation) -> Iterate:
    """Return the first iterate of a child node.

    The child's blocks are unions of the parent's: block a is in block ``child_of[a]``. With the
    isometry T, T_ca = sqrt(e_a / e_c), matrices go over as T Y T^T; cuts keep their form in terms
    of Z, and those that became trivial go.
    """
    T = isometry(child_of, of.mass, child)
    cuts, proper = parent.cuts.merged(child_of)
    return replace(
        parent,
        Y=T @ parent.Y @ T.T,
        M=T @ parent.M @ T.T,
        cuts=cuts,
        weights=parent.weights[proper],
        prices=soft_prices.inherited(parent.prices, child_of, of, child),
        best=None,
        basis=None if parent.basis is None else T @ parent.basis,
    )


class Splitting:
    """ADMM on fixed cuts, with the arrays that its iterations change in place.

    Weights of cuts are here multiplied by the norms of their rows and divided by rho.
    """

    def __init__(self, relaxation: Relaxation, start: Iterate) -> None:
        self._relaxation, self._start = relaxation, start
        self._rows = rows_of(start.cuts, relaxation)
        self._uu = np.outer(relaxation.u, relaxation.u)
        self._diagonal = (
            np.ones(relaxation.s), np.zeros(relaxation.s), *relaxation.diagonal_limits,
        )  # fmt: skip
        self._project = SpectralProjector(relaxation.u, relaxation.k - 1, start.basis)
        self._soft = (
            None
            if start.prices is None
            else SoftAscent(relaxation, start.prices, start.unit, start.penalty)
        )
        self._C = relaxation.cost / start.unit
        self._X, self._Y, self._M = self._uu, start.Y.copy(), start.M.copy()
        self._weights = start.weights * self._rows.norm / start.penalty
        self._W = self._Y - (self._C + self._M) / start.penalty
        self._G = np.empty_like(self._C)
        self._residuals = (np.inf, np.inf)

    def step(self) -> None:
        """Project on the spectral set, move towards the polyhedron, update the multiplier."""
        rho = self._start.penalty
        F = self._project(self._W)
        self._X = F @ F.T
        self._X += self._uu
        np.divide(self._M, rho, out=self._G)
        self._G += self._X
        self._move_to_polyhedron()
        self._residuals = kernels.admm_update(
            self._X, self._G, self._C, self._Y, self._M, self._W, rho, STEP
        )

    def _move_to_polyhedron(self) -> None:
        """Move G towards its projection by one ascent over the weights of cuts and soft links."""
        G, rows = self._G, self._rows
        kernels.forbid(G, self._relaxation.conflicts, FORBIDDEN)
        kernels.add_rows(G, self._weights, rows)
        if self._soft is not None:
            self._soft.add(G)
        kernels.hildreth_sweep(G, self._weights, rows, *self._diagonal)
        if self._soft is not None:
            self._soft.sweep(G)
        np.fill_diagonal(G, np.clip(np.diagonal(G), *self._diagonal[2:]))

    def reached(self, iterations: int) -> Iterate:
        """Return the iterate after a number of steps, with the better bound of start and end."""
        start, at = self._start, self.paused(iterations)
        found = self._certificate(at.weights, at.prices)
        is_better = start.best is None or found.lower_bound > start.best.lower_bound
        return replace(at, best=found) if is_better else at

    def paused(self, iterations: int) -> Iterate:
        """Return the iterate after a number of steps, with the bound of the start."""
        start = self._start
        return replace(
            start,
            iterations=start.iterations + iterations,
            Y=self._Y,
            M=self._M,
            weights=self._weights * (self._start.penalty / self._rows.norm),
            prices=None if self._soft is None else self._soft.reached(),
            basis=self._project.basis,
            residuals=relative_residuals(*self._residuals, self._Y, self._M),
        )

    def _certificate(self, weights: FloatArray, prices: SoftPrices | None) -> Certificate:
        """Return the bound that the multipliers of the last step prove."""
        rho, unit = self._start.penalty, self._start.unit
        # The step of 1.5 leaves the cone of multipliers; the unit step of the same iteration is
        # in it.
        multiplier = self._M - (STEP - 1.0) * rho * (self._X - self._Y)
        return certify(
            self._relaxation,
            unit * multiplier,
            self._start.cuts,
            unit * weights,
            None if prices is None else prices.times(unit),
        )


def relative_residuals(
    primal: float, dual: float, Y: FloatArray, M: FloatArray
) -> tuple[float, float]:
    """Return the residuals relative to the norms of the iterate and of its multiplier."""
    return primal / float(np.linalg.norm(Y)), dual / max(float(np.linalg.norm(M)), 1e-300)


def balance(at: Iterate) -> Iterate:
    """Return the iterate with the penalty moved to where the residuals are in balance."""
    return replace(at, penalty=balanced_penalty(at.penalty, at.residuals, at.iterations))


def balanced_penalty(penalty: float, residuals: tuple[float, float], iterations: int) -> float:
    """Return the penalty moved to where the primal and the dual residual are in balance."""
    primal, dual = residuals
    ratio = primal / max(_BALANCE * dual, 1e-300)
    change = float(np.clip(ratio, 1 / _PENALTY_CHANGE, _PENALTY_CHANGE))
    if iterations > _PENALTY_SETTLES or 1 / 1.2 < change < 1.2:
        return penalty
    return penalty * change


def exchange_cuts(
    relaxation: Relaxation,
    at: Iterate,
    most: int,
    tolerance: float,
    first_members: int | None = None,
    most_members: int = MOST_MEMBERS,
) -> tuple[Iterate, Cuts, int]:
    """Drop the inactive cuts and add violated ones; return also the new and the number dropped.

    The penalty is balanced, too. The last four parameters are those of
    `ccviz.solvers.relaxation.cuts.separate`.
    """
    active = at.weights > 0.0
    kept = at.cuts.where(active)
    new = separate(relaxation, at.Y, kept, most, tolerance, first_members, most_members)
    return (
        replace(
            balance(at),
            cuts=kept.joined(new),
            weights=np.concatenate([at.weights[active], np.zeros(len(new))]),
            prices=soft_prices.renewed(relaxation, at.Y, at.prices),
            rounds=at.rounds + 1,
        ),
        new,
        int((~active).sum()),
    )

"""The method that bounds a node: one matrix, or one for each size where sizes differ."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar

import numpy as np
from scipy.sparse import csr_matrix

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.base import never
from ccviz.solvers.relaxation import admm, kernels, lifted
from ccviz.solvers.relaxation.admm import Iterate
from ccviz.solvers.relaxation.certificate import certify, symmetric
from ccviz.solvers.relaxation.cuts import Cuts, rows_of
from ccviz.solvers.relaxation.kernels import MOST_MEMBERS, Rows
from ccviz.solvers.relaxation.lifted import LiftedIterate
from ccviz.solvers.relaxation.model import Relaxation
from ccviz.solvers.relaxation.spectral_projection import SpectralProjector
from ccviz.solvers.search.tree import Multipliers, StoppedError

AnyIterate = Iterate | LiftedIterate
At = TypeVar("At", Iterate, LiftedIterate, AnyIterate)
Reached = TypeVar("Reached", covariant=True)


class _Splitting(Protocol[Reached]):
    """An alternating direction method on fixed cuts."""

    def step(self) -> None:
        """Take one step."""

    def reached(self, iterations: int) -> Reached:
        """Return the iterate after a number of steps, with the better bound of start and end."""

    def paused(self, iterations: int) -> Reached:
        """Return the iterate after a number of steps, with the bound of the start."""


def cold_start(relaxation: Relaxation) -> AnyIterate:
    """Return the iterate to begin the root with."""
    if relaxation.classes is None:
        return admm.cold_start(relaxation)
    return lifted.cold_start(relaxation)


def inherit(
    parent: AnyIterate, child_of: IntArray, of: Relaxation, child: Relaxation
) -> AnyIterate:
    """Return the iterate to begin a child with.

    `child_of` (s,): The child's block that holds each of the parent's.
    """
    if isinstance(parent, LiftedIterate):
        return lifted.inherit(parent, child_of, of.mass, child)
    return admm.inherit(parent, child_of, of, child)


def iterate(
    relaxation: Relaxation,
    start: At,
    iterations: int,
    stop: Callable[[], bool] = never,
    certifies: bool = True,
) -> At:
    """Run the method for some iterations and certify the bound reached.

    `certifies`: Whether the bound is wanted. It costs as much as several iterations.
    """
    if isinstance(start, LiftedIterate):
        return _reached(lifted.LiftedSplitting(relaxation, start), iterations, stop, certifies)
    return _reached(admm.Splitting(relaxation, start), iterations, stop, certifies)


def _reached(
    splitting: _Splitting[At], iterations: int, stop: Callable[[], bool], certifies: bool
) -> At:
    for _ in range(iterations):
        if stop():
            raise StoppedError
        splitting.step()
    return splitting.reached(iterations) if certifies else splitting.paused(iterations)


# --- Rounds of the relaxation: some iterations of ADMM, a certified bound, then new cuts ----------
#
# `run_rounds` is for the parts of `divide` and the second certificates of `colgen`. A task of `sdp`
# is one round, since the search reports and prunes between rounds: `sdp.node` has the same steps.

CutFamily = Literal["all", "paper", "none"]  # Kinds of cuts that are added

_PAPER_MEMBERS = 2
"""Members of a triangle, the widest 2-partition inequality of Piccialli et al. 2022."""

WINDOW = 3  # Rounds over which the progress of the bound is measured


@dataclass(frozen=True)
class RoundParams:
    """Parameters of the rounds."""

    iterations: int = 30  # Iterations of ADMM between two rounds of cuts
    # Largest number of cuts added in a round, as a multiple of the blocks.
    cuts_per_block: float = 15.0
    cut_tolerance: float = 1e-4  # Least violation of a cut, relative to the mean of Z's diagonal
    # The rounds end when `patience` more of them at the current rate would not reach the target.
    patience: float = 8.0
    # Cuts added: ``all`` are pairs, triangles, wider 2-partition inequalities and cliques,
    # ``paper`` pairs, triangles and cliques.
    cuts: CutFamily = "all"
    # Blocks tried as the first member of a 2-partition inequality, for each centre of 1,000 blocks;
    # of s blocks (1000 / s)^2 times as many, and never fewer. 0 tries all.
    first_members: int = 0


def run_rounds(
    params: RoundParams,
    relaxation: Relaxation,
    at: At,
    target: float,
    rounds: int,
    stop: Callable[[], bool],
) -> tuple[At, list[float]]:
    """Run rounds until the bound reaches a target, or is stuck below it.

    `target`: Bound that is aimed at; infinity runs all rounds. `stop`: Cheap; tested before each
    iteration. Returns `bounds`: The bound before the first round and after each.
    """
    bounds = [at.lower_bound]
    while len(bounds) <= rounds:
        at = iterate(relaxation, at, params.iterations, stop)
        bounds.append(at.lower_bound)
        if at.lower_bound >= target or is_stuck(bounds[1:], target, params.patience):
            break
        at, _, _ = renew_cuts(params, relaxation, at)
    return at, bounds


def renew_cuts(params: RoundParams, relaxation: Relaxation, at: At) -> tuple[At, Cuts, int]:
    """Balance the penalty, drop inactive cuts and add violated ones."""
    s = relaxation.s
    most = 0 if params.cuts == "none" else int(params.cuts_per_block * s)
    most_members = _PAPER_MEMBERS if params.cuts == "paper" else MOST_MEMBERS
    first_members = None
    if params.first_members:
        first_members = max(params.first_members, params.first_members * 1_000_000 // s**2)
    options = most, params.cut_tolerance, first_members, most_members
    if isinstance(at, LiftedIterate):
        return lifted.exchange_cuts(relaxation, at, *options)
    return admm.exchange_cuts(relaxation, at, *options)


def is_stuck(bounds: Sequence[float], target: float, patience: float) -> bool:
    """Return whether `patience` times the gain of the last rounds would not reach the target."""
    if len(bounds) <= 2 * WINDOW:
        return False
    gain = bounds[-1] - bounds[-1 - WINDOW]
    return gain * patience < target - bounds[-1]


# --- The iterate to begin a node with whose multipliers another run has left ----------------------

_PENALTY = 0.35
"""Penalty as a share of a cold start's: multipliers near the best ones need a smaller one."""


def restart(relaxation: Relaxation, block_of: IntArray, left: Multipliers) -> AnyIterate:
    """Return the first iterate of a node from multipliers over other blocks of the same points."""
    certificate = left.certificate
    if relaxation.classes is not None or not {"nonnegativity", "weights"} <= set(certificate):
        return cold_start(relaxation)
    # Blocks of weight 0 have no multipliers; there are s (s + 1) / 2 of s blocks.
    among = left.block_of < int(np.sqrt(2 * len(certificate["nonnegativity"])))
    block_of, old = block_of[among], left.block_of[among]
    first = np.unique(old, return_index=True)[1]
    child_of = block_of[first]
    cuts = Cuts(certificate["points"].astype(np.int64), certificate["kind"].astype(np.int8))
    is_known = cuts.kind < kernels.ROW + len(relaxation.row_sums.own)
    cuts, proper = cuts.where(is_known).merged(child_of)
    weights = certificate["weights"].astype(np.float64)[is_known][proper]
    at = admm.cold_start(relaxation)
    at = replace(at, penalty=_PENALTY * at.penalty)
    T = _overlap(relaxation, block_of, old)
    N = symmetric(certificate["nonnegativity"].astype(np.float64), len(first))
    M = -(T @ N @ T.T)
    rows = rows_of(cuts, relaxation)
    cut_part = np.zeros_like(M)
    kernels.add_rows(cut_part, weights * rows.norm, rows)
    M = (M - cut_part) / at.unit
    project = SpectralProjector(relaxation.u, relaxation.k - 1, None)
    F = project(-(relaxation.cost / at.unit + M) / at.penalty)
    Y = np.outer(relaxation.u, relaxation.u) + F @ F.T
    return replace(at, Y=Y, M=M, cuts=cuts, weights=weights / at.unit, basis=project.basis)


def _overlap(relaxation: Relaxation, block_of: IntArray, old: IntArray) -> FloatArray:
    """Return T, T_ca = the points of both blocks over the root of the product of their points."""
    T = np.zeros((relaxation.s, int(old.max()) + 1))
    np.add.at(T, (block_of, old), 1.0)
    return T / np.sqrt(np.outer(T.sum(axis=1), T.sum(axis=0)))


# --- The relaxation in cvxpy, solved by any conic solver that it finds: another backend -----------
#
# The unknown is the lower triangle of Y, off-diagonal entries times sqrt 2, so that its products
# are those of matrices. The solver's multipliers go through the same certificate as those of ADMM.

_SCS_ITERATIONS = 100_000
"""Iterations after which SCS is stopped; the bound of its last multipliers is certified as any."""


@dataclass(frozen=True, eq=False)
class _Triangle:
    """Positions of a symmetric matrix's entries in the column-wise lower triangle."""

    row: IntArray
    column: IntArray
    scale: FloatArray

    def index(self, i: IntArray, j: IntArray) -> IntArray:
        low, high = np.minimum(i, j), np.maximum(i, j)
        s = int(self.row[-1]) + 1
        return low * s - low * (low - 1) // 2 + (high - low)

    def vector(self, matrix: FloatArray) -> FloatArray:
        return matrix[self.row, self.column] * self.scale

    def matrix(self, vector: FloatArray) -> FloatArray:
        s = int(self.row[-1]) + 1
        full = np.zeros((s, s))
        full[self.row, self.column] = full[self.column, self.row] = vector / self.scale
        return full


def solve_by_cvxpy(
    relaxation: Relaxation, start: Iterate, solver: str, accuracy: float
) -> Iterate | None:
    """Solve the relaxation with the cuts of an iterate and certify the bound.

    `start`: Gives the cuts and the unit of the objective. `solver`: A name of
    `ccviz.solvers.sdp.settings.CONIC`. `accuracy`: SCS's eps_abs and eps_rel; other solvers have
    their own default. Returns: None if the solver ended without multipliers.
    """
    # Imported here: cvxpy takes a second, and the other backend does not need it.
    import cvxpy as cp

    column, row = np.triu_indices(relaxation.s)
    triangle = _Triangle(row, column, np.where(row == column, 1.0, np.sqrt(2.0)))
    rows = rows_of(start.cuts, relaxation)
    cut = _cut_matrix(rows, relaxation.s, triangle)
    free = np.ones(len(triangle.row), dtype=bool)
    free[triangle.index(relaxation.conflicts[:, 0], relaxation.conflicts[:, 1])] = False
    left, right = _equalities(relaxation, triangle)
    y = cp.Variable(len(free))
    equal = left @ y == right
    signs = y[np.flatnonzero(free)] >= 0
    limits = [cut @ y >= rows.side] if len(rows.side) else []
    shape = (relaxation.s, relaxation.s)
    convex = cp.reshape(_square(triangle) @ y, shape, order="F") >> 0
    cost = triangle.vector(relaxation.cost / start.unit)
    model = cp.Problem(cp.Minimize(cost @ y), [equal, signs, convex, *limits])
    name = None if solver == "cvxpy" else solver.upper()
    precise = {"eps_abs": accuracy, "eps_rel": accuracy, "max_iters": _SCS_ITERATIONS}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an inaccurate solution has a certified bound, too
            model.solve(solver=name, **(precise if name == cp.SCS else {}))
    except cp.error.SolverError:
        return None
    if y.value is None or equal.dual_value is None:
        return None
    weights = np.maximum(limits[0].dual_value, 0.0) if limits else np.zeros(0)
    entries = _apart(relaxation, triangle, equal.dual_value)
    entries[free] = -np.maximum(signs.dual_value, 0.0)
    M = triangle.matrix(entries - weights @ cut)
    weights = weights / rows.norm
    found = certify(relaxation, start.unit * M, start.cuts, start.unit * weights)
    return replace(
        start,
        Y=np.maximum(triangle.matrix(y.value), 0.0),
        M=M,
        weights=weights,
        iterations=start.iterations + int(model.solver_stats.num_iters or 0),
        best=max(found, start.best or found, key=lambda each: each.lower_bound),
    )


def _square(triangle: _Triangle) -> csr_matrix:
    """Return the matrix that makes a symmetric matrix's entries of a triangle."""
    s = int(triangle.row[-1]) + 1
    position = triangle.index(*np.divmod(np.arange(s * s), s))
    entry = np.arange(s * s)
    shape = (s * s, len(triangle.row))
    return csr_matrix((1.0 / triangle.scale[position], (entry, position)), shape)


def _equalities(relaxation: Relaxation, triangle: _Triangle) -> tuple[csr_matrix, FloatArray]:
    """Y u = u, trace Y = k, Y_ij = 0 on conflicts; in this order."""
    s, u = relaxation.s, relaxation.u
    i, j = np.divmod(np.arange(s * s), s)
    position = triangle.index(i, j)
    weight = u[j] / triangle.scale[position]
    diagonal = triangle.index(np.arange(s), np.arange(s))
    apart = triangle.index(relaxation.conflicts[:, 0], relaxation.conflicts[:, 1])
    row = np.concatenate([i, np.full(s, s), s + 1 + np.arange(len(apart))])
    column = np.concatenate([position, diagonal, apart])
    value = np.concatenate([weight, np.ones(s), np.ones(len(apart))])
    shape = (s + 1 + len(apart), len(triangle.row))
    side = np.concatenate([u, [float(relaxation.k)], np.zeros(len(apart))])
    return csr_matrix((value, (row, column)), shape=shape), side


def _cut_matrix(rows: Rows, s: int, triangle: _Triangle) -> csr_matrix:
    i, j = np.divmod(rows.position, s)
    position = triangle.index(i, j)
    value = rows.value * triangle.scale[position]
    shape = (len(rows.side), len(triangle.row))
    return csr_matrix((value, position, rows.start), shape=shape)


def _apart(relaxation: Relaxation, triangle: _Triangle, duals: FloatArray) -> FloatArray:
    """Return the multipliers of the conflicts at their entries."""
    entries = np.zeros(len(triangle.row))
    i, j = relaxation.conflicts.T
    entries[triangle.index(i, j)] = duals[relaxation.s + 1 :]
    return entries

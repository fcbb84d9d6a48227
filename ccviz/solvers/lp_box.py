"""The ℓp-box splitting of Bibi, Wu and Ghanem (2019): its variables, and the solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import scipy
from scipy.sparse.linalg import LinearOperator, cg

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import (
    Assigned,
    CentersMoved,
    Event,
    Finished,
    IncumbentFound,
    InfeasibilityProved,
    Noted,
    ResidualsUpdated,
)
from ccviz.problem.blocks import Blocks, contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import Sizes
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.hard_links import impossible_at_once
from ccviz.solvers.common.seeding import plain_kmeans

if TYPE_CHECKING:
    from ccviz.solvers.assignment.centers import Assignment


LOOK_BACK = 10  # Iterations over which the objective may not change

REPAIR_S, STEP_S = 20.0, 5.0
"""Seconds for one repair, and for one assignment after it; then its best is taken."""

DIVERGED = 1e6  # Primal residual a point from which no splitting comes back


@dataclass(frozen=True)
class LpBox(Solver):
    """The ℓp-box ADMM with pairs and sizes."""

    name: ClassVar[str] = "lp-box"
    title: ClassVar[str] = "ℓp-box ADMM"
    paper: ClassVar[str] = "Bibi, Wu and Ghanem (2019)"
    supports: ClassVar[Supports] = Supports(hard=True, sizes=True)

    start: str = setting(
        "k-means",
        "First assignment: of one k-means run, or random.",
        choices=("k-means", "random"),
        label="First assignment",
    )
    rho: float = setting(0.1, "First penalty, in its unit.", low=1e-6, label="Penalty ρ")
    unit: str = setting(
        "data",
        "Unit of the penalty: the mean squared distance of the points to their mean, or one.",
        choices=("data", "one"),
        advanced=True,
        label="Unit of ρ",
    )
    growth: float = setting(
        1.1, "Factor of the penalty's growth.", low=1.0, high=10.0, label="Growth of ρ"
    )
    every: int = setting(5, "Iterations from one growth to the next.", low=1, label="Growth every")
    stillness: float = setting(
        1e-5, "Stop once ten objectives have no larger standard deviation.", low=0.0, advanced=True
    )
    max_iterations: int = setting(1500, "Iterations at most.", low=1, label="Most iterations")
    coupling: str = setting(
        "exact",
        "How means follow the assignment: exactly, or by a penalty as in the paper.",
        choices=("exact", "split"),
        advanced=True,
        label="Coupling of means",
    )
    descent: bool = setting(
        True, "Improve the repaired answer by exact assignments and means.", label="Final descent"
    )
    show_every: int = setting(
        5, "Iterations from one picture of x to the next.", low=1, label="Iterations a picture"
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of one run."""
        if impossible := impossible_at_once(problem):
            yield from impossible
            return
        splitting = self._start(problem, context.seed)
        if self.descent and self.coupling == "exact":  # not as printed: one that is stopped answers
            first = _repaired(problem, splitting.x, context.stop)
            if first.infeasible:
                yield from _impossible()
                return
            if first.found:
                yield IncumbentFound(labels=contract(problem).lift(first.labels), source="start")
        objectives: list[float] = []
        for iteration in range(self.max_iterations):
            if context.stop():
                return
            splitting.iterate()
            if not splitting.primal_residual < DIVERGED * problem.n:
                yield Finished(termination="stalled", message="The splitting diverged.")
                return
            objectives.append(splitting.objective)
            still = len(objectives) > LOOK_BACK and (
                np.std(objectives[-LOOK_BACK:]) <= self.stillness
            )
            yield self._residuals(problem, splitting, iteration, last=bool(still))
            if still:
                break
            if (iteration + 1) % self.every == 0:
                splitting.rho *= self.growth
        yield from self._answer(problem, splitting, bool(still), context.stop)

    def _start(self, problem: Problem, seed: int) -> Splitting:
        centred = problem.X - problem.X.mean(axis=0)
        spread = float((centred**2).sum() / problem.n) if self.unit == "data" else 1.0
        labels = first_labels(problem, self.start, seed)
        kind = Splitting if self.coupling == "exact" else CoupledSplitting
        return kind(
            centred / np.sqrt(spread or 1.0),
            np.eye(problem.k)[labels],
            problem.must_link.hard.pairs,
            problem.cannot_link.hard.pairs,
            problem.sizes,
            self.rho,
        )

    def _residuals(
        self, problem: Problem, splitting: Splitting, iteration: int, last: bool
    ) -> ResidualsUpdated:
        broken = Partition(problem, splitting.x.argmax(axis=1)).violations
        return ResidualsUpdated(
            iteration=iteration,
            primal_residual=splitting.primal_residual,
            dual_residual=splitting.dual_residual,
            rho=splitting.rho,
            objective=splitting.objective,
            fractional=splitting.fractional,
            violations=broken.must_link + broken.cannot_link + broken.sizes,
            x=splitting.x if last or iteration % self.show_every == 0 else None,
        )

    def _answer(
        self, problem: Problem, splitting: Splitting, converged: bool, stop: Callable[[], bool]
    ) -> Iterator[Event]:
        """Repair the relaxed assignment, descend from there, and finish."""
        blocks, answer = contract(problem), _repaired(problem, splitting.x, stop)
        if answer.infeasible:
            yield from _impossible()
            return
        if not answer.found:
            message = "No feasible assignment was found in time; one may exist."
            yield Finished(termination="stalled", message=message)
            return
        labels = blocks.lift(answer.labels)
        yield Noted(text=_repair_sentence(splitting.x, labels))
        yield IncumbentFound(labels=labels, source="repair")
        if self.descent:
            yield from _descend(blocks, answer.labels, stop)
        if stop():
            return
        if converged:
            yield Finished(termination="converged", message="The relaxed assignment is stable.")
            return
        message = f"The relaxed assignment still moved after {self.max_iterations} iterations."
        yield Finished(termination="stalled", message=message)


def _repaired(problem: Problem, x: FloatArray, stop: Callable[[], bool]) -> Assignment:
    """Return the labels of the blocks that agree most with a relaxed assignment."""
    # Imported here: it loads numba.
    from ccviz.solvers.assignment import solve_assignment, structure_of

    blocks = contract(problem)
    agreement = np.zeros((blocks.s, blocks.k))
    np.add.at(agreement, blocks.block_of, np.clip(x, 0.0, 1.0))
    structure = structure_of(blocks)
    return solve_assignment(-agreement, structure, nonempty=True, time_limit=REPAIR_S, stop=stop)


def _descend(blocks: Blocks, labels: IntArray, stop: Callable[[], bool]) -> Iterator[Event]:
    """Alternate means and exact assignments of the blocks while the objective falls."""
    # Imported here: they load numba.
    from ccviz.solvers.assignment import solve_assignment, structure_of
    from ccviz.solvers.assignment.centers import block_costs, block_means, block_wcss

    structure, (points, mass) = structure_of(blocks), (blocks.centroid, blocks.mass)
    centers = block_means(points, mass, labels, points[: blocks.k].copy())
    wcss, iteration = block_wcss(points, mass, labels, centers), 0
    while not stop():
        yield CentersMoved(iteration=iteration, centers=centers)
        answer = solve_assignment(
            block_costs(points, mass, centers), structure, nonempty=True, warm_start=labels,
            time_limit=STEP_S, stop=stop,
        )  # fmt: skip
        if not answer.found:
            return
        centers = block_means(points, mass, answer.labels, centers)
        fallen = block_wcss(points, mass, answer.labels, centers)
        if not fallen < wcss:
            return
        iteration += 1
        yield Assigned(
            iteration=iteration,
            labels=blocks.lift(answer.labels),
            objective=answer.objective + blocks.scatter,
            moved=int(blocks.count[answer.labels != labels].sum()),
        )
        yield IncumbentFound(labels=blocks.lift(answer.labels), source="descent")
        wcss, labels = fallen, answer.labels


def _impossible() -> Iterator[Event]:
    yield InfeasibilityProved(reason="no clustering keeps the links and sizes.")
    yield Finished(termination="proved")


def first_labels(problem: Problem, start: str, seed: int) -> IntArray:
    """Return (n,) labels to start from, random ones with the problem's sizes where it has any."""
    if start == "k-means":
        model = plain_kmeans(problem.X, problem.k, seed, n_init=1)
        return match_sizes(model.labels_.astype(np.int64), problem.k, problem.sizes)
    rng = np.random.default_rng(seed)
    if problem.sizes is None:
        return rng.integers(problem.k, size=problem.n)
    least = problem.sizes.lower
    room = np.cumsum(problem.sizes.upper - least)
    more = np.diff(np.minimum(room, problem.n - int(least.sum())), prepend=0)
    return rng.permutation(np.repeat(np.arange(problem.k), least + more))


def match_sizes(labels: IntArray, k: int, sizes: Sizes | None) -> IntArray:
    """Renumber clusters so that the larger get the larger sizes asked for."""
    if sizes is None:
        return labels
    found = np.argsort(np.bincount(labels, minlength=k), kind="stable")
    asked = np.argsort(sizes.lower + sizes.upper, kind="stable")
    number = np.empty(k, dtype=np.int64)
    number[found] = asked
    return number[labels]


def _repair_sentence(x: FloatArray, labels: IntArray) -> str:
    moved = int((x.argmax(axis=1) != labels).sum())
    if moved == 0:
        return "The relaxed assignment was rounded; it kept every constraint and needed no repair."
    points = "1 point" if moved == 1 else f"{moved} points"
    return f"The rounded assignment broke constraints; the repair moved {points}."


# --- The variables of the splitting and their updates ---------------------------------------------
#
# The relaxed assignment x and the weights w are (n, k) arrays: column j of w says which mean the
# points of cluster j have, c_j = Σ_i w_ij s_i. Equation numbers are the paper's. None of its
# selection matrices exists: Ψᵀx is a sum over a row, Cx and QPᵀx are sums over a column, and E₁x,
# E₂x are rows of x picked by index.
#
# A variant keeps only the terms of the constraints that it has: cluster sizes bring y4, must-links
# bring z3, y6 and y7, cannot-links bring z4, y8 and y9.


# --- All links of a kind as one product constraint of the ℓp-box splitting ------------------------


class PairProduct:
    """The constraint (E z)ᵀ E′ x = target on linked pairs, with its copy z of x (eq. 4 and 5).

    By Lemmas 1 and 2 one product replaces all links of a kind: it counts the pairs that share a
    cluster, which are all must-links and no cannot-link.

    `target`: How many of the pairs should be together.
    """

    def __init__(self, x: FloatArray, pairs: IntArray, target: float) -> None:
        self.pairs, self.target = pairs, target
        self.z = np.zeros_like(x)
        self.y = 0.0
        self.y_copy = np.zeros_like(x)
        self.direction = np.zeros_like(x)

    def aim(self) -> None:
        """Set E′ᵀE z, the direction in which x is held."""
        self.direction = _carry(self.z, self.pairs[:, 0], self.pairs[:, 1])

    def gap(self, x: FloatArray) -> float:
        """Return how far the product misses its target."""
        return float((self.direction * x).sum()) - self.target

    def gradient(self, rho: float) -> FloatArray:
        """Return the linear terms in x, the targets of both penalties included."""
        return (self.y - rho * self.target) * self.direction + self.y_copy - rho * self.z

    def update_copy(self, x: FloatArray, rho: float) -> None:
        """Solve eq. 13 and 14: a multiple of the identity plus one rank, so in closed form."""
        across = _carry(x, self.pairs[:, 1], self.pairs[:, 0])
        right = self.y_copy / rho + x + (self.target - self.y / rho) * across
        step = float((across * right).sum()) / (1.0 + float((across * across).sum()))
        self.z = right - step * across

    def ascend(self, x: FloatArray, rho: float) -> None:
        """Move the multipliers along their residuals (eq. 15)."""
        self.aim()
        self.y += rho * self.gap(x)
        self.y_copy += rho * (x - self.z)


def _carry(rows: FloatArray, source: IntArray, goal: IntArray) -> FloatArray:
    """Add row ``source[e]`` to row ``goal[e]`` for each pair e."""
    total = np.zeros_like(rows)
    np.add.at(total, goal, rows[source])
    return total


CG_TOLERANCE = 1e-8
LEAST_SIZE = 1e-6  # a fractional cluster may be empty; its mean still needs a divisor


class Splitting:
    """All variables of problem (7), and one method for each update of Algorithm 1.

    The constraint x = Pw ⊙ Cx is eliminated: w is computed from the box copy z1 of x, so that the
    means are always those of a relaxed assignment. `CoupledSplitting` keeps it as the paper does.

    `X` (n, d): Points, scaled as the penalty expects. `x` (n, k): The assignment to start from.
    """

    def __init__(
        self,
        X: FloatArray,
        x: FloatArray,
        must_link: IntArray,
        cannot_link: IntArray,
        sizes: Sizes | None,
        rho: float,
    ) -> None:
        self.X, self.x, self.rho, self.sizes = X, x.copy(), rho, sizes
        self.pair_products = [
            PairProduct(x, pairs, target)
            for pairs, target in ((must_link, float(len(must_link))), (cannot_link, 0.0))
            if len(pairs)
        ]
        self.w = _weights_of(x)
        self.z_box, self.z_sphere, self.y_box, self.y_sphere = np.zeros((4, *x.shape))
        self.y_sum, self.y_size = np.zeros(len(x)), np.zeros(x.shape[1])
        self.size_target = x.sum(axis=0)
        self.dual_residual = np.inf

    @property
    def centers(self) -> FloatArray:
        """(k, d) the means of the clusters that w describes."""
        return self.w.T @ self.X

    @property
    def distances(self) -> FloatArray:
        """(n, k) squared distances to the means."""
        return scipy.spatial.distance.cdist(self.X, self.centers, "sqeuclidean")

    @property
    def objective(self) -> float:
        """The k-means objective at x and w."""
        return float((self.x * self.distances).sum())

    @property
    def primal_residual(self) -> float:
        """Norm of everything that should be zero."""
        return float(np.sqrt(sum(float((part**2).sum()) for part in self._gaps())))

    @property
    def fractional(self) -> float:
        """Mean distance of x to 0 or 1."""
        return float(np.minimum(np.abs(self.x), np.abs(1.0 - self.x)).mean())

    def iterate(self) -> None:
        """Make the updates of Algorithm 1 once."""
        before = self.z_box, self.z_sphere
        self.update_x()
        self.z_box = np.clip(self.x + self.y_box / self.rho, 0.0, 1.0)  # eq. 11
        self.z_sphere = to_sphere(self.x + self.y_sphere / self.rho)
        self.update_w()
        for each in self.pair_products:
            each.update_copy(self.x, self.rho)
        if self.sizes is not None:  # with exact sizes this is the paper's u
            column = self.x.sum(axis=0) + self.y_size / self.rho
            self.size_target = np.clip(column, self.sizes.lower, self.sizes.upper)
        self.ascend()
        moved = [self.z_box - before[0], self.z_sphere - before[1]]
        self.dual_residual = self.rho * float(np.linalg.norm(moved))

    def update_x(self) -> None:
        """Solve eq. 9 by conjugate gradients from the last x."""
        for each in self.pair_products:
            each.aim()
        # Divided by rho, the system keeps its scale while the penalty grows.
        matrix = LinearOperator(
            (self.x.size, self.x.size), dtype=np.float64,
            matvec=lambda flat: self.product(flat.reshape(self.x.shape)).ravel(),
        )  # fmt: skip
        right = -self.gradient().ravel() / self.rho
        solution, _ = cg(matrix, right, self.x.ravel(), rtol=CG_TOLERANCE)
        self.x = solution.reshape(self.x.shape)

    def gradient(self) -> FloatArray:
        """Return the term linear in x: the negative right side of eq. 9."""
        rho = self.rho
        total = self.distances + (self.y_sum - rho)[:, None]
        total += self.y_box - rho * self.z_box + self.y_sphere - rho * self.z_sphere
        if self.sizes is not None:
            total += self.y_size - rho * self.size_target
        for each in self.pair_products:
            total += each.gradient(rho)
        return total

    def product(self, x: FloatArray) -> FloatArray:
        """Multiply with the matrix of eq. 9, divided by rho."""
        total = (2.0 + len(self.pair_products)) * x + x.sum(axis=1)[:, None]
        if self.sizes is not None:
            total += x.sum(axis=0)
        for each in self.pair_products:
            total += each.direction * float((each.direction * x).sum())
        return total

    def update_w(self) -> None:
        """Let the means be those of the box copy."""
        self.w = _weights_of(self.z_box)

    def ascend(self) -> None:
        """Move all multipliers along their residuals (eq. 15)."""
        x, rho = self.x, self.rho
        self.y_sum += rho * (x.sum(axis=1) - 1.0)
        self.y_box += rho * (x - self.z_box)
        self.y_sphere += rho * (x - self.z_sphere)
        if self.sizes is not None:
            self.y_size += rho * (x.sum(axis=0) - self.size_target)
        for each in self.pair_products:
            each.ascend(x, rho)

    def _gaps(self) -> list[FloatArray]:
        x = self.x
        parts = [x.sum(axis=1) - 1.0, x - self.z_box, x - self.z_sphere]
        if self.sizes is not None:
            parts.append(x.sum(axis=0) - self.size_target)
        for each in self.pair_products:
            parts += [x - each.z, np.array(each.gap(x))]
        return parts


class CoupledSplitting(Splitting):
    """The splitting with x = Pw ⊙ Cx as one more penalised constraint, as the paper has it."""

    def __init__(self, X: FloatArray, x: FloatArray, *rest: object) -> None:
        super().__init__(X, x, *rest)  # type: ignore[arg-type]
        self.spectrum, self.axes = np.linalg.eigh(X.T @ X)
        self.y_means = np.zeros_like(x)

    def gradient(self) -> FloatArray:
        """Return the term linear in x."""
        return super().gradient() + self._off_means_transposed(self.y_means)

    def product(self, x: FloatArray) -> FloatArray:
        """Multiply with the matrix of eq. 9, divided by rho."""
        return super().product(x) + self._off_means_transposed(self._off_means(x))

    def update_w(self) -> None:
        """Solve eq. 10 cluster by cluster.

        Its matrix 2 m SᵀS + ρ m² I is a multiple of the identity plus rank d, so the eigenvectors
        of the d × d matrix SSᵀ give the exact solution for less than one step of an iteration.
        """
        size = self.x.sum(axis=0)
        size = np.where(np.abs(size) < LEAST_SIZE, LEAST_SIZE, size)
        right = 2.0 * self.X @ (self.X.T @ self.x) + size * (self.y_means + self.rho * self.x)
        flat, curved = self.rho * size**2, 2.0 * size
        inside = self.axes.T @ (self.X.T @ right)
        inside *= curved / (flat + curved * self.spectrum[:, None])
        self.w = (right - self.X @ (self.axes @ inside)) / flat

    def ascend(self) -> None:
        """Move all multipliers along their residuals (eq. 15)."""
        super().ascend()
        self.y_means += self.rho * self._off_means(self.x)

    def _off_means(self, x: FloatArray) -> FloatArray:
        return x - self.w * x.sum(axis=0)

    def _off_means_transposed(self, y: FloatArray) -> FloatArray:
        return y - (self.w * y).sum(axis=0)

    def _gaps(self) -> list[FloatArray]:
        return [*super()._gaps(), self._off_means(self.x)]


def _weights_of(x: FloatArray) -> FloatArray:
    return x / np.maximum(x.sum(axis=0), LEAST_SIZE)


def to_sphere(point: FloatArray) -> FloatArray:
    """Project on the sphere around ½ through all corners of the unit box (eq. 12)."""
    offset = point - 0.5
    norm = float(np.linalg.norm(offset))
    return 0.5 + offset * (0.5 * np.sqrt(point.size) / max(norm, np.finfo(float).tiny))

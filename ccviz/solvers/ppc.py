"""PPC: a mixture of Gaussians whose prior prefers clusterings that keep the links.

Z. Lu, T. K. Leen: Penalized probabilistic clustering (Neural Computation 19, 2007; NIPS 2004). The
prior of an assignment is multiplied by exp(w) for each must-link that it keeps and by exp(-w) for
each cannot-link that it breaks. EM fits the mixture; its E-step, exact only for few links, is the
paper's mean-field approximation: each point's memberships see those of its linked points. Any link
may be broken; a soft link's weight multiplies w.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.events import Assigned, CentersMoved, Event, Finished, IncumbentFound
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, setting
from ccviz.solvers.common.hard_links import priced_graph, soften
from ccviz.solvers.common.seeding import plain_kmeans
from ccviz.solvers.kmeans import note_broken_links

RIDGE = 1e-6  # Added to every variance, in mean variances of the data

SWEEPS, STILL = 100, 1e-6
"""Most mean-field sweeps of an E-step, and the change of a membership that ends them."""


@dataclass(frozen=True)
class Ppc(Solver):
    """Penalized probabilistic clustering by mean-field EM."""

    name: ClassVar[str] = "ppc"
    title: ClassVar[str] = "Penalized probabilistic clustering"
    paper: ClassVar[str] = "Lu and Leen (2007)"
    supports: ClassVar[Supports] = Supports(hard=False, soft=True)

    certainty: float = setting(
        0.99,
        "Probability with which a link is right; its log odds are the weight w.",
        low=0.5,
        high=1 - 1e-9,
        label="Certainty of links",
    )
    n_init: int = setting(1, "Starts; the best answer is kept.", low=1, label="Starts")
    max_iter: int = setting(200, "Iterations of a start at most.", low=1, label="Most iterations")
    tolerance: float = setting(
        1e-6, "Relative gain of the likelihood that ends a start.", low=0.0, advanced=True
    )

    def steps(self, problem: Problem, context: Context) -> Iterator[Event]:
        """Yield the events of all starts."""
        rng, best, found = context.rng, np.inf, None
        odds = float(np.log(self.certainty / (1.0 - self.certainty)))
        start, neighbour, cost = priced_graph(soften(problem), odds)
        # (n, n): What sharing a cluster adds to the logarithm of the prior.
        weights = csr_array((-cost, neighbour, start), shape=(problem.n, problem.n))
        X, axes = _compressed(problem.X)
        for _ in range(self.n_init):
            seed = int(rng.integers(2**31))
            labels = plain_kmeans(X, problem.k, seed, n_init=1).labels_.astype(np.int64)
            share = np.eye(problem.k)[labels]
            before = np.inf
            for iteration in range(1, self.max_iter + 1):
                if context.stop():
                    return
                mixture = Mixture.of(X, share)
                share, energy = e_step(mixture.log_density(X), weights, share)
                new = share.argmax(axis=1)
                moved, labels = int((new != labels).sum()), new
                centers = mixture.means @ axes + problem.X.mean(axis=0)
                yield CentersMoved(iteration=iteration, centers=centers)
                yield Assigned(iteration=iteration, labels=labels, objective=energy, moved=moved)
                if energy < best:
                    best, found = energy, labels
                    yield IncumbentFound(labels=labels, source=self.name, objective=energy)
                if before - energy <= self.tolerance * abs(energy):
                    break
                before = energy
        yield from note_broken_links(problem, found)
        yield Finished(termination="converged", message="The likelihood gains nothing more.")


@dataclass(frozen=True, eq=False)
class Mixture:
    """Gaussians with full covariances."""

    weights: FloatArray
    means: FloatArray
    covariances: FloatArray

    @classmethod
    def of(cls, X: FloatArray, share: FloatArray) -> Mixture:
        """Return the mixture of greatest likelihood for (n, k) memberships: the M-step."""
        mass = share.sum(axis=0) + 10 * np.finfo(float).tiny
        means = (share.T @ X) / mass[:, None]
        ridge = max(RIDGE * float(X.var(axis=0).mean()), np.finfo(float).tiny)
        covariances = np.empty((len(mass), X.shape[1], X.shape[1]))
        for j, mean in enumerate(means):
            offset = X - mean
            covariances[j] = (share[:, [j]] * offset).T @ offset / mass[j]
            covariances[j] += ridge * np.eye(X.shape[1])
        return cls(mass / mass.sum(), means, covariances)

    def log_density(self, X: FloatArray) -> FloatArray:
        """Return (n, k) logarithms of weight times density."""
        table = np.empty((len(X), len(self.weights)))
        for j, covariance in enumerate(self.covariances):
            factor, lower = cho_factor(covariance, lower=True)
            offset = X - self.means[j]
            square = (offset * cho_solve((factor, lower), offset.T).T).sum(axis=1)
            volume = 2.0 * np.log(np.diag(factor)).sum() + X.shape[1] * np.log(2.0 * np.pi)
            table[:, j] = np.log(self.weights[j]) - (square + volume) / 2
        return table


def e_step(density: FloatArray, weights: csr_array, share: FloatArray) -> tuple[FloatArray, float]:
    """Return (n, k) mean-field memberships, and their free energy.

    Points without links are exact at once. The others are swept together, half way each time, which
    keeps two linked points from changing places for ever.
    """
    linked: IntArray = np.flatnonzero(np.diff(weights.indptr))
    new = _softmax(density)
    if len(linked):
        own, graph = density[linked], weights[linked][:, linked]
        now = share[linked]
        for _ in range(SWEEPS):
            target = _softmax(own + graph @ now)
            moved = float(np.abs(target - now).max())
            now = (now + target) / 2
            if moved < STILL:
                break
        new[linked] = now
    entropy = -scipy.special.xlogy(new, new).sum()
    gain = (new * density).sum() + 0.5 * (new * (weights @ new)).sum() + entropy
    return new, -float(gain)


def _softmax(table: FloatArray) -> FloatArray:
    return np.exp(table - scipy.special.logsumexp(table, axis=1, keepdims=True))


def _compressed(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return centred points in no more dimensions than points, and the (t, d) axes of those.

    A covariance with a multiple of the identity added is the same from every side.
    """
    near = X - X[0]  # zero where points coincide, which a mean far off would spoil
    centred = near - near.mean(axis=0)
    if X.shape[1] < len(X):
        return centred, np.eye(X.shape[1])
    left, scale, axes = np.linalg.svd(centred, full_matrices=False)
    return left * scale, axes

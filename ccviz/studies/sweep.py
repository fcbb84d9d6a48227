"""How much to trust links: a sweep over noise rates and the penalty p of BH-kmeans.

Baumann and Hochbaum (2022), section 5: links of random pairs, of which a share q has the wrong
kind, and for each q the penalty p whose answers agree best with the truth.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, comb

import numpy as np

from ccviz.api import solve
from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset, standardise
from ccviz.data.random_links import random_pairs
from ccviz.errors import ProblemError
from ccviz.problem.problem import Problem
from ccviz.solvers.bh_kmeans import BhKMeans

NOISES = tuple(round(0.05 * step, 2) for step in range(9))
"""The paper's noise rates q."""

PENALTIES = tuple(round(p, 2) for p in (*(0.01 * np.arange(51)), *(0.55 + 0.05 * np.arange(9))))
"""The paper's 60 penalties p."""

FRACTION = 0.1
"""The number of links is that of all pairs of this share of the points."""

GOOD = 0.025
"""A penalty is good where its mean ARI is within this share of the best (the paper's 2.5 %)."""


@dataclass(frozen=True)
class SweepRow:
    """One run of the sweep."""

    dataset: str
    noise: float
    p: float
    seed: int
    ari: float
    wcss: float
    violations: int  # Links that the answer breaks
    time_s: float


def sweep(
    datasets: Sequence[Dataset],
    noises: Iterable[float] = NOISES,
    penalties: Iterable[float] = PENALTIES,
    seeds: Iterable[int] = range(3),
    step_limit: float = 200.0,
    done: Iterable[SweepRow] = (),
) -> Iterator[SweepRow]:
    """Run BH-kmeans for every combination and yield a row for each.

    `done`: Rows of an earlier sweep, which are left out. Raises `ProblemError` if a data set has no
    known classes.
    """
    # Something small, so that no row is charged with imports.
    solve(Problem(np.eye(4), 2, cannot_link=[(0, 1, 1.0)]), BhKMeans())  # type: ignore[arg-type]
    known = {(row.dataset, row.noise, row.p, row.seed) for row in done}
    penalties, seeds = tuple(penalties), tuple(seeds)
    for dataset, noise, seed in product(datasets, tuple(noises), seeds):
        left = [p for p in penalties if (dataset.name, noise, p, seed) not in known]
        if left:
            problem = noisy_problem(dataset, noise, seed)
            for p in left:
                yield _measure(dataset.name, problem, noise, p, seed, step_limit)


def noisy_problem(dataset: Dataset, noise: float, seed: int) -> Problem:
    """Return the standardised data with soft links, of which a share has the wrong kind."""
    if dataset.truth is None:
        raise ProblemError(f"{dataset.name} has no known classes to draw links from.")
    chosen = ceil(round(FRACTION * len(dataset.X), 9))
    links = random_pairs(dataset.truth, comb(chosen, 2), noise, seed)
    return Problem(
        standardise(dataset.X),
        len(np.unique(dataset.truth[dataset.truth >= 0])),
        must_link=[(i, j, 1.0) for i, j in links.must_link.tolist()],  # type: ignore[arg-type]
        cannot_link=[(i, j, 1.0) for i, j in links.cannot_link.tolist()],  # type: ignore[arg-type]
        truth=dataset.truth,
    )


def _measure(
    name: str, problem: Problem, noise: float, p: float, seed: int, step_limit: float
) -> SweepRow:
    began = time.process_time()
    found = solve(problem, BhKMeans(p=p, step_limit=step_limit), seed=seed).partition
    seconds = time.process_time() - began
    if found is None:
        return SweepRow(name, noise, p, seed, float("nan"), float("nan"), 0, seconds)
    broken = found.violations.must_link + found.violations.cannot_link
    return SweepRow(name, noise, p, seed, found.scores["ari"], found.wcss, broken, seconds)


@dataclass(frozen=True, eq=False)
class Curve:
    """Averages over data sets and seeds for one noise rate."""

    noise: float
    p: FloatArray  # p, ari, time_s, (m,): By increasing p
    ari: FloatArray
    time_s: FloatArray

    @property
    def is_good(self) -> np.ndarray:
        """(m,) bool: penalties whose ARI is within `GOOD` of the best."""
        return self.ari >= (1.0 - GOOD) * self.ari.max()

    @property
    def good_range(self) -> tuple[float, float]:
        """The stretch of good penalties around the best one."""
        best = int(self.ari.argmax())
        low = high = best
        while low > 0 and self.is_good[low - 1]:
            low -= 1
        while high < len(self.p) - 1 and self.is_good[high + 1]:
            high += 1
        return float(self.p[low]), float(self.p[high])


def curves(rows: Iterable[SweepRow]) -> list[Curve]:
    """Average the rows, one curve a noise rate."""
    values: dict[float, dict[float, list[tuple[float, float]]]] = {}
    for row in rows:
        values.setdefault(row.noise, {}).setdefault(row.p, []).append((row.ari, row.time_s))
    found = []
    for noise, by_penalty in sorted(values.items()):
        penalties = sorted(by_penalty)
        means = np.array([np.mean(by_penalty[p], axis=0) for p in penalties])
        found.append(Curve(noise, np.array(penalties), means[:, 0], means[:, 1]))
    return found


def common_range(found: Sequence[Curve]) -> tuple[float, float] | None:
    """Return the penalties that are good at every noise rate, None if there are none."""
    low = max(curve.good_range[0] for curve in found)
    high = min(curve.good_range[1] for curve in found)
    return (low, high) if low <= high else None

"""Compile the kernels once (``python -m ccviz.runs.warm``), and load them for a run.

Numba keeps what it compiled beside the sources, so that the first run that a person starts
begins at once and not after half a minute of silence.
"""

from __future__ import annotations

import time
from contextlib import suppress

import numpy as np

from ccviz.arrays import IntArray
from ccviz.errors import UnsupportedError
from ccviz.problem.links import Links
from ccviz.problem.problem import Problem, Sizes
from ccviz.runs.stepper import Stepper, start
from ccviz.solvers import SOLVERS, Solver

_TIME_LIMIT = 20.0


def examples(n: int = 40) -> list[Problem]:
    """Return small problems that reach the kernels: hard links, soft ones, and sizes.

    Parameters
    ----------
    n : int
        Points, a multiple of four.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    labels = rng.permutation(n) % 4
    pairs = rng.choice(n, size=(3 * n // 4, 2), replace=True)
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    must, cannot = _weighted(pairs[same], np.inf), _weighted(pairs[~same], np.inf)
    soft_must, soft_cannot = _weighted(pairs[same], 2.0), _weighted(pairs[~same], 2.0)
    quarter = np.full(4, n // 4)
    return [
        Problem(X, 4, must, cannot),
        Problem(X, 4, soft_must, soft_cannot),
        Problem(X, 4, cannot_link=cannot, sizes=Sizes(quarter, quarter)),
    ]


def _weighted(pairs: IntArray, weight: float) -> Links:
    return Links(pairs, np.full(len(pairs), weight))


def warm() -> None:
    """Run every solver on every example that it can take."""
    for solver in SOLVERS:
        _run(solver, examples())


def load(stepper: Stepper) -> None:
    """Bring what a run's solver needs into this process, off the run's clock.

    Libraries and compiled loops take about a second to load, whatever the problem: longer than
    many a run, and no part of what the method costs.

    Parameters
    ----------
    stepper : Stepper
        Of a run that is about to begin or to go on.
    """
    since = time.perf_counter()
    _run(type(stepper.solver), examples(12))
    stepper.discount(time.perf_counter() - since)


def _run(solver: type[Solver], problems: list[Problem]) -> None:
    for problem in problems:
        with suppress(UnsupportedError):
            start(problem, solver(), time_limit=_TIME_LIMIT).result()


if __name__ == "__main__":
    warm()

"""Compile the kernels once: ``python -m ccviz.warm``, a step of ``make env``.

Numba keeps what it compiled beside the sources, so that the first run that a person starts
begins at once and not after half a minute of silence.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from ccviz.api import solve
from ccviz.errors import UnsupportedError
from ccviz.links import IntArray, Links
from ccviz.problem import Problem, Sizes
from ccviz.solvers import SOLVERS

_TIME_LIMIT = 20.0


def examples() -> list[Problem]:
    """Return small problems that reach the kernels: hard links, soft ones, and sizes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    labels = rng.integers(0, 4, 40)
    pairs = rng.choice(40, size=(30, 2), replace=True)
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    must, cannot = _weighted(pairs[same], np.inf), _weighted(pairs[~same], np.inf)
    soft_must, soft_cannot = _weighted(pairs[same], 2.0), _weighted(pairs[~same], 2.0)
    ten = np.full(4, 10)
    return [
        Problem(X, 4, must, cannot),
        Problem(X, 4, soft_must, soft_cannot),
        Problem(X, 4, cannot_link=cannot, sizes=Sizes(ten, ten)),
    ]


def _weighted(pairs: IntArray, weight: float) -> Links:
    return Links(pairs, np.full(len(pairs), weight))


def warm() -> None:
    """Run every solver on every example that it can take."""
    for problem in examples():
        for solver in SOLVERS:
            with suppress(UnsupportedError):
                solve(problem, solver(), time_limit=_TIME_LIMIT, progress=False)


if __name__ == "__main__":
    warm()

"""The answer of a check, its limit of work, and the digest of a proof."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np

from ccviz.problem.problem import Problem

# --- The result of a check ------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """Result of a check."""

    # Whether the run proves that its clustering is within the requested gap, or that no clustering
    # exists.
    accepted: bool
    sentence: str  # ``proved within gap ...``, ``proved infeasible``, or ``no proof: ...`` and why
    # upper_bound, lower_bound, gap: Upper bound on the cost of the clustering, lower bound on the
    # cost of every clustering; ``inf``/``-inf`` if not computed.
    upper_bound: float = math.inf
    lower_bound: float = -math.inf
    gap: float = math.inf
    leaves: int = 0
    trusted: int = 0  # Number of leaves whose search would have exceeded the budget


# --- A budget of work, counted and not timed, so that a verdict is the same on every machine ------


STEP = 2.5e7
"""Array elements visited per unit of work; a unit takes about a second."""
DEFAULT_WORK = 5.0


@dataclass(eq=False)
class Budget:
    """Work left for searches."""

    left: float

    @staticmethod
    def of(work: float) -> Budget:
        """Return a budget of the given number of units."""
        return Budget(work * STEP)

    def spend(self, looks: float) -> bool:
        """Subtract the given work; False if not enough is left."""
        if looks > self.left:
            return False
        self.left -= looks
        return True


# --- Identity of the proved problem: the SHA-256 of its canonical form ----------------------------
#
# ``docs/proof-format.md`` specifies the form, so that other programs can compute it.


_FIRST_LINE = b"ccviz problem 1\n"


def problem_hash(problem: Problem) -> str:
    """Return the 64 hexadecimal digits of a problem's points, k, links and other constraints.

    The known classes are not included.
    """
    digest = hashlib.sha256(_FIRST_LINE)
    _add(digest, np.array([problem.n, problem.d, problem.k]), "<i8")
    _add(digest, problem.X + 0.0, "<f8")  # -0.0 is 0.0
    for links in (problem.must_link, problem.cannot_link):
        _add(digest, np.array([len(links)]), "<i8")
        _add(digest, links.pairs, "<i8")
        _add(digest, links.weights, "<f8")
    if problem.sizes is not None:
        _add(digest, np.array([problem.sizes.lower, problem.sizes.upper]), "<i8")
    for rule in problem.rules:
        digest.update(repr(rule).encode())
    if problem.weights is not None:
        digest.update(b"weights\n")
        _add(digest, problem.weights, "<f8")
    if problem.neighbors is not None:
        digest.update(b"neighbors\n")
        _add(digest, problem.neighbors.pairs, "<i8")
    return digest.hexdigest()


def _add(digest: hashlib._Hash, array: np.ndarray, kind: str) -> None:
    digest.update(np.ascontiguousarray(array, dtype=kind).tobytes())

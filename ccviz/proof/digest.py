"""Identity of the proved problem: the SHA-256 of its canonical form.

``docs/proof-format.md`` specifies the form, so that other programs can compute it.
"""

from __future__ import annotations

import hashlib

import numpy as np

from ccviz.problem.problem import Problem

_FIRST_LINE = b"ccviz problem 1\n"


def problem_hash(problem: Problem) -> str:
    """Return the 64 hexadecimal digits of a problem's points, k, links, sizes, rules and weights.

    The known classes are not included.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    str
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
    return digest.hexdigest()


def _add(digest: hashlib._Hash, array: np.ndarray, kind: str) -> None:
    digest.update(np.ascontiguousarray(array, dtype=kind).tobytes())

"""Small problems with soft links, beside hard ones and sizes, and their optima by brute force."""

import numpy as np

from ccviz import Problem
from ccviz.errors import ContradictionError, ProblemError


def draw_soft(seed, with_sizes=True):
    """Draw a small problem with soft links; None where its constraints contradict each other."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 4))
    n = int(rng.integers(2 * k, 9))
    X = rng.normal(size=(n, 2)) * 10.0 ** rng.integers(-2, 3)
    spread = float(((X - X.mean(axis=0)) ** 2).sum()) / n
    links = ([], [])
    for _ in range(int(rng.integers(1, 7))):
        i, j = rng.choice(n, 2, replace=False).tolist()
        weight = np.inf if rng.random() < 0.2 else spread * rng.exponential()
        links[int(rng.integers(2))].append((i, j, weight))
    sizes = _sizes(rng, n, k) if with_sizes else None
    try:
        return Problem(X, k, must_link=links[0], cannot_link=links[1], sizes=sizes)
    except (ContradictionError, ProblemError):
        return None


def _sizes(rng, n, k):
    lower = rng.multinomial(n - k, np.ones(k) / k) + 1
    equal = np.array([n // k + (j < n % k) for j in range(k)])
    kinds = [
        None, (lower, lower), (equal, equal), (np.maximum(lower - 1, 1), lower + 1),
        (np.maximum(equal - 1, 1), equal + 1),
    ]  # fmt: skip
    return kinds[int(rng.integers(len(kinds)))]

"""Small problems, every one of their clusters and clusterings."""

from itertools import combinations, product

import numpy as np
import pytest

from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.problem.rules import (
    Both,
    Either,
    MaxDiameter,
    MaxOverlap,
    MaxSize,
    MinDifference,
    SoftCannotLink,
)
from ccviz.solvers.colgen import node, opening, spot

PAIRS = ((1, 2), (3, 4), (5, 6), (1, 6), (0, 7))
RULES = {
    "none": (),
    "max size": (MaxSize(4),),
    "max overlap": (MaxOverlap((1, 2, 3, 4), 2),),
    "min difference": (MinDifference((1, 2, 3, 4, 5), 2),),
    "soft cannot-link": (SoftCannotLink(PAIRS, 1),),
    "max diameter": (MaxDiameter(2.2),),
    "both": (Both((MaxSize(5), SoftCannotLink(PAIRS, 2))), MaxOverlap((0, 2, 4), 2)),
    "either": (Either((MaxSize(3), MaxOverlap((1, 2, 3, 4), 1))),),
}


def random_problem(seed, rules=(), n=8, k=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, int(rng.integers(1, 4))))
    pairs = [pair for pair in combinations(range(n), 2) if pair != (0, 1)]
    chosen = rng.choice(len(pairs), int(rng.integers(0, 7)), replace=False)
    must = [(0, 1)] if seed % 2 else []
    cannot = [pairs[i] for i in chosen]
    if must:  # what both ends conflict with must not contradict
        cannot = [pair for pair in cannot if set(pair) != {0, 1}]
    return Problem(X, k, must_link=must, cannot_link=cannot, rules=rules)


def best_clustering(problem):
    """Return the least objective over all clusterings, inf if none is feasible."""
    best = np.inf
    for tail in product(range(problem.k), repeat=problem.n - 1):
        labels = np.array([0, *tail])
        seen = labels[np.sort(np.unique(labels, return_index=True)[1])]
        if len(seen) < problem.k or (np.diff(seen) < 0).any():
            continue  # empty clusters, or the same clusters in another order
        partition = Partition(problem, labels)
        if partition.wcss < best and partition.violations.none_hard:
            best = partition.wcss
    return best


@pytest.fixture(params=RULES, ids=lambda name: name.replace(" ", "-"))
def rules(request):
    return RULES[request.param]


@pytest.fixture(scope="session")
def neighbours():
    """Return 220 points for 22 clusters in the plane, with links between neighbours."""
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(220, 2)) * [3.0, 1.0]
    near = np.argsort(((X[:, None] - X) ** 2).sum(axis=2), axis=1)
    must = [(int(i), int(near[i, 1])) for i in range(10)]
    cannot = [(int(i), int(near[i, 6])) for i in range(130, 140)]
    return Problem(X, 22, must_link=must, cannot_link=cannot)


def few_blocks_near(monkeypatch, blocks):
    """Let spots be of so many blocks, whatever the clusters."""
    monkeypatch.setattr(spot, "_BLOCKS", blocks)
    monkeypatch.setattr(spot, "_CLUSTERS", (0, 99))


def few_blocks_are_many(monkeypatch):
    """Let few blocks be worked on over stars and around spots, with no other certificate."""
    monkeypatch.setattr(spot, "_PART", 1)
    for name in ("_STARS_FROM", "_STARS_FROM_FEW"):
        monkeypatch.setattr(opening, name, 0)
    for name in ("_FEW_BLOCKS", "_MANY_BLOCKS"):
        monkeypatch.setattr(node, name, 0)

"""Small problems, every one of their clusters and clusterings."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

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
from ccviz.solvers.colgen.params import (
    CertificateParams,
    FacilityParams,
    NeighbourhoodParams,
    Params,
)

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


def neighbourhoods_of(blocks, parts=4):
    """Return parameters with neighbourhoods of that number of blocks, whatever the clusters."""
    return NeighbourhoodParams(blocks, 0.0, 99.0, parts)


def over_facilities(**facilities):
    """Return parameters under which few blocks begin over facilities, without a certificate."""
    return Params(
        facilities=FacilityParams(pairs=0, pairs_if_few=0, **facilities),
        certificate=CertificateParams(few_blocks=0, many_blocks=0),
    )


def with_local_masters(blocks, slow_rounds=None):
    """Return parameters under which few blocks have local masters.

    Bounds are slow after a number of iterations, whatever they gain, if that is given.
    """
    soon = {"slow_rounds": slow_rounds, "slow_share": np.inf, "slow_share_local": np.inf}
    params = over_facilities(**(soon if slow_rounds else {}))
    return replace(params, neighbourhood=neighbourhoods_of(blocks, parts=1))

"""The bound as printed beside its definition, and beside every cluster."""

from itertools import combinations

import numpy as np
import pytest

from ccviz.problem.blocks import contract
from ccviz.problem.problem import Problem
from ccviz.solvers.colgen.phases.opening import scatter_of
from ccviz.solvers.colgen.pricing.enumeration import least_extension


def as_defined(X, members, inside, candidates, gain):
    """Return the bound of section 4.3, size by size, and the least value of all extensions.

    Both over points, with the paper's duals of the blocks.
    """

    def between(a, b):
        return sum(((X[i] - X[j]) ** 2).sum() for i in a for j in b)

    def within(a):
        return sum(((X[i] - X[j]) ** 2).sum() for i, j in combinations(a, 2))

    together = [p for b in inside for p in members[b]]
    beta = {c: within(members[c]) + between(members[c], together) for c in candidates}
    size = {c: len(members[c]) for c in candidates}
    near = sorted(candidates, key=lambda c: beta[c] / size[c])
    rich = sorted(candidates, key=lambda c: -gain[c] / size[c])
    own = sum(gain[b] for b in inside)
    bound = within(together) / len(together) - own
    for more in range(1, sum(size.values()) + 1):
        few = max(i for i in range(len(near) + 1) if sum(size[c] for c in near[:i]) <= more)
        many = min(i for i in range(len(rich) + 1) if sum(size[c] for c in rich[:i]) >= more)
        distances = within(together) + sum(beta[c] for c in near[:few])
        duals = own + sum(gain[c] for c in rich[:many])
        bound = min(bound, distances / (len(together) + more) - duals)
    least = np.inf
    for count in range(len(candidates) + 1):
        for chosen in combinations(candidates, count):
            whole = together + [p for c in chosen for p in members[c]]
            value = within(whole) / len(whole) - own - sum(gain[c] for c in chosen)
            least = min(least, value)
    return bound, least


@pytest.mark.parametrize("seed", range(20))
def test_it_is_what_the_paper_prints_and_below_every_extension(seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(9, 2)), int(rng.integers(0, 3)))
    must = [tuple(pair) for pair in rng.choice(9, (3, 2)).tolist() if pair[0] != pair[1]]
    problem = Problem(X, 2, must_link=must)
    blocks = contract(problem)
    members = [blocks.members(b).tolist() for b in range(blocks.s)]
    scatter, mass = scatter_of(problem, blocks), blocks.mass
    duals = rng.exponential(2.0, blocks.s) * mass
    chosen = rng.permutation(blocks.s)
    taken, candidates = chosen[:2], chosen[2:]
    gaps = ((blocks.centroid[:, None] - blocks.centroid) ** 2).sum(axis=2)
    apart = mass[:, None] * mass * gaps
    inside = np.isin(np.arange(blocks.s), taken)
    spread = apart[taken[0], taken[1]]
    bound = least_extension(
        apart[taken].sum(axis=0), spread, duals[taken].sum(), inside, candidates,
        (np.array(mass), duals, scatter),
    )  # fmt: skip
    printed, least = as_defined(X, members, taken.tolist(), candidates.tolist(), duals + scatter)
    assert bound == pytest.approx(printed, rel=1e-9, abs=1e-9)
    assert bound < printed  # lowered for rounding
    assert printed <= least + 1e-9

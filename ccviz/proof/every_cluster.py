"""Every cluster that keeps all constraints of a node, where a proof says that they are few.

A leaf with the array ``listed`` has duals and least values of all clusters that keep every rule,
also those rules that parts of a cluster may break; its solver has looked at each. Here they are
found once more: sets of blocks grow by a block after their last one, as long as they keep what only
forbids and may still reach what is asked for at least. Written independently of the solver's list.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ccviz.problem.problem import Problem
from ccviz.problem.sums import MaxSum, MinSum, SumLimit
from ccviz.proof.blocks import PlainBlocks
from ccviz.proof.partition_pricing import Limits, least_value
from ccviz.proof.question import Pricing
from ccviz.proof.reading import FlawError
from ccviz.proof.verdict import Budget

_PASSES = 8  # Elements of an array that are looked at for each set and block

Floor = tuple[np.ndarray, float]
"""Values (s,), and the least that those of a cluster add up to; all sums are exact."""


def floors_of(problem: Problem, blocks: PlainBlocks) -> tuple[Floor, ...]:
    """Return what a cluster has to reach: by rules, and by sizes beside weights."""
    s, found = len(blocks.mass), []
    for rule in problem.rules:
        if isinstance(rule, SumLimit) and not isinstance(rule, MaxSum):
            if len(rule.values) != problem.n:
                raise FlawError("a rule has not one value for each point")
            sign = 1.0 if isinstance(rule, MinSum) else -1.0
            values = sign * np.bincount(blocks.block_of, rule.values, s)
            found.append((values, sign * rule.limit))
    if problem.weights is not None and problem.sizes is not None:
        found.append((blocks.count, float(problem.sizes.lower.min())))
        found.append((-blocks.count, -float(problem.sizes.upper.max())))
    return tuple(found)


def none_listed_below(
    pricing: Pricing,
    limits: Limits,
    threshold: float,
    floors: tuple[Floor, ...],
    budget: Budget,
) -> bool | None:
    """Whether no cluster within the limits has a value below the threshold, by looking at each.

    Returns: None if the budget runs out.
    """
    for inside in _clusters(pricing, limits, floors, budget):
        if inside is None or not budget.spend(_PASSES * inside.size):
            return None
        if least_value(pricing, limits, inside) < threshold:
            return False
    return True


def _clusters(
    pricing: Pricing, limits: Limits, floors: tuple[Floor, ...], budget: Budget
) -> Iterator[np.ndarray | None]:
    """Yield (p, s) clusters of 0 and 1, and then more; None if the budget runs out."""
    mass, s = pricing.mass, len(pricing.mass)
    needs = ((mass, limits.lower), *floors)
    inside, last = np.zeros((1, s)), np.array([-1])
    while len(inside):
        weight = inside @ mass
        grows = weight + mass.min() <= limits.upper
        inside, weight, last = inside[grows], weight[grows], last[grows]
        if not budget.spend(_PASSES * inside.size):
            yield None
            return
        free = (np.arange(s) > last[:, None]) & (inside @ pricing.conflict == 0.0)
        free &= weight[:, None] + mass <= limits.upper
        for limit in pricing.limits:
            pairs = inside @ limit.together
            load = inside @ limit.weight + 0.5 * (pairs * inside).sum(axis=1)
            free &= load[:, None] + limit.weight + pairs <= limit.most
        for values, least in needs:
            most = inside @ values + free @ np.maximum(values, 0.0)
            free &= (most >= least)[:, None]
        rows, last = np.nonzero(free)
        if not budget.spend(len(rows) * s):
            yield None
            return
        inside = inside[rows]
        inside[np.arange(len(rows)), last] = 1.0
        is_whole = [inside @ values >= least for values, least in needs]
        yield inside[np.all(is_whole, axis=0)]

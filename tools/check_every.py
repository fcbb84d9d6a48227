"""The look at every cluster that keeps all rules, where a leaf says that there are few.

A part of `tools/check_proof.py`, which loads it; Python's standard library and NumPy. Read it from
the top: what a cluster has to reach, the clusters, and what each is worth.
"""

import numpy as np
from check_file import ROUND, need, whole
from check_search import linked


def floors_over(run, block):
    """Return values of blocks and the least that those of a cluster add up to, whole numbers.

    They are rules that parts of a cluster may break, and sizes beside weights.
    """
    floors = [*run.floors]
    if run.told is None and run.sizes is not None:
        ones = np.ones(len(block))
        floors += [(ones, run.sizes[0].min()), (-ones, -run.sizes[1].max())]
    return [(np.bincount(block, values), least) for values, least in floors]


class Every:
    """All clusters that keep loads and floors; as `check_search.Search`, which looks for low ones.

    A cluster is worth its sum of squares and its share of soft links, less its duals. Clusters grow
    by a block after their last one, while what is left may still lift them to what they need.
    """

    def __init__(self, blocks, duals, loads, floors, budget, soft, exact):
        self.blocks, self.u, self.m = blocks, duals, blocks.m
        self.loads, self.floors, self.budget, self.exact = loads, floors, budget, exact
        self.soft, s = soft, len(duals)
        self.together, twice, _ = linked(soft, s, np.arange(s), float, np.zeros)
        self.cut = twice / 2

    def check(self, v, sizes):
        """Raise unless no cluster of these fewest to most points is worth less than v."""
        value = self.whole_values if self.exact else self.values
        for inside in self.clusters(*sizes):
            if len(inside):
                need((value(inside, v) >= 0).all(), "it overlooks a cluster of lower value")

    def clusters(self, fewest, most):
        """Yield clusters as rows of 0 and 1, those of one number of blocks together."""
        s, (inside, last) = len(self.m), (np.zeros((1, len(self.m))), np.array([-1]))
        floors = [(self.m, fewest), *self.floors]
        while len(inside):
            self.budget.spend("looks at blocks", 8 * inside.size)
            may = np.arange(s) > last[:, None]
            may &= (inside @ self.blocks.conflict == 0) & (
                (inside @ self.m)[:, None] + self.m <= most
            )
            for limit, w, T in self.loads:
                more = w + inside @ T
                may &= (((w + more) * inside).sum(axis=1) / 2)[:, None] + more <= limit
            for values, least in floors:
                reach = inside @ values + may @ np.maximum(values, 0)
                may &= (reach >= least)[:, None]
            row, last = np.nonzero(may)
            self.budget.spend("bytes", 16 * len(row) * s)
            self.budget.spend("bytes", -16 * len(row) * s)  # it is given back
            self.budget.spend("looks at blocks", 8 * len(row) * s)
            inside = inside[row]
            inside[np.arange(len(row)), last] = 1.0
            yield inside[np.all([inside @ values >= least for values, least in floors], axis=0)]

    def values(self, inside, v):
        """Return what clusters are worth above v at least, in doubles."""
        (s, d), mass = self.blocks.x.shape, inside @ self.m
        gaps = ((self.blocks.x[:, None] - self.blocks.x) ** 2).sum(axis=2)
        squares = ((inside @ (np.outer(self.m, self.m) * gaps)) * inside).sum(axis=1) / mass / 2
        links = ((inside @ self.together) * inside).sum(axis=1) / 2
        size = squares + inside @ (abs(self.u) + self.cut + abs(self.together).sum(axis=1)) + abs(v)
        found = squares + links - inside @ (self.u - self.cut) - v
        return found - ROUND * (3 * s + d + 32) * size

    def whole_values(self, inside, v):
        """Return the same in whole numbers of a tiny unit, rounded down."""
        sums, long, _ = self.blocks.whole()
        s, inside = len(self.m), inside.astype(int).astype(object)
        together, twice, _ = linked(
            self.soft, s, np.arange(s), lambda w: int(w * long**2) // 2 * 2,
            lambda shape: np.full(shape, 0, dtype=object),
        )  # fmt: skip
        m = np.array([int(each) for each in self.m], dtype=object)
        u, (v,) = -whole(-self.u, long**2), -whole(-np.array([v]), long**2)
        alone = inside @ ((sums**2).sum(axis=1) // m + twice // 2 - u)
        mean = -(-((inside @ sums) ** 2).sum(axis=1) // (inside @ m))
        return alone - mean + ((inside @ together) * inside).sum(axis=1) // 2 - v

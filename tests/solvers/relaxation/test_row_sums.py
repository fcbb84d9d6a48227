"""Limits on sums as inequalities of the rows of the relaxation."""

import numpy as np
import pytest

from ccviz import Problem
from ccviz.problem.blocks import contract
from ccviz.problem.counts import MaxExcess
from ccviz.problem.relaxed import bounded
from ccviz.problem.sums import MaxSum, MinSum, row_limits
from ccviz.solvers.relaxation.cuts import CLIQUE, ROW, no_cuts, rows_of, separate
from ccviz.solvers.relaxation.model import relax, row_sums_of
from tests.enumeration import feasible
from tests.made_up import events_of
from tests.seeds import seeds


def drawn(seed, n=7, k=3):
    """Return a problem with limits on sums of all kinds, must-links, and sizes beside weights."""
    rng = np.random.default_rng(seed)
    people, over = rng.integers(0, 9, n).astype(float), rng.integers(-4, 5, n).astype(float)
    rules = (
        MinSum(tuple(people), float(rng.integers(0, 4))),
        MaxSum(tuple(people), float(people.sum() * rng.uniform(0.5, 0.9))),
        MaxExcess(tuple(over), float(rng.integers(1, 6))),
    )
    sizes = (np.ones(k, int), np.full(k, n - k)) if rng.random() < 0.5 else None
    pair = [tuple(rng.choice(n, 2, replace=False).tolist())]
    X = rng.normal(size=(n, 2))
    return Problem(
        X, k, pair, sizes=sizes, rules=rules, weights=rng.integers(1, 4, n).astype(float)
    )


@pytest.mark.parametrize("seed", seeds(10, 200))
def test_every_clustering_keeps_every_row(seed):
    problem = drawn(seed)
    known = bounded(problem, "all")
    blocks = contract(known)
    values, own = row_sums_of(known, blocks)
    for partition in feasible(problem):
        labels = blocks.project(partition.labels)
        mass = np.bincount(labels, blocks.mass, problem.k)
        Z = (labels[:, None] == labels) / mass[labels]
        assert (values @ Z + own[:, None] * np.diag(Z) >= -1e-12).all()


def test_sizes_beside_weights_are_sums_of_ones():
    problem = Problem(np.arange(4.0)[:, None], 2, sizes=[2, 2], weights=[1.0, 2.0, 3.0, 1.0])
    known = bounded(problem, "all")
    assert known.sizes is None
    assert [(a.tolist(), c) for a, c in row_limits(known)] == [([1.0] * 4, -2.0), ([-1.0] * 4, 2.0)]
    assert row_limits(bounded(problem)) == ()


def test_the_deepest_broken_rows_are_found_and_hold_in_the_form_of_cuts():
    problem = Problem(np.arange(4.0)[:, None], 2, rules=(MaxSum((1.0, 1.0, 1.0, 1.0), 2.0),))
    blocks = contract(bounded(problem, "all"))
    relaxation = relax(blocks, row_sums_of(bounded(problem, "all"), blocks))
    labels = np.array([0, 0, 0, 1])
    Z = (labels[:, None] == labels) / np.bincount(labels)[labels]
    found = separate(relaxation, Z, no_cuts(2), 100, 1e-6)
    rows = found.where(found.kind >= ROW)
    assert sorted(rows.points[:, 0].tolist()) == [0, 1, 2]
    assert found.counts()["rows"] == 3
    assert not (found.kind == CLIQUE).any()
    entries = rows_of(rows, relaxation)
    for at in range(3):
        part = slice(entries.start[at], entries.start[at + 1])
        twice = np.where(entries.position[part] == entries.mirror[part], 1.0, 2.0)
        value = (twice * entries.value[part] * Z.ravel()[entries.position[part]]).sum()
        assert value * entries.norm[at] == pytest.approx(2 / 3 - 1.0)


@pytest.mark.slow
def test_the_tree_is_small_where_limits_cost_much():
    rng = np.random.default_rng(1)
    points, column = rng.normal(size=(12, 2)), rng.uniform(1, 9, 12).round(1)
    total = column.sum()
    rules = (MinSum(tuple(column), 0.28 * total), MaxSum(tuple(column), 0.4 * total))
    events = events_of(Problem(points, 3, rules=rules), "sdp")
    opened = sum(type(event).__name__ == "NodeOpened" for event in events)
    assert opened < 100  # 600 and more without the rows
    assert sum(event.rows for event in events if type(event).__name__ == "CutsAdded") > 0

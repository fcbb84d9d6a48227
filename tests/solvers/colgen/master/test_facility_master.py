"""The master over facilities, against the master over all columns."""

import numpy as np
import pytest

from ccviz.problem.problem import Problem
from ccviz.solvers.colgen.master.covering import Master, column_costs
from ccviz.solvers.colgen.master.facility_master import FacilityMaster
from tests.solvers.colgen.master.test_facilities import every_cluster, instance_of, nine  # noqa: F401


@pytest.mark.parametrize("links", [False, True])
def test_facilities_at_every_mean_are_as_good_as_every_column(links):
    X = np.random.default_rng(7).uniform(size=(9, 2))
    cannot = [(0, 1), (2, 3), (3, 4)] if links else []
    blocks, instance = instance_of(Problem(X, 3, cannot_link=cannot))
    columns = every_cluster(9)
    i, j = blocks.conflicts.T
    columns = columns[~(columns[:, i] & columns[:, j]).any(axis=1)]
    costs = column_costs(columns, blocks.centroid, blocks.mass)
    caps = np.full(9, 10.0)
    whole = Master(9, 3, caps, interior=False)
    whole.add(columns, costs)
    best = whole.solve().objective
    stars = FacilityMaster(instance, 3, caps)
    stars.add(columns, costs)
    assert stars.solve(1e-8).objective == pytest.approx(best, rel=1e-6)
    again = stars.solve(1e-8)  # warm
    assert again.objective == pytest.approx(best, rel=1e-6)
    assert again.weights.sum() <= 3.0 + 1e-6
    made = stars.parts(1e-8)
    assert not (made[:, i] & made[:, j]).any()


def test_few_facilities_are_better_than_their_columns_and_no_better_than_all(nine):  # noqa: F811
    blocks, instance = nine
    columns = np.eye(9, dtype=bool)
    costs = np.zeros(9)
    caps = np.full(9, 10.0)
    alone, stars = Master(9, 3, caps, interior=False), FacilityMaster(instance, 3, caps)
    for master in (alone, stars):
        master.add(columns, costs)
    assert stars.solve(1e-8).objective < alone.solve().objective - 1.0
    every = every_cluster(9)
    i, j = blocks.conflicts.T
    every = every[~(every[:, i] & every[:, j]).any(axis=1)]
    whole = Master(9, 3, caps, interior=False)
    whole.add(every, column_costs(every, blocks.centroid, blocks.mass))
    assert stars.solve(1e-8).objective >= whole.solve().objective - 1e-6

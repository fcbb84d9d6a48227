import numpy as np
import pytest
from scipy.sparse import csc_array

from ccviz.solvers.colgen.interior import solve
from ccviz.solvers.colgen.master import Master, column_costs


def random_pool(seed, s, m):
    """Return (m, s) clusters of points in the plane, dense ones and sparse ones, with costs."""
    rng = np.random.default_rng(seed)
    columns = rng.random((m, s)) < rng.uniform(0.05, 0.6, size=(m, 1))
    columns = np.concatenate([columns[columns.any(axis=1)], np.eye(s, dtype=bool)])
    return columns, column_costs(columns, rng.normal(size=(s, 2)), np.ones(s))


@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_is_that_of_the_simplex_method(seed):
    columns, costs = random_pool(seed, s=20, m=80)
    master = Master(20, 4, np.full(20, 5.0), interior=True)
    master.add(columns, costs)
    objective = master.solve_to_vertex().objective
    assert master.solve(1e-9).objective == pytest.approx(objective, rel=1e-7, abs=1e-7)


def test_the_answer_is_feasible_and_its_duals_prove_how_good_it_is():
    columns, costs = random_pool(0, s=30, m=200)
    point = solve(csc_array(columns.T, dtype=np.float64), costs, np.full(30, 5.0), 5, 1e-3)
    assert (columns.T @ point.weights + point.uncovered >= 1.0 - 1e-4).all()
    assert point.weights.sum() <= 5.0 + 1e-4
    assert (costs - columns @ point.duals[:-1] - point.duals[-1] >= -1e-4).all()
    reached = costs @ point.weights + 5.0 * point.uncovered.sum()
    bound = point.duals[:-1].sum() + 5.0 * point.duals[-1]
    assert bound == pytest.approx(reached, rel=2e-3)

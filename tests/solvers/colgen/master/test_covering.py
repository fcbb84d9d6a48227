import numpy as np

from ccviz.solvers.colgen.master.covering import best_cover, column_costs


def test_a_cover_ends_when_it_is_told():
    rng = np.random.default_rng(0)
    points, centers = rng.normal(size=(400, 2)), rng.normal(size=(600, 2))
    reach = rng.uniform(0.1, 0.35, size=(600, 1)) ** 2
    near = ((points - centers[:, None]) ** 2).sum(axis=2) < reach
    columns = np.concatenate([near[near.any(axis=1)], np.eye(400, dtype=bool)])
    costs = rng.uniform(size=len(columns)) + column_costs(columns, points, np.ones(400))
    whole = best_cover(columns, costs, 200, node_limit=200)
    asked = []

    def stop():
        asked.append(True)
        return True

    first = best_cover(columns, costs, 200, node_limit=200, stop=stop)
    assert asked
    assert whole is not None
    assert first is None or costs[first].sum() > costs[whole].sum()

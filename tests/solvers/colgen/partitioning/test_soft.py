"""Column generation under soft links: against brute force, its bounds and its certificates."""

import msgspec
import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import ColumnsPriced, NodePruned
from ccviz.proof.verify import verify
from tests.enumeration import least_objective
from tests.seeds import seeds


def by_duals(event):
    """Return a closed node's event without its semidefinite certificate."""
    if not isinstance(event, NodePruned):
        return event
    kept = {"duals", "least", "unit", "node", "witness"} & set(event.certificate)
    return msgspec.structs.replace(
        event, certificate={name: event.certificate[name] for name in kept}
    )


@pytest.mark.parametrize("seed", seeds(3, 30))
def test_links_against_each_other_on_one_pair_cost_both_weights(seed):
    rng = np.random.default_rng(seed)
    for _ in range(4):
        n = int(rng.integers(2, 8))
        pairs = [rng.choice(n, 2, replace=False).tolist() for _ in range(2)]
        must, cannot = ([(*pair, float(rng.integers(1, 20))) for pair in pairs] for _ in range(2))
        problem = Problem(
            rng.integers(0, 5, (n, 2)), int(rng.integers(1, min(n, 3) + 1)), must, cannot
        )
        run = start(problem, "colgen", seed=2, tolerance=1e-7, listed=0)
        events = [record.event for record in run]
        optimum = least_objective(problem)
        assert run.result().status == "optimal"
        assert run.result().objective == pytest.approx(optimum, abs=1e-9)
        assert run.result().lower_bound <= optimum * (1.0 + 1e-9)
        assert verify(problem, events).accepted


@pytest.mark.parametrize("weight", [1e10, 8e13, 1e15])
def test_a_link_heavier_than_all_costs_leaves_the_costs_their_digits(weight):
    problem = Problem([[0.0], [0.0], [0.0], [1.0]], 1, must_link=[(0, 2, weight)])
    run = start(problem, "colgen", seed=2, time_limit=60.0, listed=0)
    events = [record.event for record in run]
    assert run.result().status == "optimal"
    assert run.result().lower_bound <= 0.75 == pytest.approx(run.result().objective)
    assert sum(isinstance(event, ColumnsPriced) for event in events) < 20


def test_costs_far_below_the_rounding_of_the_data_end_by_themselves():
    X = np.array([[-2, -1], [-1, -3], [-3, -2], [2, -2], [1, 0]]) / 2.0**28
    link, centers = [(4, 2, 8.84e-18)], [[-0.5, -0.5]]
    problem = Problem(X, 4, must_link=link, fixed_centers=centers)
    run = start(problem, "colgen", seed=81, time_limit=60.0)
    assert sum(isinstance(record.event, ColumnsPriced) for record in run) < 40
    assert run.result().termination == "stalled"


def test_duals_alone_prove_and_altered_ones_do_not():
    X = np.random.default_rng(4).normal(size=(14, 2))
    soft = [(0, 1, 0.5), (2, 3, 1.0), (4, 9, 0.2), (5, 6, 3.0)]
    problem = Problem(X, 3, must_link=soft[::2], cannot_link=soft[1::2])
    events = [by_duals(record.event) for record in start(problem, "colgen", listed=0)]
    assert verify(problem, events).accepted
    at = next(i for i, event in enumerate(events) if isinstance(event, NodePruned))
    leaf = events[at]
    duals, least = leaf.certificate["duals"], leaf.certificate["least"]
    for changed in (
        {"least": least + 0.05 * np.abs(least)},  # claims more than the leaf's bound
        {"duals": 1.2 * duals},
        {"duals": duals[1:]},
        {"least": np.append(least, least)},
    ):
        lied = msgspec.structs.replace(leaf, certificate={**leaf.certificate, **changed})
        assert not verify(problem, [*events[:at], lied, *events[at + 1 :]]).accepted, changed

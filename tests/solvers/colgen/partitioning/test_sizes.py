"""Column generation under cluster sizes: against brute force, its bounds and its certificates."""

import msgspec
import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.data import load
from ccviz.events import NodePruned
from ccviz.proof.verify import verify


def proved():
    """Return a problem of two classes and the events of its proof by duals alone."""
    X = np.random.default_rng(4).normal(size=(16, 2))
    problem = Problem(X, 3, sizes=[4, 6, 6], cannot_link=[(0, 1)])
    events = [record.event for record in start(problem, "colgen", listed=0)]
    events = [
        _with(event, nonnegativity=None) if isinstance(event, NodePruned) else event
        for event in events
    ]
    return problem, events


def _with(event, **changed):
    """Return the event with some arrays of its certificate replaced, or gone."""
    arrays = {**event.certificate, **changed}
    kept = {name: array for name, array in arrays.items() if array is not None}
    return msgspec.structs.replace(event, certificate=kept)


def test_altered_duals_and_least_values_are_refused():
    problem, events = proved()
    assert verify(problem, events).accepted
    at = next(i for i, event in enumerate(events) if isinstance(event, NodePruned))
    leaf = events[at]
    duals, least = leaf.certificate["duals"], leaf.certificate["least"]
    assert least.shape == (2,)
    for changed in (
        {"least": least + np.abs(least) * 0.05},  # claims more than the clusters allow
        {"least": least[:1]},
        {"duals": duals[:-1]},
        {"duals": duals + 0.05 * np.abs(duals).max()},
        {"taken": np.zeros(1)},
        {"least": None},
    ):
        altered = [*events[:at], _with(leaf, **changed), *events[at + 1 :]]
        assert not verify(problem, altered).accepted, changed
    # The claim goes up with the least values: then a cluster of lower value is found.
    more = np.abs(least) * 0.05
    unit = 4.0 ** leaf.certificate["unit"][0]
    lied = _with(leaf, least=least + more)
    raised = leaf.lower_bound + float(np.array([1, 2]) @ more) / unit
    lied = msgspec.structs.replace(lied, lower_bound=raised)
    altered = [*events[:at], lied, *events[at + 1 :]]
    assert not verify(problem, altered).accepted


@pytest.mark.slow
def test_iris_in_three_clusters_of_fifty_reaches_the_published_optimum():
    problem = Problem(load("iris").X, 3, sizes=[50, 50, 50])
    result = start(problem, "colgen", tolerance=1e-3).result()
    assert result.status in {"feasible", "optimal"}
    assert result.objective == pytest.approx(81.2778, abs=5e-5)
    assert result.lower_bound <= 81.2778 <= result.lower_bound * 1.0011

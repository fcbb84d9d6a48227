import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine

from ccviz import Problem, solve
from ccviz.data.random_links import random_pairs
from ccviz.events import Finished, Noted, ResidualsUpdated
from ccviz.problem.sizes import Sizes
from ccviz.solvers.base import Context
from ccviz.solvers.lp_box import LpBox, first_labels, match_sizes


@pytest.fixture(scope="module")
def wine():
    X, truth = load_wine(return_X_y=True)
    low, high = X.min(axis=0), X.max(axis=0)
    return 2 * (X - low) / (high - low) - 1, truth


def problem_of(wine, variant):
    X, truth = wine
    links = random_pairs(truth, 60, seed=4)
    pairs = {"must_link": links.must_link, "cannot_link": links.cannot_link}
    return Problem(
        X,
        3,
        **(pairs if variant in ("pairs", "both") else {}),
        sizes=np.bincount(truth) if variant in ("sizes", "both") else None,
        truth=truth,
    )


def test_x_turns_binary(wine):
    events = LpBox(start="random").steps(problem_of(wine, "none"), Context(seed=0))
    residuals = [event for event in events if isinstance(event, ResidualsUpdated)]
    assert residuals[0].fractional > 0.05
    assert residuals[-1].fractional < 1e-3
    assert residuals[-1].primal_residual < 1e-2
    assert residuals[0].x.shape == (178, 3)
    assert residuals[1].x is None
    assert residuals[-1].x is not None


def test_without_constraints_a_random_start_is_no_worse_than_k_means(wine):
    X, _ = wine
    k_means = np.mean(
        [KMeans(3, init="random", n_init=1, random_state=s).fit(X).inertia_ for s in range(3)]
    )
    found = [
        solve(problem_of(wine, "none"), LpBox(start="random"), seed=s).objective for s in range(3)
    ]
    assert np.mean(found) <= k_means * (1 + 1e-9)


def test_says_whether_it_repaired(wine):
    events = list(LpBox(max_iterations=5).steps(problem_of(wine, "both"), Context(seed=0)))
    assert any(isinstance(event, Noted) and "repair" in event.text for event in events)
    assert isinstance(events[-1], Finished)
    assert events[-1].termination == "stalled"


def test_the_scale_of_the_data_does_not_matter(wine):
    X, _ = wine
    for scale in (1e-6, 1e9):
        labels = solve(Problem(X * scale, 3), LpBox()).labels
        assert (labels == solve(Problem(X, 3), LpBox()).labels).all()


def test_the_papers_coupling_says_when_it_diverges():
    X, _ = load_iris(return_X_y=True)
    result = solve(Problem(X, 3), LpBox(coupling="split", start="random"))
    assert result.status == "unknown"
    assert "diverged" in result.message


def test_sizes_go_to_the_clusters_they_fit():
    labels = np.array([0] * 6 + [1] * 3 + [2])
    sizes = Sizes(np.array([2, 5, 3]), np.array([2, 5, 3]))
    assert np.bincount(match_sizes(labels, 3, sizes)).tolist() == [1, 6, 3]
    random = first_labels(Problem(np.eye(10), 3, sizes=[2, 5, 3]), "random", 0)
    assert np.bincount(random).tolist() == [2, 5, 3]

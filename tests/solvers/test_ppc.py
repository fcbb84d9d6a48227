from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import multivariate_normal

from ccviz import Problem, solve, start
from ccviz.events import Assigned
from ccviz.solvers.ppc import Mixture, e_step


def blobs(seed=0):
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(c, 1.0, size=(40, 2)) for c in ((0, 0), (2.5, 0))])
    return X, np.repeat([0, 1], 40)


def test_densities_are_those_of_gaussians():
    X, truth = blobs()
    mixture = Mixture.of(X, np.eye(2)[truth])
    for j in range(2):
        rival = multivariate_normal(mixture.means[j], mixture.covariances[j])
        assert np.allclose(mixture.log_density(X)[:, j], rival.logpdf(X) + np.log(0.5))


def test_a_sure_link_decides_a_point_that_its_place_does_not():
    density = np.log(np.array([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]]))
    bond = np.zeros((3, 3))
    bond[0, 1] = bond[1, 0] = 10.0
    share, _ = e_step(density, csr_array(bond), np.full((3, 2), 0.5))
    assert share.argmax(axis=1)[:2].tolist() == [0, 0]
    assert share[2].tolist() == pytest.approx([0.5, 0.5])
    share, _ = e_step(density, csr_array(-bond), np.full((3, 2), 0.5))
    assert share.argmax(axis=1)[:2].tolist() == [0, 1]


def test_the_free_energy_falls():
    X, truth = blobs()
    pairs = np.random.default_rng(2).choice(80, size=(30, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    problem = Problem(X, 2, must_link=pairs[same], cannot_link=pairs[~same], truth=truth)
    events = [record.event for record in start(problem, "ppc", seed=0)]
    energy = [event.objective for event in events if isinstance(event, Assigned)]
    assert all(b <= a + 1e-6 * abs(a) for a, b in pairwise(energy))
    result = solve(problem, "ppc", seed=0)
    assert result.partition.violations.hard == 0
    loose = solve(problem, "ppc", seed=0, certainty=0.5)
    assert loose.partition.violations.hard > 0


@pytest.mark.parametrize("size", [0.0, 1.0, 1e65])
def test_points_that_coincide_far_off_are_clustered(size):
    problem = Problem(np.full((8, 2), size), 2, must_link=[(2, 3)])
    result = solve(problem, "ppc")
    assert result.termination == "converged"
    assert result.objective == 0.0

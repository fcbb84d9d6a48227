"""Proofs that leave points out, by both checkers."""

import msgspec
import numpy as np

from ccviz import Problem, start
from ccviz.runs.codec import encode_problem

FAR = np.array([[60.0, 0.0], [0.0, -70.0], [-80.0, 50.0]])


def test_a_proof_leaves_points_out_and_both_checkers_accept_it(both):
    rng = np.random.default_rng(2)
    points = np.concatenate([FAR, rng.normal(size=(14, 2)), rng.normal(5.0, size=(6, 2))])
    problem = Problem(points, 3, [(3, 4)], [(5, 6), (0, 7)], outliers=3)
    stepper = start(problem, "colgen", seed=1)
    events = [record.event for record in stepper]
    result = stepper.result()
    assert result.status == "optimal"
    assert np.flatnonzero(result.labels < 0).tolist() == [0, 1, 2]
    both.accept(problem, events)


def test_outliers_that_are_no_clusters_of_one_point_are_refused(second, monkeypatch):
    problem = Problem(np.arange(6.0)[:, None], 4, sizes=([1, 1, 1, 1], [3, 3, 1, 1]))
    events = [record.event for record in start(problem, "colgen")]
    for outliers, is_right in ((2, True), (3, False), (4, False), (0, False), (True, False)):

        def forged(problem, outliers=outliers):
            return msgspec.msgpack.encode(
                {**msgspec.msgpack.decode(encode_problem(problem)), "outliers": outliers}
            )

        monkeypatch.setattr("tests.proof.conftest.encode_problem", forged)
        assert second(problem, events)[0] == is_right, outliers

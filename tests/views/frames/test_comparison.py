from dataclasses import replace

import numpy as np
import pytest

from ccviz.runs.info import RunInfo
from ccviz.runs.stop import Limits
from ccviz.views.frames.clusters import comparison, differing


def info(**changes):
    values = {
        "id": "a-1", "name": "a-1", "created": 0.0, "beat": 0.0, "pid": 1, "dataset": "iris",
        "solver": "sdp", "settings": {"order": "best", "tolerance": 1e-4}, "limits": Limits(),
        "seed": 0, "workers": "1", "n": 6, "d": 2, "k": 2,
        "status": "optimal", "termination": "proved", "message": "",
        "objective": 10.0, "lower_bound": 10.0, "gap": 0.0, "nodes": 3,
        "time_s": 2.0, "violations": 0, "ari": 0.5, "last_seq": 9,
    }  # fmt: skip
    return RunInfo(**values | changes)


def rows(*infos, labels=None):
    return {row.name: row for row in comparison(infos, labels or [None] * len(infos))}


def test_only_settings_that_differ_are_shown():
    found = rows(
        info(),
        info(
            settings={"order": "depth", "tolerance": 1e-4, "limit": True},
            limits=Limits(node_limit=1),
        ),
    )
    assert found["Next node"].cells == ("best", "depth")
    assert found["Node limit"].cells == ("–", "1")
    assert found["Limit"].cells == ("–", "yes")
    assert "Tolerance" not in found


def test_results_come_first_then_what_differs():
    names = [row.name for row in comparison([info(), info(seed=3)], [None, None])]
    assert names == ["Objective", "Lower bound", "Gap", "Nodes", "Time", "ARI", "Broken links",
                     "Agrees with the first", "Seed"]  # fmt: skip


def test_settings_that_one_solver_alone_has_tell_nothing():
    other = info(solver="blp-kmeans", settings={"n_init": 1, "tolerance": 1e-3})
    found = rows(info(), other)
    assert found["Solver"].cells == ("sdp", "blp-kmeans")
    assert found["Tolerance"].cells == ("0.0001", "0.001")
    assert not {"Next node", "Starts"} & set(found)
    assert rows(info(), other, replace(other, settings={"n_init": 9}))["Starts"].cells == (
        "–", "1", "9",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "field", "worse"),
    [("Objective", "objective", 12.0), ("Lower bound", "lower_bound", 9.0),
     ("Time", "time_s", 3.0), ("ARI", "ari", 0.4), ("Broken links", "violations", 4)],
)  # fmt: skip
def test_the_better_one_stands_out(name, field, worse):
    found = rows(info(**{field: worse}), info(), info())
    assert found[name].best == (1, 2)
    assert rows(info(), info())[name].best == ()


def test_what_is_unknown_is_a_dash_and_never_best():
    found = rows(info(objective=np.inf, ari=None), info())
    assert found["Objective"].cells[0] == found["ARI"].cells[0] == "–"
    assert found["Objective"].best == ()


def test_agreement_is_counted_from_the_first():
    labels = [np.array([0, 0, 0, 1, 1, 1]), np.array([1, 1, 1, 0, 0, 0]), None, np.zeros(4, int)]
    cells = rows(info(), info(), info(), info(), labels=labels)["Agrees with the first"].cells
    assert cells == ("ARI 1.000", "ARI 1.000", "–", "–")


def test_points_that_differ_whatever_the_clusters_are_called():
    first, other = np.array([0, 0, 1, 1, 2]), np.array([2, 2, 0, 1, 1])
    assert differing(first, other, 3).tolist() in ([3], [2])
    assert differing(first, (first + 1) % 3, 3).tolist() == []

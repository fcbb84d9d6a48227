import os
import subprocess
import sys

import panel as pn
import psutil
import pytest

from ccviz import CcvizError, explore
from tests.patience import PATIENCE_S, wait_until


@pytest.fixture
def explored(problem, labels, tmp_path, monkeypatch):
    monkeypatch.setenv("CCVIZ_HOME", str(tmp_path))
    explorer = explore(problem.X, 3, must_link=[(0, 3)], cannot_link=[(0, 1)], truth=labels)
    yield explorer
    explorer.close()


def test_it_begins_with_what_was_given(explored, labels):
    given = explored.problem
    assert given.must_link.pairs.tolist() == [[0, 3]]
    assert given.cannot_link.pairs.tolist() == [[0, 1]]
    assert given.truth.tolist() == labels.tolist()
    assert explored.run is None


def test_weights_and_sizes_are_kept(problem, tmp_path, monkeypatch):
    monkeypatch.setenv("CCVIZ_HOME", str(tmp_path))
    given = explore(problem.X, 3, must_link=[(0, 1, 0.5)], sizes=[20, 10, 10]).problem
    assert given.must_link.weights.tolist() == [0.5]
    assert given.sizes.lower.tolist() == [20, 10, 10]


def test_scaling_and_axes_are_as_given_and_can_be_changed(problem, tmp_path, monkeypatch):
    monkeypatch.setenv("CCVIZ_HOME", str(tmp_path))
    explorer = explore(problem.X, 3, scaling="range", axes=("x1", "PC 1"))
    assert (explorer.problem.X.min(), explorer.problem.X.max()) == (0.0, 1.0)
    assert (explorer.session.x_axis, explorer.session.y_axis) == ("x1", "PC 1")
    fields = {each.name: each for each in explorer.panel.select(pn.widgets.Widget)}
    fields["Clusters k"].value = 4
    fields["Features"].value = "none"
    fields["Across"].value = "x0"
    assert explorer.problem.k == 4
    assert explorer.problem.X is explorer.session.draft.data.X
    assert explorer.session.x_axis == "x0"
    assert "Batch…" in fields
    explorer.close()
    for wrong in ({"scaling": "log"}, {"axes": ("x0", "x9")}):
        with pytest.raises(CcvizError, match=r"log|x9"):
            explore(problem.X, 3, **wrong)


def test_clicks_become_links(explored):
    for point in (4, 7):
        explored.session.pick(point)
    explored.session.link("must")
    assert [4, 7] in explored.problem.must_link.pairs.tolist()


def test_a_run_to_its_end(explored):
    with pytest.raises(CcvizError, match="nothing has run yet"):
        _ = explored.result
    explored.start("ipc-kmeans")
    assert explored.wait(PATIENCE_S)
    assert len(explored.result.labels) == explored.problem.n
    assert explored.result.partition.violations.none_hard
    assert explored.run.finished is not None


def test_a_run_is_stopped(explored):
    explored.start("sdp", tolerance=0.0)
    with pytest.raises(CcvizError, match="the run goes on"):
        _ = explored.result
    explored.stop()
    assert explored.wait(PATIENCE_S)
    assert explored.run.termination in ("interrupted", "proved")


def test_what_the_solver_cannot_do_is_said(explored, problem):
    with pytest.raises(CcvizError, match=r"(?i)there is no solver 'nothing'"):
        explored.start("nothing")


def test_the_cell_shows_a_widget_and_a_picture(explored):
    explored.start("ipc-kmeans")
    explored.wait(PATIENCE_S)
    bundle = explored._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    picture = bundle["text/html"]
    assert picture.count("<circle") == explored.problem.n
    assert picture.count("<line") == 2


LEAVES = """
import os, sys
from ccviz import explore
import numpy as np
explorer = explore(np.random.default_rng(0).normal(size=(200, 2)), 5)
explorer.start("sdp", tolerance=0.0)
print(explorer.session.runner.pid, flush=True)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("how", ["killed", "in good order"])
@pytest.mark.slow
def test_a_kernel_that_ends_leaves_no_child(how, tmp_path):
    kernel = subprocess.run(
        [sys.executable, "-c", LEAVES, how], check=False,
        env=os.environ | {"CCVIZ_HOME": str(tmp_path)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    worker = int(kernel.stdout)
    wait_until(lambda: not psutil.pid_exists(worker))


def test_a_problem_is_checked(problem):
    with pytest.raises(CcvizError, match="more than the 40 points"):
        explore(problem.X, 41)

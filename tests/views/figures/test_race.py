from dataclasses import replace

import numpy as np
import pytest
from bokeh.models import LogScale

from ccviz.views.figures.curves import RaceFigure
from ccviz.views.frames.bounds import race
from ccviz.views.palette import DARK, LIGHT
from tests.made_up import played


@pytest.fixture(scope="module")
def lanes(problem, tree_records):
    return race([(f"{nodes} nodes", played(problem, tree_records(nodes))) for nodes in (21, 61)])


def test_a_small_gap_has_a_number_of_its_own():
    axes = [RaceFigure(LIGHT, "gap", log).plot.yaxis[0] for log in (False, True)]
    assert [axis.formatter.format for axis in axes] == ["0.[0000000000]%"] * 2


@pytest.mark.parametrize(("quantity", "log"), [("bounds", False), ("gap", False), ("gap", True)])
def test_a_lane_a_run(lanes, quantity, log):
    figure = RaceFigure(LIGHT, quantity, log)
    figure.show(lanes)
    assert [item.label.value for item in figure._legend.items] == ["21 nodes", "61 nodes"]
    assert [len(source.data["at"]) > 0 for source in figure._lanes] == [True] * 2 + [False] * 6
    assert isinstance(figure.plot.y_scale, LogScale) == log
    figure.apply_theme(DARK)
    assert figure.plot.background_fill_color == DARK.paper


def test_the_axis_leaves_out_what_came_long_before_the_end(lanes):
    figure = RaceFigure(LIGHT)
    figure.show([])
    assert len(figure._corners.data["x"]) == 0
    figure.show(lanes)
    heights = figure._corners.data["y"]
    assert len(heights) == 4
    assert heights.min() <= min(np.nanmin(lane.lower) for lane in lanes)
    assert heights.max() >= max(lane.upper[-1] for lane in lanes)


def test_a_lane_that_is_gone_is_not_drawn(lanes):
    figure = RaceFigure(LIGHT)
    figure.show(lanes)
    figure.show(lanes[:1], "nodes")
    assert len(figure._lanes[1].data["at"]) == 0
    assert figure.plot.xaxis.axis_label == "nodes"


def test_long_names_are_under_one_another_and_what_has_no_gap_has_no_name(lanes):
    long = [replace(lane, name="a run with a name of some length") for lane in lanes]
    heuristic = replace(long[1], gap=np.full_like(long[1].gap, np.nan))
    figure = RaceFigure(LIGHT, "gap")
    figure.show([long[0], heuristic])
    assert (len(figure._legend.items), figure._legend.ncols) == (1, 1)
    figure.show(lanes)
    assert (len(figure._legend.items), figure._legend.ncols) == (2, 3)

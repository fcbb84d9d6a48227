"""Curves of bounds and of races, and what follows the moment shown."""

from dataclasses import replace

import numpy as np
import pytest
from bokeh.document import Document
from bokeh.models import ColumnDataSource, LogScale

from ccviz.views.figures.base import sync
from ccviz.views.figures.curves import BoundsFigure, RaceFigure
from ccviz.views.frames.bounds import Bounds, race
from ccviz.views.palette import DARK, LIGHT, look
from tests.made_up import played

# --- The small plot of both bounds ----------------------------------------------------------------


def test_a_lower_bound_is_in_the_legend_once_there_is_one():
    figure = BoundsFigure(look(dark=False))
    at, upper = np.array([0.0, 1.0]), np.array([5.0, 4.0])
    for lower, expected in ((np.array([np.nan, np.nan]), False), (np.array([np.nan, 3.0]), True)):
        figure.show(Bounds(at, upper, lower, np.full(2, np.nan)))
        named = {item.label.value: item.visible for item in figure.plot.legend[0].items}
        assert named == {"upper bound": True, "lower bound": expected}


def bounds_of(at, upper):
    unknown = np.full(len(at), np.nan)
    return Bounds(np.array(at), np.array(upper), unknown, unknown)


def test_the_heights_of_another_run_do_not_stay():
    figure = BoundsFigure(look(dark=False))
    [seen] = figure.plot.y_range.renderers
    figure.show(bounds_of([0.0, 1.0], [94.0, 80.0]))
    assert list(seen.data_source.data["y"]) == [80.0, 94.0]
    figure.show(bounds_of([0.0], [np.nan]))
    assert len(seen.data_source.data["y"]) == 0
    figure.show(bounds_of([0.0, 0.5], [4053.0, 4053.0]))
    assert list(seen.data_source.data["y"]) == [4053.0, 4053.0]


def test_another_run_that_changes_at_the_same_moments_replaces_the_first():
    figure = BoundsFigure(look(dark=False))
    drawn = figure.plot.renderers[0].data_source
    figure.show(bounds_of([0.0, 1.0], [94.0, 80.0]))
    figure.show(bounds_of([0.0, 1.0, 2.0], [94.0, 79.0, 78.0]))
    assert list(drawn.data["upper"]) == [94.0, 79.0, 78.0]
    figure.show(bounds_of([0.0, 1.0, 2.0], [4053.0, 4053.0, 4053.0]))
    assert list(drawn.data["upper"]) == [4053.0] * 3


# --- Race -----------------------------------------------------------------------------------------


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


# --- Sync -----------------------------------------------------------------------------------------


@pytest.fixture
def source():
    source = ColumnDataSource({"x": np.empty(0), "word": np.empty(0)})
    sync(source, columns(10))
    return source


def columns(n):
    return {
        "x": np.arange(n, dtype=float),
        "word": np.array([f"w{i}" for i in range(n)], dtype=object),
    }


def heard(source, change):
    """Return the kinds of messages that a change sends."""
    document, kinds = Document(), []
    document.add_root(source)
    document.on_change(lambda event: kinds.append(type(event).__name__))
    change()
    return kinds


def test_the_same_again_sends_nothing(source):
    assert heard(source, lambda: sync(source, columns(10))) == []


def test_nan_stays_nan_without_a_message(source):
    with_gap = columns(10) | {"x": np.full(10, np.nan)}
    sync(source, with_gap)
    assert heard(source, lambda: sync(source, with_gap)) == []


def test_new_rows_are_streamed(source):
    assert heard(source, lambda: sync(source, columns(12))) == ["ColumnsStreamedEvent"]
    assert list(source.data["word"])[-1] == "w11"


def test_changed_cells_are_patched(source):
    changed = columns(10)
    changed["x"][3] = 30.0
    assert heard(source, lambda: sync(source, changed)) == ["ColumnsPatchedEvent"]
    assert list(source.data["x"]) == changed["x"].tolist()


def test_changed_and_new(source):
    changed = columns(11)
    changed["word"][0] = "first"
    kinds = heard(source, lambda: sync(source, changed))
    assert kinds == ["ColumnsPatchedEvent", "ColumnsStreamedEvent"]
    assert list(source.data["word"]) == changed["word"].tolist()


@pytest.mark.parametrize("n", [0, 4])
def test_fewer_rows_replace_all(source, n):
    sync(source, columns(n))
    assert [len(column) for column in source.data.values()] == [n, n]


def test_much_changed_is_sent_at_once(source):
    changed = {"x": columns(10)["x"] + 1, "word": columns(10)["word"]}
    assert heard(source, lambda: sync(source, changed)) == ["ColumnDataChangedEvent"]

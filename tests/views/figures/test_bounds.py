"""The small plot of both bounds."""

import numpy as np

from ccviz.views.figures.curves import BoundsFigure
from ccviz.views.frames.bounds import Bounds
from ccviz.views.palette import look


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

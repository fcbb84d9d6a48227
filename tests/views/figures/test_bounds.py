"""The small plot of both bounds."""

import numpy as np

from ccviz.views.figures.bounds import BoundsFigure
from ccviz.views.frames.bounds import Bounds
from ccviz.views.palette import look


def test_a_lower_bound_is_in_the_legend_once_there_is_one():
    figure = BoundsFigure(look(dark=False))
    at, upper = np.array([0.0, 1.0]), np.array([5.0, 4.0])
    for lower, expected in ((np.array([np.nan, np.nan]), False), (np.array([np.nan, 3.0]), True)):
        figure.show(Bounds(at, upper, lower, np.full(2, np.nan)))
        named = {item.label.value: item.visible for item in figure.plot.legend[0].items}
        assert named == {"upper bound": True, "lower bound": expected}

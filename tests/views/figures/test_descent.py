import numpy as np

from ccviz.views.figures.descent import DescentFigure
from ccviz.views.frames.descent import Descent
from ccviz.views.palette import look


def test_the_iterations_are_drawn_and_the_axis_has_room_for_what_is_worth_seeing():
    figure = DescentFigure(look(dark=False))
    nothing = Descent(*(np.empty(0) for _ in range(3)))
    figure.show(nothing)
    objective = np.array([800.0, *([10.0] * 40)])
    best = np.minimum.accumulate(objective)
    frame = Descent(np.arange(1.0, 42.0), objective, best)
    figure.show(frame)
    assert list(figure.source.data["objective"]) == list(frame.objective)
    assert list(figure._corners.data["y"]) == [10.0, 10.0]
    assert figure.plot.y_range.renderers == [figure.plot.renderers[-1]]

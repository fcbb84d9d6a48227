from bokeh.models import PlainText

from ccviz.views.figures.axis_names import AxisNames, shortened
from ccviz.views.figures.base import plain_figure


def labels(plot):
    return [axis.axis_label.text for axis in (*plot.xaxis, *plot.yaxis)]


def test_names_stand_at_the_axes_as_they_are():
    plot = plain_figure("a")
    AxisNames(plot).show("$$x^2$$", r"\(y\)")
    assert labels(plot) == ["$$x^2$$", r"\(y\)"]
    assert all(isinstance(axis.axis_label, PlainText) for axis in plot.axis)


def test_a_name_is_as_long_as_its_axis_at_most():
    plot = plain_figure("a")
    AxisNames(plot).show("age of the customer", "PC 2 (5% of the variance)")
    plot.trigger("inner_height", None, None)
    whole = labels(plot)
    plot._property_values["inner_width"], plot._property_values["inner_height"] = 600, 100
    plot.trigger("inner_height", 450, 100)
    assert labels(plot)[0] == whole[0] == "age of the customer"
    short = labels(plot)[1]
    assert short.endswith("…")
    assert whole[1].startswith(short[:-1])
    assert len(short) * 6 < 100


def test_no_space_is_left_before_the_dots():
    assert [shortened("ab cd", most) for most in (5, 4, 3)] == ["ab cd", "ab…", "ab…"]

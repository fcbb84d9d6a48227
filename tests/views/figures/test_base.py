import pytest
from bokeh.models import CustomAction, PlainText, SaveTool

from ccviz.views.figures.base import name_axes, plain_figure


@pytest.mark.parametrize("tools", ["pan,wheel_zoom,box_zoom,reset,save", "reset,save"])
def test_every_figure_can_be_saved_in_both_formats(tools):
    plot = plain_figure("any", tools=tools)
    assert [tool.filename for tool in plot.select(SaveTool)] == ["any"]
    assert [tool.description for tool in plot.select(CustomAction)] == ["Save as SVG"]


def test_names_stand_at_the_axes_as_they_are():
    plot = plain_figure("a")
    name_axes(plot, "$$x^2$$", r"\(y\)")
    labels = [plot.xaxis[0].axis_label, plot.yaxis[0].axis_label]
    assert [type(label) for label in labels] == [PlainText, PlainText]
    assert [label.text for label in labels] == ["$$x^2$$", r"\(y\)"]

import pytest
from bokeh.models import CustomAction, SaveTool

from ccviz.views.figures.base import plain_figure


@pytest.mark.parametrize("tools", ["pan,wheel_zoom,box_zoom,reset,save", "reset,save"])
def test_every_figure_can_be_saved_in_both_formats(tools):
    plot = plain_figure("any", tools=tools)
    assert [tool.filename for tool in plot.select(SaveTool)] == ["any"]
    assert [tool.description for tool in plot.select(CustomAction)] == ["Save as SVG"]

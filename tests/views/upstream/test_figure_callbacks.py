import panel as pn
import pytest
from bokeh.plotting import figure

from ccviz.views.upstream import FigurePane


@pytest.mark.parametrize(("kind", "kept"), [(pn.pane.Bokeh, False), (FigurePane, True)])
def test_a_figure_loses_its_callbacks_in_panels_own_pane_only(kind, kept):
    """If Panel keeps them, the workaround can go."""
    plot = figure()
    plot.on_change("title", lambda attr, old, new: None)
    pane = kind(plot)
    root = pane.get_root()
    pane._cleanup(root)
    assert bool(plot._callbacks) == kept

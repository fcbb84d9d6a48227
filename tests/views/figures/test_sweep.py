import numpy as np
from bokeh.models import BoxAnnotation

from ccviz.studies.sweep import Curve
from ccviz.views.figures.curves import save_sweep, sweep_plots


def curves():
    p = np.array([0.0, 0.1, 0.2])
    return [
        Curve(noise, p, np.array(ari), np.zeros(3))
        for noise, ari in ((0.0, [0.1, 0.99, 1.0]), (0.2, [0.2, 0.9, 0.3]))
    ]


def test_shades_the_good_range_and_darker_the_common_one():
    plots = [plot for plot, *_ in sweep_plots(curves()).children]
    spans = [
        sorted(
            ((box.left, box.right) for box in plot.select(BoxAnnotation) if box.fill_alpha < 0.5),
            reverse=True,
        )
        for plot in plots
    ]
    assert spans == [[(0.1, 0.2), (0.1, 0.1)], [(0.1, 0.1), (0.1, 0.1)]]


def test_the_page_needs_nothing_else(tmp_path):
    save_sweep(curves(), tmp_path / "sweep.html")
    page = (tmp_path / "sweep.html").read_text()
    assert "noise q = 0.2" in page
    assert '<script type="text/javascript" src=' not in page
    assert "<link" not in page

import numpy as np

from ccviz.views.panels.legend import Legend


def test_many_clusters_leave_the_plot_its_room(session):
    legend = Legend(session)
    legend.show(np.arange(24), {})
    assert (len(legend.rows), legend.more) == (24, 0)
    legend.show(np.repeat(np.arange(100), 2), {})
    assert (len(legend.rows), legend.more) == (12, 88)
    assert legend.rows[0]["words"] == "0: 2"
    legend.show(np.array([-1]), {})
    assert (legend.rows, legend.more) == ([], 0)

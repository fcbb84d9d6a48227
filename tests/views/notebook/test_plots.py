import holoviews as hv
import numpy as np
import pytest

from ccviz import CcvizError, Problem
from ccviz.runs.run import Run
from tests.made_up import played


@pytest.fixture(scope="module")
def searched(problem, tree_records):
    return played(problem, tree_records(41))


def points(overlay):
    return next(element for element in overlay if isinstance(element, hv.Points))


def test_the_scatter_has_every_point_in_its_cluster(searched):
    drawn = points(searched.plot.scatter())
    assert len(drawn) == searched.problem.n
    assert drawn["cluster"].tolist() == searched.incumbent.labels.astype(str).tolist()


def test_features_can_be_chosen(problem):
    run = Run(Problem(np.arange(20.0).reshape(5, 4), 2))
    drawn = points(run.plot.scatter(x=2, y=0))
    assert [str(dimension) for dimension in drawn.kdims] == ["x2", "x0"]
    assert drawn["x2"].tolist() == [2.0, 6.0, 10.0, 14.0, 18.0]
    for wrong in (4, -1, "x2", 0.5):
        with pytest.raises(CcvizError, match=f"there is no feature {wrong!r}; there are 0 to 3"):
            run.plot.scatter(x=wrong)


def test_bounds_over_time_and_nodes(searched):
    upper, lower = searched.plot.bounds()
    assert upper["objective"][-1] == pytest.approx(searched.objective)
    assert (np.diff(lower["objective"][np.isfinite(lower["objective"])]) >= 0).all()
    assert str(next(iter(searched.plot.bounds("nodes"))).kdims[0]) == "nodes"
    with pytest.raises(CcvizError, match="not 'depth'"):
        searched.plot.bounds("depth")


def test_dear_first_clusterings_do_not_flatten_the_bounds(searched):
    low, high = searched.plot.bounds().opts.get("plot").kwargs["ylim"]
    assert low < searched.history[-1].lower_bound <= searched.objective < high
    assert high < 3 * searched.objective


@pytest.mark.parametrize("axis", ["bound", "depth"])
def test_the_tree_has_every_node(searched, axis):
    nodes = [each for each in searched.plot.tree(axis) if isinstance(each, hv.Points)]
    assert sum(map(len, nodes)) == 41
    with pytest.raises(CcvizError, match="by bound or depth, not 'x'"):
        searched.plot.tree("x")


def test_no_tree_no_matrix(problem):
    with pytest.raises(CcvizError, match="no search tree"):
        Run(problem).plot.tree()
    with pytest.raises(CcvizError, match="show_relaxation=True"):
        Run(problem).plot.matrix()


def test_the_matrix_is_the_newest(problem, relaxation_records, labels):
    run = played(problem, relaxation_records)
    image = next(iter(run.plot.matrix()))
    assert image["likeness"].mean() == pytest.approx((np.bincount(labels) ** 2).sum() / 40**2)


def test_pictures_compose_and_can_be_drawn(searched, problem, relaxation_records):
    plot = searched.plot
    layout = (
        plot.scatter()
        + plot.bounds() * played(problem, relaxation_records).plot.bounds()
        + plot.tree()
        + played(problem, relaxation_records).plot.matrix()
    )
    assert len(layout) == 4
    assert hv.render(layout) is not None

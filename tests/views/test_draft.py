import io

import numpy as np
import pytest

from ccviz.data.datasets import Dataset, load
from ccviz.data.read_table import read_table
from ccviz.data.scaling import SCALINGS
from ccviz.errors import CcvizError
from ccviz.views.draft import Draft, History, draft_of, draft_of_problem
from ccviz.views.link_table import Link


@pytest.fixture
def draft():
    """Return six points in a row, without links."""
    return Draft(Dataset("row", np.arange(12.0).reshape(6, 2), ("a", "b")), 2)


def test_a_link_has_its_smaller_point_first():
    assert Link("must", 5, 2) == Link("must", 2, 5)
    assert str(Link("cannot", 5, 2)) == "cannot-link 2-5"


def test_links_are_added_and_taken_away(draft):
    linked = draft.with_link(Link("must", 0, 1)).with_link(Link("cannot", 0, 5))
    assert linked.problem.must_link.pairs.tolist() == [[0, 1]]
    assert linked.problem.cannot_link.pairs.tolist() == [[0, 5]]
    assert linked.without_links([Link("must", 0, 1)]).links == (Link("cannot", 0, 5),)
    assert draft.links == ()


def test_a_link_twice_is_refused_but_its_weight_may_change(draft):
    linked = draft.with_link(Link("must", 0, 1))
    with pytest.raises(CcvizError, match="is there already"):
        linked.with_link(Link("must", 1, 0))
    softer = linked.with_link(Link("must", 0, 1, 2.0))
    assert softer.links == (Link("must", 0, 1, 2.0),)
    assert not softer.links[0].is_hard


def test_scaling_reaches_the_problem(draft):
    scaled = draft.with_scaling("range")
    assert scaled.problem.X.min() == 0
    assert scaled.problem.X.max() == 1
    assert draft.X is draft.data.X


def test_another_k_frees_the_sizes(draft):
    sized = draft.with_sizes([3, 3], [3, 3])
    assert sized.problem.sizes.is_exact
    assert sized.with_k(3).problem.sizes is None
    with pytest.raises(CcvizError, match="k = 7"):
        draft.with_k(7)


def test_history_goes_back_and_forth(draft):
    history = History(draft)
    more = draft.with_k(3)
    history.commit(more)
    history.undo()
    assert (history.present.data, history.present.k) == (draft.data, 2)
    assert history.can_redo
    assert not history.can_undo
    history.redo()
    assert history.present.k == 3
    history.undo()
    history.commit(draft.with_k(4))
    assert not history.can_redo


@pytest.mark.parametrize("scaling", SCALINGS)
def test_a_stored_problem_comes_back_on_its_data(draft, scaling):
    iris = Draft(load("iris"), 3, scaling)
    spirals = Draft(load("spirals", n=40), 3, scaling)
    for made in (iris, spirals, draft.with_scaling(scaling), iris.with_outliers(2)):
        back = draft_of_problem(made.problem, draft, made.data.name)
        assert (back.data.name, back.scaling) == (made.data.name, scaling)
        assert back.problem.asks_the_same(made.problem)
    other = draft_of_problem(iris.problem, spirals, "a file")
    assert (other.data.name, other.scaling) == ("a file", "none")


def test_a_stored_problem_without_sizes_frees_them(draft):
    sized = draft.with_sizes([3, 3], [3, 3])
    assert draft_of_problem(draft.problem, sized, "row").problem.sizes is None
    assert draft_of_problem(sized.problem, draft, "row").problem.sizes.is_exact


def test_points_are_shared_by_table_draft_and_problem():
    """A million of them are held once."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    file = io.BytesIO()
    np.save(file, X)
    data = read_table(file.getvalue(), "plain.npy")
    draft = draft_of(data)
    assert draft.problem.X is data.X
    assert draft.with_k(4).problem.X is data.X
    assert all(np.shares_memory(column, data.X) for column in data.origin.columns)
    scaled = draft.with_scaling("standard")
    assert scaled.with_k(3).problem.X is not data.X
    assert scaled.problem.X is scaled.X


@pytest.mark.parametrize("scaling", ["none", "standard", "range"])
def test_a_stored_problem_with_fixed_centres_comes_back(draft, scaling):
    asked = draft.with_scaling(scaling).with_fixed_centers([[0.1, 0.7]])
    back = draft_of_problem(asked.problem, asked, asked.data.name)
    assert back.data is asked.data
    assert back.fixed_centers == ((0.1, 0.7),)
    assert back.links == asked.links
    assert back.problem.asks_the_same(asked.problem)


def test_a_stored_problem_with_neighbours_comes_back(draft):
    asked = draft.with_neighbors("knn:1 of a")
    back = draft_of_problem(asked.problem, asked, asked.data.name)
    assert back.neighbors == "knn:1 of a"
    assert back.problem.asks_the_same(asked.problem)
    elsewhere = draft_of_problem(asked.problem, draft, asked.data.name)
    assert elsewhere.neighbors == "pairs:0-1,1-2,2-3,3-4,4-5"
    assert elsewhere.problem.asks_the_same(asked.problem)
    assert asked.with_link(Link("must", 0, 1)).near is asked.near
    assert asked.with_neighbors("").problem.neighbors is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("delaunay of a", "name two columns"),
        ("knn:2 of c", "there is no column 'c'"),
        ("pairs:0-9", "9"),
        ("pairs:0", "written as pairs:0-1,1-2"),
        ("ring", "'ring' is none"),
    ],
)
def test_neighbours_that_are_none_are_refused(draft, text, sentence):
    with pytest.raises(CcvizError, match=sentence):
        draft.with_neighbors(text)

"""The figures of the solvers' views: what they draw, what they send, that both themes suit."""

from dataclasses import replace

import numpy as np
import pytest
from bokeh.document import Document
from bokeh.events import Tap
from bokeh.models import CustomAction

from ccviz.views.figures.matrix import MatrixFigure
from ccviz.views.figures.overlays import DecisionsOverlay
from ccviz.views.figures.solvers import (
    BinaryFigure,
    CutsFigure,
    DescentFigure,
    DiversityFigure,
    DualsFigure,
    MasterFigure,
    PartsFigure,
    PopulationFigure,
    PricingFigure,
    ResidualsFigure,
)
from ccviz.views.figures.tree import MARKS, TreeFigure, _room_for
from ccviz.views.frames.exact import (
    ColumnsLog,
    CutsLog,
    Mosaic,
    RelaxationLog,
    ResidualsLog,
    caption,
)
from ccviz.views.frames.heuristic import Descent, PopulationLog
from ccviz.views.frames.node import Circles
from ccviz.views.lab.state import Screen
from ccviz.views.palette import DARK, LIGHT, look
from tests.views.frames.drawn import Drawn

FIGURES = [
    (CutsFigure, CutsLog, "frame", "relaxation_records"),
    (MatrixFigure, RelaxationLog, "newest_frame", "relaxation_records"),
    (MasterFigure, ColumnsLog, "frame", "column_records"),
    (PricingFigure, ColumnsLog, "frame", "column_records"),
    (DualsFigure, ColumnsLog, "duals", "column_records"),
    (ResidualsFigure, ResidualsLog, "frame", "residual_records"),
    (BinaryFigure, ResidualsLog, "relaxed", "residual_records"),
    (PopulationFigure, PopulationLog, "frame", "population_records"),
    (DiversityFigure, PopulationLog, "frame", "population_records"),
]


def frame_of(log, method):
    return log.frame(None) if method == "newest_frame" else getattr(log, method)()


def messages(figure, change):
    document, heard = Document(), []
    document.add_root(figure.plot)
    document.on_change(heard.append)
    change()
    return heard


@pytest.mark.parametrize(("figure", "log", "method", "stream"), FIGURES)
def test_a_frame_drawn_twice_is_sent_once_and_an_empty_one_is_no_mistake(
    figure, log, method, stream, request
):
    figure(LIGHT).show(frame_of(log(), method))
    log, figure = log(), figure(LIGHT)
    log.feed(request.getfixturevalue(stream))
    figure.show(frame_of(log, method))
    assert any(len(column) for source in sources(figure) for column in source.data.values())
    assert not messages(figure, lambda: figure.show(frame_of(log, method)))


@pytest.mark.parametrize("figure", [*dict.fromkeys(row[0] for row in FIGURES), TreeFigure])
def test_a_figure_has_both_themes_and_one_button_for_its_picture(figure):
    drawn = figure(LIGHT)
    drawn.apply_theme(DARK)
    assert drawn.plot.background_fill_color == DARK.paper
    assert [tool.description for tool in drawn.plot.select(CustomAction)] == ["Figure…"]


def sources(figure):
    return [renderer.data_source for renderer in figure.plot.renderers]


def test_the_tree_has_room_to_grow_before_the_range_moves():
    x = np.array([0.0, 4.0, 10.0])
    room = _room_for(x, np.array([0.0, 1.0]))
    assert room[0] < 0
    assert room[1] > 10
    assert _room_for(np.append(x, room[1]), np.array(room)) == room
    wider = _room_for(np.append(x, room[1] + 1), np.array(room))
    assert wider[1] > room[1] + 1
    assert _room_for(x / 10, np.array(room))[1] < 2


def test_the_tree_keeps_the_view_and_streams_its_growth(problem, tree_records):
    tree, figure, records = Drawn(problem), TreeFigure(LIGHT), tree_records(401)
    tree.feed(records[:600])
    figure.show(tree.frame())
    figure.plot.x_range.update(start=3.0, end=9.0)
    tree.feed(records[600:604])
    heard = messages(figure, lambda: figure.show(tree.frame()))
    assert (figure.plot.x_range.start, figure.plot.x_range.end) == (3.0, 9.0)
    whole = [event for event in heard if type(event).__name__ == "ColumnDataChangedEvent"]
    assert not [event for event in whole if event.model is figure._nodes]


def test_a_click_picks_the_node_that_looks_nearest(problem, tree_records, monkeypatch):
    tree, picked = Drawn(problem), []
    tree.feed(tree_records(41))
    figure, frame = TreeFigure(LIGHT, picked.append), tree.frame()
    figure.show(frame)
    # The browser measures these.
    screen = Screen((-25.0, 25.0), (float(frame.y.max()), float(frame.y.min())), 600, 400)
    monkeypatch.setattr(TreeFigure, "_screen", screen)
    figure._tap(Tap(figure.plot, x=frame.x[7] + 0.1, y=frame.y[7]))
    figure._tap(Tap(figure.plot, x=24.9, y=frame.y.min()))
    assert picked == [7]


def test_states_differ_in_shape_and_in_colour():
    looks = list(MARKS.values())
    assert len({marker for marker, _, _ in looks}) == len({color for _, color, _ in looks}) == 7


def test_a_ring_marks_the_selected_node(problem, tree_records):
    tree, figure = Drawn(problem), TreeFigure(LIGHT)
    tree.feed(tree_records(41))
    figure.show(tree.frame())
    figure.select(5)
    ring = figure._ring.data
    assert (ring["x"][0], ring["y"][0]) == (tree.frame().x[5], tree.frame().y[5])
    figure.select(None)
    assert len(figure._ring.data["x"]) == 0


def test_the_matrix_of_another_size_is_shown_whole(relaxation_records):
    log, figure = RelaxationLog(), MatrixFigure(LIGHT)
    log.feed(relaxation_records)
    figure.show(log.frame(None))
    assert (figure.plot.x_range.end, figure.plot.y_range.start) == (40, 40)
    figure.plot.x_range.end = 10
    figure.show(log.frame(None))
    assert figure.plot.x_range.end == 10


def test_decisions_are_laid_over_another_figure():
    from ccviz.views.frames.links import Lines

    figure = CutsFigure(LIGHT)
    overlay = DecisionsOverlay(figure.plot, LIGHT)
    ends = [np.array([value]) for value in (0.0, 1.0, 2.0, 3.0)]
    flags = np.zeros(1, dtype=bool)
    unknown = np.full(1, np.nan)
    overlay.show(Lines(*ends, broken=flags, soft=flags, names=["0-1"], prices=unknown), None)
    together, apart = (glyph.data_source.data for glyph in overlay._glyphs)
    assert together["x1"][0] == 2.0
    assert len(apart["x0"]) == 0
    overlay.show(None, None)
    assert len(overlay._glyphs[0].data_source.data["x0"]) == 0


def test_places_are_circles_in_the_units_of_the_axes():
    figure = CutsFigure(LIGHT)
    overlay = DecisionsOverlay(figure.plot, LIGHT)
    one = Circles(np.array([1.0]), np.array([2.0]), np.array([3.0]))
    overlay.show(None, None, one, None)
    taken, empty = (ring.data_source.data for ring in overlay._rings)
    assert [taken[name].tolist() for name in ("x", "y", "across")] == [[1.0], [2.0], [6.0]]
    assert len(empty["x"]) == 0
    assert not messages(figure, lambda: overlay.show(None, None, one, None))
    overlay.show(None, None, None, one)
    taken, empty = (ring.data_source.data for ring in overlay._rings)
    assert (len(taken["x"]), empty["across"].tolist()) == (0, [6.0])
    overlay.show(None, None)
    assert len(overlay._rings[1].data_source.data["x"]) == 0


def test_a_taken_place_is_drawn_like_what_is_together_and_an_empty_one_like_what_is_apart():
    overlay = DecisionsOverlay(CutsFigure(LIGHT).plot, LIGHT)
    overlay.apply_theme(DARK)
    for line, ring in zip(overlay._glyphs, overlay._rings, strict=True):
        assert line.glyph.line_dash == ring.glyph.line_dash
        assert line.glyph.line_color == ring.glyph.line_color == DARK.mark
        assert ring.glyph.fill_color is None


def test_counts_stand_on_zero_however_few():
    for figure, top in ((CutsFigure(LIGHT), 1.0), (DiversityFigure(LIGHT), 0.01)):
        room = figure.plot.y_range.renderers[-1].data_source.data["y"]
        assert (figure.plot.y_range.start, max(room)) == (0, top)
        assert figure.plot.xaxis.ticker.min_interval == 1
    assert CutsFigure(LIGHT).plot.yaxis.ticker.min_interval == 1


def test_members_as_good_as_each_other_do_not_stretch_the_axis(population_records):
    log, figure = PopulationLog(), PopulationFigure(LIGHT)
    log.feed(population_records)
    frame = log.frame()
    figure.show(frame)
    low, high = figure._room.data["y"]
    assert low < frame.best[-1] < high
    assert high - low == pytest.approx(2e-4 * frame.best[-1])


def test_the_legend_has_the_states_that_occur(problem, tree_records):
    tree, figure = Drawn(problem), TreeFigure(LIGHT)
    tree.feed(tree_records(41)[:8])  # a root without a bound is not drawn
    figure.show(tree.frame())
    kinds = set(figure._nodes.data["kind"])
    assert {kind for kind, item in figure._items.items() if item.visible} == kinds
    assert len(kinds) < len(MARKS)


def test_depths_are_whole_numbers(problem, tree_records):
    tree, figure = Drawn(problem), TreeFigure(LIGHT)
    tree.feed(tree_records(41))
    figure.show(tree.frame("depth"))
    assert figure.plot.yaxis[0].ticker.min_interval == 1
    figure.show(tree.frame("bound"))
    assert figure.plot.yaxis[0].ticker.min_interval == 0


def test_branches_are_labelled_with_their_pair_and_not_on_a_node(problem, tree_records):
    tree, figure = Drawn(problem), TreeFigure(LIGHT)
    tree.feed(tree_records(5))
    frame = tree.frame("depth")
    # The root, which has no label, is a little over the fourth node, where that one's would be.
    down = 250 / np.ptp(frame.y)
    x, y = frame.x.copy(), frame.y.copy()
    x[0], y[0] = x[3], y[3] - 16 / down
    figure.show(frame)
    labels = figure._branches.data["text"]
    assert len(labels) == len(frame.node) - 1
    assert all(label.split()[-1] in ("together", "apart") for label in labels)
    assert x[3] in figure._branches.data["x"]
    figure.show(replace(frame, x=x, y=y))
    assert [x[3], y[3]] not in np.column_stack(
        [figure._branches.data[name] for name in ("x", "y")]
    ).tolist()


def test_labels_of_branches_end_within_the_frame(problem, tree_records):
    tree, figure = Drawn(problem), TreeFigure(LIGHT)
    tree.feed(tree_records(5))
    frame = tree.frame("depth")
    figure.plot.x_range.update(start=float(frame.x.min()), end=float(frame.x.max()))
    figure.show(frame)
    labels = figure._branches.data
    left, right = figure.plot.x_range.start, figure.plot.x_range.end
    assert len(labels["x"])
    assert all(left < each < right for each in labels["x"])


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


FRAME = Mosaic(
    gap=np.array([[0.1, np.nan], [1e-6, np.nan]]), parts=3, done=2, cuts=2, shared=1, to_go_s=7.0
)


def test_it_draws_a_tile_a_part_and_nothing_where_nothing_is():
    figure = PartsFigure(LIGHT)
    figure.show(FRAME)
    tiles = figure._tiles.data
    assert (tiles["width"], tiles["height"]) == ([2], [2])
    assert figure.plot.x_range.end == 2
    figure.show(None)
    assert figure._tiles.data["image"] == []
    figure.apply_theme(DARK)
    assert figure._mapper.nan_color == DARK.paper


def test_words():
    words = "2 of 3 parts bounded, 1 point in all of them, cut 2 times, about 7 s to go"
    assert caption(FRAME) == words

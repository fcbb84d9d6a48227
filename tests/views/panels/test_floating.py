from itertools import product

import pytest

from ccviz.views.lab.state import Screen
from ccviz.views.panels.popup import LinkPopup, anchor, frame, move, spot

SCREEN = Screen((0.0, 10.0), (0.0, 6.0), 1000.0, 600.0)
"""A hundred pixels a unit."""


@pytest.mark.parametrize(
    ("at", "corner"),
    [((1, 5), ("top", "left")), ((5, 5), ("top", "center")), ((9, 1), ("bottom", "right"))],
)
def test_the_buttons_open_to_where_there_is_room(at, corner):
    assert anchor(at, SCREEN) == corner


@pytest.mark.parametrize(
    ("at", "beside", "corner"),
    [
        ((5, 4), (5.2, 3.5), ("top", "right")),
        ((1.5, 4), (2, 3.5), ("bottom", "left")),
        ((1, 5.8), (1.5, 5.4), ("top", "left")),
        ((5, 4), (9, 1), ("top", "center")),
        ((5, 4), (5, 4.5), ("top", "center")),
    ],
)
def test_the_other_point_stays_in_sight_where_that_can_be(at, beside, corner):
    assert anchor(at, SCREEN, beside) == corner


@pytest.mark.parametrize(
    ("at", "beside"),
    [((5, 3), (5.2, 3.1)), ((0, 0), (10, 6)), ((9, 1), (1, 5)), ((3, 5), (7, 3.8))],
)
def test_a_large_frame_stays_within_the_plot_and_off_both_points(at, beside):
    left, top = spot(at, SCREEN, beside, (360, 230))
    assert 0 <= left <= 6.4
    assert 2.3 <= top <= 6
    for x, y in (at, beside):
        assert not (left < x < left + 3.6 and top - 2.3 < y < top)


def test_it_is_never_on_the_very_edge():
    """There rounding may put it outside, and Bokeh would take it away."""
    screen = Screen((0.0, 1.0), (0.0, 1.0), 500, 400)
    for at in product((0.0, 0.5, 1.0), repeat=2):
        left, top = spot(at, screen, at, (300, 150))
        assert 0 < left < 1
        assert 0 < top < 1


def test_a_frame_that_is_moved_keeps_its_position():
    """For a new one Bokeh would walk through the whole page."""
    panel = frame()
    position = panel.position
    move(panel, (0.25, 4.0))
    assert panel.position is position
    assert (position.x, position.y) == (0.25, 4.0)


def test_on_a_phone_the_buttons_for_a_pair_are_within_the_plot():
    nothing: list[None] = []
    popup = LinkPopup(nothing.append, nothing.clear, nothing.clear)
    phone = Screen((0.0, 1.0), (0.0, 1.0), 300, 260)
    popup.show([0, 1], [], (0.9, 0.5), phone, (0.6, 0.6))
    assert popup.model.anchor == "top_left"
    assert 0 < popup.model.position.x < 0.05
    popup.show([0, 1], [], (9.0, 1.0), SCREEN, (1.0, 5.0))
    assert popup.model.anchor == "bottom_right"

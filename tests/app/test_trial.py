"""What annoyed new users of the page, and is mended: frames, sliders, jumps."""

import pytest

from tests.app.driver import PICKED

pytestmark = pytest.mark.browser

_OUTLINE = "(node) => getComputedStyle(node).outlineStyle"
_BRIGHTNESS = """(node) => {
    const [r, g, b] = getComputedStyle(node).backgroundColor.match(/[0-9.]+/g).map(Number)
    return (r + g + b) / 3
}"""


def test_the_first_edit_of_the_opening_page_does_not_move_the_plot(lab_of):
    lab = lab_of("")
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.rest()
    before = lab.pixel(0.0, 0.0)
    lab.link("must", 0, 1)
    lab.wait_for(lambda: len(lab.links()) == 9)
    lab.rest()
    assert lab.pixel(0.0, 0.0) == before


def test_a_click_leaves_no_frame_and_a_dark_page_a_dark_track(lab_of):
    lab = lab_of("?example=no&theme=dark")
    lab.click_point(0)
    lab.page.wait_for_function(PICKED, arg=0)
    figure = lab.page.get_by_role("figure", name="150 points")
    assert figure.locator(".bk-events").evaluate(_OUTLINE) == "none"
    track = lab.page.locator(".noUi-base").first
    assert track.evaluate(_BRIGHTNESS) < 128

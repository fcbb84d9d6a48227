"""What annoyed new users of the page, and is mended: frames, sliders, jumps, boxes."""

import pytest

from tests.app.driver import PICKED

pytestmark = pytest.mark.browser

_OUTLINE = "(node) => getComputedStyle(node).outlineStyle"
# What is in front at a place of the page, through shadow roots.
_SEEN_AT = """([x, y]) => {
    let node = document.elementFromPoint(x, y)
    while (node?.shadowRoot?.elementFromPoint(x, y)) {
        const inner = node.shadowRoot.elementFromPoint(x, y)
        if (inner === node) break
        node = inner
    }
    return node?.textContent ?? ""
}"""
_TICKS = """() => {
    const {below, left} = Bokeh.documents[0].get_model_by_name("scatter")
    return [below[0], left[0]].map(({formatter}) => formatter.doFormat([1.9e6, 2e6], {loc: 0}))
}"""
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


def test_what_is_said_of_a_point_does_not_hide_the_buttons_for_two(lab_of):
    lab = lab_of()
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.pick(0, 100)  # the mouse stays on the second
    box = lab.page.get_by_text("points 0 and 100").bounding_box()
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    lab.wait_for(lambda: "points 0 and 100" in lab.page.evaluate(_SEEN_AT, middle))


def test_a_tooltip_goes_once_its_button_was_clicked(lab_of):
    lab = lab_of()
    lab.page.get_by_role("button", name="Run", exact=True).hover()
    tooltip = lab.page.locator(".bk-Tooltip", has_text="Run (Space)")
    tooltip.wait_for()
    lab.press("Run")
    tooltip.wait_for(state="hidden")  # though the mouse is still over the button


def test_thousands_are_grouped_at_every_axis(lab_of):
    lab = lab_of()
    assert lab.page.evaluate(_TICKS) == [["1,900,000", "2,000,000"]] * 2


def test_a_plot_has_four_tenths_of_a_narrow_screen(lab_of, picture):
    lab = lab_of("")
    lab.page.set_viewport_size({"width": 900, "height": 900})
    lab.rest()
    plot = lab.page.get_by_role("figure", name="150 points")
    lab.wait_for(lambda: plot.bounding_box()["height"] >= 360)
    picture(lab.page)

"""What the page mends of Bokeh: axes in tabs, slow hands, tabs by the keyboard, names of things."""

import pytest

from tests.app.driver import PICKED, READY

pytestmark = pytest.mark.browser

_RANGE = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("tree")
    const {start, end} = plot.y_range
    const dots = plot.renderers.find((each) => "lower_bound" in each.data_source.data)
    const {x, y, lower_bound} = dots.data_source.data
    return {start, end, root: [x[0], y[0]], high: Math.max(...y), bounds: [...lower_bound]}
}"""
# How high the place of a figure is, and how high the figure is drawn.
_ROOM = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("bounds")
    return [Math.floor(Bokeh.index.find_one(plot).el.getBoundingClientRect().height),
        plot.outer_height]
}"""
_DRAWN = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("tree")
    return plot && Bokeh.index.find_one(plot) && plot.inner_width > 100
}"""


def test_the_axis_of_the_tree_forgets_its_first_moments_and_figures_drawn_again_hear(lab):
    lab.choose("Solver", "SDP branch-and-cut")
    lab.room("Inside the solver")
    for _ in range(3):  # started, the root opened, a feasible clustering
        lab.step()
    lab.page.wait_for_function(_DRAWN)
    assert lab.page.evaluate(_RANGE)["bounds"] == [0]
    lab.room("Result")
    lab.room("Inside the solver")
    lab.page.wait_for_function(_DRAWN)
    lab.choose("Speed", "Speed: Live")
    lab.press("Go on")
    lab.see("The solver finished its proof.")

    def fits():
        at = lab.page.evaluate(_RANGE)
        return 0 < at["start"] - at["end"] < 0.1 * at["high"]

    lab.wait_for(fits)
    figures_that_are_drawn_again_obey_the_mouse(lab)


def figures_that_are_drawn_again_obey_the_mouse(lab):
    lab.rest("tree")
    lab.page.mouse.click(*lab.pixel(*lab.page.evaluate(_RANGE)["root"], "tree"))
    lab.see("Node 0, depth 0")
    lab.press("Matrix")
    lab.see("Click a cell to see it large.")
    lab.press("Matrix")
    lab.page.wait_for_function(READY)
    lab.pick(0, 60)


def test_a_figure_keeps_to_the_room_that_a_longer_card_leaves_it(lab):
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.choose("Solver", "SDP branch-and-cut")
    lab.run()
    lab.room("Result")
    lab.figure("bounds")
    lab.link("cannot", 50, 52)
    lab.page.locator(".links li").wait_for()
    lab.wait_for(lambda: len(set(lab.page.evaluate(_ROOM))) == 1)


def test_tabs_obey_the_keyboard_and_say_what_they_are_and_a_slow_hand_is_heard(lab):
    lab.run()
    result = lab.page.get_by_role("tab", name="Result")
    assert result.get_attribute("aria-selected") == "true"
    result.focus()
    lab.page.keyboard.press("ArrowRight")
    lab.page.get_by_role("tab", name="Clusters", selected=True).wait_for()
    lab.page.keyboard.press("ArrowRight")
    inside = lab.page.get_by_role("tab", name="Inside the solver", selected=True)
    inside.wait_for()
    lab.see("The views of the solver appear here")
    lab.page.keyboard.press("ArrowLeft")
    lab.page.keyboard.press("ArrowLeft")
    lab.page.get_by_role("tab", name="Result", selected=True).wait_for()
    assert lab.page.get_by_role("slider", name="Moment of the run").is_visible()
    assert lab.page.get_by_role("button", name="Matrix", pressed=False).is_visible()
    a_slow_hand_is_heard(lab)
    lab.press("Matrix")
    lab.page.get_by_role("button", name="Matrix", pressed=True).wait_for()


def a_slow_hand_is_heard(lab):
    mouse, slow = lab.page.mouse, 600  # ms, twice what Bokeh takes for a long press
    lab.rest()
    points = lab.points()
    mouse.move(*lab.pixel(points["x"][3], points["y"][3]))
    mouse.down()
    lab.page.wait_for_timeout(slow)
    mouse.up()
    lab.page.wait_for_function(PICKED, arg=3)
    lab.page.keyboard.press("Escape")
    before = lab.ranges("scatter")
    mouse.move(*lab.pixel(0, 0))
    mouse.down()
    lab.page.wait_for_timeout(slow)
    mouse.move(*lab.pixel(0.5, 0.5), steps=4)
    mouse.up()
    lab.wait_for(lambda: lab.ranges("scatter")[0] < before[0] - 0.3)

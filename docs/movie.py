"""The README's moving picture, made from the real page.

The scene: two points are clicked and kept apart, `sdp` runs, and the tree and both bounds grow.
Screenshots show no mouse, so the scene draws one. `docs/pictures.py` plays it.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from PIL import Image

DATA = "data=spirals&n=60&solver=sdp&set.cuts=none&example=no"
_APART = (20, 41)  # two points of one spiral
_COLORS = 160
_STEP_MS = 300  # between two frames while the run goes on
_MOST_FRAMES = 40  # while the run goes on

_POINTER = """() => {
    const pointer = document.createElement("div")
    pointer.id = "pointer"
    pointer.style.cssText = "position:fixed;z-index:99999;width:18px;height:18px;margin:-9px;"
        + "border-radius:50%;background:#7c3aed88;border:2px solid #7c3aed;pointer-events:none"
    document.body.append(pointer)
    addEventListener("mousemove", (event) => {
        pointer.style.left = event.clientX + "px"
        pointer.style.top = event.clientY + "px"
    }, true)
}"""
_POINT = """(place) => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    const view = Bokeh.index.find_one(plot)
    const points = plot.renderers.map((each) => each.data_source.data)
        .find((data) => data.x && data.x.length === 60)
    const box = view.canvas_view.el.getBoundingClientRect()
    return [box.left + view.frame.x_scale.compute(points.x[place]),
            box.top + view.frame.y_scale.compute(points.y[place])]
}"""

_TREE = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("tree")
    return plot && Bokeh.index.find_one(plot) && plot.inner_width > 100
}"""


class Film:
    """Screenshots of a page, each with the time for which it is shown."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self._frames: list[Image.Image] = []
        self._times: list[int] = []

    def take(self, show_ms: int) -> None:
        """Add a screenshot that is shown for some milliseconds."""
        shot = Image.open(io.BytesIO(self.page.screenshot()))
        self._frames.append(shot.convert("RGB"))
        self._times.append(show_ms)

    def save(self, path: Path) -> None:
        """Write the film as a GIF, all frames in the colours of all."""
        width, height = self._frames[0].size
        strip = Image.new("RGB", (width, height * len(self._frames)))
        for place, frame in enumerate(self._frames):
            strip.paste(frame, (0, height * place))
        colors = strip.quantize(_COLORS, dither=Image.Dither.NONE)
        first, *rest = (f.quantize(palette=colors, dither=Image.Dither.NONE) for f in self._frames)
        first.save(
            path, save_all=True, append_images=rest, duration=self._times, loop=0, optimize=True
        )


def play(page: Any) -> Film:
    """Play the scene on an open page.

    `page`: At the address `DATA`, 1280 pixels wide.
    """
    film = Film(page)
    page.evaluate(_POINTER)
    page.mouse.move(640, 24)
    film.take(1200)
    for place in _APART:
        _click(film, *page.evaluate(_POINT, place))
    page.keyboard.press("c")
    page.wait_for_timeout(600)
    film.take(1400)
    page.get_by_label("Speed", exact=True).select_option(label="Speed: Live")
    _click_on(film, page.locator(".bk-tab").get_by_text("Inside the solver", exact=True))
    _click_on(film, page.get_by_role("button", name="Run", exact=True).first)
    page.mouse.move(640, 24)
    page.wait_for_function(_TREE)
    _follow(film)
    film.take(2500)
    _click_on(film, page.locator(".bk-tab").get_by_text("Bounds", exact=True))
    page.mouse.move(640, 24)
    page.locator(".bk-Figure >> visible=true").nth(1).wait_for()  # the points are the first
    page.wait_for_timeout(2000)
    film.take(3000)
    return film


def _follow(film: Film) -> None:
    """Film the page until the run has ended."""
    ended = film.page.get_by_role("button", name="Pause", exact=True, disabled=True)
    for _ in range(_MOST_FRAMES):
        film.page.wait_for_timeout(_STEP_MS)
        film.take(_STEP_MS)
        if ended.count():
            break
    ended.wait_for()
    film.page.wait_for_timeout(1500)


def _click_on(film: Film, button: Any) -> None:
    box = button.bounding_box()
    _click(film, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def _click(film: Film, x: float, y: float) -> None:
    film.page.mouse.move(x, y)
    film.take(500)
    film.page.mouse.click(x, y)
    film.page.wait_for_timeout(500)
    film.take(500)

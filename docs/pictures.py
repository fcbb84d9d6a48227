"""Makes the pictures of README and docs from the real page: `make pictures`.

`make pictures ARGS="tour tree"` makes the ones that are named. The page is served for this alone,
with an archive of its own, by the code as it is now.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import movie
from gallery import play_of
from playwright.sync_api import sync_playwright

from ccviz.solvers.sdp import Sdp
from ccviz.views.export.page import save_html

PICTURES = Path(__file__).parents[1] / "assets"
_PAGE = {"width": 1280, "height": 720}
_FIRST_START_S = 120
_SLOWEST_RUN_MS = 300_000

_READY = """() => {
    const plot = window.Bokeh && Bokeh.documents.length
        && Bokeh.documents[0].get_model_by_name("scatter")
    return plot && Bokeh.index.find_one(plot) && plot.inner_width > 100
}"""
_BLANK = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    const drawn = plot.renderers.some((each) => (each.data_source.data.x || []).length)
    return !drawn && plot.x_range.start === 0 && plot.x_range.end === 10
}"""
_NODE = """(place) => {
    const plot = Bokeh.documents[0].get_model_by_name("tree")
    const view = Bokeh.index.find_one(plot)
    const nodes = plot.renderers.find((each) => each.data_source.data.node).data_source.data
    const box = view.canvas_view.el.getBoundingClientRect()
    return [box.left + view.frame.x_scale.compute(nodes.x[place]),
            box.top + view.frame.y_scale.compute(nodes.y[place])]
}"""
_IRIS = "data=iris&k=3&ml=8-42,33-36,57-93,102-145&cl=22-98,70-138,56-106,113-133,101-142"
_SPIRALS = "data=spirals&n=60&solver=sdp&set.cuts=none"


def main(*names: str) -> None:
    """Make the pictures that are named, or all of them."""
    with sync_playwright() as play, _served() as url:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        _wait_for_kernels(browser.new_page(viewport=_PAGE), url)
        for name in names or _PICTURES:
            page = browser.new_page(viewport=_PAGE)
            page.set_default_timeout(_SLOWEST_RUN_MS)
            _PICTURES[name](page, url)
            if name != "tour":
                _shoot(page, PICTURES / f"{name}.png")
            page.close()


@contextmanager
def _served() -> Iterator[str]:
    """Serve the page on a free port, and yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as home:
        command = [Path(sys.executable).with_name("ccviz"), "app", "--port", str(port)]
        server = subprocess.Popen(command, env=os.environ | {"CCVIZ_HOME": home})
        try:
            url = f"http://localhost:{port}/main"
            _wait_for_server(url)
            yield url
        finally:
            server.terminate()
            server.wait()


def _wait_for_server(url: str) -> None:
    until = time.monotonic() + _FIRST_START_S
    while True:
        try:
            urllib.request.urlopen(url, timeout=_FIRST_START_S).close()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.5)
        else:
            return


def _wait_for_kernels(page: Any, url: str) -> None:
    """Wait until the solvers are compiled, so that no picture shows that they are being so."""
    _open(page, url)
    page.get_by_text("Compiling the solvers").first.wait_for(state="hidden", timeout=600_000)
    page.close()


def _shoot(page: Any, path: Path) -> None:
    page.mouse.move(640, 24)  # away from tooltips
    page.wait_for_timeout(1500)
    page.screenshot(path=path)


def _overview(page: Any, url: str) -> None:
    _open(page, f"{url}?{_IRIS}&solver=sdp")
    _run(page)


def _lesson(page: Any, url: str) -> None:
    _open(page, f"{url}?example=no")
    page.get_by_label("Lesson", exact=True).select_option(label="Branch and bound by hand")
    for _ in range(3):
        page.get_by_role("button", name="Show me", exact=True).click()
        page.locator(".finding").wait_for(timeout=60_000)
        page.get_by_role("button", name="Next", exact=True).click()
        page.wait_for_timeout(500)
    page.get_by_role("button", name="Show me", exact=True).click()
    page.locator(".finding").wait_for(timeout=60_000)
    _tab(page, "Inside the solver")


def _links(page: Any, url: str) -> None:
    _open(page, f"{url}?data=iris&cl=50-52,22-98&ml=33-36")
    page.get_by_text("More ways to link", exact=True).click()
    _pick(page, "1, 3, 8, 12")
    page.keyboard.press("h")
    _pick(page, "117, 131")


def _tree(page: Any, url: str) -> None:
    _open(page, f"{url}?{_SPIRALS}")
    _run(page)
    _tab(page, "Inside the solver")
    page.wait_for_timeout(1500)
    page.mouse.click(*page.evaluate(_NODE, 30))
    page.get_by_text("Node 30, depth").wait_for()


def _runs(page: Any, url: str) -> None:
    links = "ml=60-100,8-42&cl=22-98,70-138"
    for solver in ("cop-kmeans", "blp-kmeans", "sdp"):
        _open(page, f"{url}?data=iris&{links}&solver={solver}")
        _run(page)
    _tab(page, "Runs")
    for place in (1, 2, 3):  # the first checks all
        page.get_by_role("checkbox").nth(place).check()
    page.get_by_text("Agrees with the first").wait_for()


def _paint(page: Any, url: str) -> None:
    _open(page, f"{url}?example=no")
    page.get_by_role("button", name="Paint", exact=True).click()
    page.mouse.move(640, 24)
    page.get_by_role("button", name="Clear", exact=True).click()
    page.wait_for_function(_BLANK)
    for color, (x, y) in enumerate(((420, 250), (650, 300), (500, 480)), start=1):
        page.get_by_role("button", name=str(color), exact=True).first.click()
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 70, y + 20, steps=8)
        page.mouse.move(x - 10, y + 50, steps=8)
        page.mouse.up()
        page.wait_for_timeout(500)


def _handout(page: Any, url: str) -> None:  # noqa: ARG001, it needs no server
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder, "sdp.html")
        save_html(run, [play_of(Sdp)])
        page.goto(run.as_uri())
        page.locator("html[data-ready]").wait_for()


def _tour(page: Any, url: str) -> None:
    """Film the scene of `movie`, which makes its own file."""
    _open(page, f"{url}?{movie.DATA}")
    movie.play(page).save(PICTURES / "tour.gif")


_PICTURES = {
    "tour": _tour,
    "handout": _handout,
    "screenshot": _overview,
    "lesson": _lesson,
    "links": _links,
    "tree": _tree,
    "runs": _runs,
    "paint": _paint,
}


def _open(page: Any, url: str) -> None:
    page.goto(url)
    page.wait_for_function(_READY)


def _run(page: Any) -> None:
    page.get_by_label("Speed", exact=True).select_option(label="Speed: Live")
    page.get_by_role("button", name="Run", exact=True).first.click()
    page.wait_for_timeout(1000)  # a quick run is over before it is seen to play
    page.get_by_role("button", name="Pause", exact=True, disabled=True).wait_for()


def _tab(page: Any, name: str) -> None:
    page.locator(".bk-tab").get_by_text(name, exact=True).click()


def _pick(page: Any, points: str) -> None:
    box = page.get_by_label("Pick points by number or name", exact=True)
    box.fill(points)
    box.press("Enter")
    page.wait_for_timeout(700)
    page.mouse.click(640, 24)


if __name__ == "__main__":
    main(*sys.argv[1:])

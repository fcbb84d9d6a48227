"""The page with a million points: brought from a file, looked at, linked, run and replayed.

Asked for: the first picture within 5 s of the choice, a click answered within 200 ms, zooming at 20
frames a second, a tick of a run within 100 ms, the server within 1 GB. The same page with a tenth
of the points, in the same run, is what it is held against.

A tick is as long as the server answers no other request: measured is how late a request for a small
file is answered while the run goes on, at the 95th per cent and at worst.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import _runner as runner
import numpy as np
from _page import DRAWN, WATCH, Server, browser, choose, click, fill, press, served
from playwright.sync_api import sync_playwright

D, K = 10, 20
ASKED = {"first picture, s": 5, "click, median, ms": 200, "zoom, frames a second": 20,
         "late while a run goes on, 95 %, ms": 100, "server at most, MB": 1000}  # fmt: skip
PICTURE = """() => Bokeh.documents[0].get_model_by_name("scatter").renderers
    .find((each) => each.name === "density").data_source.data.image.length === 1"""
# Some places of the picture through which nothing can be seen.
CROWDED = """(many) => {
    const {image, x, y, dw, dh} = Bokeh.documents[0].get_model_by_name("scatter").renderers
        .find((each) => each.name === "density").data_source.data
    const [height, width] = image[0].shape
    const full = [...image[0].keys()].filter((at) => image[0][at] >>> 24 > 230)
    return Array.from({length: many}, (_, at) => full[Math.floor((at + 0.5) * full.length / many)])
        .map((at) => [x[0] + (at % width + 0.5) / width * dw[0],
                      y[0] + (Math.floor(at / width) + 0.5) / height * dh[0]])
}"""
FRAMES = """async () => {
    const began = performance.now()
    let frames = 0
    while (performance.now() - began < 3000) { await new Promise(requestAnimationFrame); frames++ }
    window.rate = 1000 * frames / (performance.now() - began)
}"""


def blobs(folder: Path, points: int) -> Path:
    """Write a table of clusters that overlap a little."""
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=8, size=(K, D))
    path = folder / f"blobs{points}.npy"
    np.save(path, centres[rng.integers(K, size=points)] + rng.normal(size=(points, D)))
    return path


def bring(page: Any, path: Path) -> tuple[float, float]:
    """Bring a table; return how long until the sheet stood, and from its button to the picture."""
    began = time.perf_counter()
    page.locator(".drop-zone input").first.set_input_files(str(path))
    load = page.get_by_role("dialog").get_by_role("button", name="Load", exact=True)
    load.wait_for()
    stood = time.perf_counter()
    load.click()
    page.wait_for_function(PICTURE)
    return stood - began, time.perf_counter() - stood


def clicks(page: Any, many: int = 10) -> list[float]:
    """Click places where points are; return how long their rings took, in ms."""
    page.evaluate(WATCH)
    times = []
    for place in page.evaluate(CROWDED, many):
        times.append(click(page, place))
        page.wait_for_timeout(400)  # two clicks at once would be a double one
    return times


def zoom(page: Any) -> float:
    """Turn the wheel for three seconds; return the frames a second."""
    page.evaluate(f"() => {{ window.rate = null; ({FRAMES})() }}")
    for at in range(40):
        page.mouse.wheel(0, -60 if at % 20 < 10 else 60)
        page.wait_for_timeout(60)
    page.wait_for_function("() => window.rate")
    return float(page.evaluate("() => window.rate"))


class Lateness(threading.Thread):
    """Asks the server for a small file again and again, and notes how late it answers, in ms."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.url, self.times, self.ended = url, [], threading.Event()

    def run(self) -> None:
        """Ask until the end."""
        while not self.ended.is_set():
            began = time.perf_counter()
            urllib.request.urlopen(self.url).close()
            self.times.append(1000 * (time.perf_counter() - began))
            time.sleep(0.02)


def run(page: Any, server: Server) -> tuple[list[float], float]:
    """Run BLP k-means; return the server's latenesses, and how long the run took to see."""
    late = Lateness(server.url.replace("/main", "/static/extensions/panel/css/select.css"))
    choose(page, "Solver", "BLP k-means")
    fill(page, "Clusters k", K)
    page.get_by_text(f"k = {K}").first.wait_for()
    choose(page, "Speed", "Speed: Live")
    late.start()
    began = time.perf_counter()
    press(page, "Run")
    page.get_by_text("Valid, not proved").first.wait_for()
    page.get_by_text("No step improves").or_(
        page.get_by_text("No assignment improves the objective")
    ).first.wait_for()
    took = time.perf_counter() - began
    late.ended.set()
    late.join()
    return late.times, took


def measure(points: int, folder: Path) -> dict[str, float]:
    """Return the figures for a number of points, on a server of its own."""
    home = folder / f"home{points}"
    home.mkdir()
    with served(home) as server, sync_playwright() as play:
        chromium = browser(play)
        page = chromium.new_context().new_page()
        page.set_viewport_size({"width": 1280, "height": 800})
        page.set_default_timeout(300_000)
        page.goto(server.url)
        page.wait_for_function(DRAWN)
        sheet, picture = bring(page, blobs(folder, points))
        click = clicks(page)
        frames = zoom(page)
        late, took = run(page, server)
        end, most = server.memory_mb(), server.most_memory_mb()
        chromium.close()
    lateness = "late while a run goes on"
    return {
        "sheet after the drop, s": sheet, "first picture, s": picture,
        "click, median, ms": statistics.median(click), "click, slowest, ms": max(click),
        "zoom, frames a second": frames, "run to its end, s": took,
        f"{lateness}, median, ms": statistics.median(late),
        f"{lateness}, 95 %, ms": float(np.percentile(late, 95)),
        f"{lateness}, slowest, ms": max(late),
        "server at the end, MB": end, "server at most, MB": most,
    }  # fmt: skip


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    points = runner.parse(__doc__, points=1_000_000).points
    with tempfile.TemporaryDirectory() as folder:
        few, many = (measure(n, Path(folder)) for n in (points // 10, points))
    table = runner.markdown(
        f"What | {points // 10:,} points | {points:,} points | Asked",
        ([what, _short(few[what]), _short(many[what]), ASKED.get(what, "")] for what in many),
    )
    about = f"{points:,} points, d = {D}, k = {K}; the browser runs on the same two cores."
    runner.write_page("page_million", f"{about}\n\n{table}")

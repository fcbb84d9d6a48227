"""How long from the click on a link's button until its line is painted, in a real browser.

    python benchmarks/click_latency.py [--links 20]

Serves the app, opens it in headless Chromium, and links pairs of points by the button at the
pointer. The clock runs in the page: from the click until the second frame after the line's data
arrived, when it has been painted. Median under 150 ms on iris and 300 ms at 10,000 points is asked.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "click_latency.csv"
CASES = {"iris": None, "blobs": 10_000}

SETUP = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    const lines = plot.renderers.find((each) => each.name === "must").data_source
    document.addEventListener("click", () => { window.clicked = performance.now() }, true)
    lines.connect(lines.properties.data.change, () => requestAnimationFrame(
        () => requestAnimationFrame(() => { window.took = performance.now() - window.clicked })))
}"""
POINTS = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    const data = plot.renderers.find((each) => each.data_source.data.row).data_source.data
    return [[...data.x], [...data.y]]
}"""
PIXEL = """([x, y]) => {
    const view = Bokeh.index.find_one(Bokeh.documents[0].get_model_by_name("scatter"))
    const box = view.canvas_view.el.getBoundingClientRect()
    return [box.left + view.frame.x_scale.compute(x), box.top + view.frame.y_scale.compute(y)]
}"""


@contextmanager
def served(home: str) -> Iterator[str]:
    """Serve the app, and yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "panel", "serve", "apps/main.py", "--address", "127.0.0.1",
         "--port", str(port), "--allow-websocket-origin", f"127.0.0.1:{port}"],
        cwd=ROOT, env=os.environ | {"CCVIZ_HOME": home},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    try:
        while True:
            with suppress(OSError), urllib.request.urlopen(f"{url}/static/js/bokeh.min.js"):
                break
            time.sleep(0.1)
        yield f"{url}/main"
    finally:
        server.terminate()
        server.wait()


def measure(page: Any, data: str, n: int | None, links: int) -> list[float]:
    """Return the milliseconds of each of so many links."""
    page.get_by_label("Data set", exact=True).first.select_option(label=data)
    if n is not None:
        box = page.get_by_label("Points", exact=True).first
        box.fill(str(n))
        box.press("Enter")
        page.get_by_text(f"{n:,} points").wait_for()
    page.wait_for_timeout(1500)
    page.evaluate(SETUP)
    xs, ys = page.evaluate(POINTS)
    step = len(xs) // (2 * links + 2)
    took = []
    for at in range(links):
        page.evaluate("window.took = null")
        for point in (2 * at * step, (2 * at + 1) * step):
            page.mouse.click(*page.evaluate(PIXEL, [xs[point], ys[point]]))
            page.wait_for_timeout(400)
        page.get_by_role("button", name="Must-link (M)").click()
        page.wait_for_function("window.took !== null")
        took.append(page.evaluate("window.took"))
    return took


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--links", type=int, default=20)
    links = options.parse_args().links
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    rows = []
    with tempfile.TemporaryDirectory() as home, served(home) as url, sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for data, n in CASES.items():
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.goto(url)
            page.locator("canvas").first.wait_for()
            took = measure(page, data, n, links)
            rows.append(
                {
                    "data": data, "points": n or 150, "links": links,
                    "median_ms": round(statistics.median(took)),
                    "fastest_ms": round(min(took)), "slowest_ms": round(max(took)),
                }
            )  # fmt: skip
            print(rows[-1])
            page.close()
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()

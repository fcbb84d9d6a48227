"""How long from the click on a link's button until its line is painted, in a real browser.

    python benchmarks/click_latency.py [--links 20]

Serves the app, opens it in headless Chromium, and links pairs of points by the button at the
pointer. The clock runs in the page: from the click until the second frame after the line's data
arrived, when it has been painted. Median under 150 ms on iris and 300 ms at 10,000 points is asked.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import tempfile
from typing import Any

from _page import PIXEL, POINTS, RESULTS, browser, opened, served
from playwright.sync_api import sync_playwright

TABLE = RESULTS / "click_latency.csv"
CASES = {"iris": None, "blobs": 10_000}

SETUP = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    const lines = plot.renderers.find((each) => each.name === "must").data_source
    document.addEventListener("click", () => { window.clicked = performance.now() }, true)
    lines.connect(lines.properties.data.change, () => requestAnimationFrame(
        () => requestAnimationFrame(() => { window.took = performance.now() - window.clicked })))
}"""


def measure(page: Any, data: str, n: int | None, links: int) -> list[float]:
    """Return the milliseconds of each of a number of links."""
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
    rows = []
    with tempfile.TemporaryDirectory() as home, served(home) as server, sync_playwright() as play:
        chromium = browser(play)
        for data, n in CASES.items():
            page = opened(chromium, server.url)
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
    RESULTS.mkdir(exist_ok=True)
    with TABLE.open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()

"""The page while nothing runs and while `sdp` does: first paint, clicks, updates, and its price.

    python benchmarks/page_load.py [--suite FOLDER]

Asked for: first paint under 3 s on a warm start; a click answers within 200 ms (median) and the
page is updated 5 to 10 times a second while `sdp` runs on wine with 50 + 50 links; the open page
slows the solver by less than 5 %.

`sdp` proves that instance within a second, so it is made to work: with one round and no cuts at a
node its tree grows for minutes. With the page open and with none, the search is the same, event
by event; what counts is the processor time of the worker up to its 60th node, which other work on
the machine hardly touches, and beside it the time on the wall.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil
from _page import DRAWN, PIXEL, POINTS, RESULTS, ROOT, Server, browser, opened, served
from playwright.sync_api import sync_playwright

from ccviz import Problem
from ccviz.archive import Archive
from ccviz.job import Job
from ccviz.solvers import make_solver
from ccviz.suite import instances

HARD = {"cuts_per_block": 0.0, "max_rounds": 1, "show_relaxation": True}
LOADS, CLICKS, REPEATS, NODES = 5, 10, 3, 60

# The clock runs in the page: from the press until the second frame after the ring's data came.
WATCH = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    const ring = plot.renderers.find((each) => each.name === "picked").data_source
    document.addEventListener("pointerup", () => { window.pressed = performance.now() }, true)
    ring.connect(ring.properties.data.change, () => requestAnimationFrame(
        () => requestAnimationFrame(() => { window.took = performance.now() - window.pressed })))
}"""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"


def wine(suite: Path) -> Problem:
    """Return the instance: wine, 50 must-links and 50 cannot-links, the first draw."""
    for each in instances(suite):
        if (each.dataset, each.ml, each.cl, each.seed) == ("wine", 50, 50, 0):
            return each.problem()
    raise SystemExit(f"{suite} has no instance of wine with 50 + 50 links.")


def address(problem: Problem) -> str:
    """Return the query by which the page opens the instance with `sdp`."""
    both = {"ml": problem.must_link, "cl": problem.cannot_link}
    pairs = {name: ",".join(f"{i}-{j}" for i, j in links.pairs) for name, links in both.items()}
    settings = {f"set.{name}": value for name, value in HARD.items()}
    return urlencode({"data": "wine", "k": problem.k, "solver": "sdp", **pairs, **settings})


def loads(chromium: Any, url: str) -> dict[str, float]:
    """Return how long it takes to open the page of a server that has served it once."""
    opened(chromium, url).close()
    paints, plots = [], []
    for _ in range(LOADS):
        page = chromium.new_page(viewport={"width": 1280, "height": 720})
        page.goto(url, wait_until="commit")
        page.wait_for_function(DRAWN)
        plots.append(page.evaluate("performance.now()"))
        paints.append(page.evaluate(PAINT))
        page.close()
    return {
        "first paint, median, ms": statistics.median(paints),
        "first paint, slowest, ms": max(paints),
        "points on the screen, median, ms": statistics.median(plots),
        "points on the screen, slowest, ms": max(plots),
    }


def clicks(page: Any) -> list[float]:
    """Return the milliseconds until each click on a point is answered."""
    page.evaluate(WATCH)
    xs, ys = page.evaluate(POINTS)
    took = []
    for at in range(CLICKS):
        page.evaluate("window.took = null")
        point = at * len(xs) // CLICKS
        page.mouse.click(*page.evaluate(PIXEL, [xs[point], ys[point]]))
        page.wait_for_function("window.took !== null")
        took.append(page.evaluate("window.took"))
        page.keyboard.press("Escape")
        page.wait_for_timeout(500)
    return took


class Updates:
    """Counts the messages that change the page."""

    def __init__(self, page: Any) -> None:
        self.times: list[float] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self._hear))

    def _hear(self, frame: str | bytes) -> None:
        if isinstance(frame, str) and '"PATCH-DOC"' in frame:
            self.times.append(time.monotonic())

    def rate(self, since: float) -> float:
        """Return how many a second there were; what comes within 20 ms is one."""
        kept = [at for at in self.times if at >= since]
        ticks = sum(1 for a, b in zip([0.0, *kept], kept, strict=False) if b - a > 0.02)
        return ticks / (time.monotonic() - since)


def price(
    archive: Archive, run_id: str, worker: psutil.Process, sleep: Callable[[float], None]
) -> tuple[float, float]:
    """Return processor and wall seconds of a run up to its last node that counts."""
    while archive.info(run_id).nodes < NODES:
        sleep(0.02)
    return sum(worker.cpu_times()[:2]), archive.info(run_id).time_s


def alone(archive: Archive, problem: Problem, settings: dict[str, Any]) -> tuple[float, float]:
    """Run without a page."""
    job = Job.start(archive, problem, make_solver("sdp", **settings))
    spent = price(archive, job.run_id, psutil.Process(job.pid), time.sleep)
    job.kill()
    job.wait()
    return spent


def watched(page: Any, server: Server, archive: Archive) -> tuple[float, float]:
    """Run from the page, with the solver's views in front, and leave the run going on."""
    page.get_by_role("main").get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("Inside the solver", exact=True).click()
    while not server.workers():
        time.sleep(0.01)

    def sleep(seconds: float) -> None:
        page.wait_for_timeout(1000 * seconds)  # the page's messages are heard meanwhile

    return price(archive, archive.runs()[0].id, server.workers()[0], sleep)


def stop(page: Any, server: Server) -> None:
    """Stop the page's run."""
    page.get_by_role("main").get_by_role("button", name="Stop", exact=True).click()
    while server.workers():
        time.sleep(0.1)


def during(chromium: Any, server: Server, archive: Archive, problem: Problem) -> dict[str, Any]:
    """Measure the open page while the solver works, and what it costs the solver."""
    url = f"{server.url}?{address(problem)}"
    values: dict[str, Any] = {}
    open_page, closed, plain = [], [], []
    for repeat in range(REPEATS):
        closed.append(alone(archive, problem, HARD))
        plain.append(alone(archive, problem, HARD | {"show_relaxation": False}))
        page = chromium.new_page()
        page.set_viewport_size({"width": 1280, "height": 720})
        updates = Updates(page)
        page.goto(url)
        page.wait_for_function(DRAWN)
        if repeat == 0:
            values["click, nothing running, median, ms"] = statistics.median(clicks(page))
        began = time.monotonic()
        open_page.append(watched(page, server, archive))
        values["updates a second, sdp running"] = updates.rate(began)
        if repeat == 0:
            took = clicks(page)
            values["click, sdp running, median, ms"] = statistics.median(took)
            values["click, sdp running, slowest, ms"] = max(took)
        stop(page, server)
        page.close()
    for name, spent in (("page open", open_page), ("no page", closed),
                        ("no page, matrix not shown", plain)):  # fmt: skip
        cpu, wall = (statistics.median(column) for column in zip(*spent, strict=True))
        values[f"processor time of the worker, {name}, s"] = cpu
        values[f"time on the wall, {name}, s"] = wall
    return values


def main() -> None:
    """Measure, print and write the table."""
    options = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("CCVIZ_BENCH", ROOT.parent / "shared" / "bench")
    options.add_argument("--suite", type=Path, default=Path(default) / "pc-sos-sdp")
    problem = wine(options.parse_args().suite)
    with (
        tempfile.TemporaryDirectory() as home,
        served(home) as server,
        Archive(Path(home) / "runs.sqlite") as archive,
        sync_playwright() as play,
    ):
        chromium = browser(play)
        values = loads(chromium, server.url) | during(chromium, server, archive, problem)
        chromium.close()
    lines = ["| What | Measured |", "|---|---|"]
    lines += [f"| {name} | {value:.2f} |" if value < 100 else f"| {name} | {value:.0f} |"
              for name, value in values.items()]  # fmt: skip
    busy = f"{os.cpu_count()} processors, {os.getloadavg()[0]:.0f} processes that wanted one."
    table = "\n".join([*lines, "", busy]) + "\n"
    print(table)
    (RESULTS / "page_load.md").write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()

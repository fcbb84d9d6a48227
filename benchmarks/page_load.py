"""The page while nothing runs and while `sdp` does: first paint, clicks, updates, and its price.

Asked for: first paint under 3 s on a warm start; a click answers within 200 ms (median) and the
page is updated 5 to 10 times a second while `sdp` runs on wine with 50 + 50 links; the open page
slows the solver by less than 5 %.

`sdp` proves that instance within a second, so it is made to work: with one round and no cuts at a
node its tree grows for minutes. With the page open and with none, the search is the same, event by
event; what counts is the time for a node, from the 20th to the 620th, in turn with the page open,
with no page, and as a plain call has it (the page asks for the relaxation's matrix besides).
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import _runner as runner
import psutil
from _page import DRAWN, POINTS, WATCH, Server, browser, click, opened, press, served, undriven
from playwright.sync_api import sync_playwright

from ccviz import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.job import Job
from ccviz.solvers import make_solver
from ccviz.studies.suite import instances

HARD = {"cuts_per_block": 0.0, "max_rounds": 1, "show_relaxation": True}
OPEN, OTHERS = "the page open", ("no page", "a plain call")
LOADS, CLICKS, REPEATS, FIRST, NODES = 5, 10, 5, 20, 600
# What changes within 20 ms of another change is one update.
COUNT = """() => {
    window.updates = 0
    window.since = window.last = performance.now()
    Bokeh.documents[0].on_change(() => {
        const now = performance.now()
        if (now - window.last > 20) window.updates++
        window.last = now
    })
}"""
RATE = "() => 1000 * window.updates / (performance.now() - window.since)"
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"


def wine() -> Problem:
    (instance,) = instances(runner.SUITE, "wine/ml_50_cl_50_0")
    return instance.problem()


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
        point = at * len(xs) // CLICKS
        took.append(click(page, [xs[point], ys[point]]))
        page.wait_for_timeout(500)
    return took


def price(archive: Archive, run_id: str, worker: psutil.Process) -> tuple[float, float]:
    """Return processor and wall milliseconds of a run for a node."""
    at = []
    for nodes in (FIRST, FIRST + NODES):
        while archive.info(run_id).nodes < nodes:
            time.sleep(0.02)
        info = archive.info(run_id)
        at.append((sum(worker.cpu_times()[:2]), info.time_s, info.nodes))
    (cpu, wall, first), (last_cpu, last_wall, last) = at
    return 1000 * (last_cpu - cpu) / (last - first), 1000 * (last_wall - wall) / (last - first)


def alone(archive: Archive, problem: Problem, settings: dict[str, Any]) -> tuple[float, float]:
    job = Job.start(archive, problem, make_solver("sdp", **settings))
    spent = price(archive, job.run_id, psutil.Process(job.pid))
    job.kill()
    job.wait()
    return spent


def started(page: Any, server: Server, url: str) -> None:
    """Open the page, and run with the solver's views in front."""
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(url)
    page.wait_for_function(DRAWN)
    press(page, "Run")
    page.get_by_text("Inside the solver", exact=True).click()
    while not server.workers():
        time.sleep(0.01)


def stopped(page: Any, server: Server) -> None:
    press(page, "Stop")
    while server.workers():
        time.sleep(0.1)


def watched(play: Any, server: Server, archive: Archive, url: str) -> tuple[float, float]:
    """Run from a page in a browser that is not driven meanwhile, since that takes time too."""
    with undriven() as debugged:
        chromium = play.chromium.connect_over_cdp(debugged)
        started(chromium.contexts[0].pages[0], server, url)
        chromium.close()  # lets go of it
        spent = price(archive, archive.runs()[0].id, server.workers()[0])
        chromium = play.chromium.connect_over_cdp(debugged)
        stopped(chromium.contexts[0].pages[0], server)
        chromium.close()
    return spent


def answers(chromium: Any, server: Server, url: str) -> dict[str, float]:
    """Measure the open page before the solver works, and meanwhile."""
    page = chromium.new_page()
    page.goto(url)
    page.wait_for_function(DRAWN)
    values = {"click, nothing running, median, ms": statistics.median(clicks(page))}
    started(page, server, url)
    page.wait_for_timeout(3000)
    page.evaluate(COUNT)
    page.wait_for_timeout(10_000)
    values["updates a second, sdp running"] = page.evaluate(RATE)
    took = clicks(page)
    values["click, sdp running, median, ms"] = statistics.median(took)
    values["click, sdp running, slowest, ms"] = max(took)
    stopped(page, server)
    page.close()
    return values


def prices(play: Any, server: Server, archive: Archive, problem: Problem) -> dict[str, float]:
    """Measure what the open page costs the solver."""
    url = f"{server.url}?{address(problem)}"
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in (OPEN, *OTHERS)}
    for _ in range(REPEATS):
        spent["no page"].append(alone(archive, problem, HARD))
        spent["a plain call"].append(alone(archive, problem, HARD | {"show_relaxation": False}))
        spent[OPEN].append(watched(play, server, archive, url))
    values = {}
    for at, kind in enumerate(("processor", "wall")):
        for name, each in spent.items():
            middle = statistics.median(pair[at] for pair in each)
            values[f"a node of sdp, {name}, {kind}, median, ms"] = middle
        for name in OTHERS:
            ratios = [a[at] / b[at] for a, b in zip(spent[OPEN], spent[name], strict=True)]
            values[f"{OPEN} against {name}, {kind}, median ratio"] = statistics.median(ratios)
    return values


def main() -> None:
    runner.parse(__doc__)
    problem = wine()
    with (
        tempfile.TemporaryDirectory() as home,
        served(home) as server,
        Archive(Path(home) / "runs.sqlite") as archive,
        sync_playwright() as play,
    ):
        chromium = browser(play)
        values = loads(chromium, server.url)
        values |= answers(chromium, server, f"{server.url}?{address(problem)}")
        chromium.close()
        values |= prices(play, server, archive, problem)
    lines = [[what, f"{each:.{2 if each < 100 else 0}f}"] for what, each in values.items()]
    table = runner.markdown("What | Measured", lines)
    runner.write_page("page_load", f"{table}\n{runner.load()}")


if __name__ == "__main__":
    main()

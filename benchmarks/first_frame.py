"""How long from the click on Run until points have their first colours, in a real browser.

    python benchmarks/first_frame.py [--runs 7]

Asked for: points move within 300 ms on small data, which is why a worker waits with everything
loaded. The clock runs in the page: from the click until the first frame after the points' colours
changed. The rival is what a run cost before, a worker that is begun by the click: the spare one is
killed right before it. Both kinds take turns on one page, iris and blobs of 1,000 points.

A shared machine has other things to do, and then both wait. So what counts is their ratio, and the
processor time that server, workers and browser spent until the frame: on a machine that has
nothing else to do no person waits longer than that and a tick of the page's clock. Beside it stands
how long a frame took that nothing but the browser had to do.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from contextlib import suppress
from typing import Any

import psutil
from _page import RESULTS, Server, browser, opened, served
from playwright.sync_api import sync_playwright

CASES = {"iris": "?data=iris&cl=0-60", "blobs, 1,000 points": "?data=blobs&n=1000&cl=0-60"}
_QUIET_S = 1.0

# The colours arrive as a patch of the points' labels.
WATCH = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    const points = plot.renderers.find((each) => each.data_source.data.row).data_source
    const painted = () => requestAnimationFrame(() => {
        window.took ??= performance.now() - window.clicked
    })
    document.addEventListener("click", () => {
        window.clicked = performance.now()
        window.took = null
    }, true)
    points.patching.connect(painted)
    points.connect(points.properties.data.change, painted)
}"""
GREY = """() => Bokeh.documents[0].get_model_by_name("scatter").renderers
    .find((each) => each.data_source.data.row).data_source.data.label.every((label) => label < 0)"""
FRAME = """async () => {
    const began = performance.now()
    await new Promise(requestAnimationFrame)
    return performance.now() - began
}"""


def settled(server: Server) -> list[psutil.Process]:
    """Return the workers that wait, once one is there and none has anything to do any more."""
    while True:
        waiting = server.waiting()
        before = [sum(each.cpu_times()[:2]) for each in waiting]
        time.sleep(_QUIET_S)
        if waiting and waiting == server.waiting() and before == [
            sum(each.cpu_times()[:2]) for each in waiting
        ]:  # fmt: skip
            return waiting


def spent() -> dict[int, float]:
    """Return the processor seconds of every process that this one has begun: all of the page's."""
    used = {}
    for each in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            used[each.pid] = sum(each.cpu_times()[:2])
    return used


def first_frame(page: Any, seed: int) -> tuple[float, float]:
    """Press Run on grey points; return milliseconds until they had colours, and of processors."""
    for scaling in ("from 0 to 1", "as they are"):  # other points, and these again
        page.get_by_label("Features", exact=True).first.select_option(label=scaling)
        page.wait_for_function(GREY)
    box = page.get_by_label("Seed", exact=True).first
    box.fill(str(seed))
    box.press("Enter")
    page.wait_for_timeout(500)
    before = spent()
    page.get_by_role("main").get_by_role("button", name="Run", exact=True).click()
    page.wait_for_function("window.took")
    used = sum(now - before.get(pid, 0.0) for pid, now in spent().items())
    took = float(page.evaluate("window.took"))
    page.get_by_text("Feasible clustering").wait_for()
    return took, 1000 * used


def measure(chromium: Any, server: Server, url: str, runs: int) -> dict[str, list[float]]:
    """Return milliseconds with a worker that waits and with a cold one, and of a bare frame."""
    page = opened(chromium, url)
    page.get_by_label("Speed", exact=True).first.select_option(label="Speed: Auto")
    page.evaluate(WATCH)
    kinds = ("waits", "cold", "waits, processor", "cold, processor", "frame")
    took: dict[str, list[float]] = {kind: [] for kind in kinds}
    for seed in range(1, 2 * runs + 1):
        kind = "waits" if seed % 2 else "cold"
        waiting = settled(server)
        if kind == "cold":
            for each in waiting:
                each.kill()
        took["frame"].append(page.evaluate(FRAME))
        wall, used = first_frame(page, seed)
        took[kind].append(wall)
        took[f"{kind}, processor"].append(used)
    page.close()
    return took


def main() -> None:
    """Measure, print and write the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=7)
    runs = options.parse_args().runs
    lines = [
        "| Data | Runs | A worker waits, median, ms | fastest | processor "
        "| Cold, median, ms | fastest | processor | Cold against waiting, median ratio "
        "| A bare frame, median, ms |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as home, served(home) as server, sync_playwright() as play:
        chromium = browser(play)
        for name, query in CASES.items():
            took = measure(chromium, server, f"{server.url}{query}", runs)
            waits, cold, waits_cpu, cold_cpu, frame = map(statistics.median, took.values())
            ratio = statistics.median(
                one / other for one, other in zip(took["cold"], took["waits"], strict=True)
            )
            lines.append(
                f"| {name} | {runs} of each "
                f"| {waits:.0f} | {min(took['waits']):.0f} | {waits_cpu:.0f} "
                f"| {cold:.0f} | {min(took['cold']):.0f} | {cold_cpu:.0f} "
                f"| {ratio:.1f} | {frame:.0f} |"
            )
            print(lines[-1], flush=True)
    busy = f"{os.cpu_count()} processors, {os.getloadavg()[0]:.0f} processes that wanted one."
    table = "\n".join([*lines, "", busy]) + "\n"
    print(table)
    (RESULTS / "first_frame.md").write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()

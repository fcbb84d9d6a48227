"""The page with 100,000 points of 384 features: brought from a file, run, looked at and clicked.

`k-means` runs with its usual ten starts and k = 100 to its end. The points are the decaying ones of
`embeddings.py`, in float32. CPU seconds are those of the server and of its workers; the browser
runs on the same two cores.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import _runner as runner
import numpy as np
import psutil
from _page import DRAWN, Server, browser, choose, fill, press, served
from embeddings import Case, points_of
from page_million import bring, clicks, zoom
from playwright.sync_api import sync_playwright

D, K = 384, 100
END = "No point changes its cluster any more."
TABS: dict[str, Callable[[Any], Any]] = {
    "Clusters": lambda page: page.get_by_role("table", name="What marks the clusters"),
    "Inside the solver": lambda page: page.get_by_text("The k-means kinds have none"),
    "Bounds": lambda page: page.get_by_role("figure", name="Bounds"),
    "Runs": lambda page: page.locator(".scroll tbody tr").first,
    "Share": lambda page: page.get_by_role("button", name="Copy").first,
    "Result": lambda page: page.get_by_role("region", name="Result"),
}
"""What is seen in each tab when it is drawn."""


class Stopwatch:
    """Seconds of the clock, and CPU seconds of a server and its children, of named steps."""

    def __init__(self, server: Server) -> None:
        self._server, self.rows = server, dict[str, tuple[float, float]]()

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measure a step."""
        cpu, clock = self._cpu(), time.perf_counter()
        yield
        self.rows[name] = self._cpu() - cpu, time.perf_counter() - clock

    def _cpu(self) -> float:
        """Return the CPU seconds so far, with those of children that have ended."""
        total = 0.0
        for each in (self._server.process, *self._server.process.children(recursive=True)):
            try:
                total += sum(each.cpu_times()[:4])
            except psutil.NoSuchProcess:
                continue
        return total


def configure(page: Any) -> None:
    choose(page, "Solver", "K-means without constraints")
    fill(page, "Clusters k", K)
    page.get_by_text(f"k = {K}").first.wait_for()


def run(page: Any) -> None:
    """Run k-means to its end, and wait until the page says so."""
    choose(page, "Speed", "Speed: Live")
    press(page, "Run")
    page.get_by_text(END).first.wait_for()


def measure(points: int, folder: Path, shots: Path | None) -> dict[str, str]:
    """Return the figures, on a server of its own."""
    path = folder / "embeddings.npy"
    np.save(path, points_of(Case("decaying", D, K))[0][:points])

    def shot(page: Any, name: str) -> None:
        if shots is not None:
            page.screenshot(path=shots / f"{name.replace(' ', '-')}.png")

    with served(folder) as server, sync_playwright() as play:
        chromium, watch = browser(play), Stopwatch(server)
        page = chromium.new_context(viewport={"width": 1280, "height": 800}).new_page()
        page.set_default_timeout(600_000)
        page.goto(server.url)
        page.wait_for_function(DRAWN)
        with watch.step("from the drop to the picture"):
            sheet, picture = bring(page, path)
        shot(page, "loaded")
        with watch.step("k = 100 and `k-means` chosen"):
            configure(page)
        with watch.step("`k-means` to its end"):
            run(page)
        shot(page, "run")
        with watch.step("ten clicks on points"):
            rings = clicks(page)
        frames = zoom(page)
        for name, content in TABS.items():
            with watch.step(f"tab *{name}*"):
                page.get_by_role("tab", name=name, exact=True).click()
                content(page).wait_for()
            shot(page, f"tab {name}")
        most = server.most_memory_mb()
        chromium.close()
    found = {name: f"{cpu:.1f} | {clock:.1f}" for name, (cpu, clock) in watch.rows.items()}
    return found | {
        "until the sheet": f"| {sheet:.1f}",
        "from its button to the picture": f"| {picture:.1f}",
        "a click's ring, median": f"| {statistics.median(rings) / 1000:.2f}",
        "zoom, frames a second": f"| {frames:.0f}",
        "server at most, MB": f"{most:.0f} |",
    }


if __name__ == "__main__":
    options = runner.parse(__doc__, points=100_000, shots=Path)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(options.points, Path(folder), options.shots)
    about = (
        f"{options.points:,} points, d = {D} in float32, k = {K}. The browser runs on the same two "
        "cores, which had other work; a tab is measured until its content is seen."
    )
    table = runner.markdown("What | server and workers, CPU s | clock, s", found.items())
    runner.write_page("page_embeddings", f"{about}\n\n{table}")

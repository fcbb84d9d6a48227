"""The served app and its page in headless Chromium, for the benchmarks that measure both."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import psutil
from _runner import ROOT, free_port
from playwright.sync_api import Playwright, sync_playwright

from ccviz.runs.archive import Archive

_PATIENCE_MS = 180_000
_TRACED = re.compile(r"^bytes traced: (\d+)$", re.MULTILINE)
_LEFT = re.compile(r"^objects left: (\d+)$", re.MULTILINE)

DRAWN = """() => {
    const plot = window.Bokeh && Bokeh.documents.length
        && Bokeh.documents[0].get_model_by_name("scatter")
    return plot && Bokeh.index.find_one(plot) && plot.inner_width > 100
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

# The clock runs in the page: from the press until the second frame after the ring's data came.
WATCH = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    const ring = plot.renderers.find((each) => each.name === "picked").data_source
    document.addEventListener("pointerup", () => { window.pressed = performance.now() }, true)
    ring.connect(ring.properties.data.change, () => requestAnimationFrame(
        () => requestAnimationFrame(() => { window.took = performance.now() - window.pressed })))
}"""


# The app, in a process that answers a signal with the objects that a garbage collection leaves.
_APP = """
import gc
import signal
import tracemalloc
from ccviz.cli import main


def collect(*_):
    gc.collect()
    print("bytes traced:", tracemalloc.get_traced_memory()[0], flush=True)
    print("objects left:", len(gc.get_objects()), flush=True)


signal.signal(signal.SIGUSR2, collect)
main()
"""


class Server:
    """One `ccviz app` process, with more options if there are any."""

    def __init__(self, home: Path, *options: str) -> None:
        port = free_port()
        self._child = subprocess.Popen(
            [sys.executable, "-c", _APP, "app", "--port", str(port), *options],
            cwd=ROOT, env=os.environ | {"CCVIZ_HOME": str(home)},
            stdout=(home / "server.log").open("wb"), stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.log, self._home = home / "server.log", home
        self.process = psutil.Process(self._child.pid)
        self.url = f"http://127.0.0.1:{port}/main"
        self._ready = f"http://127.0.0.1:{port}/static/js/bokeh.min.js"

    def wait(self) -> None:
        """Return when it answers."""
        while True:
            try:
                urllib.request.urlopen(self._ready).close()
            except HTTPError:  # a class lets no stranger at it
                return
            except OSError:
                time.sleep(0.1)
            else:
                return

    def workers(self) -> list[psutil.Process]:
        """Return the processes of the runs that go on."""
        busy = self._busy()
        return [each for each in self.process.children(recursive=True) if each.pid in busy]

    def waiting(self) -> list[psutil.Process]:
        """Return the idle workers: children of the fork server, so our grandchildren."""
        apart = {each.pid for each in self.process.children()} | self._busy()
        return [each for each in self.process.children(recursive=True) if each.pid not in apart]

    def _busy(self) -> set[int]:
        """Return the numbers of processes that have written to a run; those that wait have not."""
        with Archive(self._home / "runs.sqlite") as archive:
            return {info.pid for info in archive.runs()}

    def memory_mb(self) -> float:
        """Return the server's own resident memory, without its workers'."""
        return self.process.memory_info().rss / 1e6

    def objects_left(self) -> int:
        """Collect its garbage, and return how many objects of Python's are left."""
        before = len(_LEFT.findall(self.log.read_text()))
        self.process.send_signal(signal.SIGUSR2)
        while len(found := _LEFT.findall(self.log.read_text())) == before:
            time.sleep(0.1)
        return int(found[-1])

    def traced_mb(self) -> float:
        """Return what the last collection left of traced memory, 0 without tracemalloc."""
        return int(_TRACED.findall(self.log.read_text())[-1]) / 1e6

    def ended(self) -> int:
        """Return how many runs have ended."""
        with Archive(self._home / "runs.sqlite") as archive:
            return sum(info.state != "running" for info in archive.runs())

    def most_memory_mb(self) -> float:
        """Return the most that it ever held (Linux)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        held = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(held.split()[1]) * 1024 / 1e6

    def close(self) -> None:
        """End it."""
        self._child.terminate()
        self._child.wait()


@contextmanager
def served(home: str | Path, *options: str) -> Iterator[Server]:
    """Serve the app, its archive in a folder."""
    server = Server(Path(home), *options)
    try:
        server.wait()
        yield server
    finally:
        server.close()


@contextmanager
def visited(*options: str) -> Iterator[tuple[Server, Any]]:
    """Serve the app in a new home; give the server and a headless Chromium."""
    with (
        tempfile.TemporaryDirectory() as home,
        served(home, *options) as server,
        sync_playwright() as play,
    ):
        chromium = browser(play)
        yield server, chromium
        chromium.close()


def browser(play: Playwright) -> Any:
    return play.chromium.launch(
        executable_path=_chromium(),
        args=["--no-sandbox", "--disable-gpu", "--disable-quic"],
    )


@contextmanager
def undriven() -> Iterator[str]:
    """Start a headless Chromium, and give the address at which a driver may come and go."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        child = subprocess.Popen(
            [_chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
             "--no-first-run", "--disable-extensions", "--remote-debugging-port=0",
             f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        told = Path(profile) / "DevToolsActivePort"
        while not told.exists() or not told.read_text():
            time.sleep(0.1)
        try:
            yield f"http://127.0.0.1:{told.read_text().split()[0]}"
        finally:
            child.terminate()
            child.wait()


def _chromium() -> str:
    names = ("chromium-headless-shell", "chromium", "google-chrome")
    return next(filter(None, map(shutil.which, names)), names[0])


def opened(context: Any, url: str) -> Any:
    """Return the page in a browser or one of its contexts, when its plot is drawn."""
    page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 720})
    page.set_default_timeout(_PATIENCE_MS)
    page.goto(url)
    page.wait_for_function(DRAWN)
    return page


def click(page: Any, place: Any) -> float:
    """Click a place of the data on a page that has `WATCH`; return how long its ring took, ms."""
    page.evaluate("window.took = null")
    page.mouse.click(*page.evaluate(PIXEL, place))
    page.wait_for_function("window.took !== null")
    took = float(page.evaluate("window.took"))
    page.keyboard.press("Escape")
    return took


def press(page: Any, button: str) -> None:
    page.get_by_role("main").get_by_role("button", name=button, exact=True).click()


def choose(page: Any, field: str, option: str) -> None:
    page.get_by_label(field, exact=True).first.select_option(label=option)


def fill(page: Any, field: str, value: object) -> None:
    box = page.get_by_label(field, exact=True).first
    box.fill(str(value))
    box.press("Enter")

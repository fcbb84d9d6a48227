"""A real `panel serve` of the real app, and a hand to drive its page."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from ccviz.archive import Archive

ROOT = Path(__file__).parents[2]

# Where a point of the data is on the page, through the scales of the figure that draws it.
_TO_PIXEL = """([name, x, y]) => {
    const view = Bokeh.index.find_one(Bokeh.documents[0].get_model_by_name(name))
    const box = view.canvas_view.el.getBoundingClientRect()
    return [box.left + view.frame.x_scale.compute(x), box.top + view.frame.y_scale.compute(y)]
}"""
_POINTS = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    const data = plot.renderers.find((each) => each.data_source.data.row).data_source.data
    return {x: [...data.x], y: [...data.y], label: [...data.label]}
}"""
_READY = """() => {
    const plot = window.Bokeh && Bokeh.documents.length
        && Bokeh.documents[0].get_model_by_name("scatter")
    return plot && Bokeh.index.find_one(plot) && plot.inner_width > 100
}"""


class Server:
    """One `panel serve` process with a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = home / "server.log"
        self.process = subprocess.Popen(
            [
                sys.executable, "-m", "panel", "serve", "apps/main.py",
                "--address", "127.0.0.1", "--port", str(self.port),
                "--allow-websocket-origin", f"127.0.0.1:{self.port}",
                "--unused-session-lifetime", "4000", "--check-unused-sessions", "500",
            ],
            cwd=ROOT, env=os.environ | {"CCVIZ_HOME": str(home)},
            stdout=self.log.open("wb"), stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._wait()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/main"

    def _wait(self) -> None:
        for _ in range(300):
            with (
                suppress(OSError),
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/static/js/bokeh.min.js"),
            ):
                return
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.1)
        pytest.fail(f"the server did not start: {self.log.read_text()}")

    def workers(self) -> list[psutil.Process]:
        """Return the processes of the runs that go on."""
        children = psutil.Process(self.process.pid).children(recursive=True)
        return [child for child in children if _is_worker(child)]

    def archive(self) -> Archive:
        return Archive(self.home / "runs.sqlite")

    def close(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def _is_worker(process: psutil.Process) -> bool:
    try:
        return "ccviz.worker" in process.cmdline()
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False


class Lab:
    """The page of one session."""

    def __init__(self, page, url: str) -> None:
        self.page = page
        self.origin = url.rpartition("/")[0]
        self.troubles: list[str] = []
        self.forgiven: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(url)
        page.wait_for_function(_READY, timeout=30_000)

    def _listen(self, message) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(f"{message.text} {message.location.get('url', '')}")

    @property
    def requests_elsewhere(self) -> list[str]:
        """Return the addresses on other servers that the page asked for."""
        own = (f"{self.origin}/", "data:", "blob:")
        return [url for url in self.requests if not url.startswith(own)]

    def assert_clean(self) -> None:
        """Check that the console has no error and no warning, and nobody else was asked."""
        troubles = [
            trouble
            for trouble in self.troubles
            if not any(words in trouble for words in self.forgiven)
        ]
        assert not troubles, troubles
        assert not self.requests_elsewhere, self.requests_elsewhere

    def forgive(self, words: str) -> None:
        """Leave what the console says in these words out of what `assert_clean` looks at."""
        self.forgiven.append(words)

    def pixel(self, x: float, y: float, figure: str = "scatter") -> tuple[float, float]:
        """Return where a place of a figure's data is on the page."""
        return tuple(self.page.evaluate(_TO_PIXEL, [figure, x, y]))

    def points(self) -> dict[str, list[float]]:
        """Return the points as drawn: x, y and label."""
        return self.page.evaluate(_POINTS)

    def labels(self) -> list[int]:
        return self.points()["label"]

    def click_point(self, index: int) -> None:
        points = self.points()
        self.page.mouse.click(*self.pixel(points["x"][index], points["y"][index]))

    def pick(self, i: int, j: int) -> None:
        """Click two points, and wait for the buttons at the pointer."""
        self.click_point(i)
        self.page.wait_for_function(_PICKED, arg=1)
        self.click_point(j)
        self.page.get_by_text(f"points {i} and {j}").wait_for()

    def link(self, kind: str, i: int, j: int) -> None:
        """Link two points by the keys."""
        self.pick(i, j)
        self.page.keyboard.press({"must": "m", "cannot": "c"}[kind])

    def press(self, button: str) -> None:
        self.page.get_by_role("button", name=button, exact=True).click()

    def choose(self, label: str, option: str) -> None:
        self.page.get_by_label(label, exact=True).first.select_option(label=option)

    def fill(self, label: str, value: str) -> None:
        box = self.page.get_by_label(label, exact=True).first
        box.fill(value)
        box.press("Enter")

    def room(self, name: str) -> None:
        """Go to a tab."""
        self.page.locator(".bk-tab").get_by_text(name, exact=True).click()

    def upload(self, name: str, content: bytes) -> None:
        self.page.locator(".filepond--browser").set_input_files(
            {"name": name, "mimeType": "text/csv", "buffer": content}
        )

    def see(self, text: str | re.Pattern, timeout: float = 20_000) -> None:
        self.page.get_by_text(text).first.wait_for(timeout=timeout)

    @property
    def notice(self) -> str:
        """Return the sentence over the plot; wait for one."""
        alert = self.page.locator(".sentence")
        alert.wait_for(timeout=20_000)
        return alert.inner_text()

    @property
    def card(self) -> str:
        return self.page.get_by_role("region", name="Result").inner_text()

    def links(self) -> list[str]:
        """Return the list of links that were made, as people read it."""
        return [item.inner_text() for item in self.page.locator(".links li.given").all()]

    def drawn(self, kind: str) -> int:
        """Return how many lines of a kind are drawn."""
        return self.page.evaluate(_DRAWN, kind)


_PICKED = """(many) => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    return plot.renderers.find((each) => each.name === "picked").data_source.data.x.length === many
}"""
_DRAWN = """(kind) => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    return plot.renderers.find((each) => each.name === kind).data_source.data.x0.length
}"""

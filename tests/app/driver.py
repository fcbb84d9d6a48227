"""A real `panel serve` of the real app, and a hand to drive its page."""

import math
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from ccviz.runs.archive import Archive
from ccviz.solvers import SOLVERS
from tests.patience import PATIENCE_S, wait_until

ROOT = Path(__file__).parents[2]
# An address that opens the page without the example.
EMPTY = "?example=no&solver=blp-kmeans"
# An address whose run never ends by itself, and needs no second to find a clustering.
ENDLESS = "?data=iris&k=3&cl=0-60&solver=cop-kmeans&set.n_init=100000000"

_NAMES = {solver.title: solver.name for solver in SOLVERS}

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
# Arrays of the browser as lists: of numbers, and of pictures, which are arrays again.
_SOURCES = """([name, column]) => {
    const plain = (value) => ArrayBuffer.isView(value) || Array.isArray(value)
        ? Array.from(value, plain) : value
    const plot = Bokeh.documents[0].get_model_by_name(name)
    return (plot ? plot.renderers : []).map((each) => [each.name, each.data_source.data])
        .filter(([_, data]) => column in data)
        .map(([name, data]) => [name, Object.fromEntries(
            Object.entries(data).map(([key, values]) => [key, plain(values)]))])
}"""
_RANGES = """(name) => {
    const {x_range, y_range} = Bokeh.documents[0].get_model_by_name(name)
    return [x_range.start, x_range.end, y_range.start, y_range.end]
}"""
# Ends when some frames in a row show a figure in one place, with one range: a busy page has few.
_RESTS = """async (name) => {
    const look = () => {
        const view = Bokeh.index.find_one(Bokeh.documents[0].get_model_by_name(name))
        const {x, y, width, height} = view.canvas_view.el.getBoundingClientRect()
        const {x_range, y_range} = view.model
        return [x, y, width, height, x_range.start, x_range.end, y_range.start, y_range.end].join()
    }
    // A figure of a tab that has just come to the front has no ends of its axes yet.
    for (let before = "", same = 0, looks = 0; same < 5 && looks < 600; looks++) {
        await new Promise(requestAnimationFrame)
        const now = look()
        same = now === before && !now.includes("NaN") ? same + 1 : 0
        before = now
    }
}"""
_DRAWN_FIGURE = """(name) => {
    const plot = window.Bokeh && Bokeh.documents[0].get_model_by_name(name)
    const view = plot && Bokeh.index.find_one(plot)
    return view && view.el.isConnected && plot.inner_width > 20
}"""
# The theme is set by the script that hears the keys.
READY = """() => {
    const plot = window.Bokeh && Bokeh.documents.length
        && Bokeh.documents[0].get_model_by_name("scatter")
    return plot && Bokeh.index.find_one(plot) && plot.inner_width > 100
        && document.documentElement.dataset.theme
}"""


# Panel's command, in a process that answers two signals: one with the stacks of its threads, one
# with the number of objects that a garbage collection leaves.
_SERVE = """
import faulthandler
import gc
import signal
from panel.command import main


def collect(*_):
    gc.collect()
    print("objects left:", len(gc.get_objects()), flush=True)


faulthandler.register(signal.SIGUSR1)
signal.signal(signal.SIGUSR2, collect)
main()
"""


class Server:
    """One `panel serve` process with a home of its own, and more options if there are any."""

    def __init__(self, home: Path, *options: str) -> None:
        self.home = home
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = home / "server.log"
        self._options = options
        self.start()

    def start(self) -> None:
        """Serve, at the same port as before."""
        self.process = subprocess.Popen(
            [
                sys.executable, "-c", _SERVE, "serve", "apps/main.py",
                "--address", "127.0.0.1", "--port", str(self.port),
                "--allow-websocket-origin", f"127.0.0.1:{self.port}",
                "--unused-session-lifetime", "4000", "--check-unused-sessions", "500",
                *self._options,
            ],
            cwd=ROOT, env=os.environ | {"CCVIZ_HOME": str(self.home)},
            stdout=self.log.open("ab"), stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._wait()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/main"

    def _wait(self) -> None:
        def answers() -> bool:
            assert self.process.poll() is None, self.log.read_text()
            with suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/static/js/bokeh.min.js")
                return True
            return False

        wait_until(answers)

    def workers(self) -> list[psutil.Process]:
        """Return the processes that do runs; those that wait for one write to no archive."""
        with self.archive() as archive:
            busy = {info.pid for info in archive.runs()}
        children = psutil.Process(self.process.pid).children(recursive=True)
        return [child for child in children if child.pid in busy and _is_worker(child)]

    def waiting(self) -> list[psutil.Process]:
        """Return the workers that wait for a run."""
        busy = {each.pid for each in self.workers()}
        children = psutil.Process(self.process.pid).children(recursive=True)
        return [child for child in children if _is_worker(child) and child.pid not in busy]

    def objects_left(self) -> int:
        """Collect the server's garbage, and return how many objects of Python's are left."""
        answer = re.compile(r"^objects left: (\d+)$", re.MULTILINE)
        before = len(answer.findall(self.log.read_text()))
        self.process.send_signal(signal.SIGUSR2)
        wait_until(lambda: len(answer.findall(self.log.read_text())) > before)
        return int(answer.findall(self.log.read_text())[-1])

    def archive(self) -> Archive:
        return Archive(self.home / "runs.sqlite")

    def forget(self) -> None:
        """Remove the runs of earlier tests; what still writes one ends."""
        with self.archive() as archive:
            for info in archive.runs():
                archive.delete(info.id)

    def kill(self) -> None:
        """End it without a word."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()


def _is_worker(process: psutil.Process) -> bool:
    """Return whether it is one, be it a new interpreter or forked by a fork server."""
    try:
        parent = process.parent()
        words = [*process.cmdline(), *(parent.cmdline() if parent else [])]
        return "ccviz.runs.worker" in words or words.count("ccviz.runs.fork_server") == 2
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False


class Lab:
    """The page of one session."""

    def __init__(self, page, url: str) -> None:
        self.page = page
        self.origin = url.rpartition("/")[0]
        self._brought = TemporaryDirectory()
        self.troubles: list[str] = []
        self.requests: list[str] = []
        self._ears = {
            "console": self._listen,
            "pageerror": lambda error: self.troubles.append(str(error)),
            "request": lambda request: self.requests.append(request.url),
        }
        for event, ear in self._ears.items():
            page.on(event, ear)
        page.goto(url)
        page.wait_for_function(READY)

    def listen_no_more(self) -> None:
        """Leave what happens in the tab from now on to whoever uses it next."""
        for event, ear in self._ears.items():
            self.page.remove_listener(event, ear)

    def _listen(self, message) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(f"{message.text} {message.location.get('url', '')}")

    @property
    def requests_elsewhere(self) -> list[str]:
        """Return the addresses on other servers that the page asked for."""
        own = (f"{self.origin}/", "data:", "blob:")
        return [url for url in self.requests if not url.startswith(own)]

    def assert_clean(self) -> None:
        """Check that the console has no error and no warning, and no other server was asked."""
        assert not self.troubles, self.troubles
        assert not self.requests_elsewhere, self.requests_elsewhere

    def pixel(self, x: float, y: float, figure: str = "scatter") -> tuple[float, float]:
        """Return where a place of a figure's data is on the page."""
        return tuple(self.page.evaluate(_TO_PIXEL, [figure, x, y]))

    def points(self) -> dict[str, list[float]]:
        """Return the points as drawn: x, y and label."""
        return self.page.evaluate(_POINTS)

    def labels(self) -> list[int]:
        return self.points()["label"]

    def root(self) -> tuple[float, float]:
        """Return where the tree's root is in its figure, once it has a place."""
        place = []

        def has_place() -> bool:
            tree = self.sources("tree", "lower_bound")[0]
            place[:] = tree["x"][0], tree["y"][0]
            return all(map(math.isfinite, place))

        self.wait_for(has_place)
        self.rest("tree")
        return place[0], place[1]

    def sources(self, figure: str, column: str) -> list[dict[str, list]]:
        """Return the columns of each thing that is drawn in a figure and has this column."""
        return [data for _, data in self.page.evaluate(_SOURCES, [figure, column])]

    def source(self, name: str, column: str = "x", figure: str = "scatter") -> dict[str, list]:
        """Return the columns of what is drawn under a name."""
        return dict(self.page.evaluate(_SOURCES, [figure, column]))[name]

    def ranges(self, figure: str) -> list[float]:
        """Return what a figure shows: left, right, bottom, top."""
        return self.page.evaluate(_RANGES, figure)

    def rest(self, figure: str = "scatter") -> None:
        """Wait until nothing moves a figure or what it shows: the mouse is about to aim."""
        self.page.evaluate(_RESTS, figure)

    def figure(self, name: str):
        """Wait until a figure is drawn, and return its place on the page."""
        self.page.wait_for_function(_DRAWN_FIGURE, arg=name)
        return self.page.get_by_role("figure", name=name.replace("-", " "), exact=True)

    @staticmethod
    def tool(place, name: str):
        """Return a button of a figure's bar, wherever it has room."""
        button = place.get_by_role("button", name=name, exact=True).or_(
            place.get_by_title(name, exact=True)
        )
        if not button.count():
            place.locator(".bk-tool-overflow").click()
            button = place.page.get_by_title(name, exact=True).filter(visible=True)
        return button.last

    def save(self, folder: Path, *figures: str) -> None:
        """Save figures in each format by their dialog, and check the files."""
        for figure in figures:
            self.save_place(self.figure(figure), figure, folder)

    def save_place(self, place, figure: str, folder: Path) -> None:
        """Save the figure at a place of the page; see `save`."""
        for kind, start in (("png", b"\x89PNG"), ("svg", b"<svg"), ("pdf", b"%PDF")):
            place.hover()
            self.tool(place, "Figure…").click()
            dialog = self.page.get_by_role("dialog", name="Figure")
            dialog.get_by_label("Format").select_option(kind)
            with self.page.expect_download() as download:
                dialog.get_by_role("button", name="Save").click()
            assert download.value.suggested_filename.endswith(f"{figure}.{kind}")
            path = folder / f"{figure}.{kind}"
            download.value.save_as(path)
            assert path.read_bytes().startswith(start)
            assert path.stat().st_size > 2000

    def drag(self, *places: tuple[float, float], figure: str = "scatter") -> None:
        """Draw a line with the mouse through places of a figure's data."""
        self.rest(figure)
        mouse = self.page.mouse
        mouse.move(*self.pixel(*places[0], figure))
        mouse.down()
        for place in places[1:]:
            mouse.move(*self.pixel(*place, figure), steps=8)
        mouse.up()

    def take_tool(self, name: str, figure: str = "scatter") -> None:
        """Choose a tool of a figure's bar, which shows while the mouse is over the figure."""
        self.rest(figure)
        left, right, bottom, top = self.ranges(figure)
        self.page.mouse.move(*self.pixel((left + right) / 2, (bottom + top) / 2, figure))
        button = self.page.get_by_role("button", name=name, exact=True).or_(
            self.page.get_by_title(name, exact=True)
        ).first  # fmt: skip
        if not button.evaluate("(node) => node.classList.contains('bk-active')"):
            button.click()

    def lasso(self, *corners: tuple[float, float]) -> None:
        """Go around a group of points."""
        self.take_tool("Lasso Select")
        self.drag(*corners, corners[0])

    def click_point(self, index: int) -> None:
        self.rest()
        points = self.points()
        self.page.mouse.click(*self.pixel(points["x"][index], points["y"][index]))

    def pick(self, i: int, j: int) -> None:
        """Click two points, and wait for the buttons at the pointer."""
        self.click_point(i)
        self.page.wait_for_function(PICKED, arg=i)
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

    def answer(self, text: str) -> None:
        """Type a name where the page asks for one."""
        dialog = self.page.get_by_role("dialog").filter(has=self.page.locator("[name=text]"))
        dialog.get_by_role("textbox").fill(text)
        dialog.get_by_role("button", name="OK").click()

    def room(self, name: str) -> None:
        """Go to a tab."""
        self.page.locator(".bk-tab").get_by_text(name, exact=True).click()

    def show_run(self, words: str) -> None:
        """Show the first run of the table that has these words."""
        self.room("Runs")
        self.run_row(words).get_by_role("button", name="Show").click()

    def run_row(self, words: str = "") -> Any:
        """Return the first run of the table that has these words."""
        return self.page.locator(".scroll tbody tr").filter(has_text=words).first

    def unfold(self, row: Any) -> Any:
        """Unfold a run of the table, unless it is unfolded; return its row."""
        more = row.get_by_role("button", name="More about")
        if more.get_attribute("aria-expanded") == "false":
            more.click()
        return row

    def upload(self, name: str, content: bytes) -> None:
        path = Path(self._brought.name) / name  # what is sent as bytes costs the driver seconds
        path.write_bytes(content)
        self.page.locator(".drop-zone input").first.set_input_files(path)

    def take_table(self, name: str, content: bytes) -> None:
        """Bring a table, and load it as the sheet proposes."""
        self.upload(name, content)
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_role("button", name="Load", exact=True).click()
        # The sheet shows the first points too: what is read on the page is of them until it closes.
        refused = dialog.get_by_role("alert")
        self.wait_for(lambda: not dialog.is_visible() or refused.is_visible())

    def see(self, text: str | re.Pattern) -> None:
        self.page.get_by_text(text).locator("visible=true").first.wait_for()

    def wait_for(self, condition: Callable[[], object]) -> None:
        """Wait for something that takes more than one look at the page."""
        wait_until(condition, lambda seconds: self.page.wait_for_timeout(1000 * seconds))

    def run(self) -> None:
        """Run the solver at full speed, and wait for its end.

        What ran before, if anything, must have had another solver or another seed.
        """
        solver, seed = (self.page.get_by_label(label, exact=True).first.input_value()
                        for label in ("Solver", "Seed"))  # fmt: skip
        self.choose("Speed", "Speed: Live")
        self.press("Run")
        self.see(f"{_NAMES[solver]}, seed {seed}")
        self.see(re.compile("^(Optimal clustering|Valid, not proved)"))
        self.page.get_by_role("button", name="Run", exact=True, disabled=False).wait_for()

    @property
    def place(self) -> tuple[int, int]:
        """Return how far the player is, and how far the run; nothing before there is one."""
        found = re.match(r"([\d,]+) / ([\d,]+) ", self.page.locator(".words").inner_text())
        return tuple(int(each.replace(",", "")) for each in found.groups()) if found else (0, 0)

    def step(self) -> None:
        """Let the run, which waits for it, do one event more, and see it."""
        at = self.place[0]
        self.press("Step")
        self.wait_for(lambda: self.place[0] == at + 1)

    def go_to(self, place: int) -> None:
        """Go back to the first event of a run that has ended, and on to another."""
        self.scrubber.focus()
        self.page.keyboard.press("Home")
        self.wait_for(lambda: self.place[0] == 1)
        for _ in range(1, place):
            self.step()

    @property
    def scrubber(self):
        """Return the handle under the plot that moves through a run."""
        return self.page.get_by_role("slider").filter(visible=True).last

    def see_notice(self, words: str | re.Pattern) -> str:
        """Wait for a sentence over the plot with these words in it, and return it whole."""
        alert = self.page.locator(".sentence").filter(has_text=words)
        alert.wait_for()
        return alert.inner_text()

    @property
    def card(self) -> str:
        """Return the words of the line over the tabs and of the result, whose tab comes forward.

        They are empty where another tab comes forward meanwhile, as that of a proof that starts.
        """
        result = self.page.get_by_role("region", name="Result")
        words = result.all_inner_texts()
        if not words:
            self.room("Result")
            result.wait_for()
            words = result.all_inner_texts()
        return "\n".join([self.page.get_by_role("region", name="Status").inner_text(), *words])

    def links(self) -> list[str]:
        """Return the list of links that were made, as people read it."""
        return self.page.locator(".links li.given").evaluate_all(
            "(items) => items.map((item) => item.textContent.trim())"
        )

    def row_of_link(self, name: str):
        """Go to the row of a link such as ``must-link 3-140``; it shows its weight and button."""
        row = self.page.locator("li.given").filter(
            has=self.page.locator(f"button[aria-label='Delete {name}']")
        )
        row.hover()
        return row

    def delete_link(self, name: str) -> None:
        self.row_of_link(name).get_by_role("button").click()

    def weigh_link(self, name: str, value: str) -> None:
        weight = self.row_of_link(name).get_by_role("spinbutton")
        weight.fill(value)
        weight.press("Enter")

    def unfold_settings(self) -> None:
        """Show solver, seed and limits, which are folded where the page chose them."""
        fold = self.page.get_by_role("button", name=re.compile("^(Exact, |Quick, |At most )"))
        if fold.get_attribute("aria-expanded") != "true":
            fold.click()
        self.page.get_by_label("Seed", exact=True).first.wait_for()

    def drawn(self, kind: str) -> int:
        """Return how many lines of a kind are drawn."""
        return self.page.evaluate(_DRAWN, kind)


# Whether one point alone is picked.
PICKED = """(index) => {
    const {renderers} = Bokeh.documents[0].get_model_by_name("scatter")
    const picked = renderers.find((each) => each.name === "picked").data_source.data
    const points = renderers.find((each) => each.data_source.data.row).data_source.data
    return picked.x.length === 1
        && picked.x[0] === points.x[index] && picked.y[0] === points.y[index]
}"""
_DRAWN = """(kind) => {
    const plot = Bokeh.documents[0].get_model_by_name("scatter")
    return plot.renderers.find((each) => each.name === kind).data_source.data.x0.length
}"""

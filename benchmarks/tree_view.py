"""The tree view on a recorded tree of 10,000 nodes: opening, panning, ticks at 50x speed.

The run is a made-up best-first search of five minutes, so that a tick of 100 ms at 50x speed is 5 s
of it. First CPU milliseconds of the server's process and the sizes of its messages; then the page
in headless Chromium, which draws in software here: the clock on the wall from the press of Show to
the tree drawn, and the frames a second in which it is painted while the mouse pans it.

Asked for: open in under 2 s, pan at 30 frames a second, ticks under 100 ms.
"""

import heapq
import tempfile
import time
from itertools import count
from pathlib import Path

import numpy as np
from _page import browser, opened, served
from bokeh.document import Document
from bokeh.protocol import Protocol
from playwright.sync_api import sync_playwright

from ccviz import Problem
from ccviz.events import (
    Finished,
    NodeBounded,
    NodeBranched,
    NodeOpened,
    NodePruned,
    Record,
    Started,
)
from ccviz.runs.archive import Archive
from ccviz.views.figures.tree import TreeFigure
from ccviz.views.inside.catalogue import CATALOGUE
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.player import Player
from ccviz.views.page.shell import freeze_imports
from ccviz.views.palette import LIGHT

NODES, RUN_S, TICK_S, PAN_S = 10_000, 300.0, 5.0, 5.0
RESULT = Path(__file__).parent / "results" / "tree_view.md"


def search(rng):
    """Yield the events of a best-first search."""
    numbers, waiting = count(1), [(80.0, 0, 0)]
    yield Started(solver="made up", settings={}, seed=0, n=40, d=2, k=3, n_blocks=40)
    yield NodeOpened(node=0, parent=None, depth=0, lower_bound=80.0)
    opened = 1
    while waiting:
        bound, node, depth = heapq.heappop(waiting)
        if opened + 2 > NODES or rng.random() < 0.05:
            yield NodePruned(node=node, reason="bound", lower_bound=bound)
            continue
        pair = tuple(sorted(rng.choice(40, 2, replace=False).tolist()))
        yield NodeBranched(node=node, pair=pair, lower_bound=bound)
        for together in (True, False):
            child, opened = next(numbers), opened + 1
            raised = bound + rng.exponential(0.3)
            yield NodeOpened(
                node=child, parent=node, depth=depth + 1, lower_bound=bound, pair=pair,
                together=together,
            )  # fmt: skip
            yield NodeBounded(node=child, lower_bound=raised)
            heapq.heappush(waiting, (raised, child, depth + 1))
    yield Finished(termination="proved")


def records():
    """Return the search as records of a run of five minutes."""
    events = list(search(np.random.default_rng(0)))
    return [Record(at, RUN_S * at / len(events), event) for at, event in enumerate(events)]


class Screen:
    """The view with its messages counted."""

    def __init__(self, archive, run_id):
        self.player = Player(archive)
        self.inspection = Inspection(archive, self.player, CATALOGUE)
        self.figure = TreeFigure(LIGHT)
        self._heard = []
        document = Document()
        document.add_root(self.figure.plot)
        document.on_change(self._heard.append)
        self.player.open(run_id)

    def show(self, seq):
        """Move the cursor, draw, and return CPU milliseconds and the message's kilobytes."""
        began = time.process_time()
        self.player.seek(seq)
        self.figure.show(self.inspection.tree_frame())
        size = 0
        if self._heard:
            message = Protocol().create("PATCH-DOC", list(self._heard))
            size = len(message.content_json) + sum(len(b.to_bytes()) for b in message.buffers)
            self._heard.clear()
        return 1000 * (time.process_time() - began), size / 1000


TREE = """() => {
    const plot = Bokeh.documents[0].get_model_by_name("tree")
    const view = plot && Bokeh.index.find_one(plot)
    return view && plot.inner_width > 100 && plot.title !== null
        && plot.renderers.some((each) => (each.data_source.data.node ?? []).length > 100)
}"""
# The frame of the tree on the page, and a count of its paintings.
PAINTED = """() => {
    const view = Bokeh.index.find_one(Bokeh.documents[0].get_model_by_name("tree"))
    window.paintings = 0
    view.repainted.connect(() => window.paintings++)
    const box = view.canvas_view.el.getBoundingClientRect(), frame = view.frame.bbox
    return [box.left + frame.hcenter, box.top + frame.vcenter]
}"""


def in_the_page(home):
    """Return how long the run in the archive takes to open, and the frames a second of a pan."""
    with served(home) as server, sync_playwright() as play:
        chromium = browser(play)
        page = opened(chromium, server.url)
        page.locator(".bk-tab").get_by_text("Inside the solver", exact=True).click()
        page.locator(".bk-tab").get_by_text("Runs", exact=True).click()
        show = page.get_by_role("button", name="Show", exact=True)
        show.wait_for()
        began = time.monotonic()
        show.click()
        page.locator(".bk-tab").get_by_text("Inside the solver", exact=True).click()
        page.wait_for_function(TREE)
        took = time.monotonic() - began
        page.wait_for_timeout(1000)
        x, y = page.evaluate(PAINTED)
        page.mouse.move(x, y)
        page.mouse.down()
        began, moves = time.monotonic(), 0
        while time.monotonic() < began + PAN_S:
            moves += 1
            page.mouse.move(x + 60 * np.sin(moves / 15), y + 20 * np.cos(moves / 15))
        rate = page.evaluate("window.paintings") / (time.monotonic() - began)
        page.mouse.up()
        chromium.close()
    return took, rate


def main():
    """Measure, print and write the table."""
    kept = records()
    a_tick = int(len(kept) * TICK_S / RUN_S)
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs.sqlite") as archive:
        run_id = archive.create(
            Problem(np.random.default_rng(0).normal(size=(40, 2)), 3), "sdp", {}
        )
        archive.append(run_id, kept, None)
        freeze_imports()  # as the server does
        opening = Screen(archive, run_id).show(len(kept))
        replay = Screen(archive, run_id)
        ticks = np.array([replay.show(seq) for seq in range(a_tick, len(kept) + a_tick, a_tick)])
        took, rate = in_the_page(folder)
    middle, most = np.median(ticks, axis=0), ticks.max(axis=0)
    table = (
        f"Measured on {time.strftime('%F')}. {NODES:,} nodes, {len(kept):,} events; CPU time of "
        "the server's process.\n\n"
        "| What | CPU, ms | Message, kB |\n|---|---|---|\n"
        f"| open at the end | {opening[0]:.0f} | {opening[1]:.0f} |\n"
        f"| tick at 50x, median of {len(ticks)} | {middle[0]:.0f} | {middle[1]:.0f} |\n"
        f"| tick at 50x, largest | {most[0]:.0f} | {most[1]:.0f} |\n\n"
        f"In the page: {took:.2f} s from the press of Show to the tree drawn; {rate:.0f} frames a "
        "second while the mouse pans it.\n"
    )
    print(table)
    RESULT.write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()

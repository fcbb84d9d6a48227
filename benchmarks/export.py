"""Runs as one HTML file: how large they are, how long they take to write, to open and to step.

Asked for: at most 2 MB for iris with a tree of 53 nodes, at most 10 MB for 10,000 nodes. Both trees
are those of the made-up search of `benchmarks/tree_view.py`; on iris every node shows a matrix of
150 blocks, too, half clustering and half noise, which packs worse than any real one. Opened from
the disk in headless Chromium, which draws in software here, and in Firefox; the clock on the wall,
the middle one of five.
"""

import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the driver of Firefox, of the tests

import numpy as np
import tree_view
from _page import browser
from playwright.sync_api import sync_playwright

from ccviz import Problem
from ccviz.data import load
from ccviz.events import IncumbentFound, NodeOpened, Record, RelaxationSolved
from ccviz.views.export.page import save_html
from ccviz.views.export.story import Play
from tests.firefox import firefox

IRIS_NODES, NODES, TIMES = 53, 10_000, 5
RESULT = Path(__file__).parent / "results" / "export.md"
READY = """new Promise((done) => {
    const look = () => document.documentElement.dataset.ready ? done(performance.now())
        : setTimeout(look, 5)
    look()
})"""
STEP = """(() => {
    const began = performance.now()
    for (let turn = 0; turn < 10; turn++) ccviz.player.seek(ccviz.player.place - 1)
    return (performance.now() - began) / 10
})()"""


def made_up(problem, truth, nodes):
    """Return a search of a number of nodes, with a matrix at each node where classes are given."""
    rng = np.random.default_rng(0)
    tree_view.NODES = nodes
    events = []
    for event in tree_view.search(rng):
        events.append(event)
        if isinstance(event, NodeOpened) and truth is not None:
            if event.parent is None:
                events.append(IncumbentFound(labels=truth))
            share = 0.5 * (truth[:, None] == truth) + 0.5 * rng.random((len(truth),) * 2)
            np.fill_diagonal(share, 1.0)
            block_of = np.arange(len(truth))
            events.append(RelaxationSolved(node=event.node, Z=share, block_of=block_of))
    kept = [Record(at, 0.01 * at, event) for at, event in enumerate(events)]
    return Play("made up", problem, kept, len(kept))


def measure(play, folder, chromium, fox):
    """Return a row of the table: file, writing, opening and stepping in both browsers."""
    path = folder / "run.html"
    began = time.perf_counter()
    save_html(path, [play])
    row = [path.stat().st_size / 1e6, time.perf_counter() - began]
    opened, stepped = [], []
    for _ in range(TIMES):
        page = chromium.new_page(viewport={"width": 1280, "height": 720})
        page.goto(path.as_uri())
        opened.append(page.evaluate(READY))
        stepped.append(page.evaluate(STEP))
        page.close()
    row += [median(opened), median(stepped)]
    opened, stepped = [], []
    for _ in range(TIMES):
        fox.open(path)
        opened.append(fox.evaluate(READY))
        stepped.append(fox.evaluate(STEP))
    return [*row, median(opened), median(stepped)]


def main():
    """Measure, and write the table."""
    data = load("iris")
    small = Problem(data.X, data.k, truth=data.truth)
    large = Problem(np.random.default_rng(0).normal(size=(40, 2)), 3)
    plays = {
        "iris, {nodes} nodes": made_up(small, None, IRIS_NODES),
        "the same with a matrix a node": made_up(small, data.truth, IRIS_NODES),
        "made up, {nodes} nodes": made_up(large, None, NODES),
    }
    lines = [
        "| Run | Events | File, MB | Written, s | Chromium: opened, ms | a step, ms |"
        " Firefox: opened, ms | a step, ms |",
        "|---|---|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        chromium = browser(play)
        with firefox(Path(folder)) as fox:
            for name, each in plays.items():
                nodes = sum(isinstance(record.event, NodeOpened) for record in each.records)
                size, written, *rest = measure(each, Path(folder), chromium, fox)
                cells = [f"{size:.2f}", f"{written:.1f}", *(f"{value:.0f}" for value in rest)]
                row = [name.format(nodes=f"{nodes:,}"), f"{each.many:,}", *cells]
                lines.append(f"| {' | '.join(row)} |")
                print(lines[-1], flush=True)
        chromium.close()
    RESULT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

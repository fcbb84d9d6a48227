"""Runs as one HTML file: how large they are, how long they take to write, to open and to step.

Asked for: at most 2 MB for iris with a tree of 53 nodes, at most 10 MB for 10,000 nodes. Both trees
are those of a made-up search; on iris every node shows a matrix of
150 blocks, too, half clustering and half noise, which packs worse than any real one. Opened from
the disk in headless Chromium, which draws in software here, and in Firefox; the clock on the wall,
the middle one of five.
"""

import heapq
import tempfile
import time
from itertools import count
from pathlib import Path

import _runner as runner
import numpy as np
from _page import browser
from playwright.sync_api import sync_playwright

from ccviz import Problem
from ccviz.data import load
from ccviz.events import (
    Finished,
    IncumbentFound,
    NodeBounded,
    NodeBranched,
    NodeOpened,
    NodePruned,
    Record,
    RelaxationSolved,
    Started,
)
from ccviz.views.export.page import save_html
from ccviz.views.export.story import Play
from tests.firefox import firefox

IRIS_NODES, NODES, TIMES = 53, 10_000, 5
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


def search(rng, most):
    """Yield the events of a made-up best-first search with up to that many nodes."""
    numbers, waiting = count(1), [(80.0, 0, 0)]
    yield Started(solver="made up", settings={}, seed=0, n=40, d=2, k=3, n_blocks=40)
    yield NodeOpened(node=0, parent=None, depth=0, lower_bound=80.0)
    opened = 1
    while waiting:
        bound, node, depth = heapq.heappop(waiting)
        if opened + 2 > most or rng.random() < 0.05:
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


def made_up(problem, truth, nodes):
    """Return a search of a number of nodes, with a matrix at each node where classes are given."""
    rng = np.random.default_rng(0)
    events = []
    for event in search(rng, nodes):
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
    """Return the cells of a row: file, writing, opening and stepping in both browsers."""
    path = folder / "run.html"
    began = time.perf_counter()
    save_html(path, [play])
    written = time.perf_counter() - began
    size = path.stat().st_size / 1e6
    in_chromium, in_firefox = [], []
    for _ in range(TIMES):
        page = chromium.new_page(viewport={"width": 1280, "height": 720})
        page.goto(path.as_uri())
        in_chromium.append([page.evaluate(READY), page.evaluate(STEP)])
        page.close()
    for _ in range(TIMES):
        fox.open(path)
        in_firefox.append([fox.evaluate(READY), fox.evaluate(STEP)])
    clocks = [*np.median(in_chromium, axis=0), *np.median(in_firefox, axis=0)]
    return [f"{size:.2f}", f"{written:.1f}", *(f"{each:.0f}" for each in clocks)]


def main():
    runner.parse(__doc__)
    data, lines = load("iris"), []
    small = Problem(data.X, data.k, truth=data.truth)
    large = Problem(np.random.default_rng(0).normal(size=(40, 2)), 3)
    plays = {
        "iris, {nodes} nodes": made_up(small, None, IRIS_NODES),
        "the same with a matrix a node": made_up(small, data.truth, IRIS_NODES),
        "made up, {nodes} nodes": made_up(large, None, NODES),
    }
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        chromium = browser(play)
        with firefox(Path(folder)) as fox:
            for name, each in plays.items():
                nodes = sum(isinstance(record.event, NodeOpened) for record in each.records)
                cells = measure(each, Path(folder), chromium, fox)
                lines.append([name.format(nodes=f"{nodes:,}"), f"{each.many:,}", *cells])
        chromium.close()
    header = (
        "Run | Events | File, MB | Written, s | Chromium: opened, ms | a step, ms "
        "| Firefox: opened, ms | a step, ms"
    )
    runner.write_page("export", runner.markdown(header, lines))


if __name__ == "__main__":
    main()

"""A class of thirty on one server, six of them running, one of them hostile.

Asked for: the others' clicks are answered within 300 ms (median), 1 s at worst; once all have gone
no process is left. The clicks of the same class without the hostile student, in the same run, are
the rival. What classes leave in memory, `session_memory.py` measures.

All browsers are on the machine that serves. Those of who runs and of the hostile one stand back
(niceness 19): in a class they have processors of their own, and six pages that move all the time
would measure themselves. What is felt is what the other 23 students feel.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import cycle
from typing import Any
from urllib.parse import urlencode

import _runner as runner
import numpy as np
from _page import POINTS, WATCH, Server, browser, click, opened, press, visited
from playwright.sync_api import Error, sync_playwright

STUDENTS, RUNNING, ROUNDS = 29, 6, 3
# Never ends by itself: a step without cuts at every node.
LONG = {"solver": "sdp", "set.cuts_per_block": 0.0, "set.max_rounds": 1}
MARKUP = '"><img src=x onerror=alert(1)>'

# --- The others -----------------------------------------------------------------------------


def enter(chromium: Any, url: str, many: int, **asked: object) -> list[Any]:
    """Open the pages of a number of students, each in a browser of their own."""
    address = f"{url}?{urlencode({'data': 'wine', 'k': 3, 'example': 'no'} | asked)}"
    return [opened(chromium.new_context(), address) for _ in range(many)]


def run(url: str) -> None:
    """Let some students run something that takes long, until this process is ended."""
    with sync_playwright() as play:
        pages = enter(browser(play), url, RUNNING, **LONG)
        for page in pages:
            press(page, "Run")
        # As many as there are processors are under way, and the others wait for their turn.
        for page in pages:
            page.get_by_role("button", name="Stop", exact=True, disabled=False).wait_for()
        print("under way", flush=True)
        while True:
            pages[0].wait_for_timeout(1000)


def click_point(page: Any, point: int) -> float:
    """Click a point of a page that may lie behind others; return how long its ring took, ms."""
    x, y = page.evaluate(POINTS)
    page.bring_to_front()
    return click(page, [x[point], y[point]])


def clicks(pages: list[Any], rounds: int) -> list[float]:
    return [click_point(page, 5 + at) for at in range(rounds) for page in pages]


# --- The hostile student --------------------------------------------------------------------


def tables() -> Iterator[tuple[str, bytes]]:
    """Yield files that are too large, broken, or not what they say, for ever."""
    rng = np.random.default_rng(0)
    wide = "\n".join(",".join(map(str, row)) for row in rng.integers(0, 99, (100_000, 95)))
    return cycle([
        ("wide.csv", wide.encode()),
        ("deep.csv", b"," * 5_000_000),
        (f"{MARKUP}.csv", f"{MARKUP},b\n1,2\n3,4\n".encode()),
        ("digits.csv", b"9" * 100_000 + b",1\n2,3\n"),
        ("lies.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, "
                     b"'shape': (100000000, 100)}".ljust(128) + b"\n"),
    ])  # fmt: skip


def addresses() -> Iterator[dict[str, object]]:
    """Yield addresses that ask for too much, or for what there is not, for ever."""
    return cycle([
        {"data": "blobs", "n": 50_000_000},
        {"data": MARKUP, "solver": MARKUP, "k": "9" * 4000},
        {"data": "blobs", "n": 20_000, "k": 19_999},
        {"data": "iris", "k": 3, "ml": ",".join(f"{i}-{i + 1}" for i in range(149))},
    ])  # fmt: skip


def attack(url: str) -> None:
    """Go on until this process is ended; print a line for everything that was tried."""
    files, asked = tables(), addresses()
    with sync_playwright() as play:
        chromium = browser(play)
        context = chromium.new_context()
        for number in range(10**6):
            page = context.new_page()
            with suppress(Error):  # a page that was refused is no page
                page.goto(f"{url}?{urlencode(next(asked))}", timeout=20_000)
                page.locator(".drop-zone input").first.wait_for(state="attached")
                for _ in range(3):
                    name, content = next(files)
                    page.locator(".drop-zone input").first.set_input_files(
                        {"name": name.replace("/", ""), "mimeType": "text/csv", "buffer": content}
                    )
                    page.wait_for_timeout(500)
                page.get_by_role("button", name="Run", exact=True).first.click(timeout=2000)
            page.close()
            print(number, flush=True)


@contextmanager
def beside(what: str, url: str) -> Iterator[Callable[[], int]]:
    """Let others do something, and see it begin; what is given ends it, and counts its lines."""
    child = subprocess.Popen(
        [sys.executable, __file__, what, url], stdout=subprocess.PIPE, text=True
    )

    def end() -> int:
        child.terminate()
        return len(child.communicate()[0].splitlines())

    try:
        assert child.stdout is not None
        child.stdout.readline()
        yield end
    finally:
        child.terminate()
        child.wait()


# --- The table ------------------------------------------------------------------------------


def gone(server: Server) -> int:
    """Wait until the runs of those who have gone end; return how many go on."""
    end = time.monotonic() + 120
    while server.workers() and time.monotonic() < end:
        time.sleep(0.2)
    return len(server.workers())


def lesson(chromium: Any, server: Server, hostile: bool) -> list[object]:
    """Let the class in, and return what its clicks took, in ms."""
    pages = enter(chromium, server.url, STUDENTS - RUNNING)
    for page in pages:
        page.evaluate(WATCH)
    what, attacks = "29 students, 6 runs", 0
    with beside("--run", server.url):
        if not hostile:
            times = clicks(pages, ROUNDS)
        else:
            with beside("--attack", server.url) as end:
                what, times = "the same beside a hostile one", clicks(pages, ROUNDS)
                attacks = end()
    for page in pages:
        page.context.close()
    middle, slowest = f"{statistics.median(times):.0f}", f"{max(times):.0f}"
    return [what, len(times), middle, slowest, attacks]


def measure() -> None:
    """Let three classes in, one after another, and write what they felt."""
    with visited("--class", "--teacher-token", "chalk") as (server, chromium):
        lesson(chromium, server, hostile=False)
        felt = [lesson(chromium, server, hostile) for hostile in (False, True)]
        left, complaints = gone(server), server.log.read_text().count("Traceback")
    table = runner.markdown("Class | Clicks | Median, ms | Slowest, ms | Pages of attack", felt)
    note = f"{left} processes left; {complaints} tracebacks in the server's log."
    runner.write_page("class_server", f"{table}\n{note}\n")


if __name__ == "__main__":
    options = runner.parse(__doc__, attack=str, run=str)
    if options.attack or options.run:
        os.nice(19)
    if options.attack:
        attack(options.attack)
    elif options.run:
        run(options.run)
    else:
        measure()

"""How long a file takes from the browser to the server, and a small table to its sheet.

    python benchmarks/upload.py [--runs 5]

The rival is Panel's `FileDropper` (FilePond), which the page used before: both fields are on one
page and take turns. The clock runs from the moment the file is given to the field until the page
shows that the server has all bytes. `FileDropper` waits for its animations before it sends; on the
project's page a slow clock for these animations made that 7 s. The last row is the project's page:
from a table of 20 rows to the open sheet.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from _page import RESULTS, ROOT, browser, opened, served
from playwright.sync_api import sync_playwright

SIZES = {"20 rows": 1_000, "1 MB": 1_000_000, "20 MB": 20_000_000}
FIELDS = {
    "panels": (".filepond--browser", ".panels"),
    "own": (".drop-zone input", ".own"),
}


@contextmanager
def two_fields() -> Iterator[str]:
    """Serve the page with both fields."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    child = subprocess.Popen(
        [sys.executable, "-m", "panel", "serve", "benchmarks/_upload_app.py", "--port", str(port)],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        while True:
            with socket.socket() as one:
                if not one.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/_upload_app"
    finally:
        child.terminate()
        child.wait()


def arrival(page: Any, field: str, path: Path) -> float:
    """Return the seconds until the server has a file by one of the fields of a new page."""
    page.reload()
    box, words = FIELDS[field]
    page.locator(box).wait_for(state="attached")
    began = time.perf_counter()
    page.locator(box).set_input_files(path)
    page.locator(words).get_by_text(f"{path.stat().st_size} bytes").wait_for()
    return time.perf_counter() - began


def to_the_sheet(page: Any, path: Path) -> float:
    """Return the seconds from a table to its sheet, on the project's page."""
    began = time.perf_counter()
    page.locator(".drop-zone input").first.set_input_files(path)
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Load", exact=True).wait_for()
    took = time.perf_counter() - began
    sheet.get_by_role("button", name="Cancel", exact=True).click()
    sheet.wait_for(state="hidden")
    return took


def arrivals(chromium: Any, folder: Path, runs: int) -> Iterator[str]:
    """Yield a line of the table for each size."""
    with two_fields() as url:
        page = chromium.new_page()
        page.set_default_timeout(180_000)
        page.goto(url)
        for name, size in SIZES.items():
            path = folder / f"{size}.csv"
            path.write_bytes((b"1.25,2.5,3.75\n" * (size // 14 + 1))[:size])
            took: dict[str, list[float]] = {field: [] for field in FIELDS}
            for _ in range(runs):
                for field, times in took.items():
                    times.append(arrival(page, field, path))
            panels, own = (statistics.median(times) for times in took.values())
            yield f"| {name} | {runs} of each | {panels:.2f} | {own:.2f} | {panels / own:.1f} |"
        page.close()


def sheets(chromium: Any, folder: Path, runs: int) -> str:
    """Return the last line: the project's page."""
    path = folder / "small.csv"
    path.write_text("a,b,c\n" + "".join(f"{i},{i * i},{i % 3}\n" for i in range(20)))
    with served(folder) as server:
        page = opened(chromium, f"{server.url}?example=no")
        took = [to_the_sheet(page, path) for _ in range(runs)]
    return f"| 20 rows to the open sheet | {runs} | - | {statistics.median(took):.2f} | - |"


def main() -> None:
    """Measure, print and write the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=5)
    runs = options.parse_args().runs
    lines = [
        "| File | Runs | Panel's FileDropper, median, s | ccviz, median, s | Ratio |",
        "|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as home, sync_playwright() as play:
        chromium, folder = browser(play), Path(home)
        for line in arrivals(chromium, folder, runs):
            print(line, flush=True)
            lines.append(line)
        lines.append(sheets(chromium, folder, runs))
    busy = f"{os.cpu_count()} processors, {os.getloadavg()[0]:.0f} processes that wanted one."
    table = "\n".join([*lines, "", busy]) + "\n"
    print(table)
    (RESULTS / "upload.md").write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()

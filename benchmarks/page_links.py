"""The page with many links: what one more of them costs its server.

    python benchmarks/page_links.py [--points 1000000] [--links 0 1000 100000 999000]

A page is built as the server does, in this process and without a browser; points of twenty classes
are put on its table, then links drawn from the classes, as from a file. Then one link is added by
hand, five times. The rival is the same page with no link before. Seconds are of the processor;
memory is what the process holds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for _library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_library, "1")

import numpy as np  # noqa: E402
import psutil  # noqa: E402
from panel.io.application import build_single_handler_application  # noqa: E402

from ccviz.data.datasets import Dataset  # noqa: E402
from ccviz.data.random_links import random_pairs  # noqa: E402
from ccviz.views.draft import draft_of  # noqa: E402
from ccviz.views.lab.session import Session  # noqa: E402
from ccviz.views.link_table import Link, LinkTable  # noqa: E402

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "benchmarks" / "results" / "page_links.md"
D, K, CLICKS = 10, 20, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--links", type=int, nargs="*", default=[0, 1_000, 100_000, 999_000])
    parser.add_argument("--inside", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside is not None:
        print(*measured(options.points, options.inside), sep=" | ")
        return
    lines = [
        f"{options.points:,} points, d = {D}, of {K} classes.", "",
        "| links | to add them, s | one more by hand, s | memory, MB | for each more, MB |",
        "|---|---|---|---|---|",
    ]  # fmt: skip
    for many in options.links:
        command = [sys.executable, __file__, "--points", str(options.points), "--inside", str(many)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
        lines.append(f"| {many:,} | {done.stdout.splitlines()[-1]} |")
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def measured(points: int, links: int) -> tuple[str, ...]:
    """Return the cells of a row."""
    rng = np.random.default_rng(0)
    truth = rng.integers(K, size=points)
    X = 8.0 * rng.normal(size=(K, D))[truth] + rng.normal(size=(points, D))
    session = open_page()
    features = tuple(f"x{j}" for j in range(D))
    session.adopt(draft_of(Dataset("many", X, features, truth), K))
    drawn = random_pairs(truth, links, seed=0)
    began = time.process_time()
    session.add_links(LinkTable.of_pairs(drawn.must_link, drawn.cannot_link))
    added, held = time.process_time() - began, memory()
    costs = []
    for i, j in zip(
        *(np.flatnonzero(truth == each)[:CLICKS].tolist() for each in (0, 1)), strict=True
    ):
        began = time.process_time()
        session.add_links([Link("cannot", i, j)])
        costs.append(time.process_time() - began)
    grown = max(memory() - held, 0.0) / CLICKS
    return f"{added:.2f}", f"{statistics.median(costs):.2f}", f"{held:.0f}", f"{grown:.0f}"


def open_page() -> Session:
    """Return the session of a new page."""
    opened: list[Session] = []
    begin = Session.__init__

    def watched(self: Session, *args: object, **options: object) -> None:
        begin(self, *args, **options)
        opened.append(self)

    with tempfile.TemporaryDirectory() as home:
        os.environ["CCVIZ_HOME"] = home
        Session.__init__ = watched
        build_single_handler_application(str(ROOT / "apps" / "main.py")).create_document()
    return opened[0]


def memory() -> float:
    """Return the megabytes that this process holds."""
    return psutil.Process().memory_info().rss / 1e6


if __name__ == "__main__":
    main()

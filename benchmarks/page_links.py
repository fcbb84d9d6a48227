"""The page with many links: what one more of them costs its server.

A page is built as the server does, in this process and without a browser; points of twenty classes
are put on its table, then links drawn from the classes, as from a file. Then one link is added by
hand, five times. The rival is the same page with no link before. Seconds are of the processor;
memory is what the process holds.
"""

from __future__ import annotations

import os
import statistics
import tempfile

import _runner as runner
import numpy as np
from panel.io.application import build_single_handler_application

from ccviz.data.datasets import Dataset
from ccviz.data.random_links import random_pairs
from ccviz.views.draft import draft_of
from ccviz.views.lab.session import Session
from ccviz.views.link_table import Link, LinkTable

D, K, CLICKS = 10, 20, 5


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
        build_single_handler_application(str(runner.ROOT / "apps" / "main.py")).create_document()
    return opened[0]


def measured(points: int, links: int) -> list[str]:
    rng = np.random.default_rng(0)
    truth = rng.integers(K, size=points)
    X = 8.0 * rng.normal(size=(K, D))[truth] + rng.normal(size=(points, D))
    edits = open_page().edits
    edits.adopt(draft_of(Dataset("many", X, tuple(f"x{j}" for j in range(D)), truth), K))
    drawn = random_pairs(truth, links, seed=0)
    given = LinkTable.of_pairs(drawn.must_link, drawn.cannot_link)
    added, held = runner.timed(edits.add_links, given)[1], runner.memory("VmRSS")
    pairs = zip(*(np.flatnonzero(truth == each)[:CLICKS].tolist() for each in (0, 1)), strict=True)
    costs = [runner.timed(edits.add_links, [Link("cannot", *pair)])[1] for pair in pairs]
    grown = max(runner.memory("VmRSS") - held, 0) / CLICKS
    middle = statistics.median(costs)
    return [f"{added:.2f}", f"{middle:.2f}", f"{held / 1e6:.0f}", f"{grown / 1e6:.0f}"]


if __name__ == "__main__":
    options = runner.parse(__doc__, points=1_000_000, links=[0, 1_000, 100_000, 999_000])
    table = runner.markdown(
        "links | to add them, s | one more by hand, s | memory, MB | for each more, MB",
        [
            [f"{many:,}", *runner.in_a_process(measured, options.points, many)]
            for many in options.links
        ],
    )
    about = f"{options.points:,} points, d = {D}, of {K} classes."
    runner.write_page("page_links", f"{about}\n\n{table}")

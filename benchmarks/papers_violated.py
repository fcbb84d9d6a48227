"""The share of links that the clustering without links breaks, in %.

The column *violated* of tables 9 to 11 of Piccialli, Russo Russo and Sudoso (2022), which table 1
of Mansueto and Schoen (2024) has again, and *% Viol.* there for its large and made sets. The
clustering without links is the best of S-MDEClust on the small sets, and the best of ten starts of
k-means on the others.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import _runner as runner
import numpy as np
from memetic_large import in_order
from papers_memetic import LARGE, LARGE_LINKS, large_links, large_set

from ccviz import Problem, start
from ccviz.data.datasets import standardise
from ccviz.data.link_files import read_links_file
from ccviz.data.read_table import read_data
from ccviz.studies.suite import instances

Files = list[tuple[str, Path]]
"""Kind or number of links, and the file."""

Case = tuple[str, str, Callable[[], np.ndarray], int, Files]
"""Set, solver, points, k and link files."""


def cases(options: Namespace) -> Iterator[tuple[Any, ...]]:
    for part in options.parts:
        for case, solver, points, k, files in PARTS[part]():
            labels = cache(partial(unlinked, points, k, solver))
            yield from ((part, case, kind, file.stem, file, labels) for kind, file in files)


def unlinked(points: Callable[[], np.ndarray], k: int, solver: str) -> np.ndarray:
    return start(Problem(points(), k), solver).result().labels


def measure(_: Namespace, *case: Any) -> dict[str, str]:
    """Return the share of a file's links that a clustering breaks, in %."""
    file, labels = case[4], case[5]()
    links = read_links_file(file, len(labels))
    must, cannot = (
        np.array(pairs, dtype=np.int64).reshape(-1, 2)
        for pairs in (links.must_link, links.cannot_link)
    )
    apart = labels[must[:, 0]] != labels[must[:, 1]]
    together = labels[cannot[:, 0]] == labels[cannot[:, 1]]
    return {"broken_pct": f"{100 * float(np.concatenate([apart, together]).mean()):.2f}"}


def small() -> Iterator[Case]:
    by_set: dict[str, Files] = {}
    for each in instances(runner.SUITE):
        kind = "both" if each.ml and each.cl else "ML" if each.ml else "CL"
        by_set.setdefault(each.dataset, []).append((kind, each.links))
    for name, files in by_set.items():
        data = read_data(runner.SUITE / "data" / f"{name}.txt")
        yield name, "s-mdeclust", partial(np.asarray, data.X), data.k, files


def large() -> Iterator[Case]:
    for name in LARGE:
        data = large_set(name)
        files = [(str(count), large_links(name, count)) for count in LARGE_LINKS]
        yield name, "k-means", partial(standardise, data.X), len(np.unique(data.truth)), files


def synthetic() -> Iterator[Case]:
    by_set: dict[str, Files] = {}
    for path in in_order():
        case, _, count = path.stem.rpartition("_c")
        by_set.setdefault(case, []).append((count, path))
    for case, files in by_set.items():
        table = runner.BENCH / "s-mdeclust" / f"{case}.csv"
        points = partial(np.loadtxt, table, delimiter=",", skiprows=1, usecols=(0, 1))
        yield case, "k-means", points, int(case.rpartition("_k")[2]), files


PARTS = {"small": small, "large": large, "synthetic": synthetic}

if __name__ == "__main__":
    runner.run(
        __doc__, "papers_violated", ("part", "case", "kind", "links"), cases, measure,
        cpu_clock=True, parts=PARTS,
    )  # fmt: skip

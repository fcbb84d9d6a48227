"""The share of links that the clustering without links breaks, in %.

    python benchmarks/papers_violated.py [--bench DIR]

The column *violated* of tables 9 to 11 of Piccialli, Russo Russo and Sudoso (2022), which table 1
of Mansueto and Schoen (2024) has again, and *% Viol.* there for its large and made sets. The
clustering without links is the best of S-MDEClust on the small sets, and the best of ten starts of
k-means on the others. A row is added as each set ends; a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from _cpu_clock import count_cpu_seconds
from _keel import keel
from _memetic import BENCH, RESULTS
from _rows import append_row, done_keys
from memetic_large import in_order
from papers_memetic import LARGE, LARGE_LINKS, shuttle

from ccviz import Problem, start
from ccviz.data.datasets import standardise
from ccviz.data.files import read_data
from ccviz.data.link_files import read_links_file
from ccviz.studies.suite import instances

FIELDS = ("part", "case", "kind", "links", "broken_pct")
Files = list[tuple[str, Path]]
"""Kind or number of links, and the file."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--out", type=Path, default=RESULTS / "papers_violated.csv")
    count_cpu_seconds()
    options = parser.parse_args()
    for part in options.parts:
        for case, solver, points, k, files in PARTS[part](options.bench):
            done = done_keys(options.out, FIELDS[:4])
            keys = [(part, case, kind, file.stem) for kind, file in files]
            if set(keys) <= done:
                continue
            labels = start(Problem(points(), k), solver).result().labels
            for key, (_, file) in zip(keys, files, strict=True):
                if key not in done:
                    share = f"{broken(file, labels):.2f}"
                    append_row(options.out, dict(zip(FIELDS, (*key, share), strict=True)), FIELDS)


def broken(file: Path, labels: np.ndarray) -> float:
    """Return the share of a file's links that a clustering breaks, in %."""
    links = read_links_file(file, len(labels))
    must, cannot = (
        np.array(pairs, dtype=np.int64).reshape(-1, 2)
        for pairs in (links.must_link, links.cannot_link)
    )
    apart = labels[must[:, 0]] != labels[must[:, 1]]
    together = labels[cannot[:, 0]] == labels[cannot[:, 1]]
    return 100 * float(np.concatenate([apart, together]).mean())


def small(bench: Path) -> Iterator[tuple]:
    by_set: dict[str, Files] = {}
    for each in instances(bench / "pc-sos-sdp"):
        kind = "both" if each.ml and each.cl else "ML" if each.ml else "CL"
        by_set.setdefault(each.dataset, []).append((kind, each.links))
    for name, files in by_set.items():
        data = read_data(bench / "pc-sos-sdp" / "data" / f"{name}.txt")
        yield name, "s-mdeclust", lambda data=data: data.X, data.k, files


def large(bench: Path) -> Iterator[tuple]:
    for name in LARGE:
        data = shuttle(bench) if name == "shuttle" else keel(name.title())
        files = [
            (str(count), bench / "s-mdeclust" / "real" / f"{name}_c{count}.json")
            for count in LARGE_LINKS
        ]
        k = len(np.unique(data.truth))
        yield name, "k-means", lambda data=data: standardise(data.X), k, files


def synthetic(bench: Path) -> Iterator[tuple]:
    by_set: dict[str, Files] = {}
    for path in in_order(bench / "s-mdeclust"):
        case, _, count = path.stem.rpartition("_c")
        by_set.setdefault(case, []).append((count, path))
    for case, files in by_set.items():
        table = np.loadtxt(bench / "s-mdeclust" / f"{case}.csv", delimiter=",", skiprows=1)
        yield (
            case,
            "k-means",
            lambda table=table: table[:, :2],
            int(case.rpartition("_k")[2]),
            files,
        )


PARTS = {"small": small, "large": large, "synthetic": synthetic}


if __name__ == "__main__":
    main()

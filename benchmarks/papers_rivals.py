"""Tables 3 to 6 and figure 3 of Bibi, Wu and Ghanem (2019) with all rivals.

    python benchmarks/papers_rivals.py [--bench DIR] [--draws 5] [--parts rivals ...]

``rivals``: as many must-links as cannot-links on wine and iris, scaled to [-1, 1]; COP-k-means
with up to 1,000 starts, spectral clustering with exhaustive propagation (Lu and Ip, which is what
the paper calls spectral clustering), PPC and CCL; ℓp-box stands in `lp_box_table4.csv`. ``made``:
points of the sizes that the paper states for its *Balanced* and *ImBalanced* sets, whose
coordinates it does not print, but which what it says of k-means places: k-means beside ℓp-box with
the true sizes. ``more``: figure 3, ever more links of one kind beside the sizes. ``ionosphere``:
its row of table 6 beside the proved optimum of `sdp`, and with more links. ``hepatitis``: its row
of the same table. Several draws of links, one start each, where the paper has one draw and ten
starts. A run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
from _cpu_clock import count_cpu_seconds
from _keel import hepatitis as read_hepatitis
from _rows import append_row, done_keys
from lp_box import draw, problems, scaled
from soft_published import BENCH, RESULTS

from ccviz import Problem
from ccviz.data.read_table import read_table
from ccviz.runs.stepper import Stepper
from ccviz.solvers import make_solver

RIVALS = {
    "COP-k-means": ("cop-kmeans", {"n_init": 1000, "init": "k-means++"}),
    "Spectral": ("spectral", {"propagation": "exhaustive"}),
    "PPC": ("ppc", {}),
    "CCL": ("ccl", {}),
}
LP_BOX = {"lp-box": ("lp-box", {})}
PROVED = {"sdp": ("sdp", {})}
STARTS = 10
IONOSPHERE_LINKS = (20, 70, 140, 280)
"""Of each kind; the paper has 20, with which no method comes to its figures."""
HEPATITIS_LINKS = 25
FIELDS = ("part", "dataset", "case", "method", "draw", "objective", "ari", "mirkin", "hubert",
          "ml_broken", "cl_broken", "cpu_s")  # fmt: skip
Case = tuple[str, str, int, Problem, dict[str, tuple[str, dict]]]
"""Data set, case, draw, problem, and the methods to run on it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--out", type=Path, default=RESULTS / "papers_rivals.csv")
    count_cpu_seconds()
    options = parser.parse_args()
    done = done_keys(options.out, FIELDS[:5])
    for part in options.parts:
        for dataset, case, number, problem, methods in PARTS[part](options):
            for method, (solver, settings) in methods.items():
                key = (part, dataset, case, method, str(number))
                if key not in done:
                    row = measure(problem, solver, settings, number)
                    append_row(options.out, dict(zip(FIELDS, key, strict=False)) | row, FIELDS)


def measure(problem: Problem, solver: str, settings: dict, seed: int) -> dict[str, object]:
    began = time.process_time()
    found = Stepper(problem, make_solver(solver, **settings), seed).result().partition
    row: dict[str, object] = {"cpu_s": f"{time.process_time() - began:.3f}"}
    if found is None or (solver == "cop-kmeans" and found.violations.hard):
        return row
    return row | {
        "objective": f"{found.wcss:.6g}",
        "ari": f"{100 * found.scores['ari']:.2f}",
        "mirkin": f"{found.scores['mirkin']:.4f}",
        "hubert": f"{100 * found.scores['hubert']:.2f}",
        "ml_broken": found.violations.must_link,
        "cl_broken": found.violations.cannot_link,
    }


def rivals(options: argparse.Namespace) -> Iterator[Case]:
    for name in ("Wine", "Iris"):
        X, truth = scaled(name, options.bench)
        for each in (20, 40, 60, 80, 100):
            for number, problem in enumerate(problems(X, truth, "pairs", each, options.draws)):
                yield name, f"{each}ml, {each}cl", number, problem, RIVALS


def made(options: argparse.Namespace) -> Iterator[Case]:
    plain = {"k-means": ("k-means", {"n_init": 1, "init": "random"})}
    cases = [("Balanced", gap) for gap in (2, 3, 4)] + [("ImBalanced", gap) for gap in (0.1, 0.3)]
    for kind, gap in cases:
        for number in range(2 * options.draws):
            X, truth = points(kind, gap, number)
            sized = Problem(X, 2, truth=truth, sizes=np.bincount(truth))
            yield kind, f"{gap}", number, sized, LP_BOX
        for number in range(STARTS):
            X, truth = points(kind, gap, number)
            yield kind, f"{gap}", number, Problem(X, 2, truth=truth), plain


def points(kind: str, gap: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points of the stated sizes, where what is printed of k-means lets one place them.

    Balanced: 350 and 350, each of a dense and a thin group, on the corners of a square with sides
    ``gap``. Then k-means ends at the classes or at the rows, dense and thin, with an ARI near 0,
    as the printed means and deviations have it. ImBalanced: 600 in a square and 100 in a small one,
    ``gap`` above it, of which k-means adds the nearest of the 600 to the 100.
    """
    rng = np.random.default_rng(seed)
    if kind == "Balanced":
        corners = np.array([[0.0, 0.0], [0.0, gap], [gap, 0.0], [gap, gap]])
        group = np.repeat(np.arange(4), (300, 50, 300, 50))
        return corners[group] + 0.3 * rng.normal(size=(700, 2)), (group >= 2).astype(int)
    wide = rng.uniform((0.0, 0.0), (1.0, 1.0), size=(600, 2))
    small = rng.uniform((0.35, 1.0 + gap), (0.65, 1.3 + gap), size=(100, 2))
    return np.concatenate([wide, small]), np.repeat([0, 1], (600, 100))


def more(options: argparse.Namespace) -> Iterator[Case]:
    sets = {
        "Wine": scaled("Wine", options.bench),
        "ImBalanced y=0.1": points("ImBalanced", 0.1, 0),
    }
    for name, (X, truth) in sets.items():
        for count in (0, 20, 40, 60, 80):
            for kind in ("must-links", "cannot-links"):
                for number in range(options.draws if count else 1):
                    must, cannot = draw(truth, count, number) if count else ([], [])
                    problem = Problem(
                        X, truth.max() + 1, truth=truth, sizes=np.bincount(truth),
                        must_link=must if kind == "must-links" else (),
                        cannot_link=cannot if kind == "cannot-links" else (),
                    )  # fmt: skip
                    yield name, f"{count} {kind}", number, problem, LP_BOX


def ionosphere(options: argparse.Namespace) -> Iterator[Case]:
    data = read_table(options.bench / "classes" / "ionosphere.csv", label="class")
    X = between_ones(data.X)
    for each, variant in product(IONOSPHERE_LINKS, ("sizes", "pairs", "both")):
        if variant != "sizes" or each == IONOSPHERE_LINKS[0]:
            given = problems(X, data.truth, variant, each, options.draws)
            methods = LP_BOX | (PROVED if each == IONOSPHERE_LINKS[0] else {})
            for number, problem in enumerate(given):
                yield "ionosphere", f"{variant} {each}", number, problem, methods


def hepatitis(options: argparse.Namespace) -> Iterator[Case]:
    data = read_hepatitis()
    for variant in ("sizes", "pairs", "both"):
        given = problems(between_ones(data.X), data.truth, variant, HEPATITIS_LINKS, options.draws)
        for number, problem in enumerate(given):
            yield "hepatitis", f"{variant} {HEPATITIS_LINKS}", number, problem, LP_BOX


def between_ones(X: np.ndarray) -> np.ndarray:
    """Return features scaled to [-1, 1]."""
    low, high = X.min(axis=0), X.max(axis=0)
    return np.asarray(2 * (X - low) / np.where(high > low, high - low, 1.0) - 1)


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[Case]]] = {
    "rivals": rivals,
    "made": made,
    "ionosphere": ionosphere,
    "more": more,
    "hepatitis": hepatitis,
}


if __name__ == "__main__":
    main()

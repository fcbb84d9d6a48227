"""Tables 3 to 6 and figure 3 of Bibi, Wu and Ghanem (2019) with all rivals.

``rivals``: as many must-links as cannot-links on wine and iris, scaled to [-1, 1]; COP-k-means with
up to 1,000 starts, spectral clustering with exhaustive propagation (Lu and Ip, which is what the
paper calls spectral clustering), PPC and CCL; ℓp-box stands in `lp_box_table4.csv`. ``made``:
points of the sizes that the paper states for its *Balanced* and *ImBalanced* sets, whose
coordinates it does not print, but which what it says of k-means places: k-means beside ℓp-box with
the true sizes. ``more``: figure 3, ever more links of one kind beside the sizes. ``ionosphere``:
its row of table 6 beside the proved optimum of `sdp`, and with more links. ``hepatitis``: its row
of the same table. Several draws of links, one start each, where the paper has one draw and ten
starts.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from itertools import product
from typing import Any

import _runner as runner
import numpy as np
from _keel import hepatitis as read_hepatitis
from lp_box import between_ones, draw, problems, scaled

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
Case = tuple[str, str, int, Problem, dict[str, tuple[str, dict]]]
"""Data set, case, draw, problem, and the methods to run on it."""


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


def cases(options: Namespace) -> Iterator[tuple[Any, ...]]:
    for part in options.parts:
        for dataset, case, number, problem, methods in PARTS[part](options.draws):
            for method, how in methods.items():
                yield part, dataset, case, method, number, problem, *how


def measure(_: Namespace, *case: Any) -> dict[str, object]:
    seed, problem, solver, settings = case[4:]
    stepper = Stepper(problem, make_solver(solver, **settings), seed)
    result, cpu_s = runner.timed(stepper.result)
    found = result.partition
    row: dict[str, object] = {"cpu_s": f"{cpu_s:.3f}"}
    if found is None or (solver == "cop-kmeans" and found.violations.hard):
        return row
    scores, broken = found.scores, found.violations
    row |= {"objective": f"{found.wcss:.6g}", "ari": f"{100 * scores['ari']:.2f}"}
    row |= {"mirkin": f"{scores['mirkin']:.4f}", "hubert": f"{100 * scores['hubert']:.2f}"}
    return row | {"ml_broken": broken.must_link, "cl_broken": broken.cannot_link}


def rivals(draws: int) -> Iterator[Case]:
    for name, each in product(("Wine", "Iris"), (20, 40, 60, 80, 100)):
        for number, problem in enumerate(problems(*scaled(name), "pairs", each, draws)):
            yield name, f"{each}ml, {each}cl", number, problem, RIVALS


def made(draws: int) -> Iterator[Case]:
    plain = {"k-means": ("k-means", {"n_init": 1, "init": "random"})}
    cases = [("Balanced", gap) for gap in (2, 3, 4)] + [("ImBalanced", gap) for gap in (0.1, 0.3)]
    for kind, gap in cases:
        for number in range(max(2 * draws, STARTS)):
            X, truth = points(kind, gap, number)
            if number < 2 * draws:
                sized = Problem(X, 2, truth=truth, sizes=np.bincount(truth))
                yield kind, f"{gap}", number, sized, LP_BOX
            if number < STARTS:
                yield kind, f"{gap}", number, Problem(X, 2, truth=truth), plain


def more(draws: int) -> Iterator[Case]:
    sets = {"Wine": scaled("Wine"), "ImBalanced y=0.1": points("ImBalanced", 0.1, 0)}
    kinds = {"must-links": 0, "cannot-links": 1}
    for (name, (X, truth)), count, kind in product(sets.items(), (0, 20, 40, 60, 80), kinds):
        for number in range(draws if count else 1):
            links: list[Any] = [(), ()]
            if count:
                links[kinds[kind]] = draw(truth, count, number)[kinds[kind]]
            problem = Problem(X, truth.max() + 1, *links, truth=truth, sizes=np.bincount(truth))
            yield name, f"{count} {kind}", number, problem, LP_BOX


def ionosphere(draws: int) -> Iterator[Case]:
    data = read_table(runner.BENCH / "classes" / "ionosphere.csv", label="class")
    for each, variant in product(IONOSPHERE_LINKS, ("sizes", "pairs", "both")):
        if variant != "sizes" or each == IONOSPHERE_LINKS[0]:
            methods = LP_BOX | (PROVED if each == IONOSPHERE_LINKS[0] else {})
            given = problems(between_ones(data.X), data.truth, variant, each, draws)
            for number, problem in enumerate(given):
                yield "ionosphere", f"{variant} {each}", number, problem, methods


def hepatitis(draws: int) -> Iterator[Case]:
    data = read_hepatitis()
    for variant in ("sizes", "pairs", "both"):
        given = problems(between_ones(data.X), data.truth, variant, HEPATITIS_LINKS, draws)
        for number, problem in enumerate(given):
            yield "hepatitis", f"{variant} {HEPATITIS_LINKS}", number, problem, LP_BOX


PARTS = {
    "rivals": rivals, "made": made, "ionosphere": ionosphere, "more": more, "hepatitis": hepatitis
}  # fmt: skip
KEY = ("part", "dataset", "case", "method", "draw")

if __name__ == "__main__":
    runner.run(
        __doc__, "papers_rivals", KEY, cases, measure, cpu_clock=True, draws=5, parts=PARTS,
        fields=(*KEY, "objective", "ari", "mirkin", "hubert", "ml_broken", "cl_broken", "cpu_s"),
    )  # fmt: skip

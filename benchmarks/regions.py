"""Connected clusters of real areas, proved by `sdp`, beside the heuristics of spopt and pygeoda.

    python benchmarks/regions.py --python PYTHON [--sets mexico columbus] [--k 3 5 8]

PYTHON is the interpreter of an environment with geopandas, libpysal, spopt and pygeoda: the wheel
of libpysal has the areas, and `_region_programs.py` reads them there. Three columns each,
standardised, chosen before any run: PCGDP1940, PCGDP1970 and PCGDP2000 of mexico (32 areas); INC,
HOVAL and CRIME of columbus (49); AREA, PERIMETER and compactness of Chicago77 (77), which has no
columns but those of its shapes; SIDR74, SIDR79 and NWR79 of sids2 (100); PctRural, PctBach and
PctBlack of georgia (159). Areas whose shapes touch are neighbours. One thread; CPU seconds, at most
600 of mexico and columbus, 60 of the others. Every proof is checked by `ccviz verify`, and no
bound may be above a clustering of any program.

The programs get the same columns, neighbours and k. Those that draw have five seeds, of which the
best counts, and those of pygeoda 50 constructions in each; the trees of redcap are *fullorder*.
Measured at different times, on a busy machine, where a step takes up to twice as long: mexico,
columbus with k = 3 and 8, Chicago77 and georgia with k = 3 before the tree branched where
separators rest, the others after. The programs' answers are those of the first measurement.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import _runner as runner
import numpy as np

from ccviz import Partition, Problem, solve

LIMITS = {"mexico": 600, "columbus": 600, "Chicago77": 60, "sids2": 60, "georgia": 60}
SEEDS = 5
PROGRAM_S = 60  # CPU seconds of a program's run


def program(python: Path, *arguments: object) -> Iterator:
    """Yield what `_region_programs.py` prints."""
    script = Path(__file__).with_name("_region_programs.py")
    return runner.answers([python, script, *arguments])


def problem_of(areas: dict, k: int, **more) -> Problem:
    return Problem(np.array(areas["X"]), k, neighbors=areas["pairs"], **more)


def cases(options: Namespace) -> Iterator[tuple[str, int]]:
    return ((name, k) for name in options.sets for k in options.k)


def measure(options: Namespace, name: str, k: int) -> runner.Row:
    """Return a set's proof, and the best clustering of each other program."""
    areas, *answers = program(options.python, name, k, SEEDS, PROGRAM_S)
    problem = problem_of(areas, k)
    cells, _ = runner.proved(problem, "sdp", 1e-4, LIMITS[name], gap=1.0)
    alone, alone_s = runner.timed(solve, problem, "regions", progress=False)
    found = {"regions": alone.objective}
    for package, its, labels, _ in answers:
        key = f"{package} {its}"
        found[key] = min(found.get(key, np.inf), objective(problem, labels))
    above = [key for key, value in found.items() if value < float(cells["bound"]) * (1 - 1e-9)]
    assert not above, f"{name}, k = {k}: the bound {cells['bound']} is above {above}"
    costs = {key: f"{value:.9g}" for key, value in found.items()}
    return {"n": problem.n, **cells, "regions_s": f"{alone_s:.1f}"} | costs


def objective(problem: Problem, labels: list[int] | None) -> float:
    """Return the cost of k connected clusters; infinity where labels are something else."""
    if labels is None or -1 in labels:
        return np.inf
    names, numbers = np.unique(labels, return_inverse=True)
    if len(names) != problem.k or not problem.neighbors.are_connected(numbers):
        return np.inf
    return Partition(problem, numbers).objective


def page(rows: runner.Rows) -> str:
    text = f"# Connected areas\n\n{__doc__}\n"
    programs = [key for key in rows[0] if key.split(" ")[0] in ("spopt", "pygeoda")]
    for row in rows:
        best = min(programs, key=lambda key: float(row[key]))
        row |= {"best": f"{float(row[best]):.9g}", "by": best, "best_above": above(row, best)}
        row |= {"alone": above(row, "regions"), "gap": f"{100 * float(row['verified_gap']):.3g} %"}
    text += runner.laid_out(
        "set | areas | k | our objective | verified gap | CPU s | check, s | nodes | "
        "`regions` alone | its CPU s | best other | is above ours by | by",
        "{set} | {n} | {k} | {objective} | {gap} | {cpu_s} | {verify_s} | {nodes} | "
        "{alone} | {regions_s} | {best} | {best_above} | {by}",
        rows,
    )
    text += """
How far each program ends above our clustering, in %. Where that is proved, it is the optimum;
elsewhere the program is at least as far above the optimum. – is an answer that falls apart, has
another number of clusters, or none.

"""
    titles = ["program", *(f"{row['set']} {row['k']}" for row in rows)]
    return text + runner.markdown(
        titles, ([key, *(above(row, key) for row in rows)] for key in programs)
    )


def above(row: runner.Row, key: str) -> str:
    """Return how far a program ends above our clustering."""
    value = 100.0 * (float(row[key]) / float(row["objective"]) - 1.0)
    return f"{value:.2f}".replace("-0.00", "0.00") if np.isfinite(value) else "–"


def warm_up() -> None:
    X = np.random.default_rng(0).normal(size=(9, 2))
    for solver in ("sdp", "regions"):
        solve(Problem(X, 3, neighbors=[(i, i + 1) for i in range(8)]), solver, progress=False)


if __name__ == "__main__":
    runner.run(
        __doc__, "regions", ("set", "k"), cases, measure, page, warm_up=warm_up,
        python=Path, sets=list(LIMITS), k=[3, 5, 8],
    )  # fmt: skip

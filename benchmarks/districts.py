"""Districts of equal population: the gap of `sdp` with and without rows for sums and separators.

    python benchmarks/districts.py --python PYTHON [--sets mexico columbus] [--k 3 5]

The areas of `regions.py`, where PYTHON is explained. Neither mexico nor columbus has a population:
the AREA of an area stands in for it. Every district has 1/k of the total, 5, 10 or 20 % more or
less, and is connected or need not be. *Neither* is the bound without inequalities of rows, as it
was before there were any; *separators* counts that districts are connected, *all* the population
too. The tree searches among the clusterings that keep everything in each case. One thread; at most
10 CPU seconds each. The gap is that of the checked bound to the best clustering of the three.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import _runner as runner
import numpy as np
from regions import problem_of, program

from ccviz import Problem
from ccviz.errors import ProblemError
from ccviz.problem.asked import read_asked
from ccviz.problem.reduction import with_rules
from ccviz.solvers.sdp import node
from ccviz.solvers.start import leaving_out

TOLERANCES = (5, 10, 20)
WAYS = {"no": ("neither", "all"), "yes": ("neither", "separators", "all")}


def districts(areas: dict, k: int, tolerance: int, connected: str) -> Problem:
    problem = problem_of(areas, k) if connected == "yes" else Problem(np.array(areas["X"]), k)
    mass = np.array(areas["mass"])
    limits = ((">=", 100 - tolerance), ("<=", 100 + tolerance))
    asked = [
        read_asked(f"sum(pop){sign}{share / k:.8f}%", column={"pop": mass}.__getitem__)
        for sign, share in limits
    ]
    return with_rules(problem, asked, keeps_rules=True)


def cases(options: Namespace) -> Iterator[tuple[str, int, int, str, str]]:
    for name in options.sets:
        for k in options.k:
            for tolerance in TOLERANCES:
                for connected, ways in WAYS.items():
                    yield from ((name, k, tolerance, connected, way) for way in ways)


def measure(options: Namespace, name: str, k: int, tolerance: int, connected: str, way: str):
    """Return the cells of one run."""
    (areas,) = program(options.python, name)
    try:
        problem = districts(areas, k, tolerance, connected)
    except ProblemError:
        return {"objective": "inf", "status": "infeasible", "bound": "inf"}
    given, graph = leaving_out.leaving_out, node.block_graph
    sums = "all" if way == "all" else "none"
    with (
        patch.object(leaving_out, "leaving_out", lambda one, _: given(one, sums)),
        patch.object(node, "block_graph", (lambda _: None) if way == "neither" else graph),
    ):
        cells, _ = runner.proved(problem, "sdp", 1e-4, options.cpu_limit, gap=1.0)
    return cells


def page(rows: runner.Rows) -> str:
    lines, closed = [], {"yes": [], "no": []}
    together: dict[tuple[str, ...], dict[str, runner.Row]] = {}
    for row in rows:
        key = (row["set"], row["k"], row["tolerance"], row["connected"])
        together.setdefault(key, {})[row["way"]] = row
    for key, ways in together.items():
        best = min(float(row["objective"]) for row in ways.values())
        gaps = {}
        for way, row in ways.items():
            assert float(row["bound"]) <= best * (1 + 1e-9), (key, way)
            gaps[way] = max(0.0, 1.0 - float(row["bound"]) / best) if np.isfinite(best) else np.nan
        if gaps.get("neither", 0.0) > 1e-4 and "all" in gaps:
            closed[key[-1]].append(1.0 - gaps["all"] / gaps["neither"])
        cells = [f"{100 * gaps[way]:.2f}" if way in gaps else "" for way in WAYS["yes"]]
        if not np.isfinite(best):
            cells = [row["status"] for row in ways.values()]
            cells += [""] * (3 - len(cells))
        seconds = (ways[way]["cpu_s"] if way in ways else "" for way in WAYS["yes"])
        lines.append([*key, f"{best:.6g}", *cells, *seconds])
    text = f"# Districts of equal population\n\n{__doc__}\n" + runner.markdown(
        "set | k | ± % | connected | objective | gap in %, neither | separators | all | "
        "CPU s, neither | separators | all",
        lines,
    )
    for connected, shares in closed.items():
        if shares:
            words = "Connected" if connected == "yes" else "Not connected"
            text += (
                f"\n{words}: the rows close {100 * np.median(shares):.0f} % of the gap in the "
                f"median of the {len(shares)} problems that have one without them.\n"
            )
    return text


def warm_up() -> None:
    rng = np.random.default_rng(0)
    areas = {"X": rng.normal(size=(9, 2)), "pairs": [(i, i + 1) for i in range(8)], "mass": [1] * 9}
    for connected in WAYS:
        runner.proved(districts(areas, 3, 20, connected), "sdp", 1e-4, 20.0, gap=1.0)


if __name__ == "__main__":
    runner.run(
        __doc__, "districts", ("set", "k", "tolerance", "connected", "way"), cases, measure, page,
        warm_up=warm_up, python=Path, sets=["mexico", "columbus"], k=[3, 5], cpu_limit=10.0,
    )  # fmt: skip

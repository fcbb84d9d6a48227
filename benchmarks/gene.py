"""All solvers on points of the shape of the gene expression data: 801 points, 20,531 features.

The set itself (five kinds of tumours; Piccialli et al. 2022 and Mansueto and Schoen 2024 use it)
cannot be had here. `gene_like` has its five class sizes, logarithms of expression from 0 to about
20, many genes that are not expressed at all, and few that tell classes apart. Each solver works in
a process of its own on one problem with 100 must-links and 100 cannot-links from the classes, where
it can have them. Peak memory is given in copies of the points, of 132 MB each; the first is the
points themselves.
"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import _runner as runner
import numpy as np

from ccviz import Problem
from ccviz.data.random_links import random_pairs
from ccviz.runs.stepper import Stepper
from ccviz.runs.stop import TimeLimit
from ccviz.solvers import SOLVERS, make_solver

CLASSES = (300, 146, 141, 136, 78)
GENES, SILENT, TELLING = 20_531, 0.15, 0.03
"""Features; the share that is zero nearly everywhere; the share that differs between classes."""
FIELDS = ("solver", "status", "termination", "objective", "lower_bound", "ari", "broken", "cpu_s",
          "copies", "note")  # fmt: skip


def gene_like(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return (801, 20531) points and their classes."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(len(CLASSES)), CLASSES))
    level = rng.gamma(6.0, 1.3, size=GENES)
    spread = rng.gamma(2.0, 0.35, size=GENES)
    shift = np.zeros((len(CLASSES), GENES))
    telling = rng.choice(GENES, round(TELLING * GENES), replace=False)
    shift[:, telling] = rng.normal(scale=2.5, size=(len(CLASSES), len(telling)))
    X = rng.standard_normal((len(truth), GENES))
    X *= spread
    X += level
    X += shift[truth]
    silent = rng.choice(GENES, round(SILENT * GENES), replace=False)
    X[:, silent] *= rng.random((len(truth), len(silent))) < 0.02
    return np.maximum(X, 0.0, out=X), truth


def _cell(value: str) -> str:
    """Return a value as it is shown; a dash where the solver has none."""
    return "–" if value in ("", "inf", "-inf", "nan") else value


def measure(options: Namespace, name: str) -> dict[str, Any]:
    try:
        return runner.in_a_process(measured, name, options.limit)
    except Exception as failed:  # noqa: BLE001, whatever a solver raises is its row
        return {"note": str(failed).strip().splitlines()[-1][:120]}


def measured(name: str, limit: float) -> dict[str, Any]:
    """Run a solver in this process; its memory is the process's."""
    runner.count_cpu_seconds()
    solver = make_solver(name)
    rng = np.random.default_rng(0)
    small = Problem(rng.normal(size=(40, 60)), 3, cannot_link=[(0, 1)], must_link=[(2, 3)])
    Stepper(small, solver, 0, criteria=[TimeLimit(5.0)]).result()  # loads what is compiled
    before = runner.peak_mib()
    X, truth = gene_like()
    links = random_pairs(truth, 200, seed=0)
    problem = Problem(X, 5, links.must_link, links.cannot_link, truth=truth)
    result, seconds = runner.timed(runner.stepper_within(problem, solver, limit).result)
    found = result.partition
    return {
        "status": result.status, "termination": result.termination,
        "objective": f"{result.objective:.7g}", "lower_bound": f"{result.lower_bound:.7g}",
        "ari": f"{found.scores['ari']:.3f}" if found else "",
        "broken": found.violations.hard if found else "", "cpu_s": f"{seconds:.1f}",
        "copies": f"{(runner.peak_mib() - before) * 2**20 / X.nbytes:.1f}", "note": "",
    }  # fmt: skip


def page(rows: runner.Rows) -> str:
    shown = [name for name in FIELDS if name != "note" or any(row["note"] for row in rows)]
    return (
        f"{sum(CLASSES)} points, {GENES:,} features, 200 links from five classes; one thread.\n"
        "Copies: peak memory, in tables of the points.\n\n"
        + runner.markdown(shown, [[_cell(row[name]) for name in shown] for row in rows])
    )


if __name__ == "__main__":
    runner.run(
        __doc__, "gene", ("solver",), lambda options: zip(options.only), measure, page,
        fields=FIELDS, only=[solver.name for solver in SOLVERS], limit=60.0,
    )  # fmt: skip

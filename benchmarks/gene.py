"""All solvers on points of the shape of the gene expression data: 801 points, 20,531 features.

    python benchmarks/gene.py [--only k-means ...] [--limit 60]

The set itself (five kinds of tumours; Piccialli et al. 2022 and Mansueto and Schoen 2024 use it)
cannot be had here. `gene_like` has its five class sizes, logarithms of expression from 0 to about
20, many genes that are not expressed at all, and few that tell classes apart. Each solver works in
a process of its own on one problem with 100 must-links and 100 cannot-links from the classes,
where it can have them. Peak memory is given in copies of the points, of 132 MB each; the first is
the points themselves. A row is added as each run ends; a benchmark that was stopped goes on where
it was.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402
from _cpu_clock import count_cpu_seconds  # noqa: E402
from _rows import append_row, read_rows  # noqa: E402

from ccviz import Problem  # noqa: E402
from ccviz.data.random_links import random_pairs  # noqa: E402
from ccviz.runs.stepper import Stepper  # noqa: E402
from ccviz.runs.stop import TimeLimit  # noqa: E402
from ccviz.solvers import SOLVERS, make_solver  # noqa: E402

RESULTS = Path(__file__).parent / "results"
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[solver.name for solver in SOLVERS])
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds a solver")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, default=RESULTS / "gene.csv")
    count_cpu_seconds()
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(measure(options.inside, options.limit)))
        return
    done = {row["solver"] for row in read_rows(options.out)}
    for name in options.only:
        if name not in done:
            append_row(options.out, in_a_process(name, options.limit), FIELDS)
    options.out.with_suffix(".md").write_text(table(read_rows(options.out)), encoding="utf-8")


def in_a_process(name: str, limit: float) -> dict[str, object]:
    command = [sys.executable, __file__, "--inside", name, "--limit", str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"solver": name, "note": done.stderr.strip().splitlines()[-1][:120]}
    return json.loads(done.stdout.splitlines()[-1])


def measure(name: str, limit: float) -> dict[str, object]:
    """Run a solver in this process; its memory is the process's."""
    solver = make_solver(name)
    rng = np.random.default_rng(0)
    small = Problem(rng.normal(size=(40, 60)), 3, cannot_link=[(0, 1)], must_link=[(2, 3)])
    Stepper(small, solver, 0, criteria=[TimeLimit(5.0)]).result()  # loads what is compiled
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    X, truth = gene_like()
    links = random_pairs(truth, 200, seed=0)
    problem = Problem(X, 5, links.must_link, links.cannot_link, truth=truth)
    began = time.process_time()

    def over(*_: object) -> str | None:
        return "time_limit" if time.process_time() - began > limit else None

    result = Stepper(problem, solver, 0, criteria=[over]).result()
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    found = result.partition
    return {
        "solver": name,
        "status": result.status,
        "termination": result.termination,
        "objective": f"{result.objective:.7g}",
        "lower_bound": f"{result.lower_bound:.7g}",
        "ari": f"{found.scores['ari']:.3f}" if found else "",
        "broken": found.violations.hard if found else "",
        "cpu_s": f"{seconds:.1f}",
        "copies": f"{(peak - before) / X.nbytes:.1f}",
        "note": "",
    }


def table(rows: list[dict[str, str]]) -> str:
    shown = [name for name in FIELDS if name != "note" or any(row["note"] for row in rows)]
    lines = [
        f"{sum(CLASSES)} points, {GENES:,} features, 200 links from five classes; one thread.",
        "Copies: peak memory, in tables of the points.",
        "",
        "| " + " | ".join(shown) + " |",
        "|---" * len(shown) + "|",
    ]
    lines += ["| " + " | ".join(_cell(row[name]) for name in shown) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(value: str) -> str:
    """Return a value as it is shown; a dash where the solver has none."""
    return "–" if value in ("", "inf", "-inf", "nan") else value


if __name__ == "__main__":
    main()

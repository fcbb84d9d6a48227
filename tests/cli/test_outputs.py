"""Every solver through every form in which `ccviz solve` writes a result."""

import json

import numpy as np
import pytest

from ccviz.solvers import SOLVERS

QUICK = {
    "dils": ["--param", "generations=20"],
    "hg-means": ["--param", "generations=3"],
    "s-mdeclust": ["--param", "generations=3"],
}
NUMBERS = {"objective", "lower_bound", "gap", "wcss", "penalty", "time_s"}


@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
def test_every_solver_writes_every_format(ccviz, folder, solver):
    rows = np.random.default_rng(3).normal(size=(9, 2)).tolist()
    (folder / "data.csv").write_text("".join(f"{x},{y}\n" for x, y in rows))
    soft = " 2.5" if solver in {"pck-means", "hg-means", "dils"} else ""
    (folder / "links.txt").write_text(f"ML 0 1{soft}\nCL 2 3{soft}\n")
    done = ccviz("solve", "data.csv", "-k", 3, "--links", "links.txt", "--solver", solver,
                 "--json", "a.json", "--labels", "a.txt", *QUICK.get(solver, []))  # fmt: skip
    assert (done.code, done.err) == (0, "")
    result = json.loads((folder / "a.json").read_text())
    assert all(isinstance(result[name], float | int | None) for name in NUMBERS)
    assert result["labels"] == [int(line) for line in (folder / "a.txt").read_text().split()]

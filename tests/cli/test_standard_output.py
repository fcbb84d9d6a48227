"""Standard output holds the JSON or the labels that were asked for, and nothing else.

Libraries in C print past Python: the whole descriptor is caught, with the C buffers emptied.
"""

import ctypes
import json
import math
import sys

import pytest

from ccviz.cli import main
from ccviz.solvers import SOLVERS
from ccviz.solvers.base import Supports

QUICK = {"divide": ("--gap", "0.5"), "colgen": ("--time-limit", "20")}


@pytest.fixture
def printed(folder, monkeypatch, capfd):
    """Run ccviz and return all that came out of file descriptor 1."""
    monkeypatch.setattr("ccviz.cli.common._LOGGED_S", math.inf)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["ccviz", *map(str, arguments)])
        with pytest.raises(SystemExit):
            main()
        ctypes.CDLL(None).fflush(None)
        return capfd.readouterr().out

    return run


def asked_of(supports: Supports) -> tuple[str, ...]:
    """Return what a solver can keep: sizes where it can, links anyway."""
    return ("--sizes", "equal") if supports.sizes else ()


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_every_solver_leaves_standard_output_to_the_json(solver, printed, folder):
    table, links = folder / "few.csv", folder / "links.txt"
    rows = [(i % 3 * 10 + (i * 7 % 5) / 4, i % 3 * 5 + (i * 3 % 7) / 4) for i in range(18)]
    table.write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in rows))
    links.write_text("ML 0 3\nCL 0 1\nCL 3 4\n")
    out = printed(
        "solve", table, "-k", 3, "--solver", solver.name, "--links", links, "--json", "-",
        "--no-archive", *asked_of(solver.supports), *QUICK.get(solver.name, ()),
    )  # fmt: skip
    assert json.loads(out)["solver"] == solver.name


def test_the_labels_alone(printed):
    out = printed("solve", "iris", "--sizes", "equal", "--labels", "-", "--no-archive")
    labels = [int(line) for line in out.split()]
    assert sorted(map(labels.count, set(labels))) == [50, 50, 50]

"""Hard inputs of every kind: each solver ends soon after its time limit, and after SIGTERM.

The only test with a clock. It counts processor time of the run's process, so that a busy machine
does not fail it.
"""

import os
import signal
import subprocess
import sys
import time
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from numba.core.event import Listener, install_listener

from ccviz import Problem, solve
from ccviz.errors import UnsupportedError
from ccviz.problem.asked import read_asked
from ccviz.problem.reduction import with_rules
from ccviz.solvers import SOLVERS, check
from tests.tiers import taken_below

LIMIT_S, MOST_S = 2.0, 5.0


class Compiling(Listener):
    """Processor seconds of compilation, once on a machine: no part of what a method costs."""

    seconds, depth = 0.0, 0

    def on_start(self, _):
        self.since = self.since if self.depth else time.process_time()
        self.depth += 1

    def on_end(self, _):
        self.depth -= 1
        self.seconds += 0.0 if self.depth else time.process_time() - self.since


def tight_diameter(rng):
    X = rng.uniform([0, 0], [300, 200], (1100, 2))
    sizes = ([15] * 73, [16] * 73)
    return with_rules(Problem(X, 73, sizes=sizes), [read_asked("diameter<=45")], keeps_rules=True)


def cliques(rng):
    pairs = [(a + at, b + at) for at in (0, 100, 200) for a, b in combinations(range(100), 2)]
    return Problem(rng.normal(size=(300, 2)), 99, cannot_link=pairs)


def tight_sums(rng):
    column = rng.uniform(1, 9, 1000)
    texts = ("sum(w)>=4.95%", "sum(w)<=5.05%")
    rules = [read_asked(text, column=lambda _: column) for text in texts]
    return with_rules(Problem(rng.normal(size=(1000, 3)), 20), rules, keeps_rules=True)


def many_links(rng):
    pairs = rng.integers(0, 20_000, (40_000, 2))
    X = rng.normal(size=(20_000, 5))
    return Problem(X, 50, cannot_link=pairs[pairs[:, 0] != pairs[:, 1]])


def soft_links(rng):
    pairs = rng.integers(0, 2000, (60_000, 2))
    weighed = [
        (a, b, w)
        for (a, b), w in zip(pairs.tolist(), rng.uniform(0.1, 9, 60_000), strict=True)
        if a != b
    ]
    return Problem(rng.normal(size=(2000, 5)), 30, cannot_link=weighed)


def free(rng):
    return Problem(rng.normal(size=(3000, 30)), 12)


HARD = (tight_diameter, cliques, tight_sums, many_links, soft_links, free)


@cache
def hard(make):
    return make(np.random.default_rng(0))


@pytest.mark.slow
@pytest.mark.parametrize("make", HARD)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda each: each.name)
def test_a_limit_is_kept(make, solver):
    """In this process, which has loaded all that runs need."""
    problem, compiling = hard(make), Compiling()
    try:
        check(solver(), problem)
    except UnsupportedError:
        pytest.skip("refused")
    before = time.process_time()
    with install_listener("numba:compile", compiling):
        solve(problem, solver.name, time_limit=LIMIT_S, progress=False)
    assert time.process_time() - before - compiling.seconds < LIMIT_S + MOST_S


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["blp-kmeans", "bh-kmeans", "sdp", "colgen", "lp-box"])
def test_a_run_ends_soon_after_it_is_asked_to(solver, tmp_path):
    X = np.random.default_rng(0).uniform([0, 0], [300, 200], (1100, 2))
    table = tmp_path / "points.csv"
    table.write_text("x,y\n" + "\n".join(f"{a:.3f},{b:.3f}" for a, b in X))
    words = ["-k", "73", "--sizes", "15-16", "--rule", "diameter<=45", "--solver", solver]
    words = ["solve", str(table), *words, "--no-archive"]
    with subprocess.Popen([sys.executable, "-m", "ccviz", *words], env=os.environ) as child:
        while child.poll() is None and taken_below(child.pid) < LIMIT_S + 2:
            time.sleep(0.05)
        if child.poll() is not None:
            return  # it has found out by itself that it finds nothing
        before = taken_below(child.pid)
        child.send_signal(signal.SIGTERM)
        while child.poll() is None:
            assert taken_below(child.pid) < before + MOST_S
            time.sleep(0.05)

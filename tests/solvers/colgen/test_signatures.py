"""Each kernel that Python calls compiles for one signature, whatever the phase."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ccviz.compiled import COMPILES
from ccviz.problem.problem import Problem
from ccviz.problem.rules import MaxOverlap, SoftCannotLink
from ccviz.solvers.base import Context
from ccviz.solvers.colgen.master import banded, barrier_kernels, facilities, rounding
from ccviz.solvers.colgen.model import cluster, discs
from ccviz.solvers.colgen.params import Params
from ccviz.solvers.colgen.pricing import dual_adjustment, enumeration, heuristic, spatial
from ccviz.solvers.colgen.solver import Colgen
from tests.solvers.colgen.conftest import with_local_masters

ROOT = Path(__file__).parents[3]

KERNELS = [
    banded.band_of,
    banded.add_outer,
    barrier_kernels.barrier,
    barrier_kernels.normal,
    barrier_kernels.shares_held,
    facilities._fill,
    rounding.complete,
    rounding.relocate,
    cluster.allowed,
    discs.center_of,
    discs.in_discs,
    dual_adjustment.adjusted,
    enumeration.open_root,
    enumeration.search,
    heuristic.descend,
    spatial.open_root,
    spatial.search,
]


def run(problem, params, **settings):
    for _ in Colgen(**settings).steps_with(params, problem, Context(seed=0)):
        pass


@pytest.mark.skipif(not COMPILES, reason="kernels are not compiled here")
@pytest.mark.slow
def test_every_kernel_has_one_signature():
    # In an interpreter of its own: other tests call kernels with arrays of their own making.
    check = "from tests.solvers.colgen.test_signatures import check_signatures as check; check()"
    done = subprocess.run(
        [sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def check_signatures():
    """Run all phases and count the signatures of their kernels."""
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(80, 2))
    local = with_local_masters(15, slow_rounds=2)
    run(Problem(X, 9), local, tolerance=1e-4)  # facilities, local masters, discs
    rules = (MaxOverlap((0, 1, 2, 3), 2), SoftCannotLink(((4, 5), (6, 7)), 1))
    linked = Problem(X[:16].copy(), 4, cannot_link=[(8, 9)], rules=rules)
    for pricing in ("space", "blocks"):
        run(linked, Params(), pricing=pricing)
    counts = {str(kernel): len(kernel.nopython_signatures) for kernel in KERNELS}
    assert {kernel: count for kernel, count in counts.items() if count > 1} == {}
    assert sum(counts.values()) >= len(KERNELS) - 1  # no disc is branched on

"""Without a compiler, every solver does the same on small problems."""

import json
import os
import subprocess
import sys

import pytest

from ccviz.solvers import SOLVERS

_QUICK = {
    "dils": {"generations": 30}, "hg-means": {"generations": 4},
    "s-mdeclust": {"restarts": 0, "generations": 8}, "cop-kmeans": {"n_init": 2},
}  # fmt: skip
_SCRIPT = """
import json, sys
import numpy as np
from dataclasses import fields
from ccviz import Problem, start
from ccviz.solvers import SOLVERS, make_solver

quick = json.loads(sys.argv[1])
X = np.random.default_rng(4).normal(size=(14, 2))
hard = Problem(X, 3, [(0, 1), (2, 3)], [(0, 2), (1, 5), (5, 6)])
soft = Problem(X, 3, [(0, 1, 0.4), (2, 3, 0.4)], [(0, 2, 0.4), (1, 5, 0.4)])
for solver in SOLVERS:
    problem = soft if solver.supports.soft and not solver.supports.hard else hard
    run = start(problem, solver.name, seed=3, **quick.get(solver.name, {}))
    kinds = [type(record.event).__name__ for record in run]
    state = run.run
    labels = None if state.incumbent is None else state.incumbent.labels.tolist()
    print(json.dumps([solver.name, kinds, labels, state.lower_bound, state.status]), flush=True)
print(json.dumps("numba" in sys.modules))
"""


def runs(compiled):
    """Return what each solver does in a new process."""
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, json.dumps(_QUICK)],
        env=os.environ | {"CCVIZ_COMPILED": compiled}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_plain_kernels_do_what_compiled_ones_do():
    *compiled, with_numba = runs("1")
    *plain, without = runs("0")
    assert (with_numba, without) == (True, False)
    assert [row[0] for row in plain] == [solver.name for solver in SOLVERS]
    for (name, *ours), (_, *theirs) in zip(plain, compiled, strict=True):
        assert ours[0] == theirs[0], name  # the same events
        assert ours[1] == theirs[1], name  # the same clustering
        assert ours[2] == pytest.approx(theirs[2], rel=1e-9), name
        assert ours[3] == theirs[3], name


_KERNEL = """
from typing import NamedTuple
import numpy as np
from ccviz.compiled import njit

class {name}(NamedTuple):
    values: np.ndarray

@njit(cache=True)
def total(data):
    return data.values.sum()

print(total({name}(np.arange({size}.0))))
"""


@pytest.mark.slow
def test_a_cache_of_a_class_that_was_renamed_is_compiled_again(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "CCVIZ_COMPILED": "1"}
    for name, size, printed in (("Old", 3, "3.0"), ("New", 5, "10.0")):
        script = tmp_path / "kernel.py"
        script.write_text("import module_of_kernel\n")
        (tmp_path / "module_of_kernel.py").write_text(_KERNEL.format(name=name, size=size))
        run = subprocess.run(
            [sys.executable, str(script)], env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert run.stdout.strip() == printed, run.stderr

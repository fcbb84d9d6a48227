"""Warming compiles all kernels of all phases, each for one layout of its arrays.

Points may be of float32 or float64, which are compiled apart.
"""

import json
import os
import subprocess
import sys
from typing import get_args

import pytest

from ccviz.events import PartsCut
from ccviz.runs import phases
from ccviz.solvers import SOLVERS
from ccviz.solvers.assignment import wide
from ccviz.solvers.base import Context
from ccviz.solvers.colgen import Colgen, node
from ccviz.solvers.colgen.phases.disjunctions import DisjunctionPhase
from ccviz.solvers.colgen.phases.facilities import StalledPhase

_COMPILE = """
from ccviz.runs.warm import compile_solver
from ccviz.solvers import SOLVERS

for solver in SOLVERS:
    compile_solver(solver)
"""
# Every dispatcher of a module that takes `njit`: the list follows from the sources.
_KERNELS = """
import importlib, json, pickle, re
from pathlib import Path
import ccviz
from numba.core.dispatcher import Dispatcher

ROOT = Path(ccviz.__file__).parent
modules = [
    importlib.import_module(".".join(("ccviz", *path.relative_to(ROOT).with_suffix("").parts)))
    for path in sorted(ROOT.rglob("*.py")) if "@njit" in path.read_text(encoding="utf-8")
]
kernels = {
    f"{module.__name__}.{name}": kernel
    for module in modules
    for name, kernel in vars(module).items()
    if isinstance(kernel, Dispatcher) and kernel.py_func.__module__ == module.__name__
}
"""
_COUNT = (
    _KERNELS
    + """
from ccviz.runs.phases import phases
from ccviz.runs.warm import _run, examples
from ccviz.solvers import SOLVERS

for solver in SOLVERS:
    _run(solver, examples(24))
    if solver.keeps_float32:
        _run(solver, examples(24, "float32"))
    for phase in phases(solver):
        phase()
missed = [name for name, kernel in kernels.items() if sum(kernel.stats.cache_misses.values())]
print(json.dumps([len(kernels), missed]))
"""
)
_LAYOUTS = (
    _KERNELS
    + """
# Scalars of several types cost little: they are arguments of small loops only.
NUMBER = re.compile(r"^(Literal.int..-?[0-9]+.|Literal.bool..(True|False).|int32|int64)$")
layouts = {}
for name, kernel in kernels.items():
    if kernel.targetoptions.get("inline") == "always":  # compiled within its callers alone
        continue
    index = Path(kernel._cache._cache_file._index_path)
    overloads = {}
    if index.exists():
        with index.open("rb") as file:
            pickle.load(file)
            _, overloads = pickle.loads(file.read())
    layouts[name] = len({
        tuple(NUMBER.sub("int", str(each)).replace("float32", "float64") for each in key[0])
        for key in overloads
    })
print(json.dumps(layouts))
"""
)
_OTHER_LAYOUTS = {
    # It measures points, which are read-only, and centres, which are not.
    "ccviz.solvers.assignment.centers.squared_distance": 2,
}


def answer_of(script, cache, *args):
    """Return what a script prints at its end, run with a cache of kernels of its own."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "CCVIZ_COMPILED": "1"}
    run = subprocess.run(
        [sys.executable, "-c", script, *args], env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1]) if run.stdout else None


@pytest.fixture(scope="module")
def warmed(tmp_path_factory):
    """Return a cache into which all solvers were compiled."""
    cache = tmp_path_factory.mktemp("kernels")
    answer_of(_COMPILE, cache)
    return cache


@pytest.mark.slow
@pytest.mark.timeout(1800)  # all kernels compile: three minutes of a processor
def test_a_run_of_each_phase_compiles_nothing_after_warming(warmed):
    kernels, missed = answer_of(_COUNT, warmed)
    assert kernels > 200
    assert not missed


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_each_kernel_is_compiled_for_one_layout_of_its_arrays(warmed):
    layouts = answer_of(_LAYOUTS, warmed)
    assert len(layouts) > 200
    other = {name: count for name, count in layouts.items() if count != 1}
    assert other == _OTHER_LAYOUTS


def events_of(run):
    solver, problem = run()
    return list(solver.steps(problem, Context(seed=0)))


@pytest.mark.parametrize("run", [phases._RUNS["divide"][0], phases._RUNS["sdp"][0]])
def test_the_phases_of_divide_partition_the_blocks(run):
    assert any(isinstance(event, PartsCut) for event in events_of(run))


@pytest.mark.slow
def test_the_phases_of_colgen_are_all_reached(monkeypatch):
    reached = set()
    advance = node._advanced

    def noted(given, phase):
        reached.add(type(phase))
        return advance(given, phase)

    monkeypatch.setattr(node, "_advanced", noted)
    for phase in phases.phases(Colgen):
        phase()
    assert reached == {*get_args(node.IteratingPhase), StalledPhase, DisjunctionPhase}


def test_phases_are_of_solvers_that_there_are():
    names = {solver.name for solver in SOLVERS}
    assert names >= phases._RUNS.keys() | phases._KERNELS.keys()


def test_the_phase_of_many_features_takes_each_way(monkeypatch):
    taken = []
    for name in ("search_all", "search_near", "search_open"):
        kept = getattr(wide, name)
        monkeypatch.setattr(
            wide, name, lambda *given, name=name, kept=kept: taken.append(name) or kept(*given)
        )
    phases.many_features()
    assert taken == 2 * ["search_all", "search_near", "search_open"]

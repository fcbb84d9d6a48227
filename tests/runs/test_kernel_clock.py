import json
import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from ccviz.compiled import COMPILES, compiling_said, loading_measured

_SCRIPT = """
import json, sys
from ccviz import Problem, start
from ccviz.compiled import compiling_said
from ccviz.runs.stepper import Stepper

said, off = [], []
discount = Stepper.discount
Stepper.discount = lambda self, seconds: (off.append(seconds), discount(self, seconds))
run = start(Problem([[0.0], [0.1], [1.0], [1.1]], 2), "cvqe")
with compiling_said(said.append):
    result = run.result()
print(json.dumps([said, sum(off)]))
"""


def first_and_second_run(cache):
    """Return what two processes say of the kernels of a small solver, compiled by the first."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "CCVIZ_COMPILED": "1"}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT], env=environment, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        yield json.loads(done.stdout)


@pytest.mark.skipif(not COMPILES, reason="there is no compiler")
@pytest.mark.slow
def test_compiling_is_said_once_on_this_machine_and_loading_is_off_the_clock(tmp_path):
    (said, _), (silence, loading) = first_and_second_run(tmp_path)
    assert said
    assert all(f"kernel {number}, " in words for number, words in enumerate(said, 1))
    assert silence == []
    assert loading > 0.0


@pytest.mark.skipif(not COMPILES, reason="there is no compiler")
def test_loading_is_measured_as_it_happens():
    from numba.core.event import trigger_event

    from ccviz.kernel_cache import LOAD

    seconds = []
    with loading_measured(seconds.append):
        seconds.clear()  # of numba itself
        with trigger_event(LOAD):
            before = time.perf_counter()
            while time.perf_counter() == before:
                pass
        assert len(seconds) == 1
        assert seconds[0] > 0.0
    with trigger_event(LOAD):
        pass
    assert len(seconds) == 1


@pytest.mark.parametrize("watched", [loading_measured, compiling_said])
def test_without_a_compiler_there_is_nothing_to_report(watched, monkeypatch):
    monkeypatch.setattr("ccviz.compiled.COMPILES", False)
    reports = []
    with watched(reports.append):
        pass
    assert reports == []


@pytest.mark.skipif(not COMPILES, reason="there is no compiler")
def test_a_kernel_that_is_compiled_for_another_counts_once():
    from numba.core.event import trigger_event

    words, kernel = [], {"dispatcher": SimpleNamespace(py_func=sum)}
    with compiling_said(words.append) as spent:
        for _ in range(2):
            with trigger_event("numba:compile", kernel), trigger_event("numba:compile", kernel):
                pass
    assert len(words) == 4
    assert len(spent) == 2
    assert min(spent) > 0.0

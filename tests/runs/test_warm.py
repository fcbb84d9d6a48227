import pytest

from ccviz.errors import UnsupportedError
from ccviz.runs import warm
from ccviz.runs.warm import compile_for, compiled, examples, lanes, start_compiling
from ccviz.solvers import SOLVERS


def taken(solver):
    """Return the examples that a solver runs on."""
    for problem in examples():
        try:
            solver().check(problem)
        except UnsupportedError:
            continue
        yield problem


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_every_solver_is_warmed_by_all_that_it_supports(solver):
    problems = [*taken(solver)]
    assert any(not problem.is_soft for problem in problems)
    assert any(problem.is_soft for problem in problems) == solver.supports.soft
    assert any(problem.sizes is not None for problem in problems) == solver.supports.sizes


@pytest.fixture
def nothing_compiled(tmp_path, monkeypatch):
    """Find no kernels, and note for whom they are compiled instead of doing it."""
    runs = []
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("ccviz.runs.warm.find_pack", lambda: None)
    monkeypatch.setattr(warm, "_run", lambda solver, problems: runs.append(solver.name))
    monkeypatch.setattr(warm, "phases", lambda _: ())
    return runs


def test_the_lanes_miss_no_solver_and_begin_with_what_the_page_chooses():
    first, beside = lanes()
    assert {*first, *beside} == {solver.name for solver in SOLVERS}
    assert first[0] == "blp-kmeans"
    # What both compile, the second only waits for.
    assert {*first} & {*beside} == {"blp-kmeans"}


def test_each_solver_is_compiled_once(nothing_compiled):
    compile_for(["sdp", "colgen"])
    compile_for(["colgen", "dils"])
    assert nothing_compiled == ["sdp", "colgen", "dils"]
    assert compiled("dils")


def test_nothing_is_started_where_all_is_compiled(nothing_compiled):
    compile_for([solver.name for solver in SOLVERS])
    assert start_compiling() == []

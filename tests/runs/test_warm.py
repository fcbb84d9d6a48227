import pytest

from ccviz.errors import UnsupportedError
from ccviz.runs import warm
from ccviz.runs.kernels import compiled
from ccviz.runs.stepper import start
from ccviz.runs.warm import compile_for, examples, lanes, load, start_compiling
from ccviz.solvers import SOLVERS, make_solver


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


def test_loading_is_off_the_clock_of_the_run(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    monkeypatch.setattr(warm, "compiled", lambda _: True)
    monkeypatch.setattr("ccviz.runs.warm._run", lambda *_: now.__setitem__(0, 5.0))
    stepper = start(examples()[0], make_solver("cop-kmeans"))
    load(stepper)
    now[0] = 5.25
    assert next(stepper).time_s == 0.25


def test_loading_runs_the_solver_itself(monkeypatch):
    seen = []

    def watched(problem, solver, **limits):
        seen.append(solver.name)
        return start(problem, solver, **limits)

    stepper = start(examples()[0], make_solver("cop-kmeans", n_init=3))
    monkeypatch.setattr("ccviz.runs.warm.start", watched)
    load(stepper)
    assert set(seen) == {"cop-kmeans"}


@pytest.fixture
def nothing_compiled(tmp_path, monkeypatch):
    """Find no kernels, and note for whom they are compiled instead of doing it."""
    runs = []
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(warm, "_run", lambda solver, problems: runs.append(solver.name))
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


def test_a_run_compiles_what_is_missing_and_only_loads_it_afterwards(nothing_compiled):
    for runs in (2, 1):
        nothing_compiled.clear()
        load(start(examples()[0], make_solver("cop-kmeans")))
        assert nothing_compiled == ["cop-kmeans"] * runs


def test_nothing_is_started_where_all_is_compiled(nothing_compiled):
    compile_for([solver.name for solver in SOLVERS])
    assert start_compiling() == []


def test_loops_for_float32_are_loaded_for_who_has_such_points(monkeypatch):
    ran = []
    monkeypatch.setattr(warm, "compiled", lambda _: True)
    monkeypatch.setattr(warm, "_run", lambda _, problems: ran.extend(p.X.dtype for p in problems))
    wide, *_ = examples()
    narrow, *_ = examples(kind="float32")
    for problem, solver, kinds in (
        (wide, "blp-kmeans", {"float64"}),
        (narrow, "blp-kmeans", {"float64", "float32"}),
        (narrow, "hg-means", {"float64"}),
    ):
        ran.clear()
        load(start(problem, make_solver(solver)))
        assert {str(kind) for kind in ran} == kinds

import pytest

from ccviz import start
from ccviz.errors import UnsupportedError
from ccviz.solvers import SOLVERS, check, make_solver
from ccviz.solvers.advice import KINDS, matrix, obstacles, sample
from tests.constrained import faults, faults_of, problem_of

CELLS = [
    (name, kind, cell.level)
    for name, row in matrix().items()
    for kind, cell in row.items()
    if cell.level != "no"
]
PROVED = [each for each in CELLS if each[2] in ("bound", "proof")]
LOOKED_AT = ("blp-kmeans", "bh-kmeans", "cop-kmeans", "pccc")
OTHERS = [each for each in CELLS if each[0] in LOOKED_AT or each[1] == "weights"]


def test_every_solver_and_every_kind_has_a_cell():
    assert list(matrix()) == [solver.name for solver in SOLVERS]
    assert all(list(row) == [kind.name for kind in KINDS] for row in matrix().values())


def test_a_refusal_is_the_page_s_reason_and_the_solver_s_own():
    cells = matrix()
    for kind in KINDS:
        grey = obstacles(sample(kind, False), sample(kind, True))
        for solver in SOLVERS:
            cell = cells[solver.name][kind.name]
            assert cell.why == grey.get(solver.name, "")
            assert (cell.level == "no") == bool(cell.why)
            if cell.why:
                with pytest.raises(UnsupportedError):
                    check(make_solver(solver.name), sample(kind, solver.supports.rules))


def test_exact_solvers_prove_what_they_take():
    levels = {
        name: {cell.level for cell in row.values()}
        for name, row in matrix().items()
        if make_solver(name).supports.exact
    }
    assert levels == {"sdp": {"proof", "no"}, "colgen": {"proof"}, "rbba": {"proof", "no"}}


SUMS = ("sum()", "count()", "share()", "mean()")
"""Kinds that most bounds leave out."""


def sample_of(cell):
    """Return a cell as a parameter of the test below, slow where its trees are long."""
    slow = cell[0] in ("sdp", "colgen", "divide") and cell[1].startswith(SUMS)
    marks = [pytest.mark.slow] if slow else []
    return pytest.param(*cell, marks=marks)


@pytest.mark.parametrize(
    ("name", "kind", "level"), [*map(sample_of, dict.fromkeys([*PROVED, *OTHERS]))]
)
def test_a_sample_of_cells_holds_against_brute_force(name, kind, level):
    solver = make_solver(name)
    # Trees whose bounds leave something out are long: the quick tier has the fewest points of eight
    # draws, and `benchmarks/matrix.py` many more of them.
    few = level != "proof" or kind.startswith((*SUMS, "weights and sizes"))
    drawn = [problem_of(kind, seed, solver.supports.rules) for seed in range(8 if few else 3)]
    problems = [problem for problem in drawn if problem is not None]
    if few:
        problems = sorted(problems, key=lambda problem: problem.n)[:1]
    for problem in problems:
        assert list(faults(problem, name, level)) == []


@pytest.mark.parametrize("kind", ["exact sizes", "ranges", "soft links"])
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("sdp", {"backend": "scs"}),
        ("colgen", {"pricing": "space", "starts": 0}),
        ("colgen", {"pricing": "blocks", "starts": 0}),
    ],
)
def test_other_ways_of_an_exact_solver_hold_against_brute_force(name, settings, kind):
    for seed in range(5):
        problem = problem_of(kind, seed, keeps_rules=True)
        if problem is not None:
            result = start(problem, name, tolerance=1e-7, **settings).result()
            assert list(faults_of(result, "proof")) == []

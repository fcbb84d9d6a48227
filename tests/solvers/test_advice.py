from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from ccviz.errors import UnsupportedError
from ccviz.problem.asked import read_asked
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import with_rules
from ccviz.problem.rules import MaxDiameter
from ccviz.solvers import SOLVERS, check, make_solver
from ccviz.solvers.advice import advice, obstacles
from ccviz.solvers.base import GROUPS, Solver, label_of
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.solvers.dils import Dils
from ccviz.solvers.ipc_kmeans import IpcKMeans
from ccviz.solvers.sdp import Sdp

X = np.random.default_rng(0).normal(size=(12_000, 3))


def problem(n=600, k=3, d=3, **constraints):
    return Problem(X[:n, :d], k, **constraints)


@pytest.mark.parametrize(
    ("asked", "solver"),
    [
        (problem(), "blp-kmeans"),
        (problem(100), "sdp"),
        (problem(500), "sdp"),
        (problem(600, 30, d=2), "colgen"),
        (problem(600, 3, d=2), "blp-kmeans"),
        (problem(12, 5), "colgen"),
        (problem(100, sizes=[50, 30, 20]), "sdp"),
        (problem(100, must_link=[(0, 1, 2.0)]), "sdp"),
        (problem(100, 10, sizes=[10] * 10, must_link=[(0, 1, 2.0)]), "sdp"),
        (problem(24, 6, sizes=[4] * 6, cannot_link=[(0, 1, 2.0)]), "colgen"),
        (Problem(np.zeros((60, 1)), 10, [(0, 1, 2.0)], sizes=[6] * 10), "colgen"),
        (problem(60, 10, must_link=[(0, 1, 2.0)], sizes=[6] * 10), "sdp"),
        (problem(600, must_link=[(0, 1, 2.0)]), "bh-kmeans"),
        (Problem(np.zeros((6000, 1)), 2, must_link=[(0, 1, 2.0)]), "pck-means"),
        (problem(must_link=[(0, i) for i in range(1, 150)]), "sdp"),
        (problem(100, rules=[MaxDiameter(3.0)]), "colgen"),
    ],
)
def test_what_is_advised_can_have_the_problem(asked, solver):
    found = advice(asked)
    assert found.solver == solver
    assert found.why.endswith(".")
    check(make_solver(found.solver), asked)
    assert solver not in obstacles(asked)


@pytest.mark.parametrize(
    ("asked", "seconds", "solver"),
    [
        (problem(), 60.0, "sdp"),
        (problem(), 10.0, "divide"),
        (problem(), 5.0, "blp-kmeans"),
        (problem(600, 20), 60.0, "blp-kmeans"),
        (problem(12_000), 60.0, "divide"),
        (problem(12_000), 20.0, "blp-kmeans"),
        (problem(sizes=[200, 200, 200]), 60.0, "blp-kmeans"),
    ],
)
def test_a_time_limit_says_what_can_be_proved(asked, seconds, solver):
    found = advice(asked, seconds=seconds)
    assert found.solver == solver
    check(make_solver(found.solver), asked)


def test_who_cannot_says_why():
    assert obstacles(problem()) == {}
    assert obstacles(problem(100, sizes=[50, 30, 20]))["ipc-kmeans"] == "no cluster sizes"
    many = Problem(np.zeros((50_000, 1)), 2)
    assert obstacles(many)["sdp"] == "too many points"


def test_every_solver_has_its_group():
    assert {kind.group for kind in SOLVERS} == set(GROUPS)


@pytest.mark.parametrize(
    ("n", "k", "solver"),
    [
        (15, 3, "colgen"), (16, 4, "colgen"), (24, 6, "colgen"), (40, 4, "sdp"),
        (600, 6, "regions"), (12_000, 6, "blp-kmeans"),
    ],
)  # fmt: skip
def test_limits_on_sums_of_few_points_get_the_solver_that_lists_clusters(n, k, solver):
    demand = np.arange(1.0, n + 1.0)
    rules = [read_asked(f"sum(demand)<={0.9 * demand.sum()}", None, lambda _: demand)]
    sizes = None if n < 20 else f"{n // k}"
    assert advice(with_rules(problem(n, k, sizes=sizes), rules, keeps_rules=False)).solver == solver


@pytest.mark.parametrize(
    ("n", "k", "linked", "solver"),
    [
        (24, 6, [(0, 1)], "colgen"),
        (24, 6, [(0, 1), (2, 3), (3, 4)], "colgen"),
        (40, 4, [(i, i + 1) for i in range(0, 40, 2)], "colgen"),  # 20 blocks: 15,504 clusters
        (40, 4, [(0, 1)], "bh-kmeans"),
    ],
)
def test_sets_of_blocks_are_counted_by_their_points(n, k, linked, solver):
    rules = [read_asked("count(yes)>=1", None, lambda _: np.arange(n) % 2)]
    asked = problem(n, k, must_link=[*linked, (0, n - 1, 2.0)], sizes=f"{n // k}")
    assert advice(with_rules(asked, rules, keeps_rules=False)).solver == solver


def test_limits_on_sums_of_many_points_that_are_kept_apart_get_regions():
    X = np.random.default_rng(0).uniform(size=(600, 2))
    rules = [
        read_asked("sum(demand)<=8%", column={"demand": np.ones(600)}.__getitem__),
        read_asked("diameter<=0.5"),
    ]
    asked = with_rules(Problem(X, 15), rules, keeps_rules=False)
    assert advice(asked).solver == "regions"


# --- Base -----------------------------------------------------------------------------------------


def test_more_blocks_than_fit_into_memory_are_refused_in_words():
    solver = IpcKMeans()
    n = int(solver.most_blocks) + 1
    X = np.arange(float(n))[:, None]
    with pytest.raises(UnsupportedError, match=r"can take 4,000 blocks; this problem has 4,001\."):
        solver.check(Problem(X, 2))
    solver.check(Problem(X, 2, must_link=[(0, 1)]))


def test_a_refusal_names_the_solvers_that_can():
    X = np.arange(6.0)[:, None]
    with pytest.raises(UnsupportedError) as refused:
        check(Dils(), Problem(X, 2, sizes=[3, 3]))
    first, _, able = str(refused.value).partition("; these can: ")
    assert first == "dils cannot handle cluster sizes"
    can = [solver.name for solver in SOLVERS if solver.supports.sizes]
    assert able == f"{', '.join(can)}."


def test_a_parameter_without_a_sentence_is_named():
    @dataclass(frozen=True)
    class Hasty(Solver):
        name: ClassVar[str] = "hasty"
        rounds: int = 3

    with pytest.raises(TypeError, match="hasty: the parameter rounds is not declared by `setting"):
        Hasty()


def test_a_setting_is_called_by_its_label_or_its_name_in_words():
    assert label_of("n_init", BlpKMeans) == "Starts"
    assert label_of("cuts_per_block", BlpKMeans, Sdp) == "Cuts per block"
    assert label_of("node_limit") == "Node limit"

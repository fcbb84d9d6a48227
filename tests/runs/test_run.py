"""The state that events add up to."""

import math

import numpy as np
import pytest

from ccviz import Problem, Run
from ccviz.events import (
    Assigned,
    BoundImproved,
    CentersMoved,
    Finished,
    IncumbentFound,
    InfeasibilityProved,
    NodeBounded,
    NodeBranched,
    NodeOpened,
    NodePruned,
    Noted,
    Record,
    Started,
)
from ccviz.runs.run import FOLDED, REPLACED, result_of

GOOD, WORSE = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])


@pytest.fixture
def problem():
    return Problem(np.arange(4.0)[:, None], 2, cannot_link=[(0, 2)])


def fold(problem, *events):
    run = Run(problem)
    for seq, event in enumerate(events):
        run.apply(Record(seq, seq / 10, event))
    return run


def test_a_new_run_knows_nothing(problem):
    run = Run(problem)
    assert (run.status, run.termination, run.seq) == ("unknown", None, -1)
    assert (run.objective, run.lower_bound, run.gap) == (math.inf, -math.inf, math.inf)


def test_incumbent_is_the_best_by_its_own_labels(problem):
    run = fold(problem, IncumbentFound(labels=WORSE), IncumbentFound(labels=GOOD, source="x"))
    assert run.objective == pytest.approx(1.0)
    assert run.incumbent_source == "x"
    run.apply(Record(2, 1.0, IncumbentFound(labels=WORSE)))
    assert run.objective == pytest.approx(1.0)
    assert run.status == "feasible"


def test_an_incumbent_that_keeps_the_links_beats_a_cheaper_one_that_does_not():
    problem = Problem([[0.0], [0.1], [5.0], [5.1]], 2, cannot_link=[(0, 1)])
    breaks, keeps = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    run = fold(problem, IncumbentFound(labels=breaks))
    assert run.status == "unknown"
    run.apply(Record(1, 0.0, IncumbentFound(labels=keeps)))
    run.apply(Record(2, 0.0, IncumbentFound(labels=breaks)))
    assert run.incumbent.labels.tolist() == keeps.tolist()
    assert run.status == "feasible"


def test_solvers_with_an_objective_of_their_own_are_ranked_by_it(problem):
    run = fold(
        problem,
        IncumbentFound(labels=GOOD, objective=5.0),
        IncumbentFound(labels=WORSE, objective=4.0),
    )
    assert run.incumbent.labels.tolist() == WORSE.tolist()
    assert run.objective == pytest.approx(2.0)


def test_soft_penalties_count():
    problem = Problem(np.arange(4.0)[:, None], 2, must_link=[(1, 2, 10.0)])
    run = fold(problem, IncumbentFound(labels=GOOD))
    assert run.objective == pytest.approx(11.0)


def test_lower_bound_never_falls(problem):
    run = fold(problem, BoundImproved(lower_bound=0.5), BoundImproved(lower_bound=0.2))
    assert run.lower_bound == 0.5
    assert len(run.history) == 1


def test_history_holds_both_bounds(problem):
    run = fold(problem, BoundImproved(lower_bound=0.5), IncumbentFound(labels=GOOD))
    assert [(m.time_s, m.upper_bound, m.lower_bound) for m in run.history] == [
        (0.0, math.inf, 0.5),
        (0.1, pytest.approx(1.0), 0.5),
    ]


def test_tree(problem):
    run = fold(
        problem,
        NodeOpened(node=0, parent=None, depth=0, lower_bound=-math.inf),
        NodeBounded(node=0, lower_bound=0.4),
        NodeBranched(node=0, pair=(0, 1), lower_bound=0.5),
        NodeOpened(node=1, parent=0, depth=1, lower_bound=0.5, pair=(0, 1), together=True),
        NodeOpened(node=2, parent=0, depth=1, lower_bound=0.5, pair=(0, 1)),
        NodePruned(node=1, reason="infeasible", lower_bound=math.inf, detail="why"),
    )
    root, together, apart = run.tree.values()
    assert (root.state, root.children, root.branch_pair) == ("branched", [1, 2], (0, 1))
    assert root.lower_bound == 0.5
    assert (together.state, together.together, together.detail) == ("infeasible", True, "why")
    assert (apart.state, apart.together) == ("open", False)
    assert run.nodes_done == 2


def test_a_branch_on_a_place_is_told_from_one_on_a_pair(problem):
    child = {"parent": 0, "depth": 1, "lower_bound": 0.5, "pair": (2, 1), "place": True}
    run = fold(
        problem,
        NodeOpened(node=0, parent=None, depth=0, lower_bound=-math.inf),
        NodeBranched(node=0, pair=(2, 1), lower_bound=0.5, place=True),
        NodeOpened(node=1, together=True, **child),
        NodeOpened(node=2, **child),
        NodeBranched(node=1, pair=(0, 1), lower_bound=0.5),
    )
    root, taken, empty = run.tree.values()
    assert (root.place, root.branch_pair, root.branch_place) == (False, (2, 1), True)
    assert (taken.pair, taken.together, taken.place) == ((2, 1), True, True)
    assert (empty.pair, empty.together, empty.place) == ((2, 1), False, True)
    assert (taken.branch_pair, taken.branch_place) == ((0, 1), False)


def test_statuses(problem):
    found, bound = IncumbentFound(labels=GOOD), BoundImproved(lower_bound=1.0)
    proved, limit = Finished(termination="proved"), Finished(termination="time_limit")
    assert fold(problem, found, bound, proved).status == "optimal"
    assert fold(problem, found, bound, limit).status == "feasible"
    assert fold(problem, found, proved).status == "feasible"  # a proof has a bound
    assert fold(problem, limit).status == "unknown"
    assert fold(problem, InfeasibilityProved(reason="r"), proved).status == "infeasible"


def test_result_sums_up(problem):
    started = Started(solver="s", settings={}, seed=4, n=4, d=1, k=2, n_blocks=2)
    run = fold(problem, started, IncumbentFound(labels=GOOD), Finished(termination="converged"))
    result = result_of(run)
    assert (result.solver, result.seed, result.n_blocks, result.status) == ("s", 4, 2, "feasible")
    assert result.labels.tolist() == GOOD.tolist()
    assert result.time_s == pytest.approx(0.2)


def test_result_of_an_infeasible_problem_says_why(problem):
    started = Started(solver="s", settings={}, seed=4, n=4, d=1, k=2, n_blocks=2)
    because, end = InfeasibilityProved(reason="no way."), Finished(termination="proved")
    result = result_of(fold(problem, started, because, end))
    assert result.partition is None
    assert result.labels is None
    assert "no way." in result.message


def test_the_newest_assignment_shows_until_a_better_incumbent(problem):
    assigned = Assigned(iteration=3, labels=WORSE, objective=2.0, moved=1)
    moved = CentersMoved(iteration=3, centers=np.zeros((2, 1)))
    run = fold(problem, assigned, moved, Noted(text="hello"))
    assert run.labels.tolist() == WORSE.tolist()
    assert run.iteration == 3
    assert run.notes == ["hello"]
    run.apply(Record(9, 1.0, IncumbentFound(labels=GOOD)))
    assert run.labels.tolist() == GOOD.tolist()


def test_what_is_replaced_is_folded():
    assert REPLACED < FOLDED


CLAIM = Finished(termination="proved", message="The solver finished its proof.")


@pytest.mark.parametrize(
    ("tolerance", "bound", "status"),
    [
        (1e-6, 1.0, "optimal"),
        (1e-6, 1.0 - 0.9e-6, "optimal"),
        (1e-6, 1.0 - 2e-6, "feasible"),
        (0.5, 1.0 - 2e-4, "feasible"),  # whatever the tolerance, that is not called optimal
        (0.0, 0.0, "feasible"),
        (1e-6, -math.inf, "feasible"),
        (1e-6, 1.0 + 1e-5, "feasible"),  # a bound above the clustering proves nothing
        (1e-6, 1.0 + 1e-15, "optimal"),
    ],
)
def test_the_status_never_contradicts_the_gap(problem, tolerance, bound, status):
    began = Started(
        solver="x", settings={"tolerance": tolerance}, seed=0, n=4, d=1, k=2, n_blocks=4
    )
    found = IncumbentFound(labels=GOOD)
    run = fold(problem, began, found, BoundImproved(lower_bound=bound), CLAIM)
    result = result_of(run, list)
    assert (run.status, result.status) == (status, status)
    assert (run.termination == "proved") == (status == "optimal")
    assert ("proof" in result.message) == (status == "optimal")


def test_a_clustering_that_breaks_a_link_is_never_optimal(problem):
    broken = IncumbentFound(labels=np.array([0, 1, 0, 1]))
    run = fold(problem, broken, BoundImproved(lower_bound=4.0), CLAIM)
    assert run.status == "unknown"

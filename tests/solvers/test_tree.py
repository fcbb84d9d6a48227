import math
from itertools import combinations

import numpy as np
import pytest

from ccviz.events import (
    BoundImproved,
    IncumbentFound,
    NodeBranched,
    NodeOpened,
    NodePruned,
    Record,
)
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context
from ccviz.solvers.tree import (
    Report,
    Search,
    StoppedError,
    Task,
    branch_and_bound,
    cutoff,
    decided,
)
from ccviz.solvers.workforce import open_workforce

POINTS = np.array([0.0, 0.3, 1.0, 1.2, 2.0, 2.5])


def objective(labels):
    return sum(
        float(((POINTS[labels == j] - POINTS[labels == j].mean()) ** 2).sum()) for j in (0, 1)
    )


def allowed(task, labels):
    together, apart = decided(task.decisions, True), decided(task.decisions, False)
    return all(labels[i] == labels[j] for i, j in together.tolist()) and all(
        labels[i] != labels[j] for i, j in apart.tolist()
    )


def work(task):
    """A stand-in solver: exact bounds by trying everything, weakened while pairs are open."""
    every = [
        labels
        for bits in range(1, 2 ** (len(POINTS) - 1))
        if allowed(task, labels := np.array([bits >> i & 1 for i in range(len(POINTS))]))
    ]
    if not every:
        return Report("infeasible", math.inf, detail="nothing is left", witness=(0, 1))
    best = min(every, key=objective)
    open_pairs = [
        pair
        for pair in combinations(range(len(POINTS)), 2)
        if pair not in [decision.pair for decision in task.decisions]
    ]
    weak = objective(best) * (1.0 - 0.1 * (4 - len(task.decisions)) / 4)
    if task.opening and not task.decisions:
        return Report("go on", 0.5 * weak, state="begun")
    if len(task.decisions) >= 4:
        return Report("integral", objective(best), labels=best, certificate={"a": POINTS})
    return Report("branch", weak, labels=every[0], pair=open_pairs[0], state="parent")


def run(order="best", workers="1", tolerance=1e-6, history=(), stop=lambda: False):
    search = Search(work, objective, tolerance, order)
    with open_workforce(workers) as workforce:
        events = list(search.steps(workforce, stop, history))
    return search, events


BEST = min(
    objective(np.array([bits >> i & 1 for i in range(len(POINTS))]))
    for bits in range(1, 2 ** (len(POINTS) - 1))
)


@pytest.mark.parametrize("order", ["best", "depth", "breadth"])
def test_every_order_finds_the_optimum(order):
    search, events = run(order)
    assert search.upper_bound == pytest.approx(BEST)
    assert search.lower_bound == pytest.approx(BEST)
    bounds = [event.lower_bound for event in events if isinstance(event, BoundImproved)]
    assert bounds == sorted(bounds)
    assert all(bound <= BEST * (1 + 1e-12) for bound in bounds)


def test_orders_differ_in_which_node_comes_next():
    def branched(order):
        return [event.node for event in run(order)[1] if isinstance(event, NodeBranched)]

    assert branched("breadth") == sorted(branched("breadth"))
    depth_of = {e.node: e.depth for e in run("depth")[1] if isinstance(e, NodeOpened)}
    depths = [depth_of[node] for node in branched("depth")]
    assert depths[:4] == [0, 1, 2, 3]


def test_a_branched_node_has_both_children_and_a_leaf_has_none():
    _, events = run()
    parents = [event.parent for event in events if isinstance(event, NodeOpened)]
    for event in events:
        if isinstance(event, NodeBranched):
            assert parents.count(event.node) == 2
        if isinstance(event, NodePruned):
            assert parents.count(event.node) == 0
    opened = sum(isinstance(event, NodeOpened) for event in events)
    assert opened == sum(isinstance(event, NodePruned | NodeBranched) for event in events)


@pytest.mark.parametrize("tolerance", [1e-6, 0.2])
def test_a_node_closed_by_its_bound_says_no_more_than_its_bound_does(tolerance):
    search, events = run(tolerance=tolerance)
    closed = [e for e in events if isinstance(e, NodePruned) and e.reason == "bound"]
    assert closed
    below = [event.lower_bound < search.upper_bound for event in closed]
    assert any(below) == (tolerance == 0.2)
    for event in closed:
        assert event.lower_bound >= cutoff(search.upper_bound, tolerance)
        assert event.detail in (
            "The bound reached the incumbent within the tolerance.",
            "The bound of its parent suffices.",
        )


def test_a_leaf_says_whose_multipliers_prove_it():
    _, events = run()
    integral = [e for e in events if isinstance(e, NodePruned) and e.reason == "integral"]
    assert integral
    assert all(event.certificate["node"].tolist() == [event.node] for event in integral)


def test_a_run_cut_off_anywhere_goes_on_to_the_same_answer():
    _, whole = run()
    for cut in range(1, len(whole), 3):
        history = tuple(Record(seq, 0.0, event) for seq, event in enumerate(whole[:cut]))
        search, rest = run(history=history)
        assert search.upper_bound == pytest.approx(BEST)
        assert search.lower_bound == pytest.approx(BEST)
        names = [e.node for e in (*whole[:cut], *rest) if isinstance(e, NodeOpened)]
        assert len(names) == len(set(names))


def test_an_infeasible_root_is_proved():
    def impossible(task):
        return Report("infeasible", math.inf, detail="no way", witness=(1, 2))

    search = Search(impossible, objective, 1e-4)
    with open_workforce("1") as workforce:
        events = list(search.steps(workforce, lambda: False))
    assert search.infeasible
    assert events[-1].points == (1, 2)


def test_a_stop_leaves_at_once_with_the_incumbent():
    seen = []
    search, events = run(stop=lambda: len(seen) > 0 or seen.append(1))
    assert len(events) < 8
    assert search.lower_bound < BEST


def test_incumbents_only_improve():
    _, events = run("breadth")
    found = [event.objective for event in events if isinstance(event, IncumbentFound)]
    assert found == sorted(found, reverse=True)


def test_cutoff_is_infinite_without_an_incumbent():
    assert cutoff(math.inf, 1e-4) == math.inf
    assert cutoff(10.0, 0.1) == pytest.approx(9.0)
    assert Task(0).decisions == ()


def test_work_in_hand_is_dropped_when_it_is_told_to_stop():
    asked = iter([False] * 6 + [True] * 99)

    def obedient(task):
        if task.stop():
            raise StoppedError
        return work(task)

    search = Search(obedient, objective, 1e-6)
    with open_workforce("1") as workforce:
        events = list(search.steps(workforce, lambda: next(asked)))
    opened = {event.node for event in events if isinstance(event, NodeOpened)}
    done = {event.node for event in events if isinstance(event, NodeBranched | NodePruned)}
    assert 0 < len(done) < len(opened)
    assert search.lower_bound <= BEST


def test_a_gap_that_stays_is_no_proof():
    problem = Problem([[0.0], [1.0], [3.0]], 2)

    def rounded(task):
        return Report("integral", 0.25, labels=np.array([0, 0, 1]))  # of the objective 0.5

    *_, last = branch_and_bound(
        problem, Context(), rounded, tolerance=1e-6, order="best", incumbent="none"
    )
    assert last.termination == "stalled"
    assert "a gap of 0.5." in last.message

"""Exact search under constraints that bounds leave out."""

from dataclasses import replace

import numpy as np
import pytest

from ccviz import Partition, Problem, solve, start
from ccviz.events import BoundImproved, IncumbentFound, NodeOpened, Noted
from ccviz.problem.asked import AskedRule, read_asked
from ccviz.problem.reduction import with_rules
from ccviz.problem.rules import MaxOverlap
from ccviz.problem.sums import MaxSum, MinSum
from ccviz.proof.verify import verify
from ccviz.solvers.start.leaving_out import leaving_out
from tests.constrained import optimum
from tests.proof.conftest import check_proof, second  # noqa: F401

SETTINGS = {"sdp": {}, "colgen": {"listed": 0}}  # listed clusters keep everything
VALUES = (3.0, 0.0, 2.0, 1.0, 1.0, 1.0)


@pytest.fixture
def problem():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]])
    return Problem(X, 3, rules=(MinSum((1.0,) * 6, 2.0), MaxSum(VALUES, 4.0)))


def test_what_bounds_leave_out(problem):
    assert leaving_out(problem).known.rules == ()
    assert leaving_out(problem, "largest").known.rules == problem.rules[1:]
    assert leaving_out(problem).sentence.startswith(
        "The bounds of single nodes leave limits on sums"
    )
    weighted = Problem(problem.X, 3, sizes=[2, 2, 2], weights=[1, 2, 1, 1, 1, 1])
    assert leaving_out(weighted).known.sizes is None
    sized = replace(weighted, weights=None)
    assert leaving_out(sized).is_whole


@pytest.mark.parametrize(
    ("solver", "words"), [("sdp", "count limits on sums"), ("colgen", "leave limits on sums out")]
)
def test_the_optimum_is_proved_and_the_run_says_what_is_left_out(problem, solver, words):
    run = start(problem, solver, **SETTINGS[solver]).result()
    assert run.status == "optimal"
    assert run.partition.violations.none_hard
    noted = [record.event.text for record in run.records() if isinstance(record.event, Noted)]
    assert any(words in text for text in noted)


def _weighted(seed):
    """Return a problem of weights, sizes in any order and, for odd seeds, soft links."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6, 2))
    soft = [(*rng.choice(6, 2, replace=False), float(rng.exponential())) for _ in range(4)]
    links = {"must_link": soft[:2], "cannot_link": soft[2:]} if seed % 2 else {}
    return Problem(X, 3, sizes=rng.permutation([1, 2, 3]), weights=rng.integers(1, 5, 6), **links)


@pytest.mark.parametrize("seed", [3, 7, 8, 38])
@pytest.mark.parametrize("solver", ["sdp", "colgen"])
def test_sizes_in_any_order_beside_weights_are_proved(solver, seed):
    problem = _weighted(seed)
    run = start(problem, solver, **SETTINGS[solver]).result()
    assert run.status == "optimal"
    assert run.objective == pytest.approx(optimum(problem), rel=1e-4)
    assert verify(problem, [record.event for record in run.records()]).accepted


@pytest.mark.parametrize(("shared", "status"), [(2, "optimal"), (1, "infeasible")])
def test_first_clusterings_that_break_another_rule_do_not_count(shared, status):
    # Without the overlap a cheaper clustering keeps the sum, and closed all nodes.
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]])
    rules = (MinSum((1.0,) * 6, 3.0), MaxOverlap((0, 1, 2), shared))
    run = start(Problem(X, 2, rules=rules), "colgen", listed=0).result()
    assert run.status == status
    assert run.partition is None or run.partition.violations.none_hard


def test_a_limit_that_no_clustering_keeps_is_infeasible():
    rules = (MinSum((1.0,) * 4, 2.0), MinSum((3.0, 0.0, 0.0, 1.0), 2.0))
    problem = Problem(np.arange(4.0)[:, None], 2, rules=rules)
    assert start(problem, "sdp").result().status == "infeasible"


@pytest.mark.parametrize("solver", ["sdp", "colgen", "divide"])
def test_that_no_blocks_fit_the_sizes_is_proved_in_a_tree(solver, second):  # noqa: F811
    X, settings = np.arange(6.0)[:, None], {"part_size": 2} if solver == "divide" else {}
    problem = Problem(X, 3, [(0, 1), (2, 3)], sizes=[3, 2, 1], weights=[1, 2, 1, 1, 1, 1])
    pairs = replace(problem, must_link=[(0, 1), (2, 3), (4, 5)])
    events = [record.event for record in start(pairs, solver, **settings)]
    assert verify(pairs, events).sentence == "proved infeasible"
    assert second(pairs, events) == (True, "proved infeasible")
    assert not verify(problem, events).accepted
    assert not second(problem, events)[0]


@pytest.mark.slow
def test_column_generation_under_sums_has_a_bound_before_its_tree(problem):
    events = [record.event for record in start(problem, "colgen", listed=0)]
    bound = next(i for i, event in enumerate(events) if isinstance(event, BoundImproved))
    tree = [i for i, event in enumerate(events) if isinstance(event, NodeOpened)]
    assert not tree or bound < tree[0]
    assert verify(problem, events).accepted


@pytest.mark.parametrize(
    ("problem", "rule", "solver", "settings"),
    [
        (
            Problem([[-1.0], [-1.0], [-3.0], [-3.0]], 3, weights=[2.0, 5.0, 1.0, 5.0]),
            AskedRule("share(V)<=50%", (1, 2, 1, 2)),
            "sdp",
            {"divide_from": 4},
        ),
        (
            Problem(
                [[2.0], [4.0], [4.0], [4.0], [0.0], [0.0]],
                3,
                weights=[5.0, 50000.0, 1.0, 3.0, 40000.0, 3.0],
            ),
            AskedRule("sum(V)>=5", (1.0, 8.0, 8.0, 0.0, 1.0, 1.0)),
            "colgen",
            {},
        ),
    ],
)
def test_that_there_is_no_clustering_is_seen_after_divide_and_bound_too(
    problem, rule, solver, settings
):
    asked = with_rules(problem, [rule], True)
    assert solve(asked, solver, time_limit=5.0, **settings).status == "infeasible"


def test_a_first_clustering_is_found_where_assignments_to_centres_break_a_limit():
    rng = np.random.default_rng(0)
    X, demand = rng.uniform(size=(60, 2)), rng.integers(1, 20, 60).astype(float)
    texts = ("sum(demand)<=12.5%", "diameter<=0.5")
    rules = [read_asked(text, column={"demand": demand}.__getitem__) for text in texts]
    asked = with_rules(Problem(X, 9), rules, keeps_rules=False)
    kinds = (IncumbentFound, NodeOpened)
    events = (record.event for record in start(asked, "sdp"))
    first = next(event for event in events if isinstance(event, kinds))
    assert isinstance(first, IncumbentFound)
    assert Partition(asked, first.labels).violations.none_hard

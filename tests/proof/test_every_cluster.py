"""Proofs by a look at every cluster: found, checked twice, and refused once they are altered."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import NodePruned
from ccviz.problem.asked import read_asked
from ccviz.problem.reduction import with_rules
from ccviz.problem.sums import ImpliedMax, ImpliedMin
from ccviz.proof.verify import verify
from ccviz.solvers.advice import obstacle
from ccviz.solvers.colgen import Colgen
from tests.constrained import _GIVEN, _made, draw, draw_several, faults_of
from tests.seeds import seeds


def listed(events):
    """Return the numbers of clusters in the proof of each leaf that has one."""
    leaves = [event for event in events if isinstance(event, NodePruned)]
    return [int(leaf.certificate["listed"][0]) for leaf in leaves if "listed" in leaf.certificate]


def mixed(seed):
    """Return a small problem of one kind or of several, None where its constraints contradict."""
    if seed % 3:
        return _made(*draw_several(seed // 3)[seed % 3 - 1], True)
    return _made(*draw(sorted(_GIVEN)[seed // 3 % len(_GIVEN)], seed), True)


@pytest.mark.parametrize("seed", seeds(36, 300))
def test_nothing_false_is_proved_of_small_problems(second, seed):
    problem = mixed(seed)
    if problem is None or obstacle(Colgen, problem):
        return
    result = start(problem, "colgen", seed=1).result()
    events = [record.event for record in result.records()]
    assert list(faults_of(result, "proof")) == []
    if result.status in ("optimal", "infeasible") and listed(events):
        for exact in (False, True):
            proved, sentence = second(problem, events, exact=exact)
            assert proved, sentence


def crew(seed=1):
    """Return twelve people in threes, each with one of four drivers and one of seven medics."""
    X = np.random.default_rng(seed).uniform(0.0, 20.0, (12, 2)).round()
    columns = {"driver": np.arange(12) < 4, "medic": np.isin(np.arange(12), [3, *range(4, 10)])}
    rules = [read_asked(f"sum({name})>=1", None, _numbers(columns)) for name in columns]
    return with_rules(Problem(X, 4, sizes=[3] * 4), rules, True)


def _numbers(columns):
    return {name: column.astype(float) for name, column in columns.items()}.__getitem__


def wishes(seed=0, n=24):
    """Return pupils in fours who name three they like and one they do not, and nothing else."""
    rng = np.random.default_rng(seed)
    must, cannot = {}, {}
    for pupil in range(n):
        others = rng.choice(np.delete(np.arange(n), pupil), 4, replace=False).tolist()
        for rank, other in enumerate(others):
            table, weight = (must, 3.0 - rank) if rank < 3 else (cannot, 2.0)
            pair = min(pupil, other), max(pupil, other)
            table[pair] = max(weight, table.get(pair, 0.0))
    links = [[(*pair, weight) for pair, weight in table.items()] for table in (must, cannot)]
    return Problem(np.ones((n, 1)), n // 4, *links, sizes=[4] * (n // 4))


def fair(seed=0, n=20):
    """Return points in fives, each with a share of two words within limits."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    word = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0.0, "a", "b")
    rules = ["share(word=a)>=30%", "share(word=a)<=70%"]
    asked = [read_asked(rule, None, {"word": word}.__getitem__) for rule in rules]
    return with_rules(Problem(X, 4, sizes=[5] * 4), asked, True)


def weighted(seed=0, n=14):
    """Return weighted points under sizes, beside a limit on sums of values with signs."""
    rng = np.random.default_rng(seed)
    column = {"value": rng.normal(size=n).round(1)}.__getitem__
    problem = Problem(
        rng.normal(size=(n, 2)), 3, weights=rng.uniform(0.5, 2.0, n), sizes=([4] * 3, [5] * 3)
    )
    return with_rules(problem, [read_asked("mean(value)<=0.5", None, column)], True)


MADE = {"crew": crew, "wishes": wishes, "fair": fair, "weighted": weighted}


@pytest.fixture(params=MADE)
def made(request):
    """Return a problem with few clusters, and the events of its proof."""
    problem = MADE[request.param]()
    run = start(problem, "colgen", seed=0)
    events = [record.event for record in run]
    assert run.result().status == "optimal"
    assert len(listed(events)) == sum(isinstance(event, NodePruned) for event in events) <= 30
    return problem, events


@pytest.mark.slow
def test_groups_of_people_are_proved_in_few_nodes(made, both):
    problem, events = made
    both.accept(problem, events, exact=(False, True))


def changed(events, change):
    """Return the events, a change made to the certificates of leaves."""
    return [
        msgspec.structs.replace(event, **change(event, dict(event.certificate)))
        if isinstance(event, NodePruned)
        else event
        for event in events
    ]


def raised(event, certificate):
    """Return a leaf that claims half more, and one of whose multipliers says so."""
    unit = 4.0 ** float(certificate["unit"][0])
    duals = certificate["duals"].copy()
    duals[0] += 0.5 * event.lower_bound * unit
    return {
        "certificate": {**certificate, "duals": duals},
        "lower_bound": 1.5 * event.lower_bound,
        "reason": "bound",
    }


def more_least(event, certificate):
    return {"certificate": {**certificate, "least": certificate["least"] + 1.0}}


def not_listed(event, certificate):
    del certificate["listed"]
    return {"certificate": certificate}


@pytest.mark.parametrize("change", [raised, more_least])
def test_multipliers_that_prove_too_much_are_refused(made, both, change):
    problem, events = made
    events = changed(events, change)
    both.refuse(problem, events, exact=(False, True))


@pytest.mark.slow
def test_a_leaf_less_is_no_proof(made, both):
    problem, events = made
    last = max(at for at, event in enumerate(events) if isinstance(event, NodePruned))
    events = [*events[:last], *events[last + 1 :]]
    both.refuse(problem, events)


def test_lower_limits_count_in_leaves_that_say_so_alone(second):
    problem = fair()
    events = changed([record.event for record in start(problem, "colgen")], not_listed)
    assert not verify(problem, events, work=50.0).accepted
    assert not second(problem, events)[0]


def test_a_proof_needs_the_rules_it_was_made_under(both):
    problem = crew()
    events = [record.event for record in start(problem, "colgen")]
    free = Problem(problem.X, 4, sizes=[3] * 4)
    both.refuse(free, events)


def test_links_broken_inside_blocks_are_in_a_bound_without_searches(both):
    """Between the blocks there is nothing to prove, and all of the cost is a soft link's."""
    X, sizes = [[-0.5], [1.3], [1.3], [1.3]], ([1] * 2, [3] * 2)
    problem = Problem(X, 2, [(1, 2), (1, 3, 0.1)], [(1, 2, 0.2)], sizes=sizes)
    run = start(problem, "colgen", seed=1)
    events = [record.event for record in run]
    assert run.result().objective == pytest.approx(0.2)
    both.accept(problem, events)


def test_more_clusters_than_a_limit_are_priced():
    problem = wishes(n=8)
    few = [record.event for record in start(problem, "colgen", listed=70)]
    more = [record.event for record in start(problem, "colgen", listed=69)]
    assert listed(few)
    assert max(listed(few)) <= 70
    assert not listed(more)


@pytest.mark.slow
def test_a_budget_ends_the_look_at_clusters(made):
    problem, events = made
    verdict = verify(problem, events, work=1e-5)
    assert not verdict.accepted
    assert "more work" in verdict.sentence


def test_limits_that_follow_from_no_other_are_refused(second, both):
    problem = crew()
    implied = problem.rules[-1]
    assert isinstance(implied, ImpliedMax)
    for solver in ("sdp", "colgen"):
        events = [record.event for record in start(problem, solver)]
        both.accept(problem, events)
        for rules in (
            (*problem.rules[:-1], ImpliedMax(implied.values, 0.0)),
            (*problem.rules[1:-1], implied),
            (*problem.rules, ImpliedMin(implied.values, 1.0)),
        ):
            altered = replace(problem, rules=rules)
            assert "does not follow" in verify(altered, events).sentence
            assert "does not follow" in second(altered, events)[1]

"""Column generation as printed: the paper's bound in pricing, and Farkas pricing."""

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import BoundImproved, ColumnsPriced, IncumbentFound, InfeasibilityProved
from ccviz.problem.rules import MaxSize
from ccviz.solvers.colgen.master.covering import SCHEMES
from tests.enumeration import least_wcss
from tests.seeds import seeds
from tests.solvers.colgen.conftest import RULES, random_problem

PRINTED = {"pricing": "printed", "repair": "farkas", "stabilisation": "perturbation", "starts": 0}


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def run(problem, **settings):
    return [record.event for record in start(problem, "colgen", **settings)]


@pytest.mark.parametrize(
    "settings", [PRINTED, {**PRINTED, "pricing": "both", "stabilisation": "interior"}]
)
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", seeds(2, 12))
def test_it_proves_what_brute_force_finds(seed, rules, settings, both):
    problem = random_problem(seed, RULES[rules])
    best = least_wcss(problem)
    events = run(problem, **settings)
    if np.isinf(best):
        assert len(of(events, InfeasibilityProved)) == 1
        assert not of(events, IncumbentFound)
    else:
        assert of(events, IncumbentFound)[-1].objective == pytest.approx(best, rel=1e-6)
        rounds = [event for event in of(events, ColumnsPriced) if event.node == 0]
        for event in of(events, BoundImproved) + rounds:
            assert event.lower_bound <= best * (1.0 + 1e-9)
    both.accept(problem, events)


@pytest.mark.slow
def test_its_tree_has_the_optimum_of_ours(column_proof, both):
    problem, ours = column_proof
    events = run(problem, **PRINTED)
    best = of(ours, IncumbentFound)[-1].objective
    assert of(events, IncumbentFound)[-1].objective == pytest.approx(best, rel=1e-6)
    both.accept(problem, events)


@pytest.mark.parametrize("stabilisation", SCHEMES)
@pytest.mark.parametrize("seed", seeds(3, 30))
def test_points_that_coincide_leave_the_master_a_unit(seed, stabilisation, both):
    """A clustering that breaks the rule may cost nothing; the master is not made in its unit."""
    rng = np.random.default_rng(seed)
    drawn = [Problem([[3.0], [0.0], [0.0], [0.0]], 2, rules=(MaxSize(2),))]
    for _ in range(3):
        n, scale = int(rng.integers(3, 8)), 10.0 ** rng.integers(-6, 6)
        points, most = scale * rng.integers(0, 3, (n, 1)), int(rng.integers(1, n))
        drawn.append(Problem(points, 2, rules=(MaxSize(most),)))
    for problem in drawn:
        best = least_wcss(problem)
        made = start(problem, "colgen", repair="farkas", stabilisation=stabilisation, seed=seed)
        events = [record.event for record in made]
        assert made.result().status == ("infeasible" if np.isinf(best) else "optimal")
        assert made.result().objective == pytest.approx(best) or np.isinf(best)
        both.accept(problem, events)


def test_farkas_values_prove_that_no_clustering_keeps_the_links(both):
    wheel = [(i, (i + 1) % 5) for i in range(5)] + [(i, 5) for i in range(5)]
    problem = Problem(np.zeros((6, 2)), 3, cannot_link=wheel)
    events = run(problem, **PRINTED)
    assert len(of(events, InfeasibilityProved)) == 1
    both.accept(problem, events)

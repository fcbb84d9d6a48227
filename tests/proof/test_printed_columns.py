"""Column generation as printed: the paper's bound in pricing, and Farkas pricing."""

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import BoundImproved, ColumnsPriced, IncumbentFound, InfeasibilityProved
from ccviz.proof.verify import verify
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
def test_it_proves_what_brute_force_finds(seed, rules, settings, second):
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
    assert verify(problem, events).accepted
    proved, sentence = second(problem, events)
    assert proved, sentence


def test_its_tree_has_the_optimum_of_ours(column_proof, second):
    problem, ours = column_proof
    events = run(problem, **PRINTED)
    best = of(ours, IncumbentFound)[-1].objective
    assert of(events, IncumbentFound)[-1].objective == pytest.approx(best, rel=1e-6)
    assert verify(problem, events).accepted
    assert second(problem, events)[0]


def test_farkas_values_prove_that_no_clustering_keeps_the_links(second):
    wheel = [(i, (i + 1) % 5) for i in range(5)] + [(i, 5) for i in range(5)]
    problem = Problem(np.zeros((6, 2)), 3, cannot_link=wheel)
    events = run(problem, **PRINTED)
    assert len(of(events, InfeasibilityProved)) == 1
    assert verify(problem, events).accepted
    assert second(problem, events)[0]

import numpy as np
import pytest

from ccviz.solvers.memetic.local_search import Member
from ccviz.solvers.memetic.population import Population, spread_of


def member(objective):
    return Member(np.zeros(3, dtype=np.int64), np.zeros((1, 2)), objective, 1)


def population(*objectives):
    return Population([member(objective) for objective in objectives])


def test_spread_is_the_sum_over_all_pairs():
    values = np.array([3.0, 1.0, 2.0, 2.5])
    pairs = sum(abs(a - b) for i, a in enumerate(values) for b in values[:i])
    assert spread_of(values) == pytest.approx(pairs)


def test_collapse_does_not_depend_on_the_unit():
    for unit in (1e-12, 1.0, 1e9):
        assert population(5 * unit, 5 * unit, 5 * unit * (1 + 1e-15)).has_collapsed(1e-4)
        assert not population(5 * unit, 5.1 * unit, 5 * unit).has_collapsed(1e-4)


def test_an_offspring_takes_the_place_it_was_bred_for_only_if_better():
    people = population(1.0, 2.0, 3.0)
    replaced = people.replace([member(1.5), member(1.5), member(3.0 - 1e-13)], range(3))
    assert replaced.tolist() == [-1, 1, -1]
    assert people.objectives.tolist() == [1.0, 1.5, 3.0]


def test_parents_are_three_others():
    people = population(*map(float, range(5)))
    rng = np.random.default_rng(0)
    for _ in range(50):
        chosen = {parent.objective for parent in people.parents(2, rng)}
        assert len(chosen) == 3
        assert 2.0 not in chosen

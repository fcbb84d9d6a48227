import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.solvers.memetic import _descent
from ccviz.solvers.memetic import instance as kernels
from ccviz.solvers.memetic.local_search import member_of

SEEDS = st.integers(0, 10_000)


def opened(instance, labels):
    anchor = np.zeros((instance.k, instance.data.point.shape[1]))
    return kernels.open_state(instance.data, labels, anchor, 0.0)


def descended(instance, labels, depth, seed=0):
    order = np.random.default_rng(seed).permutation(instance.s)
    anchor = np.zeros((instance.k, instance.data.point.shape[1]))
    return _descent.descend(instance.data, labels, anchor, 0.0, order, depth, 1e-9, 10**9)[0]


def keeps_all(problem, labels):
    return Partition(problem, contract(problem).lift(labels)).violations.none_hard


@given(seed=SEEDS)
def test_a_move_costs_what_it_is_said_to(seed, make_problem, instance_of):
    instance = instance_of(make_problem(seed))
    rng = np.random.default_rng(seed)
    state = opened(instance, instance.feasible)
    shared = np.flatnonzero(np.bincount(instance.feasible)[instance.feasible] > 1)
    b, c = int(rng.choice(shared)), int(rng.integers(instance.k))
    if c == state.label[b]:
        return
    data = instance.data
    said = kernels.entering(b, c, data.point, data.mass, state.total, state.weight)
    said -= kernels.leaving(b, data, state)
    before = member_of(instance, state.label.copy()).objective
    kernels.move(b, c, data, state)
    after = member_of(instance, state.label.copy()).objective
    assert said == pytest.approx(after - before, abs=1e-7)


@given(seed=SEEDS)
def test_moves_keep_the_books(seed, make_problem, instance_of):
    instance = instance_of(make_problem(seed))
    rng = np.random.default_rng(seed)
    state = opened(instance, instance.feasible)
    for _ in range(20):
        b, c = int(rng.integers(instance.s)), int(rng.integers(instance.k))
        kernels.move(b, c, instance.data, state)
    fresh = opened(instance, state.label)
    assert np.allclose(state.total, fresh.total)
    assert (state.weight == fresh.weight).all()
    assert (state.size == fresh.size).all()
    assert (state.crowd == fresh.crowd).all()


@given(
    seed=SEEDS, depth=st.sampled_from([_descent.RELOCATIONS, _descent.EJECTIONS, _descent.CHAINS])
)
def test_descent_improves_and_breaks_nothing(seed, depth, make_problem, instance_of):
    problem = make_problem(seed)
    instance = instance_of(problem)
    labels = descended(instance, instance.feasible, depth, seed)
    assert keeps_all(problem, labels)
    assert member_of(instance, labels).objective <= member_of(instance, instance.feasible).objective


def neighbours(instance, labels):
    """Yield every relocation, ejection-free swap and chain flip, by brute force."""
    conflicts = {(int(a), int(b)) for a, b in _pairs(instance)}
    conflicts |= {(b, a) for a, b in conflicts}
    for b in range(instance.s):
        for c in range(instance.k):
            if c == labels[b]:
                continue
            flipped = {b}
            while True:
                pair = (labels[b], c)
                more = {
                    u
                    for u in range(instance.s)
                    if labels[u] in pair
                    and u not in flipped
                    and any((u, v) in conflicts and labels[u] != labels[v] for v in flipped)
                }
                if not more:
                    break
                flipped |= more
            other = labels.copy()
            for v in flipped:
                other[v] = c if labels[v] == labels[b] else labels[b]
            if len(np.unique(other)) == instance.k:
                yield other


def _pairs(instance):
    start, neighbour = instance.data.start, instance.data.neighbour
    for b in range(instance.s):
        for u in neighbour[start[b] : start[b + 1]]:
            yield b, u


@pytest.mark.parametrize("seed", range(5))
def test_no_relocation_or_chain_is_left_that_improves(seed, make_problem, instance_of):
    instance = instance_of(make_problem(seed, n=25))
    labels = descended(instance, instance.feasible, _descent.CHAINS, seed)
    reached = member_of(instance, labels).objective
    for other in neighbours(instance, labels):
        assert member_of(instance, other).objective >= reached - 1e-6


def test_ejections_reach_what_relocations_cannot(make_problem, instance_of):
    reached = {
        depth: sum(
            member_of(instance, descended(instance, instance.feasible, depth)).objective
            for instance in (instance_of(make_problem(seed, links=80)) for seed in range(20))
        )
        for depth in (_descent.RELOCATIONS, _descent.EJECTIONS, _descent.CHAINS)
    }
    assert reached[_descent.EJECTIONS] < reached[_descent.RELOCATIONS]
    assert reached[_descent.CHAINS] < reached[_descent.RELOCATIONS]

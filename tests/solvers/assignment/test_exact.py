"""The exact assignment against brute force and against the whole model given to HiGHS."""

from itertools import count, permutations, product

import numpy as np
import pytest

from ccviz.problem.links import Links
from ccviz.solvers.assignment import Structure, objective_of, solve_assignment
from ccviz.solvers.assignment.exact import SearchLimits
from ccviz.solvers.assignment.milp import milp_assignment
from tests.seeds import seeds

KINDS = ("hard", "soft", "both", "sized", "sized links")


def random_links(rng, s, number):
    """Draw distinct pairs with weights."""
    pairs = {tuple(sorted(rng.choice(s, 2, replace=False).tolist())) for _ in range(number)}
    weights = rng.choice([0.1, 0.5, 1.0, 3.0], size=len(pairs)) * rng.uniform(0.5, 1.5, len(pairs))
    return Links(np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2), weights)


def random_case(seed):
    """Return the costs, structure and whether clusters must be filled of one small problem."""
    rng = np.random.default_rng(seed)
    s, k = int(rng.integers(2, 8)), int(rng.integers(2, 5))
    kind = KINDS[seed % len(KINDS)]
    conflicts = random_links(rng, s, rng.integers(0, 2 * s)).pairs
    options = {}
    if kind in ("soft", "both"):
        options["soft_must"] = random_links(rng, s, rng.integers(0, 2 * s))
        options["soft_cannot"] = random_links(rng, s, rng.integers(0, 2 * s))
    if kind.startswith("sized"):
        mass = np.ones(s) if rng.random() < 0.5 else rng.integers(1, 4, s).astype(float)
        lower = rng.integers(1, 3, k)
        options |= {"mass": mass, "lower": lower, "upper": lower + rng.integers(0, 8, k)}
    if kind in ("soft", "sized"):
        conflicts = conflicts[:0]
    cost = rng.uniform(0, 3, (s, k)) if rng.random() < 0.7 else rng.integers(0, 3, (s, k)) * 1.0
    return cost, Structure.from_edges(s, k, conflicts, **options), rng.random() < 0.5


def brute_force(cost, structure, nonempty):
    """Return the least objective over all assignments, inf if none is allowed."""
    s, k = cost.shape
    best = np.inf
    for choice in product(range(k), repeat=s):
        labels = np.array(choice)
        load = np.bincount(labels, weights=structure.mass, minlength=k)
        if structure.is_sized and not (
            (load >= structure.lower).all() and (load <= structure.upper).all()
        ):
            continue
        if nonempty and (load == 0).any():
            continue
        best = min(best, objective_of(labels, cost, structure))
    return best


NO_SEARCH = SearchLimits(nodes=0)
"""Every component that the rules do not solve is left to the bound and HiGHS."""


@pytest.mark.parametrize("chunk", seeds(2, 10))
def test_equals_brute_force_and_the_whole_model_on_500_random_problems(chunk):
    seeds, solved = count(1000 * chunk), 0
    while solved < 50:  # others are infeasible, and found to be
        cost, structure, nonempty = random_case(next(seeds))
        exact = brute_force(cost, structure, nonempty)
        ours = solve_assignment(cost, structure, nonempty=nonempty)
        whole = milp_assignment(cost, structure, nonempty=nonempty)
        assert ours.proved
        assert ours.infeasible == whole.infeasible == (exact == np.inf)
        assert ours.objective == pytest.approx(exact, rel=1e-9, abs=1e-9)
        assert whole.objective == pytest.approx(exact, rel=1e-6, abs=1e-6)
        if ours.found:
            assert objective_of(ours.labels, cost, structure) == ours.objective
        solved += ours.found


@pytest.mark.parametrize("chunk", seeds(2, 10))
def test_hard_cores_go_to_the_bound_and_highs(chunk):
    for seed in range(10 * chunk, 10 * chunk + 10):
        cost, structure, nonempty = random_case(seed)
        exact = brute_force(cost, structure, nonempty)
        ours = solve_assignment(cost, structure, nonempty=nonempty, limits=NO_SEARCH)
        assert ours.proved
        assert ours.objective == pytest.approx(exact, rel=1e-9, abs=1e-9)


def dense_case(seed):
    """Return a problem of one large component, as all pairs of a share of the points make it."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, 12)
    pairs = np.array([(i, j) for i in range(12) for j in range(i + 1, 12)])
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    same ^= rng.random(len(pairs)) < 0.2
    must = Links(pairs[same], rng.uniform(0.1, 1, same.sum()))
    cannot = Links(pairs[~same], rng.uniform(0.1, 1, (~same).sum()))
    none = np.empty((0, 2), dtype=np.int64)
    structure = Structure.from_edges(12, 4, none, soft_must=must, soft_cannot=cannot)
    return rng.uniform(0, 3, (12, 4)), structure


@pytest.mark.parametrize("seed", range(5))
def test_dense_noisy_soft_links_equal_the_whole_model(seed):
    cost, structure = dense_case(seed)
    ours, whole = solve_assignment(cost, structure), milp_assignment(cost, structure)
    assert ours.proved
    assert ours.objective == pytest.approx(whole.objective, rel=1e-6)


def test_costs_of_any_unit_give_the_same_labels():
    cost, structure = dense_case(9)
    labels = solve_assignment(cost, structure).labels
    for unit in (1e-9, 1e9):
        scaled = Structure.from_prices(
            12, 4, structure.pairs, structure.price * unit, constant=structure.constant * unit
        )
        assert (solve_assignment(cost * unit, scaled).labels == labels).all()


def test_forbidden_centres_are_kept():
    cost = np.array([[0.0, np.inf, 1.0], [0.0, 2.0, np.inf], [0.0, 1.0, 5.0]])
    structure = Structure.from_edges(3, 3, np.array([[0, 1], [1, 2], [0, 2]]))
    assert solve_assignment(cost, structure).labels.tolist() == [2, 0, 1]


def test_without_time_the_answer_is_the_best_known_and_not_proved():
    rng = np.random.default_rng(2)
    pairs = np.array([p for p in product(range(60), repeat=2) if p[0] < p[1]])
    conflicts = pairs[rng.random(len(pairs)) < 0.2]
    structure = Structure.from_edges(60, 12, conflicts)
    answer = solve_assignment(
        rng.uniform(0, 3, (60, 12)), structure, time_limit=0.0, limits=NO_SEARCH
    )
    assert answer.found
    assert not answer.proved
    assert not answer.infeasible


def test_a_core_with_many_columns_is_answered_in_haste_if_asked():
    rng = np.random.default_rng(2)
    pairs = np.array([p for p in product(range(60), repeat=2) if p[0] < p[1]])
    structure = Structure.from_edges(60, 12, pairs[rng.random(len(pairs)) < 0.2])
    cost = rng.uniform(0, 3, (60, 12))
    quick = solve_assignment(cost, structure, limits=SearchLimits(nodes=0, columns=0))
    exact = solve_assignment(cost, structure)
    assert (quick.quick, quick.proved, quick.infeasible) == (True, False, False)
    assert (exact.quick, exact.proved) == (False, True)
    assert exact.objective <= quick.objective < np.inf


@pytest.mark.parametrize("clique", [4, 5])
def test_beyond_any_search_an_answer_is_found_and_never_called_proved(clique):
    pairs = [(i, j) for j in range(clique) for i in range(j)]
    others = [(i, clique) for i in range(clique - 1)]  # a clique alone is assigned exactly
    structure = Structure.from_edges(clique + 1, 4, np.array(pairs + others))
    cost = np.tile(np.arange(4.0), (clique + 1, 1))
    answer = solve_assignment(cost, structure, limits=SearchLimits(nodes=0, largest=0))
    assert answer.found == (clique == 4)
    assert not answer.proved
    assert not answer.infeasible


@pytest.mark.parametrize("clique", [4, 5])
def test_groups_that_exclude_each_other_need_no_search(clique):
    pairs = [(i, j) for group in range(3) for j in range(clique) for i in range(j)]
    shift = np.repeat(np.arange(3) * clique, len(pairs) // 3)[:, None]
    structure = Structure.from_edges(3 * clique + 1, 4, np.array(pairs) + shift)
    cost = np.random.default_rng(0).uniform(size=(3 * clique + 1, 4))
    answer = solve_assignment(cost, structure, limits=SearchLimits(nodes=0, largest=0))
    assert (answer.proved, answer.infeasible) == (True, clique == 5)
    if clique == 4:
        every = np.array([*permutations(range(4))])
        groups = (cost[at : at + 4][np.arange(4), every].sum(axis=1).min() for at in (0, 4, 8))
        assert answer.objective == pytest.approx(sum(groups) + cost[-1].min())


def test_conflicts_alone_lead_where_costs_do_not():
    rng = np.random.default_rng(4)
    s, k = 60, 4
    clusters, (i, j) = rng.integers(0, k, s), rng.integers(0, s, (2, 500))
    apart = clusters[i] != clusters[j]
    pairs = np.unique(np.sort(np.stack([i[apart], j[apart]], axis=1), axis=1), axis=0)
    cost = rng.uniform(0, 1, (s, k))
    cost[:, 0] -= rng.uniform(0, 5, s)
    structure = Structure.from_edges(s, k, pairs)
    quick = SearchLimits(largest=0, nodes=1, repairs=0)
    answer = solve_assignment(cost, structure, limits=quick)
    assert answer.found
    assert not answer.proved
    assert objective_of(answer.labels, cost, structure) < np.inf

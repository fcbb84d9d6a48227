from itertools import count, pairwise

import numpy as np
import pytest
from sklearn.datasets import load_iris

from ccviz import Problem, solve, start
from ccviz.errors import ParameterError
from ccviz.events import GenerationEnded, IncumbentFound, Restarted
from ccviz.problem.partition import Partition
from ccviz.solvers.base import Context, never
from ccviz.solvers.hg_means import HgMeans
from ccviz.solvers.memetic import _relocation
from ccviz.solvers.memetic.hybrid_search import Annotations, search, select
from ccviz.solvers.memetic.local_search import Member
from ccviz.solvers.s_mdeclust import SMdeClust, memetic_incumbent
from tests.enumeration import least_wcss


@pytest.fixture(scope="module")
def iris():
    X, truth = load_iris(return_X_y=True)
    rng = np.random.default_rng(1)
    pairs = rng.choice(150, (80, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return Problem(X, 3, must_link=pairs[same], cannot_link=pairs[~same], truth=truth)


def cost_by_definition(problem, labels, p):
    """Return the model's cost written out over pairs of clusters, without any sums kept."""
    X, k, n = problem.X, problem.k, problem.n
    sizes = np.bincount(labels, minlength=k)
    cost = 0.0
    for r in range(k):
        variance = X[labels == r].var(axis=0).mean()
        cost += sizes[r] * problem.d * (0.5 + 0.5 * np.log(variance))
    inside = sum(size * (size + 1) / 2 for size in sizes)
    across = sum(sizes[r] * sizes[s] for r in range(k) for s in range(r))
    assert inside + across == n * (n + 1) / 2
    for links, right, wrong in (
        (problem.must_link.pairs, inside, across),
        (problem.cannot_link.pairs, across, inside),
    ):
        expected = len(links) * p / (p * right + (1 - p) * wrong)
        for r in range(k):
            for s in range(r, k):
                ends = np.sort(labels[links], axis=1)
                found = ((ends == [r, s]).all(axis=1)).sum()
                believed = (r == s) == (right == inside)
                beta = 1 / expected if believed else p / (1 - p) / expected
                pairs = sizes[r] * sizes[s] * (0.5 if r == s else 1.0)
                rate = found / (pairs + beta)
                cost -= found * np.log(max(rate, 1e-10)) - rate * pairs
                cost -= np.log(beta) - beta * rate
    return cost


def test_the_compiled_cost_is_the_model(iris):
    rng = np.random.default_rng(0)
    data = Annotations.of(iris, 0.8).data
    for _ in range(5):
        labels = rng.integers(3, size=iris.n)
        fit = _relocation.open_fit(data, labels, 3)
        expected = cost_by_definition(iris, labels, 0.8)
        assert _relocation.posterior_cost(data, fit) == pytest.approx(expected)


def test_shifting_points_keeps_the_sums(iris):
    rng = np.random.default_rng(0)
    data = Annotations.of(iris, 0.9).data
    fit = _relocation.open_fit(data, rng.integers(3, size=iris.n), 3)
    for _ in range(50):
        _relocation.shift(int(rng.integers(iris.n)), int(rng.integers(3)), data, fit)
    fresh = _relocation.open_fit(data, fit.label, 3)
    assert all(np.allclose(a, b) for a, b in zip(fit, fresh, strict=True))


@pytest.mark.parametrize("copies", [1, 40])  # of many points the scales hardly change
@pytest.mark.parametrize("p", [0.0, 0.8])
def test_what_a_move_changes_is_told_without_making_it(iris, p, copies):
    problem = repeated(iris, copies)
    rng = np.random.default_rng(0)
    data = Annotations.of(problem, p).data
    fit = _relocation.open_fit(data, rng.integers(3, size=problem.n), 3)
    costs, pull = (open_costs(fit), _relocation.Pull(*map(np.zeros, [(2, 3), (2, 4, 3), (2, 4)])))
    _relocation.count(data, fit, costs)
    before = _relocation.posterior_cost(data, fit)
    assert costs.cost[0] == pytest.approx(before, rel=1e-12)
    for _ in range(50):
        i, c = int(rng.integers(problem.n)), int(rng.integers(3))
        a = int(fit.label[i])
        if a == c:
            continue
        _relocation.weigh(i, data, fit, costs, pull)
        told = _relocation.change_of(i, c, data, fit, costs, pull)
        _relocation.shift(i, c, data, fit)
        change = _relocation.posterior_cost(data, fit) - before
        assert told == pytest.approx(change, rel=1e-6, abs=1e-9 * abs(before))
        _relocation.shift(i, a, data, fit)


def repeated(problem, copies):
    """Return the problem with as many copies of its points, each with its own links."""
    step = problem.n * np.arange(copies)[:, None, None]
    must, cannot = (
        (links.pairs + step).reshape(-1, 2) for links in (problem.must_link, problem.cannot_link)
    )
    return Problem(np.tile(problem.X, (copies, 1)), problem.k, must, cannot)


def open_costs(fit):
    edges = 0.5 * fit.links.sum(axis=(1, 2))
    shapes = [(2, 2), (2, 4, 3, 3), (2, 4, 3), (2, 4, 2), (3,), (3,), (1,)]
    return _relocation.CostParts(edges, *map(np.zeros, shapes))


def test_the_local_search_improves_and_keeps_all_clusters(iris):
    rng = np.random.default_rng(0)
    instance = Annotations.of(iris, 0.9)
    data = instance.data
    for _ in range(5):
        labels = rng.integers(3, size=iris.n)
        before = _relocation.posterior_cost(data, _relocation.open_fit(data, labels, 3))
        found, cost, _ = search(instance, labels, data.linked, never)
        assert cost < before
        assert len(np.unique(found)) == 3


def test_a_local_search_that_is_stopped_leaves_what_it_has(iris):
    instance = Annotations.of(iris, 0.9)
    labels = np.random.default_rng(0).integers(3, size=iris.n)
    looks = count()
    stop = lambda: next(looks) >= 10  # noqa: E731
    found, _, _ = search(instance, labels, instance.data.linked, stop, look_work=1)
    assert 0 < (found != labels).sum() <= 10


def test_links_help_and_wrong_ones_do_less_harm_with_less_belief(iris):
    rng = np.random.default_rng(2)
    wrong = rng.random(len(iris.cannot_link)) < 0.3
    must = np.concatenate([iris.must_link.pairs, iris.cannot_link.pairs[wrong]])
    noisy = Problem(iris.X, 3, must, iris.cannot_link.pairs[~wrong], truth=iris.truth)
    settings = {"survivors": 4, "population": 8, "generations": 5}
    trusting, careful = (most_probable(noisy, accuracy=p, **settings) for p in (1.0, 0.7))
    assert careful.scores["ari"] >= trusting.scores["ari"]
    assert careful.violations.must_link + careful.violations.cannot_link > 0


def most_probable(problem, **settings):
    from ccviz.problem.partition import Partition

    events = HgMeans(**settings).steps(problem, Context(seed=1))
    return Partition(problem, [e.labels for e in events if isinstance(e, IncumbentFound)][-1])


def test_broken_links_are_told(iris):
    stepper = start(iris, HgMeans(survivors=3, population=6, generations=2), seed=1)
    stepper.result()
    assert "must-links" in stepper.run.notes[-1]


def test_survivors_are_the_best_without_clones():
    def member(objective, labels):
        return Member(np.array(labels), np.zeros((2, 1)), objective, 1)

    old = [member(3.0, [0, 0, 1]), member(1.0, [0, 1, 1])]
    new = [member(1.0, [1, 0, 0]), member(2.0, [0, 1, 1])]
    kept, replaced = select(old, new, 2)
    assert [each.objective for each in kept] == [1.0, 2.0]
    assert replaced.tolist() == [-1, 1]


def test_soft_links_and_none_at_all():
    X = np.r_[np.zeros(5), np.ones(5) * 9][:, None] + np.arange(10)[:, None] * 0.01
    soft = Problem(X, 2, must_link=[(0, 1, 2.5)], cannot_link=[(0, 9, 1.0)])
    for problem in (soft, Problem(X, 2)):
        labels = solve(problem, HgMeans(generations=2), seed=0).labels
        assert len(set(labels[:5])) == len(set(labels[5:])) == 1
        assert labels[0] != labels[9]


def test_a_population_without_offspring_is_refused():
    with pytest.raises(ParameterError, match="no offspring"):
        HgMeans(survivors=20, population=20)


# --- S mdeclust -----------------------------------------------------------------------------------


VARIANTS = {
    "S": {"mutation": "off", "assignment": "exact"},
    "SM": {"mutation": "always", "assignment": "exact"},
    "SG": {"mutation": "off", "assignment": "greedy"},
    "SMG": {"mutation": "always", "assignment": "greedy"},
}


def make_problem(seed, n=60, k=4, links=50):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    truth = rng.integers(k, size=n)
    pairs = rng.choice(n, (links, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return Problem(X, k, must_link=pairs[same], cannot_link=pairs[~same])


def events_of(problem, seed=0, workers="1", **settings):
    solver = SMdeClust(**{"population": 6, "generations": 3, "restarts": 1, **settings})
    return list(solver.steps(problem, Context(seed=seed, workers=workers)))


@pytest.mark.parametrize("seed", range(4))
def test_finds_the_optimum_of_tiny_problems(seed):
    problem = make_problem(seed, n=8, k=3, links=6)
    result = solve(problem, "s-mdeclust", seed=seed)
    assert result.objective == pytest.approx(least_wcss(problem))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("local_search", ["blp-kmeans", "relocations", "ejections", "chains"])
def test_every_incumbent_of_every_variant_keeps_all_links(variant, local_search):
    problem = make_problem(1)
    events = events_of(problem, local_search=local_search, **VARIANTS[variant])
    found = [Partition(problem, e.labels) for e in events if isinstance(e, IncumbentFound)]
    assert all(part.violations.none_hard for part in found)
    objectives = [part.wcss for part in found]
    assert objectives == sorted(objectives, reverse=True)
    generations = [e for e in events if isinstance(e, GenerationEnded)]
    assert generations[-1].objectives.min() >= objectives[-1] - 1e-9


def test_generations_tell_who_was_replaced():
    events = events_of(make_problem(2), local_search="relocations")
    generations = [e for e in events if isinstance(e, GenerationEnded)]
    assert sum(isinstance(e, Restarted) for e in events) == 2
    for before, after in pairwise(generations):
        if after.generation == 0:
            continue
        changed = np.flatnonzero(before.objectives != after.objectives)
        assert (changed == np.flatnonzero(after.replaced >= 0)).all()
        assert (after.objectives <= before.objectives).all()
        assert after.local_searches == before.local_searches + 6


def same_events(first, second):
    assert [type(e) for e in first] == [type(e) for e in second]
    for a, b in zip(first, second, strict=True):
        if isinstance(a, IncumbentFound):
            assert (a.labels == b.labels).all()
        if isinstance(a, GenerationEnded):
            assert (a.objectives == b.objectives).all()


@pytest.mark.slow
def test_same_events_whatever_the_number_of_workers():
    problem = make_problem(3)
    same_events(events_of(problem), events_of(problem, workers="2"))


@pytest.mark.parametrize("unit", [1e-6, 1e9])
def test_the_unit_of_the_data_does_not_matter(unit):
    problem = make_problem(4)
    scaled = Problem(problem.X * unit, problem.k, problem.must_link, problem.cannot_link)
    one, other = (solve(p, SMdeClust(restarts=0), seed=1) for p in (problem, scaled))
    assert other.objective == pytest.approx(one.objective * unit**2)


@pytest.mark.parametrize("k", [3, 5])
def test_points_that_coincide(k):
    X = np.repeat([[0.1, 1e3 / 3], [0.7, 0.0], [1e3 / 7, 2.0]], 8, axis=0)
    result = solve(Problem(X, k, cannot_link=[(0, 1), (0, 8), (1, 9)]), "s-mdeclust", seed=0)
    assert result.partition.violations.none_hard
    if k > 3:
        assert result.objective == pytest.approx(0.0, abs=1e-9)


def test_a_resumed_run_goes_on_with_the_next_population():
    problem = make_problem(5)
    stepper = start(problem, SMdeClust(population=6, restarts=1), seed=2)
    history = []
    for record in stepper:
        history.append(record)
        if isinstance(record.event, GenerationEnded):
            break
    resumed = start(problem, SMdeClust(population=6, restarts=1), seed=2, history=history)
    records = list(resumed)
    assert [r.event.restart for r in records if isinstance(r.event, Restarted)] == [1]
    assert resumed.run.objective <= stepper.run.objective


def test_the_incumbent_for_exact_solvers_stops_when_told():
    problem = make_problem(6)
    labels = memetic_incumbent(problem, seed=1)
    assert Partition(problem, labels).violations.none_hard
    assert memetic_incumbent(problem, stop=lambda: True) is None
    assert (memetic_incumbent(problem, seed=1) == labels).all()


def test_bad_settings_are_named():
    with pytest.raises(ParameterError, match="scale_low"):
        SMdeClust(scale_low=0.9, scale_high=0.5)

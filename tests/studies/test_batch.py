import numpy as np
import pytest

from ccviz import Problem
from ccviz.errors import CcvizError
from ccviz.runs.stop import Limits
from ccviz.solvers import make_solver
from ccviz.studies.batch import carry_out, outcomes, plan

X = np.random.default_rng(0).normal(size=(24, 2))
BLP, KMEANS, BH = (make_solver(name) for name in ("blp-kmeans", "k-means", "bh-kmeans"))


def problem_of(k, _keeps_rules):
    return Problem(X, k, cannot_link=[(0, 1, 2.0)])


def test_what_cannot_be_is_left_out_with_its_reason():
    cells, left_out = plan(problem_of, [BLP, BH], (4, 5), (2, 3, 25))
    assert [(cell.solver, cell.seed, cell.k) for cell in cells] == [
        (BH, 4, 2), (BH, 5, 2), (BH, 4, 3), (BH, 5, 3),
    ]  # fmt: skip
    assert [str(each) for each in left_out] == [
        "blp-kmeans, k = 2: no soft links",
        "blp-kmeans, k = 3: no soft links",
        "k = 25: k = 25 clusters are more than the 24 points.",
    ]


def test_every_run_is_in_the_archive_and_says_what_was_asked(archive):
    cells, _ = plan(problem_of, [BH], (0, 1), (2, 3))
    watched = []
    found = list(
        carry_out(archive, cells, problem_of, Limits(9.0), dataset="dots", scaling="range",
                  watch=lambda run: watched.append(run.seq))
    )  # fmt: skip
    assert [(info.k, info.seed) for info in found] == [(2, 0), (2, 1), (3, 0), (3, 1)]
    assert {(info.dataset, info.scaling, info.links) for info in found} == {("dots", "range", 1)}
    assert all(info.termination == "converged" for info in found)
    assert all(info.limits == Limits(9.0) for info in found)
    assert [info.id for info in archive.runs()] == [info.id for info in reversed(found)]
    assert len(watched) == sum(info.last_seq + 1 for info in found)


def test_a_run_that_breaks_off_ends_as_such_and_the_next_begins(archive, monkeypatch):
    steps = type(KMEANS).steps

    def greedy(self, problem, context):
        yield from ()
        if context.seed == 0:
            raise MemoryError
        yield from steps(self, problem, context)

    cells, _ = plan(lambda k, _: Problem(X, k), [KMEANS], (0, 1), (2,))
    runs = carry_out(archive, cells, lambda k, _: Problem(X, k))
    monkeypatch.setattr("ccviz.studies.batch.load_solver", lambda name: None)  # it runs the solver
    monkeypatch.setattr(type(KMEANS), "steps", greedy)
    first, second = runs
    assert (first.termination, second.termination) == ("failed", "converged")
    assert "memory" in first.message


def test_a_run_under_way_when_somebody_breaks_off_is_closed(archive):
    def interrupt(run):
        if run.seq == 2:
            raise KeyboardInterrupt

    cells, _ = plan(lambda k, _: Problem(X, k), [KMEANS], (0, 1), (2,))
    with pytest.raises(KeyboardInterrupt):
        list(carry_out(archive, cells, lambda k, _: Problem(X, k), watch=interrupt))
    (info,) = archive.runs()
    assert (info.state, info.termination) == ("finished", "interrupted")


def test_an_archive_that_takes_no_run_ends_the_batch(archive, monkeypatch):
    def full(*_args, **_kwargs):
        raise CcvizError("enough.")

    monkeypatch.setattr(archive, "create", full)
    cells, _ = plan(lambda k, _: Problem(X, k), [KMEANS], (0,), (2,))
    with pytest.raises(CcvizError, match="enough"):
        list(carry_out(archive, cells, lambda k, _: Problem(X, k)))


def test_runs_are_summed_up_by_solver_and_number_of_clusters(archive):
    exact = make_solver("sdp")
    cells, _ = plan(lambda k, _: Problem(X, k), [KMEANS, exact], range(3), (3, 2))
    infos = list(carry_out(archive, cells, lambda k, _: Problem(X, k), Limits(60.0)))
    found = outcomes(infos)
    assert [each.k for each in found] == [2, 2, 3, 3]
    for each in found:
        runs = [info for info in infos if (info.k, info.solver) == (each.k, each.solver)]
        assert each.runs == len(runs) == 3
        assert each.proved == (3 if each.solver == "sdp" else 0)
        assert each.best == min(info.objective for info in runs)
        assert each.median == np.median([info.objective for info in runs])
        assert each.time_s == np.median([info.time_s for info in runs])
        assert (each.violations, each.ari) == (0, None)
    assert [each.best for each in found[::2]] == [
        min(each.best for each in found if each.k == k) for k in (2, 3)
    ]


def test_what_goes_on_or_found_nothing_is_told_as_such(archive):
    going = archive.create(Problem(X, 2), "k-means", {}, seed=0)
    lost = archive.create(Problem(X, 3), "k-means", {}, seed=0)
    archive.finish(lost, "failed", "The worker broke off.")
    assert going in {info.id for info in archive.runs()}
    (only,) = outcomes(archive.runs())
    assert (only.k, only.runs, only.violations) == (3, 1, None)
    assert only.best == only.median == np.inf

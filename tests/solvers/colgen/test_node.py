"""The work on a node: in discs its bound is valid, and a tree of discs is proved."""

import itertools
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from ccviz.events import (
    BoundImproved,
    Finished,
    IncumbentFound,
    NodeBranched,
    NodeOpened,
    NodePruned,
    Started,
)
from ccviz.problem.problem import Problem
from ccviz.proof.verify import verify
from ccviz.solvers.base import Context
from ccviz.solvers.colgen import Colgen, node
from ccviz.solvers.colgen.params import Params
from ccviz.solvers.search.decisions import DiscDecision
from ccviz.solvers.search.tree import Task
from tests.enumeration import feasible, least_wcss
from tests.seeds import seeds
from tests.solvers.colgen.conftest import over_facilities
from tests.solvers.colgen.model.test_discs import points_of
from tests.solvers.colgen.test_plane import of


def means_keep(problem, labels, decisions):
    """Whether a clustering's means keep to the discs decided on."""
    means = [problem.X[labels == c].mean(axis=0) for c in range(problem.k)]
    for disc in decisions:
        center, border = problem.X[disc.center], problem.X[disc.border]
        radius = ((center - border) ** 2).sum()
        if disc.occupied != any(((mean - center) ** 2).sum() <= radius for mean in means):
            return False
    return True


def best_in_discs(problem, decisions):
    """Return the least WCSS of clusterings whose means keep the decisions, inf if none does."""
    kept = (each for each in feasible(problem) if means_keep(problem, each.labels, decisions))
    best = next(kept, None)
    return np.inf if best is None else best.wcss


@pytest.mark.parametrize("seed", seeds(2, 8))
def test_a_nodes_bound_is_not_above_the_best_clustering_in_its_discs(seed):
    rng = np.random.default_rng(seed)
    links = [(0, 1)] if seed % 2 else []
    problem = Problem(points_of(seed), 3, cannot_link=links)
    pairs = rng.permutation(8)[:4].reshape(2, 2).tolist()
    for sides in itertools.product((True, False), repeat=2):
        decisions = tuple(
            DiscDecision(i, j, side) for (i, j), side in zip(pairs, sides, strict=True)
        )
        best = best_in_discs(problem, decisions)
        task = Task(3, decisions, upper_bound=1.5 * least_wcss(problem))
        for _ in range(60):
            report = node.advance(problem, Colgen(), Params(), task)
            assert report.lower_bound <= best * (1.0 + 1e-9)
            if report.verdict != "go on":
                break
            task = replace(task, opening=False, state=report.state, lower_bound=report.lower_bound)
        assert report.verdict != "go on"


def state_of(state):
    """Return what a branched node leaves to its children."""
    return getattr(state, "state", state)


class Forced:
    """Work that branches on given discs wherever it would close a node, as deep as they go."""

    def __init__(self, discs, keeps_state):
        self.discs, self.keeps_state, self.advance = discs, keeps_state, node.advance

    def __call__(self, problem, settings, params, task):
        report = self.advance(problem, settings, params, task)
        depth = len(task.decisions)
        if report.verdict == "infeasible" or depth >= len(self.discs):
            return report
        report = replace(report, lower_bound=0.0)  # which closes nothing
        if report.verdict == "go on":
            return report
        disc = DiscDecision(*self.discs[depth], occupied=True)
        state = state_of(report.state) if self.keeps_state else None
        return replace(report, verdict="branch", branch=disc, state=state)


def without_discs(event):
    is_node = isinstance(event, NodeOpened | NodeBranched)
    return msgspec.structs.replace(event, place=False) if is_node else event


def larger_disc_duals(event):
    return with_taken(event, lambda taken: taken + 10.0**6)


def disc_duals_below_zero(event):
    return with_taken(event, lambda taken: -1.0 - taken)


def more_discs(event):
    return with_taken(event, lambda taken: np.append(taken, 0.0))


def one_side_elsewhere(event):
    moved = isinstance(event, NodeOpened) and event.node == 1
    return msgspec.structs.replace(event, pair=event.pair[::-1]) if moved else event


def with_taken(event, change):
    if not isinstance(event, NodePruned) or "taken" not in event.certificate:
        return event
    taken = change(event.certificate["taken"])
    return msgspec.structs.replace(event, certificate={**event.certificate, "taken": taken})


ALTERATIONS = (
    without_discs, larger_disc_duals, disc_duals_below_zero, more_discs, one_side_elsewhere,
)  # fmt: skip


@pytest.mark.parametrize("keeps_state", [True, False])
@pytest.mark.parametrize("seed", seeds(1, 4))
def test_a_tree_of_discs_ends_with_the_best_clustering_and_its_proof_is_accepted(
    seed, keeps_state, monkeypatch
):
    rng = np.random.default_rng(seed)
    discs = rng.permutation(16)[:6].reshape(3, 2).tolist()
    monkeypatch.setattr(node, "advance", Forced(discs, keeps_state))
    X = np.random.default_rng(seed).uniform(size=(16, 2))
    problem = Problem(X, 4)
    events = [*Colgen(tolerance=1e-4).steps_with(over_facilities(), problem, Context(seed=0))]
    assert isinstance(events[-1], Finished)
    branched = of(events, NodeBranched)
    assert branched[0].place
    best = of(events, IncumbentFound)[-1].objective
    for event in of(events, BoundImproved):
        assert event.lower_bound <= best * (1.0 + 1e-9)
    assert of(events, BoundImproved)[-1].lower_bound >= best * (1.0 - 1e-4)
    first = Started(solver="colgen", settings={}, seed=0, n=16, d=2, k=4, n_blocks=16)
    told = [first, *events]
    assert verify(problem, told, work=60.0).accepted
    assert any("taken" in leaf.certificate for leaf in of(events, NodePruned))
    for altered in ALTERATIONS:
        verdict = verify(problem, [altered(event) for event in told], work=60.0)
        assert not verdict.accepted, altered.__name__

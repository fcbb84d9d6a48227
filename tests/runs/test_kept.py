"""What a run keeps for the next one: columns, parts and trees."""

import numpy as np
import pytest

from ccviz import Problem, solve, start
from ccviz.events import NodePruned, PartBounded, PartsCut, TreeKept
from ccviz.problem.blocks import contract
from ccviz.proof.verify import verify
from ccviz.runs.codec import decode_event, encode_event
from ccviz.solvers.colgen.phases.opening import moved_duals
from ccviz.solvers.search.tree import Multipliers
from tests.proof.conftest import check_proof, second  # noqa: F401

# --- The tree of column generation goes on after an edit: what stays, and what is accepted --------


def drawn(seed, n, k, sizes=None):
    """Return a problem with cannot-links whose tree has several nodes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    apart = [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.25][:n]
    return Problem(X, k, cannot_link=apart, sizes=sizes)


@pytest.fixture(scope="module", params=["covering", "sizes"])
def grown(request):
    """Return such a problem, without sizes or with them, and its result."""
    if request.param == "covering":
        problem = drawn(3, 16, 3)
    else:
        problem = drawn(3, 20, 4, ([5] * 4, [5] * 4))
    return problem, solve(problem, "colgen")


def with_links(problem, must=(), cannot=()):
    cannot = [*problem.cannot_link.pairs.tolist(), *cannot]
    return Problem(problem.X, problem.k, list(must), cannot, sizes=problem.sizes)


def broken_pair(result):
    """Return two near points in different clusters that may be linked, beside no other link."""
    problem = result.run.problem
    far = ((problem.X[:, None] - problem.X) ** 2).sum(axis=2)
    far[result.labels[:, None] == result.labels] = np.inf
    far[tuple(problem.cannot_link.pairs.T)] = far[tuple(problem.cannot_link.pairs.T[::-1])] = np.inf
    return sorted(int(i) for i in np.unravel_index(far.argmin(), far.shape))


def test_a_link_that_the_clustering_breaks_goes_on_in_the_same_tree(grown, second):  # noqa: F811
    problem, result = grown
    edited = with_links(problem, must=[broken_pair(result)])
    stepper = start(edited, "colgen", start=result)
    records = list(stepper)
    bounds = [record.event.lower_bound for record in records if hasattr(record.event, "leaves")]
    assert bounds == [result.lower_bound]
    assert stepper.run.lower_bound >= result.lower_bound
    assert stepper.run.kept_tree.reopened >= 1
    assert stepper.run.objective == pytest.approx(solve(edited, "colgen").objective, rel=1e-6)
    events = [decode_event(encode_event(record.event)) for record in records]
    assert verify(edited, events).accepted
    assert second(edited, events)[0]


def test_leaves_that_suffice_stay_closed_and_say_what_they_lack(grown, second):  # noqa: F811
    problem, result = grown
    i, j = (int(np.flatnonzero(result.labels == label)[-1]) for label in (0, 1))
    edited = with_links(problem, cannot=[(i, j)])
    stepper = start(edited, "colgen", start=result)
    events = [record.event for record in stepper]
    assert stepper.run.kept_tree.reopened == 0
    closed = [event for event in events if isinstance(event, NodePruned)]
    assert all("without_cannot" in event.certificate for event in closed)
    assert verify(edited, events).accepted
    assert second(edited, events)[0]
    assert not verify(problem, events).accepted


def test_a_link_taken_away_is_priced_again(grown):
    problem, result = grown
    i, j = (int(np.flatnonzero(result.labels == label)[-1]) for label in (0, 1))
    linked = with_links(problem, cannot=[(i, j)])
    stepper = start(problem, "colgen", start=solve(linked, "colgen"))
    events = [record.event for record in stepper]
    assert stepper.run.status == "optimal"
    assert stepper.run.objective == pytest.approx(result.objective, rel=1e-6)
    assert verify(problem, events).accepted


def test_reduced_costs_of_whole_clusters_stay_as_they_were():
    problem = drawn(0, 12, 3)
    joined = with_links(problem, must=[(0, 1), (2, 3)])
    old, new = contract(problem), contract(joined)
    duals = np.random.default_rng(1).uniform(1.0, 2.0, size=old.s)
    moved = moved_duals(joined, new, Multipliers({"duals": duals}, old.block_of))
    # The clusters of a clustering that keeps both links, with all that the blocks hold.
    assert moved.sum() + new.scatter == pytest.approx(duals.sum() + old.scatter)
    back = moved_duals(problem, old, Multipliers({"duals": moved}, new.block_of))
    assert back.sum() == pytest.approx(duals.sum())


def test_another_solver_takes_the_bound_and_not_the_tree(grown):
    problem, result = grown
    assert solve(problem, "sdp", start=result).run.kept_tree is None


@pytest.mark.parametrize(
    ("stabilisation", "pricing", "repair"),
    [
        ("smoothing", "blocks", "artificial"),
        ("perturbation", "printed", "farkas"),
        ("none", "blocks", "farkas"),
    ],
)
def test_it_goes_on_by_every_stabilisation_and_by_the_papers_pricing(
    stabilisation, pricing, repair
):
    problem = drawn(3, 16, 3)
    chosen = {"stabilisation": stabilisation, "pricing": pricing, "repair": repair}
    result = solve(problem, "colgen", **chosen)
    edited = with_links(problem, must=[broken_pair(result)])
    again = solve(edited, "colgen", start=result, **chosen)
    assert again.run.kept_tree.reopened > 0
    assert again.objective == pytest.approx(solve(edited, "sdp").objective, rel=1e-6)
    assert verify(edited, [record.event for record in again.records()]).accepted


# --- The parts of a divided run go on after an edit: which bounds hold, and what is accepted ------


GAP = 0.1
SETTINGS = {"part_size": 30, "largest_part": 40, "tolerance": GAP, "incumbent": "blp-kmeans"}


@pytest.fixture(scope="module")
def divided():
    """Return a problem in several parts, and its result."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(240, 2)) + 4.0 * rng.integers(0, 3, size=(240, 1))
    problem = Problem(X, 3, cannot_link=[(0, 1), (2, 3)])
    return problem, solve(problem, "divide", **SETTINGS)


def went_on(problem, result):
    stepper = start(problem, "divide", start=result, **SETTINGS)
    events = [decode_event(encode_event(record.event)) for record in stepper]
    return stepper.run, events


def two_parts(result, same_cluster):
    """Return points of two different parts, in one cluster or in two."""
    events = [record.event for record in result.records()]
    part_of = [event.part_of for event in events if isinstance(event, PartsCut)][-1]
    labels = result.labels
    return next(
        (i, j)
        for i in range(10, 240)
        for j in range(i)
        if min(part_of[i], part_of[j]) >= 0 and part_of[i] != part_of[j]
        if (labels[i] == labels[j]) == same_cluster
    )


def test_a_link_that_is_kept_needs_no_run(divided, second):  # noqa: F811
    problem, result = divided
    edited = Problem(problem.X, 3, [two_parts(result, True)], problem.cannot_link.pairs)
    run, events = went_on(edited, result)
    assert run.lower_bound >= result.lower_bound
    assert run.termination == "gap"
    assert verify(edited, events, gap=GAP).accepted
    assert second(edited, events, gap=GAP)[0]


def test_parts_that_a_link_does_not_touch_keep_their_bounds(divided, second):  # noqa: F811
    problem, result = divided
    edited = Problem(problem.X, 3, [two_parts(result, False)], problem.cannot_link.pairs)
    _, events = went_on(edited, result)
    (kept,) = [event for event in events if isinstance(event, TreeKept)]
    assert 0 < kept.reopened < kept.leaves
    assert kept.lower_bound == result.lower_bound
    before = {event.group: event for event in parts_of(result)}
    first = [event for event in events[: 3 + kept.following] if isinstance(event, PartBounded)]
    held = [event for event in first if event.certificate]
    assert len(held) == kept.leaves - kept.reopened
    assert all(event.lower_bound == before[event.group].lower_bound for event in held)
    assert verify(edited, events, gap=GAP).accepted
    assert second(edited, events, gap=GAP)[0]


def test_a_link_taken_away_opens_its_part_alone(divided):
    problem, result = divided
    linked = Problem(problem.X, 3, [two_parts(result, True)], problem.cannot_link.pairs)
    before = solve(linked, "divide", **SETTINGS)
    run, events = went_on(problem, before)
    assert run.kept is None
    assert verify(problem, events, gap=GAP).accepted
    if run.kept_tree is not None:
        assert np.isinf(run.kept_tree.lower_bound)


def parts_of(result):
    return [r.event for r in result.records() if isinstance(r.event, PartBounded)]

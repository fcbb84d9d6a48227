"""Problems with fewer constraints, in which bounds are proved: what may be left out."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from ccviz import Problem, solve, start
from ccviz.events import BoundImproved, NodeBranched, NodeLeft, PartsCut, ProofKept
from ccviz.problem.rules import MaxSize
from ccviz.problem.sums import MaxSum, MinSum
from ccviz.proof.check import as_bounded, has_only_sums, without_lacking
from ccviz.proof.reading import FlawError
from ccviz.proof.verify import verify

X = np.arange(6.0)[:, None]
SUMS = (MinSum((1.0,) * 6, 1.0), MaxSum((1.0,) * 6, 5.0))


@pytest.fixture
def problem():
    """Return a problem with links, one of them soft, and sizes."""
    must, cannot = [(0, 1), (3, 2, 0.5)], [(0, 5), (1, 4)]
    return Problem(X, 2, must, cannot, sizes=([1, 2], [4, 5]))


def pairs_of(links):
    return links.pairs.tolist()


def sizes_of(problem):
    return problem.sizes.lower.tolist(), problem.sizes.upper.tolist()


def test_bounds_leave_out_lower_sums_and_sizes_beside_weights(problem):
    assert as_bounded(problem) is problem
    summed = replace(problem, rules=(*SUMS, MaxSize(5)))
    assert as_bounded(summed).rules == (SUMS[1], MaxSize(5))
    assert sizes_of(as_bounded(summed)) == sizes_of(summed)
    weighted = Problem(X, 2, sizes=([1, 2], [4, 5]), weights=1.0 + X[:, 0], rules=(SUMS[1],))
    assert as_bounded(weighted).sizes is None
    assert as_bounded(weighted).rules == (SUMS[1],)


def test_rules_are_only_sums_or_not(problem):
    assert has_only_sums(replace(problem, rules=SUMS))
    assert not has_only_sums(replace(problem, rules=(*SUMS, MaxSize(5))))


def test_nothing_that_lacks_is_the_problem_itself(problem):
    assert without_lacking(problem, {"kind": np.zeros(1)}) is problem


def test_links_that_lack_are_left_out(problem):
    less = without_lacking(problem, {"without_must": np.array([[2, 3]])})
    assert pairs_of(less.must_link) == [[0, 1]]
    assert less.must_link.weights.tolist() == [np.inf]
    assert pairs_of(less.cannot_link) == pairs_of(problem.cannot_link)
    assert sizes_of(less) == sizes_of(problem)
    less = without_lacking(problem, {"without_cannot": np.array([[1, 4], [0, 5]])})
    assert not len(less.cannot_link)
    assert pairs_of(less.must_link) == pairs_of(problem.must_link)


def test_no_links_of_none_lack():
    bare = Problem(X, 2)
    assert not len(without_lacking(bare, {"without_must": np.zeros((0, 2), int)}).must_link)


@pytest.mark.parametrize("name", ["without_must", "without_cannot"])
@pytest.mark.parametrize("pair", [[0, 2], [3, 2], [0, 1, 2]])
def test_links_that_are_none_are_a_flaw(problem, name, pair):
    with pytest.raises(FlawError, match=r"^is made without what is not there"):
        without_lacking(problem, {name: np.array([pair])})


def test_sizes_are_wider_or_none(problem):
    wider = without_lacking(problem, {"with_sizes": np.array([[1, 1], [4, 6]])})
    assert sizes_of(wider) == ([1, 1], [4, 6])
    same = without_lacking(problem, {"with_sizes": np.array([[1, 2], [4, 5]])})
    assert sizes_of(same) == ([1, 2], [4, 5])
    assert without_lacking(problem, {"with_sizes": np.zeros((0, 2), int)}).sizes is None


@pytest.mark.parametrize(
    "table", [[[1, 3], [4, 5]], [[1, 2], [4, 4]], [[1, 2, 1], [4, 5, 1]], [[1, 2]], [[4, 5]] * 3]
)
def test_sizes_that_are_not_wider_are_a_flaw(problem, table):
    with pytest.raises(FlawError, match=r"^is made with sizes that"):
        without_lacking(problem, {"with_sizes": np.array(table)})


def test_sizes_where_there_are_none_are_a_flaw(problem):
    bare = replace(problem, sizes=None)
    for table in (np.zeros((0, 2), int), np.array([[1, 1], [6, 6]])):
        with pytest.raises(FlawError, match="do not fit"):
            without_lacking(bare, {"with_sizes": table})


# --- A run that was stopped is checked with what its open nodes leave, by both checkers -----------


SETTINGS = {"sdp": {"cuts": "none"}, "colgen": {}}
SLACK = 1.05
"""Factor on a run's own gap that a checker is asked for."""


def stopped(problem, solver, after, **more):
    """Return the events and the result of a run that is stopped when ``after`` of them says so."""
    stepper, events = start(problem, solver, **SETTINGS[solver], **more), []
    for record in stepper:
        events.append(record.event)
        if after(events):
            stepper.stop()
    return events, stepper.result()


def bounds(count):
    return lambda events: sum(isinstance(event, BoundImproved) for event in events) == count


def branched(events):
    return isinstance(events[-1], NodeBranched)


def drawn(kind, n=24):
    rng = np.random.default_rng(4)
    X, pairs = rng.normal(size=(n, 2)), rng.choice(n, size=(n // 2, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]].tolist()
    return Problem(X, 4, **{
        "hard": {"cannot_link": pairs},
        "soft": {"cannot_link": [(*pair, 0.5) for pair in pairs]},
        "sizes": {"sizes": ([4] * 4, [9] * 4), "cannot_link": pairs[:4]},
        "weights": {"weights": rng.random(n) + 0.1, "cannot_link": pairs},
    }[kind])  # fmt: skip


def left_by(events):
    """Return the names of the arrays that open nodes have at the end."""
    return {name for each in events if isinstance(each, NodeLeft) for name in each.certificate}


def gaps(second, problem, events, gap):
    """Return the gaps that both checkers find, and the second in whole numbers too.

    Duals that are as good as they can be leave the second's search no room: it may give up.
    """
    verdict = verify(problem, events, gap)
    assert verdict.accepted, verdict.sentence
    found = [verdict.gap]
    for exact in (False, True):
        proved, sentence = second(problem, events, gap, exact=exact)
        assert proved or ("no proof yet" in sentence and "duals" in left_by(events)), sentence
        if proved:
            found.append(float(sentence.split()[-1]))
    return found


@pytest.mark.parametrize("kind", ["hard", "soft", "sizes", "weights"])
@pytest.mark.parametrize("solver", SETTINGS)
def test_both_find_the_gap_of_a_stopped_run(second, solver, kind):
    problem = drawn(kind)
    events, result = stopped(problem, solver, bounds(2), tolerance=1e-9)
    if result.gap > 1e-9:
        assert any(isinstance(event, NodeLeft) for event in events)
    found = gaps(second, problem, events, max(1e-6, SLACK * result.gap))
    assert max(found) <= max(1e-6, 1.1 * SLACK * result.gap)
    assert min(found) >= 0.9 * result.gap


def test_a_run_that_was_stopped_within_its_tree_is_checked(second, proof):
    problem, _ = proof
    events, result = stopped(problem, "sdp", branched)
    assert sum(isinstance(event, NodeLeft) for event in events) == 2
    found = gaps(second, problem, events, SLACK * result.gap)
    assert found == pytest.approx([result.gap] * 3, rel=0.05)


def test_a_stopped_run_that_goes_on_and_is_stopped_again_is_checked(second):
    problem = drawn("hard", 14)
    steppers, history = [], ()
    for count in (2, 4):
        stepper, records = start(problem, "sdp", history=history, cuts="none"), list(history)
        for record in stepper:
            records.append(record)
            if bounds(count)([each.event for each in records]):
                stepper.stop()
        steppers.append(stepper)
        history = tuple(records[:-1])
    events = [record.event for record in records]
    assert sum(isinstance(event, NodeLeft) for event in events) >= 2
    result = steppers[-1].result()
    assert result.gap < steppers[0].result().gap
    assert gaps(second, problem, events, SLACK * result.gap)[0] == pytest.approx(result.gap)
    finished = [*history, *start(problem, "sdp", history=history, cuts="none")]
    assert max(gaps(second, problem, [record.event for record in finished], 1e-4)) <= 1e-4


def test_the_higher_of_a_kept_bound_and_a_stopped_tree_counts(second):
    before = drawn("hard", 14)
    earlier, _ = stopped(before, "sdp", lambda events: False)
    assert verify(before, earlier).accepted
    result = solve(before, "sdp", cuts="none")
    labels = result.labels
    pair = next((0, j) for j in range(1, before.n) if labels[j] == labels[0])
    after = Problem(before.X, 4, cannot_link=[*before.cannot_link.pairs.tolist(), pair])
    events, again = stopped(after, "sdp", bounds(2), start=result, tolerance=1e-9)
    assert again.status != "optimal"
    found = gaps(second, after, events, SLACK * again.gap)
    assert found == pytest.approx([again.gap] * 3, rel=0.05)
    kept = [event for event in events if not isinstance(event, NodeLeft)]
    if any(isinstance(event, ProofKept) for event in events):
        assert verify(after, kept, 1.0).gap >= found[0]


def test_parts_and_a_stopped_tree_are_both_looked_at(second, divided_proof):
    problem, events = divided_proof
    assert any(isinstance(event, PartsCut) for event in events)
    verdict = verify(problem, events, 0.1)
    tree, result = stopped(problem, "sdp", bounds(1))
    both = [*tree[:-1], *(event for event in events if type(event).__name__.startswith("Part"))]
    assert result.gap > verdict.gap
    assert verify(problem, both, 0.1).gap == pytest.approx(verdict.gap)
    assert second(problem, both, 0.1)[0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"lower_bound": 1e9}, "claims the bound"),
        ({"lower_bound": float("nan")}, "claims the bound"),
        ({"node": -1}, "has the number -1"),
        ({"certificate": {}}, "claims the bound"),
        ({"node": 77}, "still open"),
    ],
)
def test_a_changed_node_is_found(second, changes, words):
    problem = drawn("hard")
    events, _ = stopped(problem, "sdp", bounds(2))
    at = next(i for i, event in enumerate(events) if isinstance(event, NodeLeft))
    events[at] = msgspec.structs.replace(events[at], **changes)
    verdict = verify(problem, events, 1.0)
    assert not verdict.accepted
    assert words in verdict.sentence
    assert not second(problem, events, 1.0)[0]


def test_a_bound_that_another_node_proved_is_found(second, proof):
    problem, _ = proof
    events, _ = stopped(problem, "sdp", branched)
    left = [event for event in events if isinstance(event, NodeLeft)]
    other = {**left[0].certificate, "node": np.array([left[1].node])}
    at = next(i for i, event in enumerate(events) if event is left[0])
    events[at] = msgspec.structs.replace(left[0], certificate=other)
    assert "not above it" in verify(problem, events, 1.0).sentence
    assert not second(problem, events, 1.0)[0]

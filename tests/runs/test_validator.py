"""A run that can be imported can be used: every event that could not is refused with a sentence."""

import numpy as np
import pytest

from ccviz import Problem
from ccviz.errors import ArchiveError
from ccviz.events import (
    AnyEvent,
    Assigned,
    BoundImproved,
    CentersMoved,
    ColumnsPriced,
    CutsAdded,
    DeadEnded,
    Finished,
    GenerationEnded,
    IncumbentFound,
    InfeasibilityProved,
    NodeBounded,
    NodeBranched,
    NodeLeft,
    NodeOpened,
    NodePruned,
    NodeReopened,
    Noted,
    PartBounded,
    PartsCut,
    ProofKept,
    QuestionAnswered,
    QuestionAsked,
    Record,
    RelaxationSolved,
    ResidualsUpdated,
    Restarted,
    Started,
    TreeKept,
)
from ccviz.runs.archive import Archive
from ccviz.runs.check import _CHECKS, Validator, check_archive
from ccviz.runs.codec import encode_event
from ccviz.runs.file import export_run, import_run
from ccviz.runs.info import summarise
from tests.made_up import played

N, D, K = 6, 2, 3
PROBLEM = Problem(np.random.default_rng(0).normal(size=(N, D)), K)
LABELS = np.array([0, 1, 2, 0, 1, 2])
BAD_LABELS = (LABELS + 1, LABELS - 1, LABELS[:-1], LABELS.reshape(2, 3), LABELS + 0.5, LABELS == 1)
NAN = float("nan")
LINKS = {"must_link": np.zeros((0, 2), dtype=np.int64), "cannot_link": np.array([[0, 1]])}


def started(**changes):
    given = {"solver": "k-means", "settings": {}, "seed": 0, "n": N, "d": D, "k": K, "n_blocks": N}
    return Started(**given | changes)


def incumbent(labels=LABELS, **more):
    return IncumbentFound(labels=labels, **more)


def opened(node=0, parent=None, depth=0, **more):
    return NodeOpened(node=node, parent=parent, depth=depth, lower_bound=0.0, **more)


def cut(parts=2, part_of=None):
    return PartsCut(parts=parts, part_of=LABELS % 2 if part_of is None else part_of)


def part(number=0, **more):
    return PartBounded(part=number, lower_bound=0.0, upper_bound=1.0, rounds=1, **more)


def solved(size, block_of):
    return RelaxationSolved(node=0, Z=np.ones(size), block_of=block_of)


def generation(replaced, p=2):
    return GenerationEnded(generation=0, objectives=np.ones(p), diversity=0.0, replaced=replaced)


def priced(duals, center=None):
    return ColumnsPriced(
        node=0, iteration=0, columns=1, pool=1, best_reduced_cost=0.0, exact=True,
        master_objective=1.0, lower_bound=0.0, duals=duals, center=center,
    )  # fmt: skip


def residuals(**more):
    return ResidualsUpdated(iteration=0, primal_residual=1.0, dual_residual=1.0, rho=1.0, **more)


def kept(*events, **more):
    return ProofKept(**{"lower_bound": 1.0, "events": events} | LINKS | more)


def tree_kept(**more):
    curve = dict.fromkeys(("times", "nodes", "upper", "lower", "edits"), np.zeros(2))
    return TreeKept(**{"lower_bound": 1.0, "leaves": 3, "reopened": 1} | curve | more)


def reopened(node=0, **more):
    given = {"lower_bound": 1.0, "certificate": {}, "block_of": np.zeros(N, dtype=np.int64)}
    return NodeReopened(node=node, **(given | more))


def left(node=0, **more):
    given = {"lower_bound": 1.0, "certificate": {}, "block_of": np.zeros(N, dtype=np.int64)}
    return NodeLeft(node=node, **(given | more))


def branched(node=0, pair=(0, 1)):
    return NodeBranched(node=node, pair=pair, lower_bound=0.0)


def pruned(node=0, bound=0.0):
    return NodePruned(node=node, reason="bound", lower_bound=bound)


def cuts(node=0, dropped=0, **more):
    none = {"pair": 0, "triangle": 0, "clique": 0, "active": 0}
    return CutsAdded(node=node, round=0, lower_bound=0.0, dropped=dropped, **none, **more)


GOOD = [
    Noted(text="x"), Restarted(restart=0), incumbent(), incumbent(LABELS.astype(np.int32)),
    Assigned(iteration=0, labels=LABELS - (LABELS == 0), objective=1.0, moved=0),
    CentersMoved(iteration=0, centers=np.full((K, D), NAN)), DeadEnded(iteration=0, point=5),
    BoundImproved(lower_bound=1.0), opened(), NodeBounded(node=0, lower_bound=0.5), branched(),
    opened(1, 0, 1, pair=(0, 1)), opened(), pruned(1), cuts(), solved((2, 2), LABELS % 2),
    priced(np.ones(N), np.ones(N)), residuals(x=np.ones((N, K))), generation(np.array([1, -1])),
    cut(), part(1, merged=(0,)), kept(started(), opened(), pruned()), tree_kept(), reopened(1),
    kept(lower=np.zeros(K, int), upper=np.full(K, N)),
    QuestionAsked(number=0, pair=(0, 5), strategy="x"),
    QuestionAnswered(pair=(0, 5), together=None, confidence=1.0, implied=0),
    InfeasibilityProved(reason="x", points=(0, 5)), Finished(termination="failed"),
]  # fmt: skip

BAD = [
    *([incumbent(labels)] for labels in BAD_LABELS),
    *([Assigned(iteration=0, labels=each, objective=1.0, moved=0)] for each in BAD_LABELS[2:]),
    [Assigned(iteration=0, labels=LABELS - 2, objective=1.0, moved=0)],
    [Assigned(iteration=0, labels=LABELS, objective=1.0, moved=-1)],
    [incumbent(objective=NAN)],
    [Restarted(restart=-1)],
    [opened(), cuts(separator=(0, N))],
    [tree_kept(reopened=-1)],
    [tree_kept(lower_bound=NAN)],
    [tree_kept(upper=np.zeros(3))],
    [tree_kept(edits=np.zeros((2, 2)))],
    [reopened(node=7)],
    [left(node=7)],
    [opened(), reopened(lower_bound=NAN)],
    [opened(), reopened(block_of=np.zeros(2, dtype=np.int64))],
    [CentersMoved(iteration=0, centers=np.ones((K, D + 1)))],
    [CentersMoved(iteration=0, centers=np.ones((K, D), dtype=int))],
    *([DeadEnded(iteration=0, point=point)] for point in (-1, N)),
    [BoundImproved(lower_bound=NAN)],
    [InfeasibilityProved(reason="x", points=(N,))],
    [opened(1, 0, 1)],
    [opened(), opened(0, 0, 1)],
    [opened(), opened(1, 0, 2)],
    [opened(), opened(1, 0, 1), opened(0, 1, 2)],
    [opened(-1)],
    [opened(pair=(0, N))],
    [opened(pair=(2, 2))],
    [NodeBounded(node=0, lower_bound=0.5)],
    [branched()],
    [opened(), branched(pair=(-1, 0))],
    [pruned()],
    [opened(), pruned(bound=NAN)],
    [cuts(-1)],
    [cuts(dropped=-1)],
    [solved((2, 3), LABELS % 2)],
    [solved((2, 2), LABELS)],
    [solved((), LABELS)],
    [solved((N + 1, N + 1), LABELS)],
    [priced(np.ones(N + 1))],
    [priced(np.ones((2, 2)))],
    [priced(np.ones(()))],
    [priced(np.ones(N), np.ones(N, dtype=int))],
    [residuals(x=np.ones((K, N)))],
    [residuals(violations=-1)],
    [generation(np.array([2, 0]))],
    [generation(np.ones((1, 1), dtype=int))],
    [cut(0)],
    [cut(2, LABELS)],
    [cut(N + 1)],
    [part()],
    [cut(), part(2)],
    [cut(), part(0, merged=(-1,))],
    [kept(started(n=N + 1))],
    [kept(opened(1, 0, 1))],
    [kept(lower=np.zeros(K + 1, int))],
    [kept(must_link=np.array([[0, N]]))],
    [kept(must_link=np.array([0, 1]))],
    [kept(lower_bound=NAN)],
    [QuestionAsked(number=0, pair=(1, 1), strategy="x")],
    [QuestionAnswered(pair=(0, N), together=True, confidence=1.0, implied=0)],
    [QuestionAnswered(pair=(0, 1), together=True, confidence=2.0, implied=0)],
]


def records(events):
    return [Record(seq, 0.1 * seq, event) for seq, event in enumerate(events)]


def check_all(found):
    validator = Validator(PROBLEM)
    for record in found:
        validator.check(record)


def check(events):
    check_all(records(events))


def test_what_a_solver_may_say_is_taken():
    check([started(settings={"tolerance": 1e-4}), *GOOD])


@pytest.mark.parametrize("events", BAD, ids=lambda events: type(events[-1]).__name__)
def test_an_event_that_does_not_fit_is_named(events):
    kind = type(events[-1]).__name__
    with pytest.raises(ArchiveError, match=rf"^record {len(events)} \({kind}\) has "):
        check([started(), *events])


WRONG = [{"n": 7}, {"k": 2}, {"n_blocks": 0}, {"settings": {"tolerance": "a"}}]


@pytest.mark.parametrize("wrong", WRONG)
def test_a_start_of_another_problem_is_refused(wrong):
    with pytest.raises(ArchiveError, match=r"^record 0 \(Started\) has "):
        check([started(**wrong)])


def test_every_kind_of_event_is_checked_or_has_nothing_to_check():
    assert set(AnyEvent.__args__) - set(_CHECKS) == {Noted, Finished}
    assert {type(events[-1]) for events in BAD} | {Started} == set(_CHECKS)


def test_shuffled_records_have_a_sentence():
    first, second, *_, last = records([started(), Noted(text="x"), *GOOD])
    for wrong, sentence in [
        ([second, first], "record 1 comes before the run's start"),
        ([first, last, second], f"record 1 follows record {last.seq}"),
        ([first, first], "record 0 follows record 0"),
        (
            [first, Record(1, 0.0, last.event), Record(2, 0.0, second.event)],
            "follows the run's end",
        ),
        ([first, Record(1, 0.0, first.event)], "record 1 is a second start"),
    ]:
        with pytest.raises(ArchiveError, match=f"its records are not in order: .*{sentence}"):
            check_all(wrong)


@pytest.fixture
def forged(archive):
    """Return the id of a run of the archive whose last incumbent names a cluster too many."""
    run_id = archive.create(PROBLEM, "k-means", {})
    sound = records([started(), incumbent(), Finished(termination="converged")])
    archive.append(run_id, sound, summarise(played(PROBLEM, sound)))
    with archive._file.writing() as db:
        db.execute(
            "UPDATE records SET data = ? WHERE kind = 'IncumbentFound'",
            (encode_event(incumbent(LABELS + 1)),),
        )
    return run_id


def test_labels_out_of_range_are_not_imported(archive, forged, tmp_path):
    export_run(archive, forged, tmp_path / "run.ccviz")
    with Archive(tmp_path / "other.sqlite") as other:
        with pytest.raises(ArchiveError, match=r"record 1 \(IncumbentFound\) has labels that are"):
            import_run(other, tmp_path / "run.ccviz")
        assert other.runs() == []


def test_a_look_through_the_archive_names_it(archive, forged):
    archive.close()
    assert any(
        forged in sentence and "labels that are not from 0 to 2" in sentence
        for sentence in check_archive(archive.path)
    )

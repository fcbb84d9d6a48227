import msgspec
import numpy as np
import pytest

from ccviz.events import BoundImproved, IncumbentFound, PartBounded, PartsCut
from ccviz.proof.verify import verify

GAP = 2e-3


@pytest.fixture
def problem(divided_proof):
    return divided_proof[0]


@pytest.fixture
def events(divided_proof):
    return divided_proof[1]


def altered(events, kind, **changes):
    """Return the events, the last of a kind changed."""
    last = max(at for at, event in enumerate(events) if isinstance(event, kind))
    changed = {name: change(getattr(events[last], name)) for name, change in changes.items()}
    return [*events[:last], msgspec.structs.replace(events[last], **changed), *events[last + 1 :]]


def with_certificate(events, **changes):
    def change(certificate):
        return {**certificate, **{name: f(certificate[name].copy()) for name, f in changes.items()}}

    return altered(events, PartBounded, certificate=change)


def test_the_parts_prove_what_the_run_claims(problem, events):
    verdict = verify(problem, events, GAP)
    assert verdict.accepted, verdict.sentence
    claimed = max(event.lower_bound for event in events if isinstance(event, BoundImproved))
    assert verdict.lower_bound == pytest.approx(claimed, rel=1e-8)
    (cut,) = (event for event in events if isinstance(event, PartsCut))
    assert verdict.leaves == cut.parts
    assert (cut.part_of < 0).any()


def parts_of(events):
    """Return how many parts the last cut has."""
    return [event.parts for event in events if isinstance(event, PartsCut)][-1]


def test_one_part_is_a_cut_too(problem, events):
    bare = [event for event in events if not isinstance(event, PartBounded)]
    one = altered(bare, PartsCut, parts=lambda _: 1, part_of=np.zeros_like)
    assert verify(problem, one, 1.0).accepted


def test_a_part_that_claims_nothing_needs_no_certificate(problem, events):
    idle = altered(events, PartBounded, lower_bound=lambda _: 0.0, certificate=lambda _: {})
    verdict = verify(problem, idle, 0.9)
    assert verdict.accepted, verdict.sentence
    assert verdict.leaves == parts_of(events) - 1


def test_a_flaw_names_its_part(problem, events):
    part = next(event.part for event in events[::-1] if isinstance(event, PartBounded))
    verdict = verify(problem, altered(events, PartBounded, lower_bound=lambda _: np.nan), GAP)
    assert f"part {part} claims the bound nan" in verdict.sentence
    verdict = verify(problem, with_certificate(events, kind=lambda kind: kind[None]), GAP)
    assert f"part {part} " in verdict.sentence


def test_a_flaw_of_a_leaf_names_its_part(tree_proof):
    problem, events = tree_proof
    part = next(e.part for e in events[::-1] if isinstance(e, PartBounded) and e.leaves)
    verdict = verify(problem, tree_with(events, leaf_with(kind=lambda kind: kind[None])), 0.09)
    assert f"part {part} " in verdict.sentence


def tree_with(events, change):
    """Return the events with the leaves of the last part that was branched changed."""
    last = max(at for at, e in enumerate(events) if isinstance(e, PartBounded) and e.leaves)
    changed = msgspec.structs.replace(events[last], leaves=change(events[last].leaves))
    return [*events[:last], changed, *events[last + 1 :]]


def leaf_with(**changes):
    """Return what changes arrays of the first leaf."""

    def change(leaves):
        arrays = {name: f(leaves[0][name].copy()) for name, f in changes.items()}
        return ({**leaves[0], **arrays}, *leaves[1:])

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda leaves: leaves[1:], "leave something out"),
        (lambda leaves: (*leaves, leaves[0]), "leave something out"),
        (list, "leaves that are none"),
        (leaf_with(decisions=lambda d: 1 - d), "decisions that are none"),
        (leaf_with(decisions=lambda d: d[:-1]), "leave something out"),
        (leaf_with(decisions=lambda d: d[:, :2]), "decisions that are none"),
        (leaf_with(decisions=lambda d: d.astype(float)), "decisions that are none"),
        (leaf_with(nonnegativity=lambda n: n - 1.0), "wrong sign"),
        (lambda leaves: tuple({**e, "decisions": e["decisions"] + [[99, 0, 0]]} for e in leaves),
         "not there"),
    ],
)  # fmt: skip
def test_an_altered_tree_is_rejected(tree_proof, change, words):
    problem, events = tree_proof
    verdict = verify(problem, tree_with(events, change), 0.09)
    assert not verdict.accepted
    assert words in verdict.sentence


def test_bounds_on_the_same_part_are_never_added(tree_proof):
    problem, events = tree_proof
    proved = verify(problem, events, 0.9).lower_bound
    first = next(e for e in events if isinstance(e, PartBounded) and not e.merged)
    assert verify(problem, [*events, first], 1.0).lower_bound < proved


def test_a_smaller_gap_is_not_proved(problem, events):
    verdict = verify(problem, events, 1e-9)
    assert not verdict.accepted
    assert "is asked for" in verdict.sentence


def test_parts_without_a_bound_count_for_nothing(problem, events):
    some = [event for event in events if not (isinstance(event, PartBounded) and event.part == 0)]
    assert not verify(problem, some, GAP).accepted


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda e: altered(e, PartBounded, lower_bound=lambda b: b * 1.01), "claims the bound"),
        (lambda e: altered(e, PartBounded, part=lambda _: 99), "there is none"),
        (lambda e: altered(e, PartBounded, part=lambda _: parts_of(e)), "there is none"),
        (lambda e: altered(e, PartBounded, lower_bound=lambda _: np.nan),
         "claims the bound nan"),
        (lambda e: altered(e, PartBounded, lower_bound=lambda _: 0.5, certificate=lambda _: {}),
         "without a certificate"),
        (lambda e: altered(e, PartBounded, merged=lambda _: (99,)), "there is none"),
        (lambda e: altered(e, PartBounded, merged=lambda _: (-1,)), "there is none"),
        (lambda e: altered(e, PartBounded, merged=lambda _: [1]), "is merged with"),
        (lambda e: altered(e, PartBounded, merged=lambda _: (1, 1)), "a part twice"),
        (lambda e: altered(e, PartBounded, merged=lambda _: (0,)), "no proof"),
        (lambda e: altered(e, PartBounded, certificate=lambda _: {}), "without a certificate"),
        (lambda e: with_certificate(e, nonnegativity=lambda n: n - 1.0), "wrong sign"),
        (lambda e: with_certificate(e, weights=lambda w: 2.0 * w), "claims the bound"),
        (lambda e: altered(e, PartsCut, part_of=lambda p: np.roll(p, 1)),
         "no proof: a cut tears must-linked points apart."),
        (lambda e: altered(e, PartsCut, part_of=lambda p: p[1:]), "the part of each point"),
        (lambda e: altered(e, PartsCut, parts=lambda p: p - 1), "a part that does not exist"),
        (lambda e: altered(e, IncumbentFound, labels=lambda c: np.roll(c, 1)), "no proof"),
        (lambda e: [x for x in e if not isinstance(x, IncumbentFound)], "no clustering"),
    ],
)  # fmt: skip
def test_an_altered_run_is_rejected(problem, events, change, words):
    verdict = verify(problem, change(events), GAP)
    assert not verdict.accepted
    assert words in verdict.sentence

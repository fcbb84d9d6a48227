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
        (lambda e: altered(e, PartBounded, certificate=lambda _: {}), "without a certificate"),
        (lambda e: with_certificate(e, nonnegativity=lambda n: n - 1.0), "wrong sign"),
        (lambda e: with_certificate(e, weights=lambda w: 2.0 * w), "claims the bound"),
        (lambda e: altered(e, PartsCut, part_of=lambda p: np.roll(p, 1)), "no proof"),
        (lambda e: altered(e, PartsCut, part_of=lambda p: p[1:]), "the part of each point"),
        (lambda e: altered(e, PartsCut, parts=lambda p: p - 1), "a part that is none"),
        (lambda e: altered(e, IncumbentFound, labels=lambda c: np.roll(c, 1)), "no proof"),
        (lambda e: [x for x in e if not isinstance(x, IncumbentFound)], "no clustering"),
    ],
)
def test_an_altered_run_is_rejected(problem, events, change, words):
    verdict = verify(problem, change(events), GAP)
    assert not verdict.accepted
    assert words in verdict.sentence

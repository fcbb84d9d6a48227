"""Events hold copies that cannot be changed."""

import numpy as np
import pytest

from ccviz import events
from ccviz.events import Assigned, BoundImproved, Event, Finished, NodePruned


def test_arrays_are_copied_and_read_only():
    buffer = np.zeros(3, dtype=np.int64)
    event = Assigned(iteration=0, labels=buffer, objective=1.0, moved=0)
    buffer[0] = 7
    assert event.labels[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        event.labels[0] = 1


def test_read_only_views_of_a_buffer_are_copied_too():
    buffer = np.zeros(3, dtype=np.int64)
    view = buffer.view()
    view.setflags(write=False)
    event = Assigned(iteration=0, labels=view, objective=1.0, moved=0)
    buffer[0] = 7
    assert event.labels[0] == 0


def test_arrays_of_a_certificate_are_frozen_too():
    buffer = np.zeros(3)
    event = NodePruned(node=0, reason="bound", lower_bound=1.0, certificate={"w": buffer})
    buffer[0] = 7
    assert event.certificate["w"][0] == 0
    assert not event.certificate["w"].flags.writeable


def test_events_are_compared_by_identity_and_cannot_change():
    first, second = Finished(termination="proved"), Finished(termination="proved")
    assert first != second
    with pytest.raises(AttributeError):
        first.message = "no"


def test_every_event_is_in_the_union_and_every_termination_has_a_sentence():
    assert set(events.AnyEvent.__args__) == set(Event.__subclasses__())
    assert set(events.TERMINATION_SENTENCES) == set(events.Termination.__args__)


def test_a_scalar_of_numpys_becomes_a_plain_number():
    event = BoundImproved(lower_bound=np.float64(2.5))
    assert type(event.lower_bound) is float

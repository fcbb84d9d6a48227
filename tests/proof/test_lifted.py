"""Certificates lifted by size: what is accepted, and what is not."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import NodePruned
from ccviz.proof.verify import verify


@pytest.fixture(scope="module")
def run():
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1, 2], [6, 9, 9])
    X = 4.0 * np.eye(3)[truth] + rng.normal(size=(24, 3))
    problem = Problem(X, 3, must_link=[(0, 1)], cannot_link=[(0, 23)], sizes=[9, 6, 9])
    return problem, [record.event for record in start(problem, "sdp")]


def changed(events, change):
    """Return the events with the arrays of every lifted certificate changed."""
    new = []
    for event in events:
        if isinstance(event, NodePruned) and "lifted" in event.certificate:
            arrays = {name: array.copy() for name, array in event.certificate.items()}
            change(arrays)
            event = msgspec.structs.replace(event, certificate=arrays)
        new.append(event)
    return new


def test_an_honest_run_is_accepted(run):
    problem, events = run
    assert verify(problem, events).accepted


def negative(arrays):
    # Of 23 blocks, an entry of two blocks that may be together.
    arrays["lifted"][1, -2] = -np.abs(arrays["lifted"]).max() - 1.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (negative, "wrong sign"),
        (lambda a: a.update(lifted=a["lifted"][:, :-1]), "shape"),
        (lambda a: a.update(lifted=a["lifted"][:1]), "shape"),
        (lambda a: a.update(owner=a["owner"] + 7), "not there"),
        (lambda a: a.update(owner=a["owner"][:-1]), "one length"),
        (lambda a: a.update(points=a["points"][:-1]), "one length"),
        (lambda a: a.update(weights=np.append(a["weights"], 1.0)), "one length"),
        (lambda a: a.pop("owner"), "lacks"),
        (lambda a: a.update(kind=np.ones_like(a["kind"])), "kind"),
        (lambda a: a.update(weights=-1.0 - a["weights"]), "wrong sign"),
        (lambda a: a.update(lifted=2.0 * a["lifted"]), "claims the bound"),
    ],
)
def test_an_altered_certificate_is_not(run, change, words):
    problem, events = run
    verdict = verify(problem, changed(events, change))
    assert not verdict.accepted
    assert words in verdict.sentence


def test_a_lifted_certificate_proves_nothing_of_ranges_or_without_sizes(run):
    problem, events = run
    for sizes in (None, ([5, 5, 5], [9, 9, 9])):
        assert not verify(replace(problem, sizes=sizes), events).accepted


def test_a_clustering_that_breaks_the_sizes_is_not_accepted(run):
    problem, events = run
    assert "breaks the sizes" in verify(replace(problem, sizes=[8, 7, 9]), events).sentence

"""Proofs whose certificates have rows of limits on sums."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from ccviz import Problem
from ccviz.problem.counts import MaxExcess
from ccviz.problem.sums import MaxSum, MinSum
from ccviz.proof.verify import verify
from tests.made_up import events_of

X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]])


@pytest.mark.parametrize(
    ("rule", "looser"),
    [
        (MaxSum((1.0,) * 6, 2.0), MaxSum((1.0,) * 6, 3.0)),
        (MinSum((1.0,) * 6, 2.0), MinSum((1.0,) * 6, 1.0)),
        (MaxExcess((1.0, 1.0, 1.0, -1.0, -1.0, -1.0), 0.0), MaxExcess((1.0,) * 6, 6.0)),
    ],
)
def test_a_proof_is_refused_for_a_looser_limit(rule, looser, both):
    problem = Problem(X, 3, rules=(rule,))
    events = events_of(problem, "sdp")
    both.accept(problem, events, exact=(False, True))
    loose = replace(problem, rules=(looser,))
    both.refuse(loose, events, exact=(False, True))


def test_a_row_of_no_limit_is_refused(second):
    problem = Problem(X, 3, rules=(MaxSum((1.0,) * 6, 2.0),))
    events = events_of(problem, "sdp")
    leaf = next(at for at, event in enumerate(events) if type(event).__name__ == "NodePruned")
    kind = events[leaf].certificate["kind"]
    assert (kind >= 2).any()
    certificate = {**events[leaf].certificate, "kind": np.where(kind >= 2, kind + 1, kind)}
    events[leaf] = msgspec.structs.replace(events[leaf], certificate=certificate)
    verdict, (proved, sentence) = verify(problem, events), second(problem, events)
    assert not verdict.accepted
    assert "a cut over blocks that are not there" in verdict.sentence
    assert not proved
    assert "a cut has no sign or kind" in sentence

"""The name of a problem, made once more from what docs/proof-format.md says."""

import hashlib
import struct

import numpy as np

from ccviz import Problem, Sizes
from ccviz.problem.links import Links
from ccviz.problem.rules import MaxSize
from ccviz.proof.verdict import problem_hash

X = [[0.0, 1.0], [2.0, 3.0], [5.0, 4.0]]


def by_hand(tail=b"", points=(0.0, 1.0, 2.0, 3.0, 5.0, 4.0)):
    data = b"ccviz problem 1\n" + struct.pack("<3q6d", 3, 2, 2, *points)
    data += struct.pack("<q2qd", 1, 0, 1, np.inf)
    data += struct.pack("<q2qd", 1, 1, 2, 2.5)
    return hashlib.sha256(data + tail).hexdigest()


def named(**more):
    return problem_hash(Problem(X, 2, must_link=[(0, 1)], cannot_link=[(1, 2, 2.5)], **more))


def test_the_name_is_that_of_points_k_and_links():
    assert named() == by_hand()


def test_the_truth_has_no_part_in_it():
    assert named(truth=[0, 1, 1]) == by_hand()


def test_weights_have():
    weights = np.array([1.0, 2.0, 0.5])
    assert named(weights=weights) == by_hand(b"weights\n" + weights.tobytes())
    assert named(weights=np.ones(3)) == by_hand()


def test_sizes_and_rules_have():
    assert named(sizes=([1, 1], [2, 2])) == by_hand(struct.pack("<4q", 1, 1, 2, 2))
    rule = MaxSize(2)
    assert named(rules=(rule,)) == by_hand(repr(rule).encode())


def test_minus_zero_is_zero():
    negative = Problem([[-0.0, 1.0], *X[1:]], 2, must_link=[(0, 1)], cannot_link=[(1, 2, 2.5)])
    assert problem_hash(negative) == named()


def test_how_a_machine_keeps_its_numbers_has_no_part_in_it():
    plain = Problem(X, 2, [(0, 1)], [(1, 2, 2.5)], sizes=([1, 1], [2, 2]))

    class Swapped:
        """A stand-in whose numbers are kept the other way round, or in fewer bytes."""

        n, d, k = np.int32(3), np.int32(2), np.int32(2)
        X = plain.X.astype(">f8")
        sizes = Sizes(plain.sizes.lower.astype(">i4"), plain.sizes.upper.astype(">i4"))
        rules = ()
        weights = neighbors = None

    for kind in ("must_link", "cannot_link"):
        links = getattr(plain, kind)
        swapped = Links(links.pairs.astype(">i4"), links.weights.astype(">f8"))
        setattr(Swapped, kind, swapped)
    assert problem_hash(Swapped) == problem_hash(plain)

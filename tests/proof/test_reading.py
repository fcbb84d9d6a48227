"""What a run says is read strictly, and each flaw has its sentence."""

import hashlib
import re
import struct

import msgspec
import numpy as np
import pytest

from ccviz import Problem, Sizes
from ccviz.events import IncumbentFound, NodeBranched, NodeOpened, NodePruned, Started
from ccviz.problem.links import Links
from ccviz.problem.rules import MaxSize
from ccviz.proof.reading import FlawError, read_multipliers, read_number, read_proof
from ccviz.proof.verdict import STEP, Budget, problem_hash

PROBLEM = Problem([[0.0], [1.0], [10.0], [11.0]], 2)
STARTED = Started(solver="sdp", settings={}, seed=0, n=4, d=1, k=2, n_blocks=4)
ROOT = NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0)


def opened(**changes):
    told = {"node": 1, "parent": 0, "depth": 1, "lower_bound": 0.0, "pair": (0, 2)}
    return NodeOpened(**{**told, **changes})


def pruned(**changes):
    return NodePruned(**{"node": 0, "reason": "bound", "lower_bound": 0.5, **changes})


def with_array(**arrays):
    return pruned(certificate=arrays)


def found(labels, objective=1.0):
    return IncumbentFound(labels=np.asarray(labels), objective=objective)


def test_a_run_is_sorted():
    duals, node = np.array([1.0, 2.0], dtype=np.float32), np.array([0], dtype=np.int32)
    proof = read_proof(
        PROBLEM,
        [
            STARTED, ROOT,
            NodeBranched(node=0, pair=(0, 2), lower_bound=0.5),
            opened(together=True),
            pruned(node=1, certificate={"duals": duals, "node": node, "else": "?"}),
            found([0, 0, 1, 1]), found([0, 1, 1, 1], None),
        ],
    )  # fmt: skip
    assert proof.branched == {0: ((0, 2), False)}
    root, child = proof.opened[0], proof.opened[1]
    assert (root.parent, root.pair, root.together) == (None, None, False)
    assert (child.parent, child.pair, child.together) == (0, (0, 2), True)
    leaf = proof.leaves[1]
    assert (leaf.reason, leaf.lower_bound) == ("bound", 0.5)
    assert {name: each.dtype for name, each in leaf.certificate.items()} == {
        "duals": np.float64,
        "node": np.int64,
    }
    assert leaf.certificate["duals"].tolist() == [1.0, 2.0]
    assert [each.labels.tolist() for each in proof.clusterings] == [[0, 0, 1, 1], [0, 1, 1, 1]]
    assert [each.claimed for each in proof.clusterings] == [1.0, None]
    assert proof.path(1) == [1, 0]


NO_TREE = "the run has no search tree; only those of sdp, colgen and divide leave a proof"
POINTS = "of the points 0 to 3"
FLAWS = [
    ([STARTED], "the run begins twice"),
    ([ROOT], "node 0 is opened or closed twice"),
    ([opened(node=-1)], "a node has the number -1"),
    ([opened(node=True)], "a node has the number True"),
    ([opened(node=1.0)], "a node has the number 1.0"),
    ([opened(parent=-1)], "node 1 has the parent -1"),
    ([opened(pair=(0, 4))], f"the branch of node 1 is over 0 and 4, not over two {POINTS}"),
    ([opened(pair=(1, 1))], f"the branch of node 1 is over 1 and 1, not over two {POINTS}"),
    ([opened(pair=(0, 1, 2))], "the branch of node 1 is over (0, 1, 2), not over two points"),
    ([opened(pair=[0, 1])], "the branch of node 1 is over [0, 1], not over two points"),
    ([opened(pair=(0, 1.0))], "the branch of node 1 is over (0, 1.0), not over two points"),
    (
        [NodeBranched(node=0, pair=(0,), lower_bound=0.0)],
        "the branching of node 0 is over (0,), not over two points",
    ),
    ([pruned(), pruned()], "node 0 is opened or closed twice"),
    ([pruned(reason="whim")], "leaf 0 is closed for no known reason"),
    ([pruned(lower_bound=np.nan)], "leaf 0 claims the bound nan"),
    ([pruned(lower_bound=True)], "leaf 0 claims the bound True"),
    ([pruned(lower_bound="1")], "leaf 0 claims the bound '1'"),
    ([pruned(certificate=None)], "leaf 0 has no certificate"),
    ([with_array(node=np.array([0, 0]))], "leaf 0 has node that is not one number"),
    ([with_array(least=np.zeros(0))], "leaf 0 has least that is not one number"),
    ([with_array(unit=np.array([1, 1]))], "leaf 0 has unit that is not one number"),
    ([with_array(unit=np.array([4001]))], "leaf 0 has a unit that is out of all range"),
    ([with_array(unit=np.array([-4001]))], "leaf 0 has a unit that is out of all range"),
    ([with_array(witness=np.array([0, 4]))], f"leaf 0 has a witness that is not one {POINTS}"),
    ([with_array(witness=np.array([-1, 3]))], f"leaf 0 has a witness that is not one {POINTS}"),
    ([with_array(duals=[1.0])], "leaf 0 has duals that is no array of 1 dimensions"),
    ([with_array(points=np.zeros(3, int))], "leaf 0 has points that is no array of 2 dimensions"),
    ([with_array(kind=np.zeros(3))], "leaf 0 has kind that is not of whole numbers"),
    ([with_array(kind=np.zeros(3, np.uint64))], "leaf 0 has kind that is not of whole numbers"),
    ([with_array(weights=np.zeros(3, int))], "leaf 0 has weights that is not of numbers"),
    ([with_array(weights=np.zeros(3, np.longdouble))], "leaf 0 has weights that is not of numbers"),
    ([with_array(nonnegativity=np.array([np.inf]))], "leaf 0 has nonnegativity that is not finite"),
    ([found([0, 0, 1])], "a clustering lacks a label from 0 to 1 for each point"),
    ([found([0, 0, 1, 2])], "a clustering lacks a label from 0 to 1 for each point"),
    ([found([0, 0, 1, -1])], "a clustering lacks a label from 0 to 1 for each point"),
    ([found([1, 1, 1, 1])], "a clustering has an empty cluster"),
    ([found([0.0, 0, 1, 1])], "a clustering has a label that is not of whole numbers"),
    ([found([[0, 0, 1, 1]])], "a clustering has a label that is no array of 1 dimensions"),
    ([found([0, 0, 1, 1], np.inf)], "a clustering claims the objective inf"),
    ([found([0, 0, 1, 1], True)], "a clustering claims the objective True"),
]


@pytest.mark.parametrize(("events", "sentence"), FLAWS, ids=[words for _, words in FLAWS])
def test_each_flaw_has_its_sentence(events, sentence):
    with pytest.raises(FlawError, match=f"^{re.escape(sentence)}$"):
        read_proof(PROBLEM, [STARTED, ROOT, *events])


def test_the_ends_of_every_range_are_in_it():
    certificate = {"witness": np.array([0, 3]), "unit": np.array([4000])}
    proof = read_proof(
        PROBLEM, [STARTED, ROOT, opened(pair=(3, 0)), pruned(certificate=certificate)]
    )
    assert proof.opened[1].pair == (3, 0)
    assert proof.leaves[0].certificate["witness"].tolist() == [0, 3]
    read_proof(PROBLEM, [STARTED, ROOT, with_array(unit=np.array([-4000]))])


@pytest.mark.parametrize("solver", ["sdp", "colgen", "divide", "kmeans", None])
def test_only_some_solvers_prove(solver):
    started = [msgspec.structs.replace(STARTED, solver=solver)] if solver else []
    if solver in ("sdp", "colgen", "divide"):
        assert list(read_proof(PROBLEM, [*started, ROOT]).opened) == [0]
        with pytest.raises(FlawError, match=f"^{NO_TREE}$"):
            read_proof(PROBLEM, started)
    else:
        with pytest.raises(FlawError, match=f"^{NO_TREE}$"):
            read_proof(PROBLEM, [*started, ROOT])


def test_multipliers_are_four_arrays():
    certificate = {
        "nonnegativity": np.zeros(3), "points": np.zeros((2, 3), int),
        "kind": np.zeros(2, int), "weights": np.ones(2), "other": 1,
    }  # fmt: skip
    read = read_multipliers("it", certificate)
    assert [*read] == ["nonnegativity", "points", "kind", "weights"]
    assert read["weights"].tolist() == [1.0, 1.0]
    lacks = r"^it lacks its nonnegativity, points, kind, weights$"
    for wrong in (None, {name: certificate[name] for name in ("points", "kind", "weights")}):
        with pytest.raises(FlawError, match=lacks):
            read_multipliers("it", wrong)
    with pytest.raises(FlawError, match=r"^it has kind that is not of whole numbers$"):
        read_multipliers("it", {**certificate, "kind": np.zeros(2)})


def test_a_bound_is_a_number():
    assert read_number("it", 2) == 2.0
    assert isinstance(read_number("it", 2), float)
    with pytest.raises(FlawError, match=r"^it claims the bound nan$"):
        read_number("it", float("nan"))


# --- The name of a problem, made once more from what docs/proof-format.md says --------------------


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


# --- Budget ---------------------------------------------------------------------------------------


def test_a_budget_is_spent_to_the_last_look():
    budget = Budget.of(2.0)
    assert budget.left == 2.0 * STEP
    assert budget.spend(1.5 * STEP) is True
    assert budget.spend(STEP) is False
    assert budget.left == 0.5 * STEP
    assert budget.spend(0.5 * STEP) is True
    assert budget.left == 0.0

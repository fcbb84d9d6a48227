"""Zones in a proof: what their cases add up to is below every clustering."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ccviz.events import IncumbentFound, NodeBranched, NodeOpened, NodePruned, Started
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.proof.verify import verify
from tests.enumeration import feasible

K = 3
LEFT, RIGHT = range(5), range(5, 9)
X = np.array(
    [[0, 0], [1, 0.3], [0.4, 1.1], [1.5, 1.2], [0.2, 0.5]]
    + [[30, 0], [31, 1], [30, 1.4], [31.3, 0]]
)
"""Five points here and four there: any box of a zone is on one side."""

MEMBERS = (np.arange(1, 1 << 9)[:, None] >> np.arange(9) & 1).astype(bool)
MEANS = MEMBERS @ X / MEMBERS.sum(axis=1)[:, None]
COSTS = np.array([((X[inside] - X[inside].mean(axis=0)) ** 2).sum() for inside in MEMBERS])


BEST = next(feasible(Problem(X, K)))


def values(duals, places):
    """Return the values of all clusters under duals, those that a place forbids left out."""
    found = COSTS - MEMBERS @ duals
    for (i, j), taken, prize in places:
        inside = ((MEANS - X[i]) ** 2).sum(axis=1) <= ((X[j] - X[i]) ** 2).sum()
        found = found - prize * inside if taken else np.where(inside, np.inf, found)
    return found


@st.composite
def certificates(draw):
    """Return a leaf's arrays with a zone on each side, and the least value of a cluster."""
    numbers = st.floats(0.0, 3.0)
    duals = np.array(draw(st.lists(numbers, min_size=9, max_size=9)))
    least = values(duals, []).min()
    zone, rows, prizes, blocks, changes = [], [], [], [], []
    for number, own in enumerate((LEFT, RIGHT)):
        pairs = [draw(st.permutations(own))[:2] for _ in range(2)]
        tree = [[(0, True), (1, True)], [(0, True), (1, False)], [(0, False)]]
        for decisions in tree[:3] if draw(st.booleans()) else [[(0, True)], [(0, False)]]:
            case, places = len(zone), []
            for which, taken in decisions:
                prize = draw(numbers) if taken else 0.0
                places.append((tuple(pairs[which]), taken, prize))
                rows.append((case, *pairs[which], int(taken)))
                prizes.append(prize)
            change = np.zeros(9)
            change[list(own)] = [draw(st.floats(-2.0, 2.0)) for _ in own]
            change[list(LEFT if number else RIGHT)] = draw(st.floats(-2.0, 0.0))
            least = min(least, values(duals + change, places).min())
            blocks += [(case, b) for b in range(9)]
            changes += change.tolist()
            zone.append(number)
    arrays = {
        "duals": duals,
        "least": np.array([min(least, 0.0)]),
        "case_zone": np.array(zone),
        "case_places": np.array(rows),
        "case_prizes": np.array(prizes),
        "case_blocks": np.array(blocks),
        "case_changes": np.array(changes),
    }
    return arrays, bound_of(arrays)


def bound_of(arrays):
    count = len(arrays["case_zone"])
    rise = np.bincount(arrays["case_blocks"][:, 0], arrays["case_changes"], count)
    rise += np.bincount(arrays["case_places"][:, 0], arrays["case_prizes"], count)
    least = [rise[arrays["case_zone"] == zone].min() for zone in set(arrays["case_zone"].tolist())]
    return arrays["duals"].sum() + sum(least) + K * arrays["least"][0]


def run_of(arrays, bound):
    return [
        Started(solver="colgen", settings={}, seed=0, n=9, d=2, k=K, n_blocks=9),
        IncumbentFound(labels=BEST.labels, objective=BEST.wcss, source="test"),
        NodeOpened(node=0, parent=None, depth=0, pair=None, together=False, lower_bound=0.0),
        NodePruned(node=0, reason="bound", lower_bound=bound, detail="", certificate=arrays),
    ]


@settings(max_examples=150, deadline=None)
@given(certificates())
def test_what_cases_add_up_to_is_not_above_the_best_clustering(drawn):
    arrays, bound = drawn
    assert bound <= BEST.wcss * (1.0 + 1e-9)
    verdict = verify(Problem(X, K), run_of(arrays, max(bound, 0.0)), gap=0.5)
    assert verdict.accepted == (bound >= 0.5 * BEST.wcss) or "the gap is" in verdict.sentence
    assert not verdict.accepted or verdict.lower_bound <= BEST.wcss


def good():
    """Return arrays whose bound is the best clustering's, but for little, and which raise duals."""
    duals = np.full(9, 0.01)
    least = float(values(duals, []).min())
    arrays = {
        "duals": duals,
        "least": np.array([least]),
        "case_zone": np.array([0, 0, 1]),
        "case_places": np.array([[0, 0, 4, 1], [1, 0, 4, 0]]),
        "case_prizes": np.zeros(2),
        "case_blocks": np.array([[0, 1], [1, 1], [2, 6]]),
        "case_changes": np.full(3, 1e-3),
    }
    for row in (1, 6):
        change = np.zeros(9)
        change[row] = 1e-3
        arrays["least"] = np.minimum(arrays["least"], values(duals + change, []).min())
    return arrays


def sentence(arrays, bound=None):
    bound = bound_of(arrays) if bound is None else bound
    return verify(Problem(X, K), run_of(arrays, bound), gap=1.0).sentence


def test_zones_that_are_far_from_each_other_are_accepted():
    assert sentence(good()).startswith("proved within gap")


def test_zones_that_meet_are_rejected():
    arrays = good()
    arrays["case_blocks"][2, 1] = 3
    arrays["case_changes"][2] = 9.0
    assert "zones 0 and 1 that meet" in sentence(arrays)


def test_a_case_under_which_some_cluster_is_worth_more_is_rejected():
    arrays = good()
    arrays["case_changes"][:2] = 1.5
    assert "overlooks a cluster" in sentence(arrays)


def test_a_prize_counts_where_the_mean_is_in_the_disc():
    arrays = good()
    arrays["case_changes"][:2] = 0.0
    arrays["case_prizes"][0] = 2.0
    arrays["case_blocks"] = np.append(arrays["case_blocks"], [[1, 0]], axis=0)
    arrays["case_changes"] = np.append(arrays["case_changes"], 2.0)
    assert "overlooks a cluster" in sentence(arrays)


@pytest.mark.parametrize("zone", [0, 1])
def test_a_zone_of_two_trees_does_not_cover_what_there_is(zone):
    arrays = good()
    arrays["case_zone"][:] = zone
    assert "do not cover it" in sentence(arrays)


def test_a_tree_of_very_many_places_is_read():
    arrays = good()
    rows = [(0, 0, 4, 1), (1, 0, 4, 0)]
    rows += [(0, int(i), int(i) + 1, 1) for i in np.arange(1500) % 8]
    arrays["case_places"] = np.array(rows)
    arrays["case_prizes"] = np.zeros(len(rows))
    assert "do not cover it" in sentence(arrays)


@pytest.mark.parametrize("zoned", [True, False])
def test_a_prize_that_no_block_is_worth_is_not_for_nothing(zoned):
    """The disc holds all points: each cluster wins the prize, where its blocks have no duals."""
    prize = 10.0 * BEST.wcss
    gaps = ((X - X[0]) ** 2).sum(axis=1)
    raised = 0.99 * gaps * prize / (0.99 * gaps).sum()
    worst = Partition(Problem(X, K), np.arange(9) % K)
    first = [
        Started(solver="colgen", settings={}, seed=0, n=9, d=2, k=K, n_blocks=9),
        IncumbentFound(labels=worst.labels, objective=worst.wcss, source="test"),
        NodeOpened(node=0, parent=None, depth=0, pair=None, together=False, lower_bound=0.0),
    ]
    none, last = np.zeros(9), int(gaps.argmax())
    if zoned:
        arrays = {
            "duals": none,
            "least": np.zeros(1),
            "case_zone": np.zeros(2, dtype=int),
            "case_places": np.array([[0, 0, last, 1], [1, 0, last, 0]]),
            "case_prizes": np.array([prize, 0.0]),
            "case_blocks": np.array([[1, b] for b in range(9)]),
            "case_changes": raised,
        }
        told = [*first, pruned(0, prize, arrays)]
    else:
        sides = [
            NodeOpened(
                node=1 + empty, parent=0, depth=1, pair=(0, last), together=not empty, place=True,
                lower_bound=0.0,
            )
            for empty in (False, True)
        ]  # fmt: skip
        taken = {"duals": none, "least": np.zeros(1), "taken": np.array([prize])}
        empty = {"duals": raised, "least": np.zeros(1)}
        branched = NodeBranched(node=0, pair=(0, last), lower_bound=0.0, place=True)
        told = [*first, branched, *sides, pruned(1, prize, taken), pruned(2, prize, empty)]
    verdict = verify(Problem(X, K), told, gap=0.9)
    assert not verdict.accepted
    assert not verdict.lower_bound > BEST.wcss


def pruned(node, bound, arrays):
    return NodePruned(node=node, reason="bound", lower_bound=bound, detail="", certificate=arrays)

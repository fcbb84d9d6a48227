"""Closure, chains and neighbours."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from ccviz import ConstrainedKMeans, Problem, solve
from ccviz.errors import ContradictionError, ProblemError, UnfillableError
from ccviz.problem.asked import AskedRule, read_asked
from ccviz.problem.links import adjacency, chain, closure, read_links
from ccviz.problem.partition import Partition
from ccviz.problem.reduction import kept_rules, with_rules
from ccviz.runs.codec import decode_problem, encode_problem
from tests.enumeration import clusterings

N = 8
pairs = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda p: p[0] != p[1]),
    max_size=12,
)


def as_array(links):
    return np.array(links, dtype=np.int64).reshape(-1, 2)


def reachable(links):
    """Return (N, N) bool by repeated squaring: another way to the closure."""
    reach = np.eye(N, dtype=bool)
    for i, j in links:
        reach[i, j] = reach[j, i] = True
    for _ in range(N):
        reach = reach @ reach
    return reach


@given(pairs)
def test_closure_joins_what_is_reachable_and_nothing_else(links):
    block_of = closure(N, as_array(links))
    assert ((block_of[:, None] == block_of[None, :]) == reachable(links)).all()


@given(pairs)
def test_closure_numbers_blocks_by_their_first_point(links):
    block_of = closure(N, as_array(links))
    first = np.unique(block_of, return_index=True)[1]
    assert (np.diff(first) > 0).all()


@given(pairs, st.integers(0, N - 1), st.integers(0, N - 1))
def test_chain_walks_along_links_or_is_empty(links, start, goal):
    walk = chain(as_array(links), start, goal)
    given_links = {frozenset(link) for link in links}
    if reachable(links)[start, goal]:
        assert (walk[0], walk[-1]) == (start, goal)
        assert all(frozenset(step) in given_links for step in pairwise(walk))
        assert len(set(walk)) == len(walk)
    else:
        assert walk == ()


def test_chain_is_a_shortest_one():
    assert chain(as_array([(0, 1), (1, 2), (2, 3), (0, 4), (4, 3)]), 0, 3) == (0, 4, 3)


def test_adjacency_names_only_points_with_links():
    assert adjacency([(0, 3), (3, 5)]) == {0: [3], 3: [0, 5], 5: [3]}


numbers = st.one_of(st.integers(-1, N), st.sampled_from([0.5, 2.0, np.nan, np.inf]))


@given(st.lists(st.one_of(st.tuples(numbers, numbers), st.tuples(numbers, numbers, numbers))))
def test_an_array_of_links_is_read_like_the_list_of_them(links):
    """Lists of several lengths are read one by one, and arrays at once: the sentences agree."""

    def answer(given_links):
        try:
            known, twice = read_links(given_links, N, "must-link")
        except ProblemError as refused:
            return str(refused)
        return known.pairs.tolist(), known.weights.tolist(), [each.words() for each in twice]

    def one_by_one():
        padded = [(i, j, *weight) for i, j, *weight in links]
        return answer([np.array(link, dtype=object) for link in padded])

    plain = answer(np.array(links)) if len({len(link) for link in links}) == 1 else answer(links)
    if isinstance(plain, str):
        assert plain.split(" is ")[0] == one_by_one().split(" is ")[0]
    else:
        assert plain == one_by_one()


def test_pairs_given_twice_get_one_sentence():
    once = np.stack([np.arange(21), np.full(21, 50)], axis=1)
    known, (twice,) = read_links(np.concatenate([once, once[:, ::-1]]), 51, "cannot-link")
    assert known.pairs.tolist() == once.tolist() == twice.links.pairs.tolist()
    kept = "and 20 more are given more than once; each is kept once."
    assert twice.words() == f"cannot-link 0-50 {kept}"
    assert twice.words([f"p{i}" for i in range(51)]) == f"cannot-link p0-p50 {kept}"


def test_the_first_wrong_row_of_an_array_is_named():
    rows = np.array([[0, 1], [2, 3], [4, 9], [5, 5]])
    with pytest.raises(ProblemError, match="must-link 4-9 names point 9"):
        read_links(rows, 8, "must-link")


@pytest.mark.parametrize("width", range(5))
def test_no_links_may_have_any_width(width):
    links, twice = read_links(np.zeros((0, width)), 2, "cannot-link")
    assert (len(links), twice) == (0, ())


# --- Links that follow from a column --------------------------------------------------------------


X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [9.0], [9.1], [9.2]])
COLUMNS = {
    "source": [*"aabbccabc"],
    "patient": ["p", "", "", "p", "", "q", "q", np.nan, ""],
    "photo": [1.0, 1.0, np.nan, 2.0, 2.0, np.nan, 3.0, 3.0, 3.0],
}


def ruled(*texts, k=3, **given):
    rules = [read_asked(text, column=COLUMNS.__getitem__) for text in texts]
    return with_rules(Problem(X, k, **given), rules, keeps_rules=True)


def pairs_of(column):
    """List the pairs of rows that have the same word."""
    cells = COLUMNS[column]
    return [
        (i, j)
        for j in range(len(cells))
        for i in range(j)
        if cells[i] == cells[j] and cells[i] not in ("", None)
    ]


@pytest.mark.parametrize("solver", ["blp-kmeans", "sdp", "colgen", "cop-kmeans"])
def test_a_column_is_the_links_of_its_equal_rows(solver):
    problem = ruled("together(patient)", "apart(photo)")
    linked = Problem(X, 3, pairs_of("patient"), pairs_of("photo"))
    assert {*map(tuple, problem.cannot_link.pairs.tolist())} == {*pairs_of("photo")}
    result, other = (solve(each, solver, progress=False) for each in (problem, linked))
    assert result.partition.violations.none_hard
    assert [each.holds for each in result.partition.kept_rules] == [True, True]
    if solver in ("sdp", "colgen"):
        assert result.objective == pytest.approx(other.objective)


@pytest.mark.parametrize("count", ["count(photo)<=1", "count(photo=3)<=1"])
def test_one_of_a_word_in_a_cluster_is_links_that_every_solver_keeps(count):
    problem = ruled(count)
    assert not problem.rules
    assert solve(problem, "s-mdeclust", progress=False).partition.kept_rules[0].holds


def test_soft_links_of_columns_cost_each_broken_pair():
    problem = ruled(
        "together(patient)=2.5", "apart(source)=0.75", must_link=[(0, 3, 1.0), (1, 2)], k=2
    )
    for labels in clusterings(len(X), 2)[::7]:
        if labels[1] != labels[2]:
            continue
        parted = [labels[i] != labels[j] for i, j in pairs_of("patient")]
        joined = [labels[i] == labels[j] for i, j in pairs_of("source")]
        found = Partition(problem, labels)
        assert found.penalty == 2.5 * sum(parted) + 0.75 * sum(joined) + (labels[0] != labels[3])
        assert found.violations.none_hard


def test_a_photo_with_more_faces_than_clusters_is_refused_in_its_words():
    with pytest.raises(UnfillableError) as caught:
        ruled("apart(photo)", k=2)
    assert str(caught.value) == (
        "3 points have '3' in the column 'photo', and no two of them may share a cluster, but "
        "there are 2 clusters."
    )
    rule = AskedRule("apart(photo)", (1, 1, 0, 2, 2, 0, 3, 3, 3))  # as a file has it
    with pytest.raises(UnfillableError, match="3 points have what point 6 has in the column"):
        with_rules(Problem(X, 2), [rule], keeps_rules=True)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("apart(photo)<=1", "is not diameter<=D or separation"),
        ("apart(photo)=-1", "has the weight -1, but weights are positive"),
        ("together(patient)=much", "has the weight much, but weights are positive"),
        ("together", "is not diameter<=D"),
        ("apart(photo=9)", "names '9', but there are 1, 2, 3"),
    ],
)
def test_what_is_no_rule_is_a_sentence(text, sentence):
    with pytest.raises(ProblemError) as caught:
        ruled(text)
    assert sentence in str(caught.value).replace("diameter<=D,", "diameter<=D or")


def test_a_contradiction_names_the_columns():
    with pytest.raises(ContradictionError, match="follow from 'together"):
        ruled("together(source)", "apart(photo)")


def test_a_file_keeps_the_columns():
    problem = ruled("together(patient)=2", "apart(photo)")
    again = decode_problem(encode_problem(problem))
    assert again.given.rules == problem.given.rules
    assert_array_equal(again.must_link.weights, problem.must_link.weights)


def test_many_faces_in_many_photos_are_assigned_exactly():
    rng = np.random.default_rng(0)
    people, photos = rng.normal(size=(12, 3)) * 4, 30
    rows = [people[who] + rng.normal(size=3) for _ in range(photos) for who in range(10)]
    result = ConstrainedKMeans(12, random_state=0).fit(
        np.array(rows), rules=["apart(photo)"], columns={"photo": np.arange(len(rows)) // 10}
    )
    labels = result.labels_.reshape(photos, 10)
    assert all(len({*row}) == 10 for row in labels.tolist())
    assert result.result_.termination == "converged"


def test_groups_that_exclude_each_other_are_assigned_at_least_cost():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        points, groups = rng.normal(size=(7, 2)), rng.integers(0, 4, 7)
        rules = [read_asked("apart(g)", column=lambda _, of=groups: of)]
        if np.bincount(groups).max() > 3:
            continue
        found = solve(with_rules(Problem(points, 3), rules, True), "blp-kmeans", progress=False)
        centers = found.partition.centers
        cost = ((points[:, None] - centers) ** 2).sum(axis=2)
        every = np.indices((3,) * 7).reshape(7, -1).T
        for group in range(4):
            inside = np.sort(every[:, groups == group], axis=1)
            every = every[(np.diff(inside, axis=1) > 0).all(axis=1)]
        least = cost[np.arange(7), every].sum(axis=1).min()
        assert cost[np.arange(7), found.labels].sum() == pytest.approx(least)


LABELS = ("tumour", "", "healthy", "tumour", "", "tumour", "", "healthy", "")


def labelled(text="labels(type)", k=3):
    rule = read_asked(text, column=lambda _: LABELS)
    return with_rules(Problem(np.arange(9.0)[:, None], k), [rule], True)


def test_labels_that_some_points_have_are_few_links():
    problem = labelled()
    assert problem.must_link.pairs.tolist() == [[0, 3], [2, 7], [3, 5]]
    assert problem.cannot_link.pairs.tolist() == [[0, 2]]
    result = solve(problem, "sdp")
    assert result.status == "optimal"
    assert result.partition.kept_rules[0].holds
    assert kept_rules(problem, np.zeros(9, dtype=np.int64))[0].found == 2.0


def test_soft_labels_have_a_weight():
    soft = labelled("labels(type)=2.5")
    assert soft.must_link.weights.tolist() == [2.5] * 3
    assert soft.cannot_link.weights.tolist() == [2.5]


def test_more_labels_than_clusters_are_refused_in_these_words():
    with pytest.raises(UnfillableError, match="the column 'type' has 2 labels, each with a"):
        labelled(k=1)

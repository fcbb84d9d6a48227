"""The learner: questions, answers, what it remembers."""

from itertools import combinations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from ccviz.active.answers import Answer, Answers, group
from ccviz.active.belief import views
from ccviz.active.learner import FIRST, Learner, error_rate
from ccviz.active.own_metric import cut, own_metric
from ccviz.data.datasets import blobs, load
from ccviz.data.scaling import scale
from ccviz.errors import CcvizError, ParameterError
from ccviz.events import QuestionAnswered, QuestionAsked
from ccviz.runs.codec import decode_event, encode_event
from ccviz.solvers.common.seeding import plain_kmeans

DATA = blobs(50, 3, 1.5, seed=1)


@pytest.fixture
def learner():
    return Learner(DATA.X, 3)


def test_a_question_stays_until_it_is_answered(learner):
    pair = learner.question()
    assert learner.question() == pair
    learner.answer(None)
    assert learner.question() != pair
    assert learner.asked == 1


def test_events_tell_it_all_and_can_be_stored(learner):
    pair = learner.question()
    learner.answer(False, confidence=0.9)
    asked, answered = (decode_event(encode_event(event)) for event in learner.events)
    assert isinstance(asked, QuestionAsked)
    assert isinstance(answered, QuestionAnswered)
    assert asked.pair == answered.pair == pair
    assert (asked.number, asked.strategy) == (1, "fields")
    assert (answered.together, answered.confidence, answered.implied) == (False, 0.9, 0)


def test_its_state_goes_through_json(learner):
    learner.tell(0, 1, True)
    learner.tell(2, 3, None, 0.8)
    state = msgspec.json.decode(msgspec.json.encode(learner.state))
    resumed = Learner.resumed(DATA.X, state)
    assert resumed.state == learner.state
    assert np.array_equal(resumed.labels, learner.labels)


def test_a_batch_asks_nothing_and_holds_different_pairs(learner):
    pairs = learner.batch(5)
    assert len(set(pairs)) == 5
    assert learner.events == []
    for i, j in pairs:
        learner.tell(i, j, bool(DATA.truth[i] == DATA.truth[j]))
    assert learner.question() not in pairs


def test_what_is_told_holds_in_the_clustering(learner):
    learner.tell(0, 1, True)
    learner.tell(0, 2, False)
    labels = learner.labels
    assert labels[0] == labels[1] != labels[2]


def test_it_ends_when_everything_is_known():
    learner = Learner([[0.0], [1.0], [2.0]], 2)
    learner.tell(0, 1, False)
    learner.tell(1, 2, True)
    assert learner.question() is None
    with pytest.raises(CcvizError, match="no question is open"):
        learner.answer(True)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"strategy": "guess"}, "there is no strategy 'guess'"),
        ({"noise": 0.5}, "noise = 0.5 is not a share below 0.5"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Learner(DATA.X, 3, **settings)


def test_answers_that_make_no_sense_are_refused(learner):
    with pytest.raises(CcvizError, match="0 and 50 are not two points of 0 to 49"):
        learner.tell(0, 50, True)
    with pytest.raises(ParameterError, match=r"confidence = 0\.5"):
        learner.tell(0, 1, True, 0.5)
    with pytest.raises(CcvizError, match="no learner's state"):
        Learner.resumed(DATA.X, {"k": "three"})


def test_it_says_why_it_is_enough_and_goes_on_when_told_more():
    learner = Learner([[0.0], [1.0], [2.0]], 2)
    assert learner.enough == ""
    learner.tell(0, 1, False)
    learner.tell(1, 2, True)
    assert learner.question() is None
    assert learner.enough.startswith("no further question is useful: what is known answers")
    learner.tell(0, 2, True, 0.6)
    assert learner.enough == ""


def test_starting_over_takes_other_answers_instead(learner):
    learner.question()
    learner.tell(0, 1, True)
    learner.start_over([Answer(2, 3, False, 0.8)])
    assert [each.pair for each in learner.answers.log] == [(2, 3)]
    assert learner.answers.known(0, 1) is None
    assert learner.events == []
    other = Learner(DATA.X, 3)
    other.tell(2, 3, False, 0.8)
    assert learner.question() == other.question()
    assert np.array_equal(learner.labels, other.labels)


# --- k-means in the metric of its own clusters ----------------------------------------------------


def stretched(n, units=(1.0, 1.0)):
    """Return two clusters, one above the other, each much wider than high."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 2
    X = np.column_stack((rng.normal(0.0, 4.0, n), 3.0 * truth + rng.normal(0.0, 0.3, n)))
    return X * units, truth


def test_stretched_clusters_are_found():
    X, truth = stretched(200)
    assert adjusted_rand_score(truth, plain_kmeans(X, 2, 0, n_init=5).labels_) < 0.1
    assert adjusted_rand_score(truth, own_metric(X, 2, 0).clusters) == 1


def test_the_clusters_are_round_in_the_new_coordinates():
    X, _ = stretched(2000)
    found = own_metric(X, 2, 0)
    for c in (0, 1):
        wide, high = found.points[found.clusters == c].std(axis=0)
        assert 1.0 < wide / high < 2.5  # 13 in the given coordinates


def test_the_rest_of_many_points_go_to_the_nearest_centre():
    X, truth = stretched(5000)
    assert adjusted_rand_score(truth, own_metric(X, 2, 0).clusters) > 0.99


def test_many_features_are_seen_in_few_directions():
    X, truth = stretched(120)
    wide = np.column_stack((X, np.random.default_rng(1).normal(0.0, 0.01, (120, 90))))
    found = own_metric(wide, 2, 0)
    assert found.points.shape == (120, 50)
    assert adjusted_rand_score(truth, found.clusters) == 1


@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 3), (6, 2), (6, 1)])
def test_points_that_coincide_have_some_clustering(n, k):
    found = own_metric(np.ones((n, 2)), k, 0)
    assert found.clusters.shape == (n,)
    assert np.isfinite(found.points).all()


# --- Small clusters, joined by answers about their central points ---------------------------------


RNG = np.random.default_rng(1)
PART = np.arange(600) % 40
TRUTH = PART // 2  # twenty classes, each in two places
X = RNG.normal(size=(40, 4))[PART] + RNG.normal(scale=0.2, size=(600, 4))


def same(i, j):
    return bool(TRUTH[i] == TRUTH[j])


def test_answers_help_where_there_are_many_classes_of_several_parts():
    learner = Learner(X, 20, "prototypes")
    before = adjusted_rand_score(TRUTH, learner.labels)
    for _ in range(150):
        learner.answer(same(*learner.question()))
    assert adjusted_rand_score(TRUTH, learner.labels) > before + 0.1


def test_it_asks_by_turns_within_a_cluster_and_between_two():
    learner = Learner(X, 20, "prototypes")
    for number in range(6):
        i, j = learner.question()
        labels = learner.labels
        assert (labels[i] == labels[j]) == (number % 2 == 0)
        learner.answer(same(i, j))


def test_every_answer_is_kept_also_about_points_that_are_not_central():
    learner = Learner(X, 20, "prototypes")
    for i, j in RNG.integers(0, 600, (40, 2)).tolist():
        if i != j:
            learner.tell(i, j, same(i, j))
    labels = learner.labels
    for answer in learner.answers.log:
        assert (labels[answer.i] == labels[answer.j]) == answer.together


def test_more_classes_than_k_are_all_shown():
    learner = Learner(X, 2, "prototypes")
    some = [0, 2, 4, 6]  # of four classes
    for a in range(4):
        for b in range(a):
            learner.tell(some[a], some[b], False)
    assert len(np.unique(learner.labels[some])) == 4


# --- Votes about pairs become groups, whatever they say -------------------------------------------


def test_what_is_linked_is_together_and_what_is_apart_of_it_too():
    groups = group({(0, 1): 1.0, (1, 2): 1.0, (3, 4): 1.0, (2, 3): -1.0})
    assert groups.known(0, 2) is True
    assert groups.known(0, 4) is False
    assert groups.known(0, 9) is None


def test_two_groups_of_which_nothing_is_known_stay_two():
    assert group({(0, 1): 1.0, (2, 3): 1.0}).known(0, 2) is None


def test_the_weaker_vote_gives_way():
    groups = group({(0, 1): 1.0, (1, 2): 1.0, (0, 2): -3.0})
    assert groups.known(0, 2) is False


def test_a_point_moves_to_where_more_of_its_votes_are_kept():
    votes = {(0, 1): 1.0, (2, 3): 1.0, (0, 2): -1.0, (0, 5): 1.0, (1, 5): -1.0, (3, 5): 1.0}
    groups = group(votes | {(2, 5): 1.0})
    assert groups.known(5, 2) is True
    assert groups.known(5, 0) is False


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] < pair[1]),
        st.sampled_from([-2.0, -1.0, 1.0, 2.0]),
    )
)
def test_any_votes_make_groups_that_agree_with_themselves(votes):
    groups = group(votes)
    assert {p for points in groups.members.values() for p in points} <= set(range(8))
    for number, others in groups.apart.items():
        assert number not in others
        assert all(number in groups.apart[other] for other in others)


def test_true_votes_are_all_kept():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 12)
    votes = {(i, j): 1.0 if truth[i] == truth[j] else -1.0 for i, j in combinations(range(12), 2)}
    groups = group(votes)
    assert all(groups.known(i, j) == (weight > 0) for (i, j), weight in votes.items())


# --- Views of similarity --------------------------------------------------------------------------


@pytest.mark.parametrize("n", [4, 30])
def test_every_view_is_a_similarity(n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    for view in views(X, 2, seed=0):
        assert view.shape == (n, n)
        assert np.diag(view) == pytest.approx(1)
        assert view == pytest.approx(view.T)
        assert np.linalg.eigvalsh(view).min() > -1e-9


def test_points_that_coincide_are_alike_in_every_view():
    assert all(np.isfinite(view).all() for view in views(np.zeros((6, 2)), 2, seed=0))


# --- Many points become few pieces ----------------------------------------------------------------


def test_few_points_are_a_piece_each():
    pieces = cut(np.zeros((5, 2)), seed=0)
    assert pieces.of.tolist() == pieces.representative.tolist() == [0, 1, 2, 3, 4]


def test_every_piece_has_its_points_and_stands_for_them():
    X = np.random.default_rng(0).normal(size=(300, 3))
    pieces = cut(X, seed=1, most=40)
    assert len(pieces.mass) <= 40
    assert pieces.mass.sum() == 300
    assert np.array_equal(pieces.of[pieces.representative], np.arange(len(pieces.mass)))
    assert ((X - X[pieces.representative][pieces.of]) ** 2).sum() < 0.5 * (
        (X - X.mean(0)) ** 2
    ).sum()


def test_points_that_coincide_share_a_piece():
    pieces = cut(np.repeat(np.arange(4.0)[:, None], 10, axis=0), seed=0, most=8)
    assert len(pieces.mass) <= 4


# --- The share of wrong answers that is learned ---------------------------------------------------


def answers(k, *given):
    found = Answers(k)
    for i, j, together in given:
        found.add(Answer(i, j, together, 0.9))
    return found


def test_answers_that_nothing_contradicts_could_be_all_wrong():
    assert error_rate(Answers(3)) == FIRST
    assert error_rate(answers(4, (0, 1, True), (1, 2, True), (3, 4, False), (5, 6, None))) == FIRST


def test_answers_that_agree_lower_it_and_others_raise_it():
    agreed = answers(4, (0, 1, True), (1, 2, True), (0, 2, True))
    assert error_rate(agreed) == pytest.approx(1.0 / 11.0)
    broken = answers(4, (0, 1, True), (1, 2, True), (0, 2, True), (0, 2, True), (0, 1, False))
    assert error_rate(broken) == pytest.approx(2.0 / 13.0)


@pytest.mark.parametrize(
    "wrong", [0.3, *(pytest.param(few, marks=pytest.mark.slow) for few in (0.0, 0.1))]
)
def test_it_comes_near_the_true_rate(wrong):
    iris, rng, rates = load("iris"), np.random.default_rng(3), []
    for seed in range(4):
        learner = Learner(scale(iris.X, "range"), 3, seed=seed, noise="learned")
        while learner.asked < 120 and (pair := learner.question()) is not None:
            same = iris.truth[pair[0]] == iris.truth[pair[1]]
            learner.answer(bool(same) != bool(rng.random() < wrong))
        rates.append(learner.noise)
    assert abs(np.mean(rates) - wrong) < 0.1


def test_a_learner_goes_on_with_the_rate_that_it_learned():
    X = np.random.default_rng(0).normal(size=(30, 2))
    learner = Learner(X, 3, noise="learned")
    for i, j, together in ((0, 1, True), (1, 2, True), (0, 2, True), (0, 2, False)):
        learner.tell(i, j, together)
    assert learner.learns_noise
    assert learner.noise != FIRST
    again = Learner.resumed(X, learner.state)
    assert again.learns_noise
    assert again.noise == learner.noise
    again.start_over()
    assert again.noise == FIRST

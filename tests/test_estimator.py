"""The scikit-learn estimator."""

import itertools
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import coo_array, csr_array
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import ccviz
from ccviz.data import learn_metric, load
from ccviz.errors import NoClusteringError, ParameterError, ProblemError, UnsupportedError
from ccviz.estimator import ConstrainedKMeans
from ccviz.row_links import RowLinks, pairs_of

# Every one of scikit-learn's checks. One compares two runs from other random first centres, and
# fails for scikit-learn's own k-means too; the objectives are compared below.
_RANDOM = {"check_sample_weight_equivalence_on_dense_data": "first centres are drawn at random"}


@parametrize_with_checks(
    [ConstrainedKMeans(n_clusters=2)], expected_failed_checks=lambda estimator: _RANDOM
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_a_weight_is_that_many_rows():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(12, 2)), rng.integers(0, 4, 12)
    model = ConstrainedKMeans(n_clusters=3, solver="rbba")
    weighed = model.fit(X, sample_weight=weights).inertia_
    labels = model.fit_predict(X, sample_weight=weights)
    assert labels.shape == (12,)
    assert weighed == pytest.approx(model.fit(X.repeat(weights, axis=0)).inertia_)
    assert weighed == pytest.approx(-model.fit(X, sample_weight=weights).score(X, None, weights))


def test_weights_reach_the_model_through_a_pipeline():
    X, weights = np.random.default_rng(0).normal(size=(12, 2)), np.arange(12.0)
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        model = ConstrainedKMeans(n_clusters=3, solver="rbba").set_fit_request(sample_weight=True)
        found = make_pipeline(scaler, model).fit(X, sample_weight=weights)[-1]
    plain = ConstrainedKMeans(n_clusters=3, solver="rbba")
    plain.fit(StandardScaler().fit_transform(X), sample_weight=weights)
    assert found.inertia_ == pytest.approx(plain.inertia_)


@pytest.mark.parametrize(
    ("solver", "weights", "error"),
    [("blp-kmeans", [-1.0, 1, 1, 1], ProblemError), ("dils", [2.0, 1, 1, 1], UnsupportedError)],
)
def test_weights_that_cannot_be_counted_are_refused(solver, weights, error):
    with pytest.raises(error, match="weights"):
        ConstrainedKMeans(n_clusters=2, solver=solver).fit(np.eye(4), sample_weight=weights)


@pytest.fixture(scope="module")
def iris():
    return load_iris().data


def test_keeps_the_links(iris):
    model = ConstrainedKMeans(n_clusters=3, random_state=0)
    labels = model.fit_predict(iris, must_link=[(0, 149)], cannot_link=[(0, 1)])
    assert labels[0] == labels[149] != labels[1]
    assert model.status_ == "feasible"
    assert model.lower_bound_ == -np.inf
    assert model.gap_ == np.inf


def test_inertia_is_that_of_labels_and_centers(iris):
    model = ConstrainedKMeans(n_clusters=3, random_state=0).fit(iris, cannot_link=[(0, 1)])
    residual = iris - model.cluster_centers_[model.labels_]
    assert model.inertia_ == pytest.approx((residual**2).sum())


def test_predict_takes_the_nearest_center(iris):
    model = ConstrainedKMeans(n_clusters=3, random_state=0).fit(iris)
    assert (model.predict(model.cluster_centers_) == np.arange(3)).all()


def test_exact_solver_proves_its_gap(iris):
    model = ConstrainedKMeans(n_clusters=2, solver="sdp", random_state=0)
    model.fit(iris[::5], cannot_link=[(0, 1), (3, 7)])
    assert model.status_ == "optimal"
    assert model.lower_bound_ <= model.inertia_
    assert model.gap_ <= 1e-4


def test_infeasible_links_are_an_error_with_the_reason(iris):
    clique = [(i, j) for i in range(4) for j in range(i)]
    with pytest.raises(NoClusteringError, match="exclude each other") as caught:
        ConstrainedKMeans(n_clusters=3).fit(iris, cannot_link=clique)
    assert caught.value.status == "infeasible"


def test_scikit_learns_searches_have_a_score(iris):
    model = ConstrainedKMeans(3, random_state=0).fit(iris)
    assert model.score(iris) == pytest.approx(-model.inertia_)
    search = GridSearchCV(ConstrainedKMeans(random_state=0), {"n_clusters": np.arange(2, 4)})
    assert search.fit(iris).best_params_ == {"n_clusters": 3}


def test_rules_are_kept(iris):
    model = ConstrainedKMeans(3, random_state=0).fit(iris, rules=["diameter<=3.2", "size<=60"])
    for j in range(3):
        cluster = iris[model.labels_ == j]
        assert len(cluster) <= 60
        assert np.linalg.norm(cluster[:, None] - cluster, axis=2).max() <= 3.2


def test_limits_on_sums_name_a_column_of_the_frame(iris):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(iris, columns=["a", "b", "c", "d"])
    model = ConstrainedKMeans(3, random_state=0).fit(frame, rules=["sum(c)>=30%"])
    assert np.bincount(model.labels_, iris[:, 2]).min() >= 0.3 * iris[:, 2].sum()
    with pytest.raises(ProblemError, match="X has no column 'e'; it has a, b, c, d"):
        ConstrainedKMeans(3).fit(frame, rules=["sum(e)>=30%"])


def test_distances_to_the_means_with_names(iris):
    model = ConstrainedKMeans(3, random_state=0).set_output(transform="pandas").fit(iris)
    distances = model.transform(iris)
    assert list(distances.columns) == [f"constrainedkmeans{j}" for j in range(3)]
    assert (distances.to_numpy().argmin(axis=1) == model.predict(iris)).all()


class Watched(ConstrainedKMeans):
    """Keeps the links that each fit was given, by the points they join."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y=None, links=None):
        joined = {tuple(sorted(X[pair, 0].tolist())) for pair in links.cannot_link.pairs}
        Watched.seen.append((set(X[:, 0].tolist()), joined))
        return super().fit(X, links=links)


def test_links_follow_their_rows_into_the_folds_of_a_search_over_a_pipeline(iris):
    X = np.random.default_rng(0).permutation(40).astype(float)[:, None]
    links = RowLinks(40, cannot_link=[(i, i + 1) for i in range(0, 40, 2)])
    apart = {tuple(sorted(X[i : i + 2, 0].tolist())) for i in range(0, 40, 2)}
    Watched.seen.clear()
    pipeline = make_pipeline(StandardScaler(with_mean=False, with_std=False), Watched())
    search = GridSearchCV(
        pipeline, {"watched__n_clusters": [2, 3]}, cv=KFold(2, shuffle=True, random_state=0)
    )
    search.fit(X, watched__links=links)
    assert len(Watched.seen) == 5
    for points, joined in Watched.seen:
        assert joined == {pair for pair in apart if points.issuperset(pair)}
    labels = search.best_estimator_[-1].labels_
    assert (labels[::2] != labels[1::2]).all()


def test_it_is_imported_from_the_package_when_used():
    code = "import sys, ccviz; print('sklearn' in sys.modules, ccviz.ConstrainedKMeans.__module__)"
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed.split() == ["False", "ccviz.estimator"]
    assert ccviz.ConstrainedKMeans is ConstrainedKMeans
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = ccviz.Nothing


@pytest.mark.parametrize(
    ("given", "least", "most"),
    [
        ({"sizes": "equal"}, 50, 50),
        ({"sizes": 50}, 50, 50),
        ({"sizes": "45-55"}, 45, 55),
        ({"size_min": 48}, 48, 54),
        ({"size_min": 0.3, "size_max": 0.34}, 45, 51),
    ],
)
def test_sizes_of_the_constructor_are_kept(iris, given, least, most):
    model = clone(ConstrainedKMeans(3, random_state=0, **given)).fit(iris)
    counts = np.bincount(model.labels_, minlength=3)
    assert counts.min() >= least
    assert counts.max() <= most


@pytest.mark.parametrize(
    ("given", "links", "words"),
    [
        ({"size_min": 60}, {}, "60 to 150 rows cannot hold 150 rows"),
        ({"size_min": 50, "size_max": 40}, {}, "size_min = 50 is more than size_max = 40"),
        ({"size_min": 1.5}, {}, "neither a number of rows nor a share"),
        ({"sizes": "equal", "size_max": 60}, {}, "but not both"),
        ({"solver": "sdp", "n_init": 2}, {}, "n_init"),
        ({"solver_params": {"speed": 1}}, {}, "no parameter 'speed'"),
        ({"solver_params": 5}, {}, "solver_params = 5 is not a dict"),
        ({}, {"links": RowLinks(9)}, "the links are of 9 rows, but X has 150"),
        ({}, {"links": RowLinks(150), "must_link": [(0, 1)]}, "but not both"),
        ({}, {"links": 5}, "not RowLinks"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(iris, given, links, words):
    with pytest.raises((ProblemError, ParameterError), match=words):
        ConstrainedKMeans(3, **given).fit(iris, **links)


def test_shares_fit_the_folds_of_a_search(iris):
    search = GridSearchCV(ConstrainedKMeans(3, random_state=0), {"size_min": [0.1, 0.3]}, cv=3)
    assert np.isfinite(search.fit(iris).cv_results_["mean_test_score"]).all()


def test_starts_and_iterations_go_to_the_solver(iris):
    model = ConstrainedKMeans(3, n_init=4, max_iter=1, init="random", random_state=0).fit(iris)
    assert model.result_.run.started.settings["n_init"] == 4
    assert model.n_iter_ == 1


def test_the_result_is_there_and_not_in_a_pickle(iris):
    model = ConstrainedKMeans(3, random_state=0).fit(iris, cannot_link=[(0, 1)])
    assert model.result_.objective == pytest.approx(model.inertia_)
    assert model.result_.partition.violations.none_hard
    again = pickle.loads(pickle.dumps(model))
    assert not hasattr(again, "result_")
    assert (again.predict(iris) == model.predict(iris)).all()


def test_predict_keeps_sizes_at_the_least_cost(iris):
    model = ConstrainedKMeans(3, random_state=0).fit(iris)
    few = iris[::19]  # 8 rows: all assignments can be tried
    labels = model.predict(few, size_min=2, size_max=3)
    assert sorted(np.bincount(labels, minlength=3)) == [2, 3, 3]
    cost = ((few[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    best = min(
        cost[np.arange(8), list(choice)].sum()
        for choice in itertools.product(range(3), repeat=8)
        if min(map(choice.count, range(3))) >= 2 and max(map(choice.count, range(3))) <= 3
    )
    assert cost[np.arange(8), labels].sum() == pytest.approx(best)
    with pytest.raises(ProblemError, match="cannot hold 8 rows"):
        model.predict(few, size_max=2)


def test_the_score_weighs_rows(iris):
    model = ConstrainedKMeans(3, random_state=0).fit(iris)
    twice = model.score(np.repeat(iris, 2, axis=0))
    assert model.score(iris, sample_weight=np.full(150, 2.0)) == pytest.approx(twice)


def test_links_by_label_of_the_index(iris):
    frame = pd.DataFrame(iris, index=[f"flower {i}" for i in range(150)])
    model = ConstrainedKMeans(3, random_state=0)
    model.fit(frame, must_link=[("flower 0", "flower 149")], cannot_link=[("flower 0", 1)])
    assert model.labels_[0] == model.labels_[149] != model.labels_[1]
    with pytest.raises(ProblemError, match="cannot-link: no row has the label 'rose'"):
        model.fit(frame, cannot_link=[("rose", "flower 1")])
    with pytest.raises(ProblemError, match="more than one row has the label 'a'"):
        model.fit(frame.set_axis(["a"] * 150), cannot_link=[("a", 1)])


def test_integer_labels_are_places(iris):
    frame = pd.DataFrame(iris, index=np.arange(150)[::-1])
    labels = ConstrainedKMeans(3, random_state=0).fit(frame, cannot_link=[(0, 1)]).labels_
    assert labels[0] != labels[1]


@pytest.mark.parametrize("form", [np.asarray, csr_array, coo_array])
def test_links_as_a_matrix(iris, form):
    apart = np.zeros((150, 150), dtype=bool)
    apart[[0, 3], [1, 2]] = True
    labels = ConstrainedKMeans(3, random_state=0).fit(iris, cannot_link=form(apart)).labels_
    assert labels[0] != labels[1]
    assert labels[3] != labels[2]
    with pytest.raises(ProblemError, match=r"the cannot-link matrix has the shape \(150, 150\)"):
        ConstrainedKMeans(3).fit(iris[:9], cannot_link=form(apart))


def test_a_sparse_matrix_of_float_has_weights():
    matrix = csr_array(np.array([[0, 2.5, 0], [2.5, 0, 0], [0, 0, 0]]))
    assert pairs_of(matrix, 3, None, "must-link").tolist() == [[0, 1, 2.5]]


def test_links_are_routed_through_a_pipeline_in_a_search(iris):
    links = RowLinks(150, cannot_link=[(i, i + 1) for i in range(0, 150, 10)])
    with sklearn.config_context(enable_metadata_routing=True):
        model = ConstrainedKMeans(random_state=0).set_fit_request(links=True)
        search = GridSearchCV(
            make_pipeline(StandardScaler(), model),
            {"constrainedkmeans__n_clusters": [2, 3]},
            cv=3,
            error_score="raise",
        )
        search.fit(iris, links=links)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    labels = search.best_estimator_[-1].labels_
    assert (labels[0:150:10] != labels[1:150:10]).all()


@pytest.mark.parametrize("rules", [5, None, True, 10**400, "diameter<=3", [5], [None]])
def test_what_is_no_list_of_rules_is_a_sentence(iris, rules):
    with pytest.raises(ProblemError, match=r"not a list of rules|neither text nor a rule"):
        ConstrainedKMeans(3).fit(iris, rules=rules)


def test_whole_numbers_of_hundreds_of_digits_are_a_sentence(iris):
    huge = [[10**400] * iris.shape[1]]
    model = ConstrainedKMeans(3, random_state=0).fit(iris)
    for use in (model.predict, model.transform, ConstrainedKMeans(1).fit):
        with pytest.raises(ProblemError, match="no float can hold"):
            use(huge)


@pytest.mark.parametrize("most", [10**400, 10**5000], ids=["400", "5000"])
def test_sizes_of_hundreds_of_digits_are_a_sentence_or_no_limit(iris, most):
    assert ConstrainedKMeans(3, size_max=most, random_state=0).fit(iris).status_ == "feasible"
    for given in ({"size_min": most}, {"size_max": -most}):
        with pytest.raises(ProblemError, match="size_m"):
            ConstrainedKMeans(3, **given).fit(iris)


STARTERS = ["k-means", "cop-kmeans", "blp-kmeans", "bh-kmeans", "pccc", "cvqe", "lcvqe"]


@pytest.mark.parametrize("solver", STARTERS)
def test_a_first_start_begins_with_labels_or_centres(solver):
    rng = np.random.default_rng(3)
    X = np.r_[rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 9.0]
    poor = np.arange(40) % 2
    model = ConstrainedKMeans(2, solver, n_init=1, init=poor, random_state=0).fit(X)
    moved = next(
        record.event.centers
        for record in model.result_.records()
        if hasattr(record.event, "centers")
    )
    means = np.array([X[poor == j].mean(axis=0) for j in range(2)])
    assert np.allclose(moved, means)
    near = ConstrainedKMeans(2, solver, n_init=1, init=[[0.0, 0.0], [9.0, 9.0]]).fit(X)
    assert near.labels_.tolist() == [0] * 20 + [1] * 20


def test_a_warm_start_keeps_the_proof_of_the_last_fit():
    X = load("iris").X
    model = ConstrainedKMeans(3, "sdp", warm_start=True, random_state=0).fit(X)
    same = np.flatnonzero(model.labels_ == model.labels_[0])
    bound = model.lower_bound_
    model.fit(X, must_link=[same[:2]])
    assert model.status_ == "optimal"
    assert model.lower_bound_ == bound
    assert any("bound kept" in note for note in model.result_.run.notes)
    model.fit(X[:100])  # other rows: from nothing
    assert not any("bound kept" in note for note in model.result_.run.notes)
    assert len(clone(model).fit(X[:50]).labels_) == 50


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"solver": "spectral", "warm_start": True}, "begins with no given clustering"),
        ({"solver": "k-means", "init": [0, 1, 2, 0]}, "from 0 to 1"),
        ({"solver": "k-means", "init": [0, 1]}, "a label for each of the 4 rows"),
        ({"solver": "k-means", "init": [[0.0], [1.0, 2.0]]}, "its rows differ"),
        ({"solver": "k-means", "init": [[np.nan], [1.0]]}, "2 centres"),
    ],
)
def test_a_start_that_cannot_be_gets_its_sentence(options, sentence):
    with pytest.raises((ParameterError, UnsupportedError), match=sentence):
        ConstrainedKMeans(2, **options).fit([[0.0], [1.0], [5.0], [6.0]])


@pytest.mark.parametrize("solver", ["k-means", "colgen"])
def test_outliers_have_the_label_minus_one(solver):
    X = np.array([[0.0], [0.1], [9.0], [1.0], [1.1]])
    model = ConstrainedKMeans(2, solver, outliers=1, random_state=0).fit(X)
    assert (model.labels_ == -1).tolist() == [False, False, True, False, False]
    assert sorted(model.cluster_centers_.ravel().tolist()) == pytest.approx([0.05, 1.05])
    assert model.predict([[8.0]]) == model.labels_[3]


def test_a_learned_metric_weighs_the_feature_that_the_links_follow():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.repeat([0.0, 1.0], 20), rng.normal(scale=5.0, size=40)])
    links = {"must_link": [(0, 10), (21, 30)], "cannot_link": [(3, 25)]}
    model = ConstrainedKMeans(2, metric="learned", random_state=0).fit(X, **links)
    truth = np.repeat([0, 1], 20)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert adjusted_rand_score(truth, ConstrainedKMeans(2).fit(X, **links).labels_) < 0.5
    weights = model.feature_weights_
    assert weights.tolist() == learn_metric(X, 2, **links).tolist()
    # Centres are in the units of X; all distances are weighted.
    near = X[:, None] - model.cluster_centers_[None]
    squares = (near**2 * weights).sum(axis=2)
    assert sorted(model.cluster_centers_[:, 0]) == pytest.approx([0, 1])
    assert model.transform(X) == pytest.approx(np.sqrt(squares))
    assert model.predict(X).tolist() == squares.argmin(axis=1).tolist() == model.labels_.tolist()
    assert -model.score(X) == pytest.approx(squares.min(axis=1).sum())
    assert model.inertia_ == pytest.approx(-model.score(X))
    assert model.predict(X, size_min=20).tolist() == model.labels_.tolist()


def test_a_learned_metric_applies_to_given_centres():
    X = [[0.0, 5.0], [0.1, 1.0], [1.0, 4.0], [1.1, 0.0]]
    links = {"must_link": [(0, 1), (2, 3)], "cannot_link": [(0, 2)]}
    centers = [[0.2, 3.0], [1.2, 2.0]]
    fixed = ConstrainedKMeans(2, metric="learned", fixed_centers=centers).fit(X, **links)
    assert fixed.cluster_centers_ == pytest.approx(np.array(centers))
    begun = ConstrainedKMeans(2, metric="learned", init=centers).fit(X, **links)
    assert begun.labels_.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("metric", "sentence"),
    [("cosine", "'cosine' is neither 'euclidean'"), ("learned", "There are no links")],
)
def test_a_metric_that_cannot_be_gets_its_sentence(metric, sentence):
    with pytest.raises((ParameterError, ProblemError), match=sentence):
        ConstrainedKMeans(2, metric=metric).fit([[0.0], [1.0], [5.0]])


@pytest.mark.parametrize(
    ("y", "unknown"),
    [
        (np.array([0, -1, 1, 0, -1, 0, -1, 1, -1]), ()),
        (np.array([0, np.nan, 1, 0, -1.0, 0, np.nan, 1, np.nan]), ()),
        (["a", "?", "b", "a", "Unsure", "a", None, "b", ""], ["unsure", "?"]),
    ],
)
def test_labels_that_some_rows_have_become_links(y, unknown):
    X = np.arange(9.0)[:, None]
    model = ConstrainedKMeans(3, label_weight=np.inf, unknown=unknown, random_state=0).fit(X, y)
    problem = model.result_.run.problem
    assert problem.must_link.pairs.tolist() == [[0, 3], [2, 7], [3, 5]]
    assert problem.cannot_link.pairs.tolist() == [[0, 2]]
    assert model.result_.partition.scores["ari"] == 1.0
    assert model.result_.partition.n_scored == 5
    soft = model.set_params(label_weight=2.5, solver="sdp").fit(X, y).result_.run.problem
    assert [*soft.must_link.weights, *soft.cannot_link.weights] == [2.5] * 4
    ignored = model.set_params(label_weight=None).fit(X, y).result_
    assert len(ignored.run.problem.must_link) == 0
    assert not ignored.partition.scores


def test_a_rule_of_labels_knows_which_are_missing():
    X, y = np.arange(9.0)[:, None], np.array([0, -1, 1, 0, -1, 0, -1, 1, -1])
    fit = ConstrainedKMeans(3, random_state=0).fit(X, rules=["labels(t)"], columns={"t": y})
    assert fit.result_.run.problem.cannot_link.pairs.tolist() == [[0, 2]]


@pytest.mark.parametrize(("y", "weight"), [([0] * 5, 1.0), (np.zeros((9, 1)), 1.0), ([0] * 9, -1)])
def test_labels_of_other_rows_or_weights_are_a_sentence(y, weight):
    with pytest.raises(ProblemError, match="labels"):
        ConstrainedKMeans(3, label_weight=weight).fit(np.arange(9.0)[:, None], y)


def test_sparse_data_are_refused_with_a_way_out():
    with pytest.raises(TypeError, match=r"Sparse data .* TruncatedSVD"):
        ConstrainedKMeans(2).fit(csr_array(np.eye(5)))

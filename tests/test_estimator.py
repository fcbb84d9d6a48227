"""The scikit-learn estimator."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from ccviz.errors import NoClusteringError, ParameterError, ProblemError
from ccviz.estimator import ConstrainedKMeans
from ccviz.row_links import RowLinks


# Every one of scikit-learn's checks; none is expected to fail.
@parametrize_with_checks([ConstrainedKMeans(n_clusters=2)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


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


def test_float32_has_the_answer_of_the_same_numbers(iris):
    narrow = iris.astype(np.float32)
    one, other = (
        ConstrainedKMeans(n_clusters=3, random_state=0).fit(points, cannot_link=[(0, 1)])
        for points in (narrow, narrow.astype(np.float64))
    )
    assert (one.labels_ == other.labels_).all()
    assert one.inertia_ == other.inertia_
    assert (one.predict(narrow) == other.predict(narrow)).all()


def test_predict_takes_the_nearest_center(iris):
    model = ConstrainedKMeans(n_clusters=3, random_state=0).fit(iris)
    assert (model.predict(model.cluster_centers_) == np.arange(3)).all()


def test_exact_solver_proves_its_gap(iris):
    model = ConstrainedKMeans(n_clusters=2, solver="sdp", random_state=0)
    model.fit(iris[::5], cannot_link=[(0, 1), (3, 7)])
    assert model.status_ == "optimal"
    assert model.lower_bound_ <= model.inertia_
    assert model.gap_ <= 1e-4


def test_same_seed_same_labels(iris):
    first, second = (ConstrainedKMeans(5, random_state=7).fit(iris).labels_ for _ in range(2))
    assert (first == second).all()


def test_infeasible_links_are_an_error_with_the_reason(iris):
    clique = [(i, j) for i in range(4) for j in range(i)]
    with pytest.raises(NoClusteringError, match="exclude each other") as caught:
        ConstrainedKMeans(n_clusters=3).fit(iris, cannot_link=clique)
    assert caught.value.status == "infeasible"


def test_contradiction_is_an_error_with_its_chain(iris):
    with pytest.raises(ProblemError, match="0-2 contradicts the must-links 0-1, 1-2"):
        ConstrainedKMeans(n_clusters=3).fit(iris, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 0)])


def test_unknown_parameter_is_an_error(iris):
    with pytest.raises(ParameterError, match="no parameter 'speed'"):
        ConstrainedKMeans(n_clusters=3, solver_params={"speed": 1}).fit(iris)


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


def test_links_of_other_rows_are_refused(iris):
    with pytest.raises(ProblemError, match="the links are of 9 rows, but X has 150"):
        ConstrainedKMeans(3).fit(iris, links=RowLinks(9))
    with pytest.raises(ProblemError, match="but not both"):
        ConstrainedKMeans(3).fit(iris, must_link=[(0, 1)], links=RowLinks(150))

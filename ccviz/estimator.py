"""Constrained k-means as a scikit-learn estimator, over any of the solvers."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.metrics import euclidean_distances, pairwise_distances_argmin
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ccviz.api import solve
from ccviz.arrays import FloatArray, IntArray
from ccviz.data.neighbors import read_neighbors_text
from ccviz.errors import NoClusteringError, ParameterError, ProblemError, quote
from ccviz.estimator_parameters import check_starts, first_labels, limits_of, sizes_of
from ccviz.problem.asked import (
    AnyAsked,
    known_labels,
    parse_rule,
    read_asked,
    with_known_labels,
)
from ccviz.problem.asked import Columns as RuleColumns
from ccviz.problem.fixed_centers import read_centers
from ccviz.problem.links import Links
from ccviz.problem.points import NOT_SPARSE, column_of
from ccviz.problem.problem import Problem, read_rules
from ccviz.problem.reduction import with_rules
from ccviz.problem.rule_base import Rule
from ccviz.row_links import RowLinks, index_of, pairs_of
from ccviz.runs.earlier import same_points
from ccviz.runs.run import Result
from ccviz.solvers import solver_class
from ccviz.studies.choose_k import CHOICE_S, choose_k


class ConstrainedKMeans(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Minimum sum-of-squares clustering under must-link and cannot-link pairs.

    Parameters
    ----------
    n_clusters : int or {"least", "free"}
        Number of clusters; the fewest with which everything can be kept, or the number that costs
        least under a least size: see `ccviz.studies.choose_k.choose_k`.
    solver : str
        A registered name, see `ccviz.solvers.SOLVERS`.
    size_min, size_max : int or float, optional
        Least and most points of every cluster. A float between 0 and 1 is a share of the rows, so
        that it fits the folds of a cross-validation; a share is rounded down for ``size_min`` and
        up for ``size_max``.
    sizes : str, int or sequence, optional
        ``"equal"``, ``"40-60"``, one size for all clusters, or what `ccviz.Problem` takes.
    outliers : int
        Rows that may be left out; they cost nothing and have the label -1. A few solvers can; see
        `ccviz.Problem`.
    fixed_centers : (q, d) array of float, optional
        Centres of the first q clusters, which do not move. `blp-kmeans` keeps them, and `colgen`
        proves the optimum; see `ccviz.Problem`.
    metric : {"euclidean", "learned"}
        With ``"learned"``, `fit` learns a weight for each feature from its links by MPCK-means
        (`ccviz.data.learn_metric`), and clusters, predicts and transforms with the features so
        weighted. Distances in rules are weighted, too. Centres remain in the units of X.
    n_init, max_iter : int, optional
        Starts and iterations, for solvers that have these parameters; the solver's own default if
        None.
    init : str or array, optional
        The way to draw initial centres, for solvers that have this parameter; or a clustering to
        begin with, as (n,) labels or (n_clusters, d) centres. The first start of a k-means kind
        begins there, and an exact solver takes it as its upper bound.
    warm_start : bool
        Whether `fit` begins with what the last `fit` found. If that had the same rows, an exact
        solver keeps its proof as far as it holds under the new links: see the ``start`` of
        `ccviz.start`.
    solver_params : dict, optional
        The solver's other parameters by name.
    time_limit : float, optional
        Seconds.
    gap : float, optional
        Relative gap to stop at.
    workers : int or str
        Processes for exact solvers, or the address of a Dask scheduler.
    random_state : int, RandomState or None
        An int is the run's seed.
    label_weight : float, optional
        Weight of the links by which `fit` gives each label in y a cluster of its own, ``inf`` for
        hard ones; None ignores y. The scores of `result_` are then of the rows with a label.
    unknown : sequence, optional
        Words and numbers in y that mean that no label is known, as None, NaN, "" and -1 always do.

    Attributes
    ----------
    labels_ : (n,) int64
        -1 for rows left out.
    cluster_centers_ : (n_clusters, d) float64
        Means of the clusters.
    feature_weights_ : (d,) float64
        Weights of the features in squared distances: 1, or those learned.
    inertia_ : float
        Weighted sum of squared distances of the points to their cluster's mean.
    lower_bound_ : float
        Proved lower bound on the objective, ``-inf`` if the solver gives none.
    gap_ : float
        Relative gap of the two, ``inf`` without a lower bound.
    n_iter_ : int
        Iterations of the solver's last start; 1 for a solver that does not iterate.
    n_clusters_ : int
        Number of clusters.
    result_ : ccviz.Result
        The whole result: broken links, scores, plots, and the run. It holds the data, so it is left
        out where the model is pickled.

    Examples
    --------
    >>> from ccviz import ConstrainedKMeans
    >>> X = [[0.0], [0.1], [1.0], [1.1]]
    >>> model = ConstrainedKMeans(n_clusters=2, random_state=0).fit(X, cannot_link=[(0, 1)])
    >>> bool(model.labels_[0] == model.labels_[1])
    False
    """

    def __init__(
        self,
        n_clusters: int | str = 8,
        solver: str = "blp-kmeans",
        *,
        size_min: int | float | None = None,
        size_max: int | float | None = None,
        sizes: Any = None,
        outliers: int = 0,
        fixed_centers: ArrayLike | None = None,
        metric: str = "euclidean",
        n_init: int | None = None,
        init: str | ArrayLike | None = None,
        max_iter: int | None = None,
        warm_start: bool = False,
        solver_params: dict[str, Any] | None = None,
        time_limit: float | None = None,
        gap: float | None = None,
        workers: int | str = 1,
        random_state: Any = None,
        label_weight: float | None = None,
        unknown: Any = (),
    ) -> None:
        self.n_clusters = n_clusters
        self.solver = solver
        self.size_min = size_min
        self.size_max = size_max
        self.sizes = sizes
        self.outliers = outliers
        self.fixed_centers = fixed_centers
        self.metric = metric
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.solver_params = solver_params
        self.time_limit = time_limit
        self.gap = gap
        self.workers = workers
        self.random_state = random_state
        self.label_weight = label_weight
        self.unknown = unknown

    def fit(
        self,
        X: ArrayLike,
        y: Any = None,
        must_link: Any = (),
        cannot_link: Any = (),
        sizes: Any = None,
        rules: Any = (),
        columns: Any = None,
        links: RowLinks | None = None,
        sample_weight: ArrayLike | None = None,
        neighbors: Any = None,
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : (n, d) array of float
        y : (n,) sequence, optional
            Labels that some rows have, for ``label_weight``.
        must_link, cannot_link
            Pairs of row numbers, as in `ccviz.Problem`; pairs of labels of the index, where X is a
            pandas frame whose index is not of integers; or an (n, n) matrix, see
            `ccviz.row_links.pairs_of`.
        sizes
            Instead of the constructor's.
        rules : sequence of str or of rules
            ``"diameter<=3"`` and its like, see `ccviz.problem.asked.parse_rule`. A column is
            named as in ``columns``, or else in the frame X.
        columns : mapping or data frame, optional
            Columns of n values that rules name and that are no features: numbers or words.
        links : RowLinks, optional
            Links instead of ``must_link`` and ``cannot_link`` that cross-validation and pipelines
            take along with the rows.
        sample_weight : (n,) array of float, optional
            Weight of each row in the objective and the centres, not negative; 1 by default. Rows
            of weight 0 are labelled and not counted. A few solvers cannot count weights.
        neighbors : pairs, sparse (n, n) matrix or str, optional
            Which rows are neighbours: every cluster is connected in their graph. A text such as
            ``"knn:6"`` finds them by the features, see `ccviz.data.neighbors`.

        Raises
        ------
        ProblemError
            If the links or sizes are malformed or contradict each other, or there are no links to
            learn a metric from.
        ParameterError, UnsupportedError
            If there is no such solver or parameter, or the solver cannot handle the problem.
        NoClusteringError
            If no clustering keeps the hard constraints, or the solver found none.
        TypeError
            If X is sparse.
        """
        if issparse(X):  # scikit-learn's own sentence advises to make it dense
            raise TypeError(f"Sparse data was passed for X; {NOT_SPARSE}")
        index = index_of(X)
        points: Any = self._rows(X, dtype=[np.float64, np.float32])
        n = len(points)
        must_link = pairs_of(must_link, n, index, "must-link")
        cannot_link = pairs_of(cannot_link, n, index, "cannot-link")
        if links is not None:
            must_link, cannot_link = _links_of(links, n, must_link, cannot_link)
        if sizes is None:
            limits = (self.sizes, self.size_min, self.size_max)
        else:
            limits = (sizes, None, None)
        weights = self._learned(points, must_link, cannot_link)
        asked = _read_rules(rules, partial(_column, X, columns))
        truth = None if y is None or self.label_weight is None else known_labels(y, self.unknown)
        if truth is not None:
            words = f"labels(y)={self.label_weight}".removesuffix("=inf")
            asked.append(read_asked(words, column=lambda _: truth))
        given = partial(
            Problem,
            points if weights is None else points * np.sqrt(weights),
            truth=truth,
            must_link=must_link,
            cannot_link=cannot_link,
            weights=_weights_of(sample_weight, points),
            outliers=self.outliers,
            fixed_centers=self._fixed(points, weights),
            neighbors=(
                read_neighbors_text(neighbors, points) if isinstance(neighbors, str) else neighbors
            ),
        )

        def problem_of(k: int, keeps_rules: bool = False) -> Problem:
            problem = given(k, sizes=sizes_of(*limits, n, k))
            return with_rules(problem, asked, keeps_rules) if asked else problem

        k = self.n_clusters
        if isinstance(k, str):
            k = choose_k(problem_of, k, time_limit=self.time_limit or CHOICE_S, seed=self._seed()).k
        problem = problem_of(k, solver_class(self.solver).supports.rules)
        self._keep(
            solve(
                problem,
                self.solver,
                time_limit=self.time_limit,
                gap=self.gap,
                workers=self.workers,
                seed=self._seed(),
                progress=False,
                start=self._start(problem, weights),
                **self._settings(),
            ),
            weights,
        )
        return self

    def _learned(self, points: Any, must_link: Any, cannot_link: Any) -> FloatArray | None:
        """Return the weights of the features; None where each counts as it is."""
        if self.metric == "euclidean":
            return None
        if self.metric != "learned":
            raise ParameterError(
                f"metric = {quote(self.metric)} is neither 'euclidean' nor 'learned'."
            )
        if isinstance(self.n_clusters, str):
            raise ParameterError("a metric is learned for one number of clusters: give n_clusters.")
        # Imported here: few need it.
        from ccviz.data.learned_metric import learn_metric

        return learn_metric(points, self.n_clusters, must_link, cannot_link, self._seed())

    def _fixed(self, points: FloatArray, weights: FloatArray | None) -> Any:
        """Return the fixed centres, None for none, in the units of the problem."""
        if self.fixed_centers is None or weights is None:
            return self.fixed_centers
        n, d = points.shape
        return read_centers(self.fixed_centers, n, d, n) * np.sqrt(weights)

    def _start(self, problem: Problem, weights: FloatArray | None) -> Result | IntArray | None:
        """Return the clustering to begin with: that of the last fit, or ``init``."""
        if not (self.warm_start or _is_clustering(self.init)):
            return None
        check_starts(self.solver)
        before: Result | None = getattr(self, "result_", None)
        if self.warm_start and before is not None and same_points(before.run.problem, problem):
            return before
        if not _is_clustering(self.init):
            return None
        return first_labels(self.init, problem, 1.0 if weights is None else np.sqrt(weights))

    def _rows(self, X: ArrayLike, **how: Any) -> Any:
        """Return rows that scikit-learn has checked."""
        try:
            return validate_data(self, X, **how)
        except OverflowError:
            raise ProblemError("X holds a whole number that no float can hold.") from None

    def _settings(self) -> dict[str, Any]:
        """Return the solver's parameters by name."""
        way = None if _is_clustering(self.init) else self.init
        named = {"n_init": self.n_init, "init": way, "max_iter": self.max_iter}
        given = {name: value for name, value in named.items() if value is not None}
        further: Any = self.solver_params or {}
        if not isinstance(further, dict):
            raise ParameterError(
                f"solver_params = {quote(further)} is not a dict of parameters by name."
            )
        return given | further

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling: all attributes but the result, which holds the data."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "result_"}

    def _seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _keep(self, result: Result, weights: FloatArray | None) -> None:
        if result.partition is None or not result.partition.violations.none_hard:
            raise NoClusteringError(result.status, f"{self.solver}: {result.message}")
        self.n_clusters_ = result.partition.problem.n_clusters
        self._n_features_out = self.n_clusters_
        self.labels_ = result.partition.shown.copy()
        d = result.partition.centers.shape[1]
        self.feature_weights_ = np.ones(d) if weights is None else weights
        centers = result.partition.centers[: self.n_clusters_]
        self.cluster_centers_ = centers / np.sqrt(self.feature_weights_)
        self.inertia_ = result.partition.wcss
        self.lower_bound_ = result.lower_bound
        self.gap_ = result.gap
        self.status_ = result.status
        self.n_iter_ = max(result.run.iteration, 1)
        self.result_ = result

    def score(self, X: ArrayLike, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Return the negative sum of squared distances to the nearest mean: more is better.

        Parameters
        ----------
        X : (m, d) array of float
        sample_weight : (m,) array of float, optional
            Weight of each row in the sum; 1 by default.
        """
        near = self.cluster_centers_[self.predict(X)]
        distances = (np.asarray(X, dtype=np.float64) - near) ** 2 @ self.feature_weights_
        if sample_weight is None:
            return -float(distances.sum())
        return -float(_check_sample_weight(sample_weight, X, dtype=np.float64) @ distances)

    def predict(
        self,
        X: ArrayLike,
        size_min: int | float | None = None,
        size_max: int | float | None = None,
    ) -> IntArray:
        """Return (m,) a cluster for each row of X: the nearest mean, or the cheapest under sizes.

        Links are ignored: for the fitted rows, `labels_` has the clusters that keep them.

        Parameters
        ----------
        X : (m, d) array of float
        size_min, size_max : int or float, optional
            Least and most rows of X in every cluster, as in the constructor. The rows are then
            assigned together, at the least sum of squared distances.

        Raises
        ------
        ProblemError
            If the sizes are malformed or do not fit m rows.
        """
        check_is_fitted(self)
        points: Any = self._rows(X, dtype=np.float64, reset=False)
        if size_min is None and size_max is None:
            return pairwise_distances_argmin(*self._alike(points)).astype(np.int64)
        limits = limits_of(size_min, size_max, len(points), self.n_clusters_)
        return _within(limits, euclidean_distances(*self._alike(points), squared=True))

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return (m, n_clusters) distances of the rows of X to each cluster's mean.

        Parameters
        ----------
        X : (m, d) array of float
        """
        check_is_fitted(self)
        X = self._rows(X, dtype=np.float64, reset=False)
        return euclidean_distances(*self._alike(X))

    def _alike(self, points: Any) -> tuple[FloatArray, FloatArray]:
        """Return points and means with the features weighted as the last `fit` did."""
        scale = np.sqrt(self.feature_weights_)
        return points * scale, self.cluster_centers_ * scale


def _weights_of(sample_weight: ArrayLike | None, points: FloatArray) -> FloatArray | None:
    """Return weights that scikit-learn has checked; None where none are given."""
    if sample_weight is None:
        return None
    weights: FloatArray = _check_sample_weight(sample_weight, points, dtype=np.float64)
    return weights


def _is_clustering(init: Any) -> bool:
    """Whether ``init`` is a clustering, and not a way to draw centres."""
    return init is not None and not isinstance(init, str)


def _within(limits: tuple[IntArray, IntArray], cost: FloatArray) -> IntArray:
    """Return the cheapest assignment, given (m, k) costs, whose sizes lie between the limits."""
    # Imported here: it loads numba.
    from ccviz.solvers.assignment import Structure, solve_assignment

    m, k = cost.shape
    none = np.zeros((0, 2), dtype=np.int64)
    structure = Structure.from_prices(
        m, k, none, np.zeros(0), mass=np.ones(m, dtype=np.int64), lower=limits[0], upper=limits[1]
    )
    return solve_assignment(cost, structure).labels


def _column(X: Any, columns: Any, name: str) -> Any:
    """Return a column that a rule names: of those given beside X, or of X."""
    return columns[name] if columns is not None and name in columns else column_of(X, name)


def _read_rules(rules: Any, column: RuleColumns) -> list[Rule | AnyAsked]:
    """Return rules, those in words parsed."""
    wishes = [
        parse_rule(each, column=with_known_labels(each, column)) if isinstance(each, str) else each
        for each in read_rules(rules)
    ]
    for each in wishes:
        if not isinstance(each, Rule | AnyAsked):
            raise ProblemError(f"the rule {quote(each)} is neither text nor a rule.")
    return wishes


def _links_of(links: RowLinks, n: int, *given: Any) -> tuple[Links, Links]:
    if not isinstance(links, RowLinks):
        raise ProblemError(f"links are {quote(links)}, not RowLinks.")
    if len(links) != n:
        raise ProblemError(f"the links are of {len(links)} rows, but X has {n}.")
    if any(len(each) for each in given):
        raise ProblemError("give must_link and cannot_link, or links, but not both.")
    return links.must_link, links.cannot_link

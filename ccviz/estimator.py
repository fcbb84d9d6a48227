"""Constrained k-means as a scikit-learn estimator, over any of the solvers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.metrics import euclidean_distances, pairwise_distances_argmin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ccviz.api import solve
from ccviz.arrays import FloatArray, IntArray
from ccviz.errors import NoClusteringError, ProblemError
from ccviz.problem.links import Links
from ccviz.problem.problem import Problem
from ccviz.problem.reduction import with_rules
from ccviz.problem.rule_text import parse_rule
from ccviz.row_links import RowLinks
from ccviz.runs.run import Result
from ccviz.solvers import solver_class


class ConstrainedKMeans(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Minimum sum-of-squares clustering under must-link and cannot-link pairs.

    Parameters
    ----------
    n_clusters : int
    solver : str
        A registered name, see `ccviz.solvers.SOLVERS`.
    solver_params : dict, optional
        The solver's parameters by name.
    time_limit : float, optional
        Seconds.
    gap : float, optional
        Relative gap to stop at.
    workers : int or str
        Processes for exact solvers, or the address of a Dask scheduler.
    random_state : int, RandomState or None
        An int is the run's seed.

    Attributes
    ----------
    labels_ : (n,) int64
    cluster_centers_ : (n_clusters, d) float64
        Means of the clusters.
    inertia_ : float
        Sum of squared distances of the points to their cluster's mean.
    lower_bound_ : float
        Proved lower bound on the objective, ``-inf`` if the solver gives none.
    gap_ : float
        Relative gap of the two, ``inf`` without a lower bound.
    status_ : {"optimal", "feasible"}
    n_features_in_ : int

    Examples
    --------
    >>> from ccviz.estimator import ConstrainedKMeans
    >>> X = [[0.0], [0.1], [1.0], [1.1]]
    >>> model = ConstrainedKMeans(n_clusters=2, random_state=0).fit(X, cannot_link=[(0, 1)])
    >>> bool(model.labels_[0] == model.labels_[1])
    False
    """

    def __init__(
        self,
        n_clusters: int = 8,
        solver: str = "blp-kmeans",
        *,
        solver_params: dict[str, Any] | None = None,
        time_limit: float | None = None,
        gap: float | None = None,
        workers: int | str = 1,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.solver = solver
        self.solver_params = solver_params
        self.time_limit = time_limit
        self.gap = gap
        self.workers = workers
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: Any = None,
        must_link: Any = (),
        cannot_link: Any = (),
        sizes: Any = None,
        rules: Any = (),
        links: RowLinks | None = None,
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : (n, d) array of float
        y : ignored
        must_link, cannot_link, sizes
            As in `ccviz.Problem`.
        rules : sequence of str or of rules
            ``"diameter<=3"`` and its like, see `ccviz.problem.rule_text.parse_rule`.
        links : RowLinks, optional
            Links instead of ``must_link`` and ``cannot_link`` that cross-validation and pipelines
            take along with the rows.

        Raises
        ------
        ProblemError
            If the links or sizes are malformed or contradict each other.
        ParameterError, UnsupportedError
            If there is no such solver or parameter, or the solver cannot handle the problem.
        NoClusteringError
            If no clustering keeps the hard constraints, or the solver found none.
        """
        points: Any = validate_data(self, X, dtype=[np.float64, np.float32])
        if links is not None:
            must_link, cannot_link = _links_of(links, len(points), must_link, cannot_link)
        problem = Problem(points, self.n_clusters, must_link, cannot_link, sizes)
        wishes = [parse_rule(each) if isinstance(each, str) else each for each in rules]
        if wishes:
            problem = with_rules(problem, wishes, solver_class(self.solver).supports.rules)
        self._keep(
            solve(
                problem,
                self.solver,
                time_limit=self.time_limit,
                gap=self.gap,
                workers=self.workers,
                seed=self._seed(),
                progress=False,
                **(self.solver_params or {}),
            )
        )
        return self

    def _seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _keep(self, result: Result) -> None:
        if result.partition is None or not result.partition.violations.none_hard:
            raise NoClusteringError(result.status, f"{self.solver}: {result.message}")
        self._n_features_out = self.n_clusters
        self.labels_ = result.partition.labels.copy()
        self.cluster_centers_ = result.partition.centers
        self.inertia_ = result.partition.wcss
        self.lower_bound_ = result.lower_bound
        self.gap_ = result.gap
        self.status_ = result.status

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """Return how well the means stand for the rows of X, for scikit-learn's searches.

        Parameters
        ----------
        X : (m, d) array of float
        y : ignored

        Returns
        -------
        float
            The sum of squared distances to the nearest mean, negative: more is better.
        """
        near = self.cluster_centers_[self.predict(X)]
        return -float(((np.asarray(X, dtype=np.float64) - near) ** 2).sum())

    def predict(self, X: ArrayLike) -> IntArray:
        """Return the cluster whose mean is nearest, for each row of X (n, d).

        Parameters
        ----------
        X : (m, d) array of float

        Returns
        -------
        (m,) int64
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return pairwise_distances_argmin(X, self.cluster_centers_).astype(np.int64)

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return the distance to each cluster's mean, for each row of X.

        Parameters
        ----------
        X : (m, d) array of float

        Returns
        -------
        (m, n_clusters) float64
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return euclidean_distances(X, self.cluster_centers_)


def _links_of(links: RowLinks, n: int, *given: Any) -> tuple[Links, Links]:
    if len(links) != n:
        raise ProblemError(f"the links are of {len(links)} rows, but X has {n}.")
    if any(len(each) for each in given):
        raise ProblemError("give must_link and cannot_link, or links, but not both.")
    return links.must_link, links.cannot_link

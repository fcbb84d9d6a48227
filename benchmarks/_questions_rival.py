"""Runs a rival of `questions.py` in its own environment; numpy < 2 and the rival's packages only.

    PYTHON benchmarks/_questions_rival.py METHOD SET.npz SEEDS NOISE MARKS LIMIT

SEEDS and MARKS are lists as JSON. A line of JSON a seed goes to standard output: the clusterings
after MARKS questions, and the CPU seconds. It ends where a seed takes more than LIMIT of them.
"""

import json
import random
import resource
import sys
import time
import warnings
from contextlib import suppress

import numpy as np

vars(np)["int"] = int  # cobras_ts is older than its removal
warnings.filterwarnings("ignore")

from active_semi_clustering.active.pairwise_constraints import NPU, MinMax  # noqa: E402
from active_semi_clustering.active.pairwise_constraints.example_oracle import (  # noqa: E402
    MaximumQueriesExceeded,
)
from active_semi_clustering.exceptions import (  # noqa: E402
    EmptyClustersException,
    InconsistentConstraintsException,
)
from active_semi_clustering.semi_supervised.pairwise_constraints import PCKMeans  # noqa: E402
from cobras_ts.cobras_kmeans import COBRAS_kmeans  # noqa: E402
from scipy.sparse import csr_matrix  # noqa: E402
from scipy.sparse.csgraph import connected_components  # noqa: E402
from scipy.spatial.distance import cdist  # noqa: E402
from sklearn.ensemble import RandomForestClassifier  # noqa: E402


class Oracle:
    """Answers by the class, wrong at a rate, until it has answered enough."""

    def __init__(self, y, wrong, noise, most):
        self.y, self.wrong, self.noise = y, wrong, noise
        self.log, self.max_queries_cnt = [], most

    def query(self, i, j):
        if len(self.log) >= self.max_queries_cnt:
            raise MaximumQueriesExceeded
        together = bool(self.y[i] == self.y[j]) != (self.wrong.random() < self.noise)
        self.log.append((int(i), int(j), together))
        return together

    query_points = query

    def continue_cluster_process(self):
        return True

    def update_clustering(self, *_):
        pass

    update_clustering_detailed = update_clustering


class QuickPCKMeans(PCKMeans):
    """The package's PCK-means with its loops over all points and pairs of links as arrays."""

    def fit(self, X, y=None, ml=(), cl=()):
        n = len(X)
        self.mates, self.strangers, groups = links_of_all(n, ml, cl)
        centers = self._initialize_cluster_centers(X, groups)
        for _ in range(self.max_iter):
            labels, before = self._assigned(X, centers), centers
            centers = self._get_cluster_centers(X, labels)
            if np.allclose(before, centers, atol=1e-6, rtol=0):
                break
        self.cluster_centers_, self.labels_ = centers, labels
        return self

    def _assigned(self, X, centers):
        k, labels = self.n_clusters, np.full(len(X), -1)
        cost = ((X[:, None] - centers) ** 2).sum(axis=2) / 2
        order = list(range(len(X)))
        np.random.shuffle(order)  # noqa: NPY002, as the package does
        labels_freely = cost.argmin(axis=1)
        for point in order:
            if point in self.mates:
                at = np.bincount(labels[self.mates[point]] + 1, minlength=k + 1)[1:]
                not_at = np.bincount(labels[self.strangers[point]] + 1, minlength=k + 1)[1:]
                labels[point] = (cost[point] + self.w * (at.sum() - at + not_at)).argmin()
            else:
                labels[point] = labels_freely[point]
        if len(np.unique(labels)) < k:
            raise EmptyClustersException
        return labels


def links_of_all(n, ml, cl):
    """Return what follows from the links: each point's mates and strangers, and the groups."""
    rows, columns = np.array(ml, int).reshape(-1, 2).T
    joined = csr_matrix((np.ones(len(rows)), (rows, columns)), (n, n))
    group = connected_components(joined, directed=False)[1]
    members = [np.flatnonzero(group == each) for each in range(group.max() + 1)]
    apart = {each: set() for each in range(len(members))}
    for i, j in np.unique(group[np.array(cl, int).reshape(-1, 2)], axis=0):
        if i == j:
            raise InconsistentConstraintsException
        apart[i].add(j)
        apart[j].add(i)
    mates, strangers = {}, {}
    for number, points in enumerate(members):
        if len(points) > 1 or apart[number]:
            others = [members[other] for other in apart[number]]
            far = np.concatenate(others) if others else np.zeros(0, int)
            for point in points:
                mates[point], strangers[point] = points[points != point], far
    groups = [points for points in members if len(points) > 1]
    return mates, strangers, sorted(groups, key=min)


class QuickMinMax(MinMax):
    """The package's MinMax, whose second phase looks for the least familiar point in arrays."""

    def _consolidate(self, neighborhoods, X, oracle):
        distance = cdist(X, X)
        width = np.percentile(distance, 20)
        alike = np.exp(-(distance**2) / (2 * width**2))
        skeleton = sorted({point for each in neighborhoods for point in each})
        familiar = alike[:, skeleton].max(axis=1)
        familiar[skeleton] = np.inf
        with suppress(MaximumQueriesExceeded):
            while np.isfinite(familiar).any():
                point = int(familiar.argmin())
                nearness = [alike[point, each].max() for each in neighborhoods]
                for number in reversed(np.argsort(nearness, kind="stable")):
                    if oracle.query(point, neighborhoods[number][0]):
                        neighborhoods[number].append(point)
                        break
                familiar = np.maximum(familiar, alike[point])
                familiar[point] = np.inf
        return neighborhoods


class QuickNpu(NPU):
    """The package's NPU, which compares the leaves of all points at once instead of in two loops.

    Of two points asked about in vain none is asked about again: the package would stop there.
    """

    def _most_informative(self, X, clusterer, neighborhoods):
        placed = [point for each in neighborhoods for point in each]
        left = np.setdiff1d(np.arange(len(X)), placed)
        if len(left) == 0:
            raise MaximumQueriesExceeded
        if len(neighborhoods) <= 1:
            return np.random.choice(left), [1]  # noqa: NPY002, as the package does
        leaf = RandomForestClassifier(n_estimators=50).fit(X, clusterer.labels_).apply(X)
        p = np.empty((len(X), len(neighborhoods)))
        for place, points in enumerate(neighborhoods):
            p[:, place] = np.mean([(leaf == leaf[q]).mean(axis=1) for q in points], axis=0)
        p[(p == 0).all(axis=1)] = 1.0
        p /= p.sum(axis=1, keepdims=True)
        worth = np.zeros(len(X))
        for point in left:
            positive = p[point][p[point] > 0]
            if not (p[point] == 1).any():
                cost = (positive * range(1, len(positive) + 1)).sum()
                worth[point] = -(positive * np.log2(positive)).sum() / cost
        worth[placed] = -1.0
        return int(worth.argmax()), p[int(worth.argmax())]


def clustered(X, k, log):
    links = [[(i, j) for i, j, yes in log if yes == kind] for kind in (True, False)]
    while True:
        try:
            return QuickPCKMeans(k).fit(X, ml=links[0], cl=links[1]).labels_
        except EmptyClustersException:
            pass


def clusterings(method, X, y, seed, noise, marks):
    k = len(set(y))
    np.random.seed(seed)  # noqa: NPY002, what the packages draw from
    random.seed(seed)
    oracle = Oracle(y, np.random.default_rng(seed + 1000), noise, marks[-1])
    if method == "cobras_ts":
        found = COBRAS_kmeans(X, oracle, marks[-1]).cluster()[1]
        return [found[min(mark, len(found)) - 1] for mark in marks]
    learner = QuickNpu(QuickPCKMeans(k)) if method == "assc NPU" else QuickMinMax(n_clusters=k)
    learner.fit(X, oracle)
    return [clustered(X, k, oracle.log[:mark]) for mark in marks]


def main():
    method, file = sys.argv[1:3]
    seeds, noise, marks, limit = map(json.loads, sys.argv[3:])
    X, y = np.load(file)["X"], np.load(file)["y"]
    for seed in seeds:
        started = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(started) + limit, resource.RLIM_INFINITY))
        labels = clusterings(method, X, y, seed, noise, marks)
        seconds = time.process_time() - started
        print(json.dumps([[np.asarray(each).tolist() for each in labels], seconds]), flush=True)


if __name__ == "__main__":
    main()

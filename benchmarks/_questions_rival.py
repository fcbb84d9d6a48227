"""Runs a rival of `questions.py` in its own environment; numpy < 2 and the rival's packages only.

    PYTHON benchmarks/_questions_rival.py METHOD SET.npz SEEDS NOISE MARKS

SEEDS and MARKS are lists as JSON. A line of JSON a seed goes to standard output: the clusterings
after MARKS questions, and the CPU seconds.
"""

import json
import random
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
from active_semi_clustering.exceptions import EmptyClustersException  # noqa: E402
from active_semi_clustering.semi_supervised.pairwise_constraints import PCKMeans  # noqa: E402
from cobras_ts.cobras_kmeans import COBRAS_kmeans  # noqa: E402
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
            return PCKMeans(k).fit(X, ml=links[0], cl=links[1]).labels_
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
    learner = QuickNpu(PCKMeans(k)) if method == "assc NPU" else MinMax(n_clusters=k)
    with suppress(KeyError):  # how the package's MinMax ends once every point has been asked about
        learner.fit(X, oracle)
    return [clustered(X, k, oracle.log[:mark]) for mark in marks]


def main():
    method, file = sys.argv[1:3]
    seeds, noise, marks = map(json.loads, sys.argv[3:])
    X, y = np.load(file)["X"], np.load(file)["y"]
    for seed in seeds:
        started = time.process_time()
        labels = clusterings(method, X, y, seed, noise, marks)
        seconds = time.process_time() - started
        print(json.dumps([[np.asarray(each).tolist() for each in labels], seconds]), flush=True)


if __name__ == "__main__":
    main()

"""Runs another program of `peer_defaults.py` in its own environment, with its own defaults.

    PYTHON benchmarks/_peer_programs.py PROGRAM PROBLEM.npz SEEDS LIMIT

A line of JSON a seed goes to standard output, as soon as it is known: the labels and the CPU
seconds. The labels are null where the program gives up, or has not ended after LIMIT CPU seconds.
Nothing here imports ccviz.
"""

import json
import os
import random
import signal
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402


def scikit_learn():
    from sklearn.cluster import KMeans

    return lambda X, k, must, cannot, seed: KMeans(k, random_state=seed).fit(X).labels_


def active_cop():
    from active_semi_clustering.semi_supervised.pairwise_constraints import COPKMeans

    return _active(COPKMeans)


def active_pck():
    from active_semi_clustering.semi_supervised.pairwise_constraints import PCKMeans

    return _active(PCKMeans)


def _active(kind):
    from active_semi_clustering.exceptions import (
        ClusteringNotFoundException,
        EmptyClustersException,
    )

    def fit(X, k, must, cannot, _seed):
        try:
            return kind(k).fit(X, ml=must, cl=cannot).labels_
        except (ClusteringNotFoundException, EmptyClustersException):
            return None

    return fit


def copkmeans():
    from htcopkmeans.cop_kmeans import cop_kmeans

    return lambda X, k, must, cannot, seed: cop_kmeans(X, k, must, cannot)[0]


def hgmeans():
    from hgmeans import PyHGMeans

    # No classes; 10 members, 5,000 generations, one run: the defaults of its documentation.
    return lambda X, k, must, cannot, seed: PyHGMeans().run(
        X.tolist(), [0] * len(X), 10, 5000, 1, [k]
    )[0]


def clustlib():
    from clustlib.sin.dils import DILS

    def fit(X, k, must, cannot, _seed):
        constraints = np.zeros((len(X), len(X)))
        for pairs, sign in ((must, 1), (cannot, -1)):
            for i, j in pairs:
                constraints[i, j] = constraints[j, i] = sign
        model = DILS(k, constraints=constraints)
        model.fit(X)
        return model._labels

    return fit


class OutOfTimeError(Exception):
    """The CPU seconds of a seed are spent."""


def out_of_time(*_):
    raise OutOfTimeError


def main():
    name, path, seeds, limit = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what programs print is no answer
    fit = globals()[name]()
    with np.load(path) as given:
        X, k = given["X"], int(given["k"])
        must, cannot = given["must_link"].tolist(), given["cannot_link"].tolist()
    signal.signal(signal.SIGVTALRM, out_of_time)
    for seed in range(int(seeds)):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002, the programs draw from it
        began = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, float(limit))
        try:
            labels = fit(X, k, must, cannot, seed)
        except OutOfTimeError:
            labels = None
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        spent = time.process_time() - began
        told = None if labels is None else [int(label) for label in labels]
        print(json.dumps([told, spent]), file=answers, flush=True)


if __name__ == "__main__":
    main()

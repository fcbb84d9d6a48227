"""Upper bound on a clustering's cost, and the check that it keeps every hard constraint."""

from __future__ import annotations

import numpy as np

from ccviz.errors import ProblemError
from ccviz.problem.problem import Problem
from ccviz.proof.reading import Clustering, FlawError
from ccviz.proof.rounding import Unit, gamma, scatter_above
from ccviz.proof.soft import penalty_above


def check_clustering(problem: Problem, unit: Unit, found: Clustering) -> float:
    """Return an upper bound on the cost of a clustering, once its hard constraints hold.

    Parameters
    ----------
    problem : Problem
    unit : Unit
    found : Clustering

    Returns
    -------
    float
        In the unit of the check.

    Raises
    ------
    FlawError
        If it breaks a hard link, a size or a rule.
    """
    labels = found.labels
    for links, together in ((problem.must_link.hard, True), (problem.cannot_link.hard, False)):
        i, j = links.pairs[:, 0], links.pairs[:, 1]
        broken = (labels[i] == labels[j]) != together
        if broken.any():
            at = int(np.flatnonzero(broken)[0])
            raise FlawError(f"a clustering breaks the link {i[at]}-{j[at]}")
    weight = np.bincount(labels, problem.masses, problem.k)
    if not (weight > 0.0).all():
        raise FlawError("a clustering has a cluster without weight")
    if problem.sizes is not None:
        size = np.bincount(labels, minlength=problem.k)
        if ((size < problem.sizes.lower) | (size > problem.sizes.upper)).any():
            raise FlawError("a clustering breaks the sizes")
    clusters = [np.flatnonzero(labels == c) for c in range(problem.k)]
    if not keeps_rules(problem, clusters):
        raise FlawError("a clustering breaks a rule")
    squares = scatter_above(unit, labels, weight)
    penalty = penalty_above(problem, unit, labels)
    return squares if penalty == 0.0 else (squares + penalty) * (1.0 + gamma(2))


def keeps_rules(problem: Problem, clusters: list[np.ndarray]) -> bool:
    """Whether every cluster, given by its points, keeps every rule.

    Raises
    ------
    FlawError
        If a rule makes no sense.
    """
    try:
        return all(rule.allows(problem, each) for rule in problem.rules for each in clusters)
    except ProblemError as wrong:
        raise FlawError(str(wrong).removesuffix(".")) from None

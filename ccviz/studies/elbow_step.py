"""What is measured of one number of clusters: its cost, a lower bound, and two statistics.

The clustering comes first, with what is known at once; those of the numbers beside it, and earlier
runs, may have a better one. It is then compared with uniform points, and its bound is raised.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from ccviz.api import solve
from ccviz.arrays import IntArray
from ccviz.bounds import OPTIMAL_GAP, is_closed
from ccviz.errors import ArchiveError, UnsupportedError
from ccviz.problem.blocks import contract
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.earlier import same_points, tightens
from ccviz.runs.run import Result
from ccviz.solvers import Solver, make_solver
from ccviz.solvers.search.decisions import gamma, margin_of
from ccviz.studies.rows import scores_of

__all__ = [
    "BOUND_SOLVER",
    "REFERENCE_SOLVER",
    "Step",
    "bound",
    "cluster",
    "compare",
    "from_neighbors",
    "from_runs",
    "has_hard_links_only",
    "impossible",
    "measure",
]

# --- A lower bound from the eigenvalues of the points' scatter, in a fraction of a second ---------
#
# k centres and the mean of all points lie in a plane of k - 1 dimensions through that mean, and no
# plane is nearer to the points than that of the largest k - 1 eigenvalues of their scatter. So each
# clustering costs at least the sum of the other eigenvalues (Zha et al.: Spectral relaxation for
# k-means clustering, NIPS 2001; Ding and He: K-means clustering via principal component analysis,
# ICML 2004). Constraints only add to the cost. Must-linked points count as their mean, and their
# scatter about it is added.


_MOST = 1_000
"""Features, or blocks if these are fewer, up to which the eigenvalues are computed."""

_LEAST = 2.0**-900
"""Least bound that counts: below, products may have lost their digits."""


def eigenvalue_bound(problem: Problem) -> float:
    """Return a valid lower bound on the objective of each clustering.

    `problem`: A weight counts a point; soft links, sizes and rules are left out of the bound.
    Returns: ``-inf`` if the eigenvalues prove no more than 0, or are too many.
    """
    blocks = contract(problem.centred())
    centroid = blocks.centroid.astype(np.float64, copy=False)
    about = centroid - np.average(centroid, axis=0, weights=blocks.mass)
    points = np.sqrt(blocks.mass)[:, None] * about
    s, d = points.shape
    if min(s, d) > _MOST:
        return -math.inf
    scatter = points.T @ points if d <= s else points @ points.T
    total = float(np.trace(scatter))
    kept = np.linalg.eigvalsh(scatter)[: max(0, len(scatter) - (problem.k - 1))]
    # Errors of the products and of each eigenvalue, as shares of the trace.
    lost = gamma(max(s, d) + 10.0 * len(scatter) ** 2) * total
    tail = float(np.maximum(kept, 0.0).sum()) - lost
    bound = margin_of(problem).below(max(tail, 0.0) + blocks.scatter)
    return bound if bound > _LEAST else -math.inf


def neighbour_bound(problem: Problem) -> float:
    """Return a valid lower bound from the least size of clusters.

    A cluster of m points costs the sum of their squared distances over m, and each point of it has
    at least m - 1 others there: half of the sum to its nearest ones, over m, is its share of the
    cost. That does not fall with m, so m is the least size. Weights leave it out.

    Returns: ``-inf`` where clusters may be of one point, or points have weights.
    """
    least = 1 if problem.sizes is None else int(problem.sizes.lower.min())
    if least < 2 or problem.weights is not None or problem.outliers or problem.fixed:
        return -math.inf
    # Imported here: a plain solve has no need of it.
    from scipy.spatial import cKDTree

    X = problem.centred().X.astype(np.float64, copy=False)
    distances = cKDTree(X).query(X, k=least)[0]
    share = float((distances**2).sum()) / (2.0 * least)
    return margin_of(problem).below(share * (1.0 - gamma(least * len(X) + 4.0 * X.shape[1])))


def bound_at_once(problem: Problem) -> float:
    """Return the better one of both bounds that take no search."""
    return max(eigenvalue_bound(problem), neighbour_bound(problem))


REFERENCE_SOLVER = "blp-kmeans"
STARTS = 10
"""Starts of a solver that has them, fewer where points are many: one start is often a poor one."""
_WORK = 2e7  # Points times features times clusters times starts
BOUND_SOLVER = "divide"
"""Proves the lower bounds: it splits many points into parts, and gives few points to `sdp`."""


@dataclass(frozen=True)
class Step:
    """What is known about one number of clusters.

    Attributes
    ----------
    status : str
        Of the run: "infeasible" if it is proved that the links cannot be kept with k clusters.
    objective : float
        Of the best clustering found; ``inf`` without one.
    lower_bound : float
        Proved: no clustering that keeps the constraints costs less; ``-inf`` without one.
    silhouette : float
        Mean over the points; NaN for one cluster.
    gap_statistic, gap_error : float
        Of Tibshirani, Walther and Hastie (2001), and its standard error; NaN without a clustering.
        The reference points are unconstrained.
    wcss : float
        Of the clustering: the objective without the weights of broken soft links.
    labels : (n,) int64, optional
        The clustering.
    """

    k: int
    status: str
    objective: float
    lower_bound: float
    silhouette: float
    gap_statistic: float
    gap_error: float
    wcss: float = math.nan
    labels: IntArray | None = field(default=None, compare=False, repr=False)


def impossible(k: int) -> Step:
    """Return the step of a number of clusters with which the rules on sizes cannot be kept."""
    return Step(k, "infeasible", math.inf, -math.inf, math.nan, math.nan, math.nan)


def with_starts(solver: Solver, problem: Problem) -> Solver:
    """Return a solver with enough starts, if it has starts and fewer of them."""
    few = getattr(solver, "n_init", STARTS)
    starts = min(STARTS, int(_WORK / (problem.n * problem.d * problem.k)))
    return replace(solver, n_init=starts) if few < starts else solver  # type: ignore[call-arg]


def measure(
    problem: Problem,
    solver: str | Solver = "blp-kmeans",
    *,
    seed: int = 0,
    references: int = 5,
    bound_time: float = 10.0,
    time_limit: float | None = None,
) -> Step:
    """Return what is known about a problem's number of clusters.

    Parameters
    ----------
    solver : str or Solver
        Finds the clustering; up to the same number of outliers is left out for each k.
    references : int
        Sets of uniform points for the gap statistic; 0 for none.
    bound_time, time_limit : float
        Seconds for raising the lower bound, 0 to leave it as it is known at once; and for the
        clustering.
    """
    step = cluster(problem, solver, seed=seed, time_limit=time_limit)
    step = compare(problem, step, references, seed=seed)
    return bound(problem, step, bound_time, seed=seed) if bound_time else step


def cluster(
    problem: Problem,
    solver: str | Solver = "blp-kmeans",
    *,
    seed: int = 0,
    time_limit: float | None = None,
) -> Step:
    """Return what one clustering says about its number of clusters.

    There is no gap statistic yet. The lower bound is what the solver or the eigenvalues prove, and
    exact for one cluster.

    Parameters
    ----------
    solver : str or Solver
        By its name it has enough starts. Not used for one cluster, of which there is one
        clustering.
    time_limit : float, optional
        Seconds for the clustering.

    Raises
    ------
    UnsupportedError
        If centres are fixed, or the solver cannot have the problem.
    """
    if problem.fixed:
        raise UnsupportedError("Numbers of clusters are not compared beside fixed centres.")
    if problem.k == 1:  # all of it is known, for there is no other clustering
        found = in_one_cluster(problem)
        if not found.violations.none_hard:
            return impossible(1)
        return _step_of(found, "optimal", margin_of(problem).below(found.objective))
    if isinstance(solver, str):
        solver = with_starts(make_solver(solver), problem)
    result = solve(problem, solver, seed=seed, time_limit=time_limit, progress=False)
    bound = max(result.lower_bound, bound_at_once(problem))
    if result.partition is None or not _is_answer(result):
        known = impossible(problem.n_clusters)
        unproved = result.status != "infeasible"
        return replace(known, status=result.status, lower_bound=bound) if unproved else known
    return _step_of(result.partition, result.status, bound)


def _step_of(found: Partition, status: str, bound: float) -> Step:
    k, cost, silhouette = found.problem.n_clusters, found.objective, _silhouette(found)
    return Step(k, status, cost, bound, silhouette, math.nan, math.nan, found.wcss, found.labels)


def in_one_cluster(problem: Problem) -> Partition:
    """Return the clustering of which all points share one cluster."""
    return Partition(problem, np.zeros(problem.n, dtype=np.int64))


def compare(problem: Problem, step: Step, references: int, *, seed: int = 0) -> Step:
    """Return a step with its gap statistic, by sets of uniform points, if it has a clustering."""
    if not (references and step.objective < math.inf):
        return step
    logs = np.array([_log(cost) for cost in _reference_costs(problem, references, seed)])
    error = float(logs.std() * math.sqrt(1 + 1 / references))
    gap = float(logs.mean()) - _log(step.wcss)
    return replace(step, gap_statistic=gap, gap_error=error)


def bound(problem: Problem, step: Step, seconds: float, *, seed: int = 0) -> Step:
    """Return a step with a lower bound proved in a time, and a better clustering if one is met."""
    if problem.k == 1 or step.status in {"infeasible", "optimal"}:
        return step
    # Sizes, rules and soft links only add to the optimum.
    hard = problem.must_link.hard, problem.cannot_link.hard
    relaxed = Problem(problem.X, problem.k, *hard, weights=problem.weights)
    try:
        result = solve(relaxed, BOUND_SOLVER, seed=seed, time_limit=seconds, progress=False)
    except UnsupportedError:
        return step
    if result.status == "infeasible":
        return impossible(problem.n_clusters)
    if has_hard_links_only(problem) and _is_answer(result) and result.objective < step.objective:
        assert result.partition is not None
        step = _with_clustering(step, result.partition)
    return replace(step, lower_bound=max(step.lower_bound, result.lower_bound))


def _is_answer(result: Result) -> bool:
    return result.partition is not None and result.partition.violations.none_hard


def _silhouette(found: Partition) -> float:
    if found.problem.n_clusters == 1:
        return math.nan
    return float(scores_of(found).silhouette[found.shown >= 0].mean())


def has_hard_links_only(problem: Problem) -> bool:
    """Return whether a problem has neither sizes nor rules nor soft links nor neighbours."""
    more = problem.sizes is not None or problem.rules or problem.neighbors is not None
    return not (problem.is_soft or more)


def _with_clustering(step: Step, found: Partition) -> Step:
    """Return a step with another clustering; its gap statistic moves by the logarithms."""
    moved = _log(step.wcss) - _log(found.wcss) if step.objective < math.inf else math.nan
    return replace(
        step,
        status="feasible",
        objective=found.objective,
        wcss=found.wcss,
        silhouette=_silhouette(found),
        gap_statistic=step.gap_statistic + moved,
        labels=found.labels,
    )


def _log(cost: float) -> float:
    """Return the logarithm of a cost that may be 0."""
    return math.log(max(cost, 1e-300))


def _reference_costs(problem: Problem, references: int, seed: int) -> list[float]:
    """Return the objectives of uniform points in the box of the data, the same box for every k."""
    rng = np.random.default_rng(seed)
    low, high = problem.X.min(axis=0), problem.X.max(axis=0)
    costs = []
    for _ in range(references):
        points = rng.uniform(low, high, size=problem.X.shape)
        reference = Problem(
            points, problem.n_clusters, weights=problem.weights, outliers=problem.outliers
        )
        if reference.k == 1:
            costs.append(in_one_cluster(reference).wcss)
            continue
        solver = with_starts(make_solver(REFERENCE_SOLVER), reference)
        costs.append(solve(reference, solver, seed=seed, progress=False).objective)
    return costs


# --- Better clusterings: of the numbers beside, and of earlier runs -------------------------------

_MOST_SPLIT = 8  # Clusters that are split, those that cost most
_MOST_MERGED = 20  # Pairs of clusters that are merged, those that raise the cost least
_MOST_READ = 3  # Runs that are read for a number of clusters, those of the best figures


def from_neighbors(
    problems: Mapping[int, Problem],
    steps: Sequence[Step],
    solver: str | Solver = "blp-kmeans",
    *,
    seed: int = 0,
    time_limit: float | None = None,
) -> tuple[Step, ...]:
    """Return steps with the better clusterings that those of k - 1 and of k + 1 lead to.

    A cluster of the one is split, two clusters of the other are merged, and a start begins there.

    Parameters
    ----------
    problems : mapping of int to Problem
        By k; a step without one stays as it is.
    solver : str or Solver
        Begins there, if it has starts and can begin with a given clustering.
    time_limit : float, optional
        Seconds for each start.
    """
    solver = make_solver(solver) if isinstance(solver, str) else solver
    can_start = solver.supports.start and hasattr(solver, "n_init")
    one = replace(solver, n_init=1) if can_start else None  # type: ignore[call-arg]
    limits: Any = {"seed": seed, "time_limit": time_limit, "progress": False}
    known = {step.k: step for step in steps if step.k in problems}
    upwards = [(k, k - 1) for k in sorted(known)]
    for k, beside in [*upwards, *((k, k + 1) for k in sorted(known, reverse=True))]:
        other, problem = known.get(beside), problems[k]
        is_open = k > 1 and known[k].status not in {"optimal", "infeasible"}
        if other is None or other.labels is None or not is_open:
            continue
        found = [Partition(problem, each) for each in _made_of(problems, k, other, seed)]
        found.sort(key=lambda each: (not each.violations.none_hard, each.objective))
        if one is not None and found:
            better = solve(problem, one, start=found[0].labels, **limits).partition
            found += [] if better is None else [better]
        for each in found:
            known[k] = _better(known[k], each)
    return tuple(known.get(step.k, step) for step in steps)


def _better(step: Step, found: Partition) -> Step:
    """Return a step with a clustering, if that keeps everything and costs less."""
    better = found.violations.none_hard and found.objective < step.objective
    return _with_clustering(step, found) if better else step


def _made_of(
    problems: Mapping[int, Problem], k: int, beside: Step, seed: int
) -> Iterator[IntArray]:
    """Yield labels for k clusters that are made of those for one cluster less, or one more."""
    before, problem = problems[beside.k], problems[k]
    assert beside.labels is not None
    shown = before.shown(beside.labels)
    for each in _split(before, shown, seed) if k > beside.k else _merged(before, shown):
        left_out = each < 0  # these come last
        each[left_out] = problem.n_clusters + np.arange(left_out.sum())
        if each.max() < problem.k:
            yield each


def _split(problem: Problem, shown: IntArray, seed: int) -> Iterator[IntArray]:
    """Yield the labels with one cluster in two, by k-means over what must-links join."""
    blocks = contract(problem)
    label = shown[np.unique(blocks.block_of, return_index=True)[1]]
    pieces = [np.flatnonzero((label == j) & (blocks.mass > 0)) for j in range(problem.n_clusters)]

    def part(inside: IntArray, k: int) -> Problem:
        return Problem(blocks.centroid[inside], k, weights=blocks.mass[inside])

    pieces = [inside for inside in pieces if len(inside) > 1]
    pieces.sort(key=lambda inside: -in_one_cluster(part(inside, 1)).wcss)
    for inside in pieces[:_MOST_SPLIT]:
        half = solve(part(inside, 2), REFERENCE_SOLVER, seed=seed, progress=False).partition
        if half is not None:
            labels = label.copy()
            labels[inside[half.labels == 1]] = problem.n_clusters
            yield labels[blocks.block_of]


def _merged(problem: Problem, shown: IntArray) -> Iterator[IntArray]:
    """Yield the labels with two clusters in one, for the pairs that cost least together."""
    found = Partition(problem, np.where(shown < 0, problem.k - 1, shown))
    mass, centers = found.cluster_weights, found.centers
    rise = {
        (i, j): mass[i] * mass[j] / (mass[i] + mass[j]) * ((centers[i] - centers[j]) ** 2).sum()
        for i, j in combinations(range(problem.n_clusters), 2)
    }
    for i, j in sorted(rise, key=rise.__getitem__)[:_MOST_MERGED]:
        labels = np.where(shown == j, i, shown)
        yield labels - (labels > j)


def from_runs(archive: Archive, problem: Problem, step: Step) -> Step:
    """Return a step with the better clustering, and the higher bound, of the runs of an archive.

    Parameters
    ----------
    archive : Archive
        Its runs of the same points and k count. A clustering keeps what the problem asks for,
        whatever else its run was asked; a bound is of a problem without further constraints.
    """
    if step.status in {"optimal", "infeasible"}:
        return step
    size = (problem.n_points, problem.d, problem.n_clusters)
    alike = [each for each in archive.runs() if (each.n, each.d, each.k) == size]
    cheap = [each for each in alike if each.objective < step.objective]
    high = [each for each in alike if each.lower_bound > step.lower_bound]
    cheap.sort(key=lambda each: each.objective)
    high.sort(key=lambda each: -each.lower_bound)
    for run_id in dict.fromkeys(each.id for each in cheap[:_MOST_READ] + high[:_MOST_READ]):
        with suppress(ArchiveError):  # deleted meanwhile
            run = archive.load(run_id)
            if same_points(problem, run.problem):
                if run.incumbent is not None:
                    step = _better(step, Partition(problem, run.incumbent.labels))
                if tightens(run.problem, problem):
                    step = replace(step, lower_bound=max(step.lower_bound, run.lower_bound))
    proved = is_closed(step.objective, step.lower_bound, OPTIMAL_GAP)
    return replace(step, status="optimal") if proved else step


# --- What one process works out for an elbow: figures of some numbers of clusters -----------------


@dataclass(frozen=True)
class Candidate:
    """A number of clusters that may be chosen: its problem, and what is known about it."""

    k: int
    problem: Problem | None  # None where rules on sizes forbid this number
    solver: Solver | None
    step: Step | None


def clustered(candidates: list[Candidate], seed: int, seconds: float) -> tuple[Step, ...]:
    """Return what a clustering says about each number."""
    steps = []
    for each in candidates:
        assert each.problem is not None
        assert each.solver is not None
        steps.append(cluster(each.problem, each.solver, seed=seed, time_limit=seconds))
    return tuple(steps)


def compared(candidates: list[Candidate], seed: int, references: int) -> tuple[Step, ...]:
    """Return the steps with their gap statistics."""
    known = _known(candidates)
    return tuple(compare(problem, step, references, seed=seed) for problem, step in known)


def bounded(candidates: list[Candidate], seed: int, seconds: float) -> tuple[Step, ...]:
    """Return the steps with higher lower bounds."""
    known = _known(candidates)
    return tuple(bound(problem, step, seconds, seed=seed) for problem, step in known)


def _known(candidates: list[Candidate]) -> Iterator[tuple[Problem, Step]]:
    """Yield the problem of each number, and what is known of it."""
    for each in candidates:
        assert each.problem is not None
        assert each.step is not None
        yield each.problem, each.step

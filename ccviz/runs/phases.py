"""Small runs of the phases that a solver reaches on large or hard problems only.

The examples of `ccviz.runs.warm` are too small for them. Each phase here is a callable without
arguments that runs for milliseconds, once its kernels are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from ccviz.arrays import freeze
from ccviz.problem.blocks import contract
from ccviz.problem.links import Links
from ccviz.problem.neighbors import Neighbors
from ccviz.problem.problem import Problem
from ccviz.problem.rules import MaxOverlap, SoftCannotLink
from ccviz.problem.sizes import Sizes
from ccviz.solvers.base import Context, Solver

Phase = Callable[[], object]

_SEED = 0


def phases(solver: type[Solver]) -> Iterator[Phase]:
    """Yield the phases of a solver beyond its examples."""
    yield from (partial(_run, make) for make in _RUNS.get(solver.name, ()))
    yield from _KERNELS.get(solver.name, ())


def _run(make: Callable[[], tuple[Solver, Problem]]) -> None:
    solver, problem = make()
    for _ in solver.steps(problem, Context(seed=_SEED)):
        pass


def points(n: int = 48, d: int = 3, k: int = 4) -> Problem:
    """Return points in overlapping clusters, with a few cannot-links."""
    rng = np.random.default_rng(_SEED)
    X = rng.normal(size=(n, d)) + 2.0 * (np.arange(n) % k)[:, None]
    apart = np.arange(12).reshape(-1, 2)
    return Problem(X, k, cannot_link=Links(apart, np.full(len(apart), np.inf)))


def _sized() -> Problem:
    """Return points without links whose cluster sizes are given: a transportation problem."""
    size = np.full(4, 12)
    return Problem(points().X, 4, sizes=Sizes(size, size))


def _connected() -> Problem:
    """Return points whose clusters are connected, with a must-link across their path."""
    given = points(16, 2, 3)
    path = np.column_stack([np.arange(15), np.arange(1, 16)])
    return replace(given, must_link=((12, 15),), cannot_link=(), neighbors=path)  # type: ignore[arg-type]


def _with_rules() -> Problem:
    """Return points under rules."""
    given = points(16, 2, 4)
    rules = (MaxOverlap((0, 1, 2, 3), 2), SoftCannotLink(((4, 5), (6, 7)), 1))
    return replace(given, rules=rules)


def _partitioned() -> Problem:
    """Return points with given sizes and soft links."""
    size, weight = np.full(3, 4), np.full(2, 0.5)
    must, cannot = (Links(np.array(ends), weight) for ends in ([(0, 1), (2, 5)], [(0, 3), (4, 5)]))
    X = points(12, 2, 3).X
    return Problem(X, 3, must, cannot, sizes=Sizes(size, size))


def _in_a_strip(**disjunctions: int) -> None:
    """Run `colgen` on a strip of points: over facilities, with local masters and discs."""
    from ccviz.solvers.colgen import Colgen
    from ccviz.solvers.colgen.params import (
        CertificateParams,
        DisjunctionParams,
        FacilityParams,
        NeighbourhoodParams,
        Params,
    )

    slow = np.inf  # whatever the bound gains
    params = Params(
        facilities=FacilityParams(
            pairs=0, pairs_if_few=0, slow_rounds=2, slow_share=slow, slow_share_local=slow
        ),
        neighbourhood=NeighbourhoodParams(40, 0.0, 99.0, parts=1),
        disjunctions=DisjunctionParams(**disjunctions),
        certificate=CertificateParams(few_blocks=0, many_blocks=0),
    )
    X = np.random.default_rng(1).uniform(size=(240, 2)) * [12.0, 1.0]
    solver = Colgen(tolerance=1e-6)
    for _ in solver.steps_with(params, Problem(X, 16), Context(seed=_SEED)):
        pass


def disjunctions() -> None:
    """Raise the bound of a root by disjunctions of discs."""
    _in_a_strip()


def local_masters() -> None:
    """Branch on discs, with local masters around them."""
    _in_a_strip(candidates=0)


def _of(name: str, problem: Callable[[], Problem], **settings: object) -> tuple[Solver, Problem]:
    from ccviz.solvers import make_solver

    return make_solver(name, **settings), problem()


def _on_a_path() -> Problem:
    """Return points on a path, with sizes, and a block that other points join."""
    pairs = np.stack([np.arange(47), np.arange(1, 48)], axis=1)
    must = Links(np.array([[0, 4]]), np.array([np.inf]))
    return replace(_sized(), must_link=must, neighbors=Neighbors(pairs, 48))


def hard_core() -> None:
    """Solve one assignment by the bound and one by the repair, which the search leaves open."""
    from ccviz.solvers.assignment import Structure, solve_assignment
    from ccviz.solvers.assignment.exact import SearchLimits

    clique = Structure.from_edges(4, 4, np.array(list(combinations(range(4), 2))))
    rng = np.random.default_rng(_SEED)
    pairs = np.unique(np.sort(rng.integers(24, size=(60, 2)), axis=1), axis=0)
    tangle = Structure.from_edges(24, 5, pairs[pairs[:, 0] != pairs[:, 1]])
    for structure in (clique, tangle):
        cost = rng.uniform(size=(structure.s, structure.k))
        for limits in (SearchLimits(nodes=0), SearchLimits(nodes=0, largest=0)):
            solve_assignment(cost, structure, limits=limits)


def many_sized() -> None:
    """Assign points under sizes, with those left out whose cluster is in no doubt."""
    from ccviz.solvers.assignment.transport import solve_sizes

    cost = np.random.default_rng(_SEED).uniform(size=(48, 4))
    size = np.full(4, 12, dtype=np.int64)
    solve_sizes(lambda rows: cost[rows], len(cost), size, size, None, left_out_from=1)


def annealed_start() -> None:
    """Improve a clustering without conflicts by swaps."""
    from ccviz.solvers.start.annealing import annealed

    blocks = contract(Problem(points().X, 4))
    annealed(blocks, np.arange(blocks.s) % blocks.k, _SEED, tries=1)


def many_features() -> None:
    """Find nearest centres of many features in each of the three ways, of both kinds of points."""
    from ccviz.solvers.assignment.wide import WideNearest

    rng = np.random.default_rng(_SEED)
    centers = 9.0 * rng.normal(size=(64, 8))  # leading directions serve many centres only
    for kind in (np.float32, np.float64):
        X = freeze((centers[np.arange(128) % 64] + rng.normal(size=(128, 8))).astype(kind))
        nearest = WideNearest(X, np.arange(128))
        for each in (centers, centers[::-1], centers[::-1]):
            nearest.assign(each)


def searched_colouring() -> None:
    """Look for a colouring with branches and with the tabu search."""
    from ccviz.feasibility.repair import search_colouring

    edges = np.array(list(combinations(range(5), 2)))
    for k in (4, 5):
        search_colouring(edges, 5, k)


_RUNS: dict[str, tuple[Callable[[], tuple[Solver, Problem]], ...]] = {
    # Where blocks are partitioned.
    "divide": (
        partial(_of, "divide", points, part_size=12, largest_part=24, tolerance=1e-6),
    ),
    "sdp": (
        partial(_of, "sdp", partial(points, 24), divide_from=4),  # which begins with a presolve
        partial(_of, "sdp", partial(points, 16, 2, 3), incumbent="memetic"),
        partial(_of, "sdp", _connected),
    ),
    "bh-kmeans": (partial(_of, "bh-kmeans", _sized),),
    "pccc": (partial(_of, "pccc", _sized),),
    "regions": (partial(_of, "regions", _on_a_path, n_init=4),),
    "blp-kmeans": (partial(_of, "blp-kmeans", _sized),),
    "s-mdeclust": (
        partial(_of, "s-mdeclust", points, local_search="blp-kmeans", assignment="exact",
                restarts=0, generations=2),
    ),
    "colgen": (
        partial(_of, "colgen", partial(points, 24, 2), incumbent="memetic"),
        partial(_of, "colgen", _with_rules, pricing="space", listed=0),
        partial(_of, "colgen", _with_rules, pricing="blocks", listed=0),
        partial(_of, "colgen", _partitioned, listed=0),
    ),
}  # fmt: skip
_KERNELS: dict[str, tuple[Phase, ...]] = {
    "bh-kmeans": (many_sized,),
    "pccc": (many_sized,),
    "k-means": (many_features,),
    "blp-kmeans": (hard_core, searched_colouring, many_sized, many_features),
    "colgen": (annealed_start, disjunctions, local_masters),
}

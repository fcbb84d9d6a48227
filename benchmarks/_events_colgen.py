"""Small problems over `colgen` that reach every phase, for `same_events`.

Phases that begin with thousands of points are reached with dozens: by parameters that call few
blocks many, and a bound slow that has not moved in two rounds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from colgen_protocol import with_links
from sklearn.datasets import load_iris

from ccviz.events import Event
from ccviz.problem.problem import Problem
from ccviz.problem.rules import Both, Either, MaxDiameter, MaxOverlap, MaxSize, MinDifference
from ccviz.problem.rules import SoftCannotLink as SoftApart
from ccviz.problem.sizes import Sizes
from ccviz.solvers.base import Context
from ccviz.solvers.colgen import Colgen
from ccviz.solvers.colgen.params import (
    CertificateParams,
    DisjunctionParams,
    FacilityParams,
    NeighbourhoodParams,
    Params,
    PricingParams,
)

_PAIRS = ((1, 2), (3, 4), (5, 6), (1, 6), (0, 7))
_RULES = {
    "none": (),
    "max-size": (MaxSize(4),),
    "max-overlap": (MaxOverlap((1, 2, 3, 4), 2),),
    "min-difference": (MinDifference((1, 2, 3, 4, 5), 2),),
    "soft-cannot-link": (SoftApart(_PAIRS, 1),),
    "max-diameter": (MaxDiameter(2.2),),
    "both": (Both((MaxSize(5), SoftApart(_PAIRS, 2))), MaxOverlap((0, 2, 4), 2)),
    "either": (Either((MaxSize(3), MaxOverlap((1, 2, 3, 4), 1))),),
}
_ENDLESS = 10**9

Case = tuple[str, Callable[[], list[Event]]]
"""A problem by name, and what runs it."""


def _case(name: str, problem: Problem, params: Params | None = None, **settings: object) -> Case:
    return name, partial(_run, problem, params or Params(), settings)


def _run(
    problem: Problem, params: Params, settings: dict, looks: int = _ENDLESS, history: tuple = ()
) -> list[Event]:
    count = itertools.count()
    context = Context(seed=0, stop=lambda: next(count) >= looks, history=history)
    return [*Colgen(**settings).steps_with(params, problem, context)]


def _facilities(**facilities: float) -> Params:
    """Return parameters under which column generation begins over facilities."""
    return Params(
        facilities=FacilityParams(pairs=0, pairs_if_few=0, **facilities),
        certificate=CertificateParams(few_blocks=0, many_blocks=0),
    )


def _local(blocks: int) -> Params:
    """Return parameters under which neighbourhoods are small, and bounds are slow soon."""
    return replace(
        _facilities(slow_rounds=2, slow_share=np.inf, slow_share_local=np.inf),
        neighbourhood=NeighbourhoodParams(blocks, 0.0, 99.0, parts=1),
    )


def _without_disjunctions(params: Params) -> Params:
    return replace(params, disjunctions=DisjunctionParams(candidates=0))


def _with_rules() -> Iterator[Case]:
    for (name, rules), seed in itertools.product(_RULES.items(), range(3)):
        yield _case(f"rules-{name}-{seed}", _linked(seed, rules))


def _settings() -> Iterator[Case]:
    problem = _iris(3, 60, every=3)
    schemes = ("interior", "smoothing", "perturbation", "none")
    for scheme, pricing in itertools.product(schemes, ("space", "blocks")):
        yield _case(f"{scheme}-{pricing}", problem, stabilisation=scheme, pricing=pricing)
    yield _case("cop-kmeans", problem, first="cop-kmeans")
    yield _case("no-starts", problem, starts=0)
    yield _case("iris-300", _iris(3, 300))
    yield _case("five-clusters", _iris(5, 60, every=2))
    yield _case("sliced", _iris(5, 200), Params(pricing=PricingParams(visits=30_000)))


def _branched() -> Iterator[Case]:
    for n, d, k, links, seed in ((30, 1, 6, 60, 3), (24, 2, 10, 60, 1)):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, d))
        pairs = rng.choice(n, size=(links, 2))
        problem = Problem(X, k, cannot_link=[(i, j) for i, j in pairs.tolist() if i != j])
        yield _case(f"branched-{n}", problem)
        yield _case(f"branched-{n}-depth", problem, order="depth", incumbent="memetic")


def _without_answer() -> Iterator[Case]:
    cannot = [(i, (i + 1) % 5) for i in range(5)] + [(i, 5) for i in range(5)]
    X = np.random.default_rng(0).normal(size=(6, 2))
    yield _case("wheel", Problem(X, 3, cannot_link=cannot))
    cycle = [(i, (i + 1) % 5) for i in range(5)]
    spokes = [(5 + i, (i + step) % 5) for i in range(5) for step in (1, -1)]
    pairs = (*cycle, *spokes, *((10, 5 + i) for i in range(5)))
    X = np.random.default_rng(0).normal(size=(11, 2))
    yield _case("groetzsch", Problem(X, 3, rules=(SoftApart(pairs, 0),)))


def _semidefinite() -> Iterator[Case]:
    for n, d in ((60, 12), (24, 2)):
        rng = np.random.default_rng(0)
        classes = np.arange(n) % 3
        X = 6.0 * rng.normal(size=(3, d))[classes] + rng.normal(size=(n, d))
        yield _case(f"semidefinite-{n}", Problem(X, 3, must_link=[(0, 3)], cannot_link=[(0, 1)]))


def _over_facilities() -> Iterator[Case]:
    few = _facilities()
    yield _case("neighbours-columns", _neighbours(), tolerance=1e-4)
    yield _case("neighbours-facilities", _neighbours(), few, tolerance=1e-4)
    yield _case("uniform-150", _uniform(150, 12, 3), few, tolerance=1e-4)
    yield _case("space-90", _uniform(90, 9, 4, d=3), few, tolerance=1e-4)
    for name, seed in itertools.product(("none", "max-size", "max-overlap", "both"), range(2)):
        yield _case(f"facilities-{name}-{seed}", _linked(seed, _RULES[name]), few)


def _in_discs() -> Iterator[Case]:
    small, strip = _local(15), _local(40)
    yield _case("discs-80", _uniform(80, 9, 3), small, tolerance=1e-4)
    settings = {"tolerance": 1e-6}
    run = partial(_run, _uniform(120, 10, 5), _without_disjunctions(small), settings, 4000)
    yield "discs-120-branched", run
    yield _case("discs-linked", _uniform(80, 9, 3, links=6), small, tolerance=1e-4)
    few = _facilities(slow_rounds=2, slow_share=np.inf)
    yield _case("discs-everywhere", _uniform(60, 7, 5), few, tolerance=1e-4)
    yield _case("strip", _strip(240, 16), strip, tolerance=1e-6)
    yield _case("strip-2", _strip(160, 11, seed=2), strip, tolerance=1e-6)
    yield _case("strip-branched", _strip(240, 16), _without_disjunctions(strip), tolerance=1e-6)
    yield _case(
        "strip-few-terms",
        _strip(160, 11),
        replace(strip, disjunctions=DisjunctionParams(most_terms=6)),
    )


def _broken_off() -> Iterator[Case]:
    problem = _uniform(80, 9, 3)
    for looks in (14, 60):
        run = partial(_run, problem, _local(15), {"tolerance": 1e-4}, looks)
        yield f"stopped-{looks}", run


def _with_sizes() -> Iterator[Case]:
    for pricing in ("space", "blocks", "both"):
        problem = _sized([10, 10, 10], [10, 10, 10], links=6)
        yield _case(f"sizes-equal-{pricing}", problem, pricing=pricing)
    for scheme in ("smoothing", "none"):
        problem = _sized([4, 8, 8], [9, 12, 15], links=8)
        yield _case(f"sizes-ranges-{scheme}", problem, stabilisation=scheme)
    rules = (MaxOverlap((1, 2, 3, 4), 2), SoftApart(_PAIRS, 1))
    yield _case("sizes-rules", _sized([8, 8, 8], [12, 12, 12], rules=rules))


def _with_soft_links() -> Iterator[Case]:
    for pricing in ("space", "blocks", "both"):
        yield _case(f"soft-{pricing}", _soft(30), pricing=pricing)
    sizes = Sizes(np.array([10, 10, 10]), np.array([10, 10, 10]))
    yield _case("soft-and-sizes", _soft(30, sizes=sizes))
    rules = (Either((MaxSize(9), MaxOverlap((1, 2, 3, 4), 1))),)
    yield _case("soft-and-rules", _soft(18, rules=rules))


def _sized(lower: list[int], upper: list[int], links: int = 0, **more: object) -> Problem:
    problem = _uniform(30, 3, 7)
    rng = np.random.default_rng(links)
    pairs = rng.choice(30, size=(links, 2))
    cannot = [(i, j) for i, j in pairs.tolist() if i != j]
    sizes = Sizes(np.array(lower), np.array(upper))
    return Problem(problem.X, 3, cannot_link=cannot, sizes=sizes, **more)


def _soft(n: int, **more: object) -> Problem:
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 2)) + 2.0 * (np.arange(n) % 3)[:, None]
    pairs = [(int(i), int(j)) for i, j in rng.choice(n, size=(n // 2, 2)) if i != j]
    weighted = [(*pair, float(rng.exponential())) for pair in pairs]
    return Problem(X, 3, must_link=weighted[::2], cannot_link=weighted[1::2], **more)


def _linked(seed: int, rules: tuple, n: int = 8, k: int = 3) -> Problem:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, int(rng.integers(1, 4))))
    pairs = [pair for pair in itertools.combinations(range(n), 2) if pair != (0, 1)]
    chosen = [pairs[i] for i in rng.choice(len(pairs), int(rng.integers(0, 7)), replace=False)]
    must = [(0, 1)] if seed % 2 else []
    return Problem(X, k, must_link=must, cannot_link=chosen, rules=rules)


def _iris(k: int, count: int, every: int = 1) -> Problem:
    """Return iris with links between pairs that are drawn."""
    data = load_iris()
    return with_links(data.data[::every], data.target[::every], k, count)


def _neighbours() -> Problem:
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(220, 2)) * [3.0, 1.0]
    near = np.argsort(((X[:, None] - X) ** 2).sum(axis=2), axis=1)
    must = [(int(i), int(near[i, 1])) for i in range(10)]
    cannot = [(int(i), int(near[i, 6])) for i in range(130, 140)]
    return Problem(X, 22, must_link=must, cannot_link=cannot)


def _uniform(n: int, k: int, seed: int, d: int = 2, links: int = 0) -> Problem:
    X = np.random.default_rng(seed).uniform(size=(n, d))
    return Problem(X, k, cannot_link=[(2 * i, 2 * i + 1) for i in range(links)])


def _strip(n: int, k: int, seed: int = 1) -> Problem:
    X = np.random.default_rng(seed).uniform(size=(n, 2)) * [n / 20, 1]
    return Problem(X, k)


FAMILIES = (
    _with_rules, _settings, _branched, _without_answer, _semidefinite, _over_facilities, _in_discs,
    _broken_off, _with_sizes, _with_soft_links,
)  # fmt: skip


def cases() -> Iterator[Case]:
    return itertools.chain.from_iterable(family() for family in FAMILIES)

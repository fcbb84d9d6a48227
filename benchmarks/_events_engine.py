"""Small made-up problems over all solvers but `colgen` and `rbba`, for `same_events`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from _events_colgen import Case

from ccviz.events import Event
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import Sizes
from ccviz.solvers import make_solver
from ccviz.solvers.base import Context

_SEED = 1


def blobs(
    n: int,
    k: int,
    d: int,
    spread: float = 1.0,
    links: float = 0.0,
    weight: float | None = None,
    seed: int = 0,
    **more: Any,
) -> Problem:
    """Return normal clusters with links that agree with them, ``links`` times n in number."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % k
    X = rng.normal(scale=4.0, size=(k, d))[labels] + rng.normal(scale=spread, size=(n, d))
    pairs = rng.choice(n, size=(int(links * n), 2))
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    end = () if weight is None else (weight,)
    must = [(*map(int, pair), *end) for pair in pairs[same]]
    cannot = [(*map(int, pair), *end) for pair in pairs[~same]]
    return Problem(X, k, must_link=must, cannot_link=cannot, **more)


def _sized(n: int, k: int, **options: Any) -> Problem:
    size = np.full(k, n // k)
    return blobs(n, k, 2, spread=2.0, sizes=Sizes(size, size), **options)


def _mixed(n: int, **options: Any) -> Problem:
    """Return a problem whose clusters have sizes of two kinds."""
    size = np.array([n // 2, n // 4, n // 4])
    return blobs(n, 3, 2, spread=2.0, sizes=Sizes(size, size), **options)


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "free": lambda: blobs(60, 4, 3, spread=2.0),
    "tight": lambda: blobs(80, 5, 2, spread=0.6),
    "linked": lambda: blobs(60, 4, 3, spread=3.0, links=0.5),
    "dense": lambda: blobs(48, 3, 2, spread=3.0, links=3.0),
    "wide": lambda: blobs(30, 3, 50, spread=3.0, links=0.3),
    "soft": lambda: blobs(60, 4, 3, spread=2.0, links=0.5, weight=2.0),
    "sized": lambda: _sized(40, 4),
    "sized-linked": lambda: _sized(40, 4, links=0.3),
    "mixed": lambda: _mixed(40, links=0.3),
    "mixed-soft": lambda: _mixed(24, links=0.3, weight=2.0),
    "many": lambda: blobs(150, 30, 2, spread=1.0),
    "small": lambda: blobs(14, 3, 2, spread=2.0, links=0.3),
    "large": lambda: blobs(400, 4, 3, spread=2.0, links=0.1),
    "larger": lambda: blobs(600, 3, 4, spread=2.5),
}


def _case(solver: str, problem: str, **settings: Any) -> Case:
    words = "".join(f",{name}={value}" for name, value in settings.items())
    return f"{solver}-{problem}{words}", partial(_run, solver, problem, settings)


def _run(name: str, problem: str, settings: dict[str, Any]) -> list[Event]:
    solver = make_solver(name, **settings)
    return [*solver.steps(PROBLEMS[problem](), Context(seed=_SEED))]


_HEURISTICS = (
    "bh-kmeans", "blp-kmeans", "cop-kmeans", "pck-means", "cvqe", "lcvqe", "ppc", "ccl", "spectral",
    "k-means", "post-process", "lp-box", "s-mdeclust", "hg-means", "dils", "pccc",
)  # fmt: skip

_CASES: tuple[Case, ...] = (
    *(_case(solver, problem) for solver in _HEURISTICS for problem in ("free", "linked")),
    *(_case(name, "soft") for name in
      ("bh-kmeans", "pck-means", "ppc", "post-process", "hg-means", "dils", "pccc")),
    *(_case(name, problem) for name in ("bh-kmeans", "pccc", "blp-kmeans", "cop-kmeans")
      for problem in ("dense", "sized", "sized-linked", "wide")),
    _case("s-mdeclust", "dense"), _case("s-mdeclust", "wide", restarts=0),
    _case("s-mdeclust", "linked", assignment="exact", local_search="blp-kmeans", restarts=0),
    _case("s-mdeclust", "many", restarts=0, patience=100),
    *(_case("sdp", problem) for problem in ("free", "tight", "linked", "dense", "wide", "small")),
    *(_case("sdp", problem) for problem in ("soft", "sized", "mixed", "mixed-soft")),
    _case("sdp", "linked", incumbent="memetic", order="depth", show_relaxation=True),
    _case("sdp", "small", backend="scs"),
    _case("sdp", "large", divide_from=300),
    *(_case("ipc-kmeans", problem) for problem in ("free", "linked", "dense", "wide")),
    _case("ipc-kmeans", "linked", algorithm="printed"),
    _case("divide", "linked"),
    _case("divide", "large", part_size=80, tolerance=1e-5),
    _case("divide", "larger", part_size=100, largest_part=250),
    _case("divide", "larger", part_size=100, largest_part=150, incumbent="blp-kmeans"),
)  # fmt: skip


def cases() -> Iterator[Case]:
    return iter(_CASES)

"""What is given to `ccviz.explore`, as a draft: arrays and tables, names, sizes and rules."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from ccviz.arrays import FloatArray
from ccviz.data.datasets import Dataset
from ccviz.errors import ProblemError
from ccviz.frame_links import index_of, pairs_of
from ccviz.problem.asked import read_asked
from ccviz.problem.points import column_of, columns_of
from ccviz.problem.problem import Problem
from ccviz.problem.sizes import read_sizes
from ccviz.views.draft import Draft, draft_of_problem


def given_draft(
    X: Any,
    k: int,
    must_link: Any = (),
    cannot_link: Any = (),
    sizes: Any = None,
    truth: ArrayLike | None = None,
    scaling: str = "none",
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    rules: Sequence[str] = (),
    outliers: int = 0,
) -> Draft:
    """Return the draft that a call of `ccviz.explore` asks for; see there.

    Raises
    ------
    CcvizError
        If anything given is malformed.
    """
    index, n = index_of(X), len(X)
    must, cannot = (
        pairs_of(links, n, index, kind)
        for links, kind in ((must_link, "must_link"), (cannot_link, "cannot_link"))
    )
    if isinstance(sizes, str):
        lower, upper = read_sizes(sizes, n, k)
        sizes = (lower, upper) if lower else None
    problem = Problem(X, k, must, cannot, sizes, truth, weights=weights, outliers=outliers)  # type: ignore[arg-type]
    data = Dataset(
        _name(problem.X), problem.X, _features(X, problem.d), problem.truth, k=k,
        names=_names(names, index, n), weights=problem.weights,
    )  # fmt: skip
    draft = draft_of_problem(problem, Draft(data, k), data.name).with_scaling(scaling)
    asked = [read_asked(rule, column=partial(column_of, X)) for rule in rules]
    return draft.with_rules(asked) if asked else draft


def _name(X: FloatArray) -> str:
    # The same for the same points, so that the runs of a cell are known by it.
    return f"notebook {hashlib.sha256(X.tobytes()).hexdigest()[:6]}"


def _features(X: Any, d: int) -> tuple[str, ...]:
    return tuple(map(str, columns_of(X))) or tuple(f"x{j}" for j in range(d))


def _names(names: Sequence[str] | None, index: Any, n: int) -> tuple[str, ...]:
    if names is None:
        return () if index is None else tuple(map(str, index))
    if len(names) != n:
        raise ProblemError(f"there are {len(names):,} names, but {n:,} points.")
    return tuple(map(str, names))

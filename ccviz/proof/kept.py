"""A proof of an earlier run, made for a problem with fewer constraints or the same.

More constraints leave fewer clusterings: a bound proved for all clusterings of the earlier problem
holds for those of this one. The check: every constraint of the earlier problem is also one of this
problem, or follows from its sizes; then the proof of the earlier problem is verified.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccviz.errors import CcvizError
from ccviz.events import ProofKept
from ccviz.problem.problem import Problem
from ccviz.proof.reading import FlawError


def earlier_problem(problem: Problem, kept: ProofKept) -> Problem:
    """Return the problem that a kept proof was made for.

    Parameters
    ----------
    problem : Problem
        Problem of the run that kept the proof.
    kept : ProofKept

    Raises
    ------
    FlawError
        If the earlier problem has a constraint that this problem lacks.
    """
    links: dict[str, Any] = {}
    for name, now in (("must_link", problem.must_link), ("cannot_link", problem.cannot_link)):
        pairs = _pairs(getattr(kept, name))
        if set(map(tuple, pairs.tolist())) - set(map(tuple, now.hard.pairs.tolist())):
            raise FlawError("the proof that was kept uses links that the problem lacks")
        links[name] = pairs
    lower, upper = _sizes(kept, problem)
    try:
        return Problem(
            problem.X,
            problem.k,
            sizes=None if lower is None else (lower, upper),  # type: ignore[arg-type]
            rules=(),
            weights=problem.weights,
            **links,
        )
    except CcvizError as wrong:
        raise FlawError(f"the proof that was kept is of no problem: {wrong}") from None


def _pairs(value: Any) -> np.ndarray:
    is_table = isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.ndim == 2
    if not is_table or (value.size and value.shape[1] != 2):
        raise FlawError("the proof that was kept has links that are no pairs of points")
    return np.sort(value.astype(np.int64).reshape(-1, 2), axis=1)


def _sizes(kept: ProofKept, problem: Problem) -> tuple[Any, Any]:
    if kept.lower is None and kept.upper is None:
        return None, None
    lower, upper, now = kept.lower, kept.upper, problem.sizes
    if lower is None or upper is None or {lower.shape, upper.shape} != {(problem.k,)}:
        raise FlawError("the proof that was kept has sizes that are not one for each cluster")
    if now is None or (lower > now.lower).any() or (upper < now.upper).any():
        raise FlawError("the proof that was kept uses sizes that the problem lacks")
    return lower, upper

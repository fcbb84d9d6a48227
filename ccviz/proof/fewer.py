"""A problem with fewer constraints, in which bounds and certificates are proved.

Every clustering that a problem allows is allowed with fewer constraints, and costs no more there.
So a bound that is proved with fewer holds, and a leaf that is infeasible with fewer is. The solvers
leave constraints out by code of their own; nothing of it is used here.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ccviz.errors import CcvizError
from ccviz.problem.problem import Problem
from ccviz.problem.sums import MinSum, SumLimit
from ccviz.proof.reading import FlawError


def as_bounded(problem: Problem) -> Problem:
    """Return the problem as bounds know it: without lower sums, and without sizes beside weights.

    Parameters
    ----------
    problem : Problem
    """
    rules = tuple(rule for rule in problem.rules if not isinstance(rule, MinSum))
    sizes = None if problem.weights is not None else problem.sizes
    if len(rules) == len(problem.rules) and sizes is problem.sizes:
        return problem
    return replace(problem, rules=rules, sizes=sizes)


def has_only_sums(problem: Problem) -> bool:
    """Return whether all rules of a problem are limits on sums.

    Parameters
    ----------
    problem : Problem
    """
    return all(isinstance(rule, SumLimit) for rule in problem.rules)


def without_lacking(problem: Problem, certificate: dict[str, np.ndarray]) -> Problem:
    """Return the problem without what a certificate says that it was made without.

    Parameters
    ----------
    problem : Problem
    certificate : dict of arrays
        ``without_must`` and ``without_cannot``, (m, 2) links of the problem; ``with_sizes``, (2, k)
        sizes that the problem's are within, or (0, k) for none.

    Raises
    ------
    FlawError
        If the problem lacks such links, or its sizes are not within those.
    """
    changed: dict[str, object] = {}
    for kind in ("must", "cannot"):
        if f"without_{kind}" in certificate:
            links = getattr(problem, f"{kind}_link")
            out = set(map(tuple, certificate[f"without_{kind}"].tolist()))
            pairs = list(map(tuple, links.pairs.tolist()))
            if not out <= set(pairs):
                raise FlawError("is made without what is not there: links of another problem")
            stays = np.array([pair not in out for pair in pairs], dtype=bool)
            changed[f"{kind}_link"] = type(links)(links.pairs[stays], links.weights[stays])
    if "with_sizes" in certificate:
        changed["sizes"] = _wider(problem, certificate["with_sizes"])
    try:
        return replace(problem, asked=None, **changed) if changed else problem  # type: ignore[arg-type]
    except CcvizError as wrong:
        raise FlawError(f"is made for no problem: {wrong}") from None


def _wider(problem: Problem, table: np.ndarray) -> object:
    now = problem.sizes
    if now is None or table.shape not in {(0, problem.k), (2, problem.k)}:
        raise FlawError("is made with sizes that do not fit the problem's")
    if not len(table):
        return None
    if (table[0] > now.lower).any() or (table[1] < now.upper).any():
        raise FlawError("is made with sizes that the problem's are not within")
    return type(now)(*table)

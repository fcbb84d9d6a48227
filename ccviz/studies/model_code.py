"""A problem's models as code for cvxpy, to be read, changed and solved by any solver of cvxpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ccviz.errors import ParameterError, UnsupportedError
from ccviz.problem.problem import Problem

_BLOCKS = """\
import cvxpy as cp
import numpy as np

from ccviz import contract

blocks = contract(problem)  # points joined by must-links are one block
e, k, s = blocks.mass, blocks.k, len(blocks.mass)
"""

_RELAXATION = """
# The semidefinite relaxation of Peng and Wei (2007), with links as in Piccialli, Russo Russo and
# Sudoso (2022). Z[i, j] is 1 over the weight of the cluster of both blocks, 0 if there is none.
place = blocks.centroid - e @ blocks.centroid / e.sum()
W = (e[:, None] * place) @ (e[:, None] * place).T
Z = cp.Variable((s, s), PSD=True)
constraints = [Z @ e == 1, e @ cp.diag(Z) == k, Z >= 0]
constraints += [Z[i, j] == 0 for i, j in blocks.conflicts]
"""
_RELAXED_SIZES = """\
smallest, largest = problem.sizes.lower.min(), problem.sizes.upper.max()
constraints += [cp.diag(Z) <= 1 / smallest, cp.diag(Z) >= 1 / largest]
"""
_RELAXED_SOFT = """\
# Soft links cost nothing here, so that the value is a lower bound all the same.
"""
_RELAXED_VALUE = """\
total = blocks.scatter + e @ (place**2).sum(axis=1)
model = cp.Problem(cp.Minimize(total - cp.trace(W @ Z)), constraints)
model.solve()
print("lower bound:", model.value)
"""

_ASSIGNMENT = """
# The assignment step of BLP-kmeans (Baumann 2020): the centres stay, x[b, c] puts block b into c.
centers = result.partition.centers
distance = ((blocks.centroid[:, None] - centers) ** 2).sum(axis=2)
x = cp.Variable((s, k), boolean=True)
objective = cp.sum(cp.multiply(e[:, None] * distance, x))
constraints = [cp.sum(x, axis=1) == 1]
constraints += [x[i] + x[j] <= 1 for i, j in blocks.conflicts]
"""
_ASSIGNED_SIZES = """\
sizes = blocks.count @ x
constraints += [sizes >= problem.sizes.lower, sizes <= problem.sizes.upper]
"""
_ASSIGNED_SOFT = """\
must, cannot = blocks.soft_must, blocks.soft_cannot  # what a broken one costs
objective += sum(w * cp.max(x[i] - x[j]) for (i, j), w in zip(must.pairs, must.weights))
objective += sum(w * cp.max(x[i] + x[j] - 1) for (i, j), w in zip(cannot.pairs, cannot.weights))
"""
_ASSIGNED_VALUE = """\
model = cp.Problem(cp.Minimize(objective + blocks.scatter + blocks.penalty), constraints)
model.solve(solver=cp.HIGHS)
labels = x.value.argmax(axis=1)[blocks.block_of]
print("cost to these centres:", model.value)
"""

_MASTER = """
# The master problem of column generation (Aloise, Hansen and Liberti 2012): a column is a cluster
# that may be chosen. The first ones are the clusters of the result, and each block alone.
found = np.zeros(s, dtype=int)
found[blocks.block_of] = result.labels
columns = np.vstack([[found == c for c in range(k)], np.eye(s, dtype=bool)])


def cost(column):
    weight, place = e[column], blocks.centroid[column]
    return weight @ ((place - weight @ place / weight.sum()) ** 2).sum(axis=1)


costs = np.array([cost(column) for column in columns])
z = cp.Variable(len(columns), nonneg=True)
cover, count = columns.T.astype(float) @ z >= 1, cp.sum(z) <= k
model = cp.Problem(cp.Minimize(costs @ z + blocks.scatter), [cover, count])
model.solve(solver=cp.HIGHS)
print("value:", model.value)

# Pricing looks for a cluster, conflicts and sizes kept, that costs less than the duals of its
# blocks together, less the dual of the count. It becomes a column; if there is none, the value is
# a lower bound.
reduced = costs - columns @ cover.dual_value + count.dual_value
"""


def _relaxation(problem: Problem) -> str:
    # Z has weights of clusters, and sizes count points.
    sizes = _RELAXED_SIZES if problem.sizes is not None and problem.weights is None else ""
    soft = _RELAXED_SOFT if problem.is_soft else ""
    return _RELAXATION + sizes + soft + _RELAXED_VALUE


def _assignment(problem: Problem) -> str:
    sizes = _ASSIGNED_SIZES if problem.sizes is not None else ""
    soft = _ASSIGNED_SOFT if problem.is_soft else ""
    return _ASSIGNMENT + sizes + soft + _ASSIGNED_VALUE


def _master(problem: Problem) -> str:
    if problem.is_soft:
        raise UnsupportedError("the master problem in cvxpy has no soft links.")
    return _MASTER


MODELS: Mapping[str, Callable[[Problem], str]] = {
    "relaxation": _relaxation,
    "assignment": _assignment,
    "master": _master,
}


def model_code(problem: Problem, model: str = "relaxation") -> str:
    """Return the lines that state a model of a problem in cvxpy and solve it.

    They read ``problem`` and, but for the relaxation, ``result``: a `ccviz.Problem` and the
    `ccviz.Result` whose centres or clusters the model takes.

    Parameters
    ----------
    model : {"relaxation", "assignment", "master"}
        The semidefinite relaxation of `sdp`, the assignment step of `blp-kmeans`, or the master
        problem of `colgen`.

    Raises
    ------
    ParameterError
        If the model has another name.
    UnsupportedError
        If the model leaves out something that the problem has.
    """
    if model not in MODELS:
        raise ParameterError(f"there is no model {model!r}; there are {', '.join(MODELS)}.")
    if problem.rules or problem.outliers or problem.fixed or problem.neighbors is not None:
        raise UnsupportedError(
            "the models in cvxpy have no rules, outliers, fixed centres or neighbours."
        )
    return _BLOCKS + MODELS[model](problem)

"""The registry of solvers: an explicit tuple, one line each, and those of other packages."""

from __future__ import annotations

import re
from dataclasses import asdict
from difflib import get_close_matches
from numbers import Real
from typing import Any

from ccviz.errors import ParameterError, quote
from ccviz.plugins import Registry
from ccviz.problem.problem import Problem
from ccviz.solvers.base import GROUPS, Context, Solver, Supports, parse_setting
from ccviz.solvers.bh_kmeans import BhKMeans
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.solvers.ccl import Ccl
from ccviz.solvers.colgen import Colgen
from ccviz.solvers.cop_kmeans import CopKMeans
from ccviz.solvers.dils import Dils
from ccviz.solvers.divide_and_bound import Divide
from ccviz.solvers.hg_means import HgMeans
from ccviz.solvers.ipc_kmeans import IpcKMeans
from ccviz.solvers.kmeans import KMeans
from ccviz.solvers.lp_box import LpBox
from ccviz.solvers.pccc import Pccc
from ccviz.solvers.pck_means import PckMeans
from ccviz.solvers.post_process import PostProcess
from ccviz.solvers.ppc import Ppc
from ccviz.solvers.rbba import Rbba
from ccviz.solvers.regions import Regions
from ccviz.solvers.s_mdeclust import SMdeClust
from ccviz.solvers.sdp import Sdp
from ccviz.solvers.spectral import Spectral
from ccviz.solvers.vqe import Cvqe, Lcvqe

_OWN: tuple[type[Solver], ...] = (
    BhKMeans,
    BlpKMeans,
    CopKMeans,
    PckMeans,
    Cvqe,
    Lcvqe,
    Ppc,
    Ccl,
    Spectral,
    KMeans,
    PostProcess,
    IpcKMeans,
    LpBox,
    SMdeClust,
    HgMeans,
    Dils,
    Sdp,
    Colgen,
    Rbba,
    Divide,
    Pccc,
    Regions,
)


_ATTRIBUTES: dict[str, Any] = {
    "name": str, "title": str, "paper": str, "group": str, "supports": Supports,
    "most_blocks": Real, "most_points": Real,
}  # fmt: skip


def _refuse(added: object) -> str:
    """Return why an object cannot be listed, asked and made as a solver."""
    if not (isinstance(added, type) and issubclass(added, Solver)):
        return "it is no solver class"
    for name, kind in _ATTRIBUTES.items():
        if not isinstance(value := getattr(added, name, None), kind):
            return f"its {name} is {quote(value)}"
    if not re.fullmatch(r"\w[\w.-]*", added.name):
        return f"its name is {quote(added.name)}, not of letters, digits, '-' and '_'"
    if added.group not in GROUPS:
        return f"its group {quote(added.group)} is not one of {', '.join(GROUPS)}"
    if not all(isinstance(able, bool) for able in asdict(added.supports).values()):
        return "what it supports is not true or false"
    if added.steps is Solver.steps:
        return "it has no steps"
    asdict(added())  # raises if a setting is none
    return ""


SOLVERS: Registry[type[Solver]] = Registry("ccviz.solvers", _OWN, _refuse)


def solver_class(name: str) -> type[Solver]:
    """Return the solver class of a name.

    Raises `ParameterError` if there is none; the sentence lists the names, the nearest one first.
    """
    for solver in SOLVERS:
        if solver.name == name:
            return solver
    names = [solver.name for solver in SOLVERS]
    near = get_close_matches(name.lower(), names, n=1)
    meant = f"did you mean {near[0]}? There" if near else "there"
    raise ParameterError(f"there is no solver {name!r}; {meant} are {', '.join(names)}.")


def make_solver(name: str, **settings: Any) -> Solver:
    """Return a solver with some of its parameters set.

    Raises `ParameterError` if the solver or a parameter does not exist, or a value is out of range.
    """
    kind = solver_class(name)
    unknown = set(settings) - set(asdict(kind()))
    if unknown:
        known = ", ".join(asdict(kind())) or "none"
        raise ParameterError(
            f"{name} has no parameter {', '.join(map(repr, sorted(unknown)))}; it has {known}."
        )
    return kind(**settings)


def check(solver: Solver, problem: Problem) -> None:
    """Raise if a problem asks for what a solver cannot do; the sentence names those that can."""
    solver.check(problem, _who_can)


def _who_can(problem: Problem) -> str:
    able = [solver.name for solver in SOLVERS if not solver.supports.missing(problem)]
    return f"these can: {', '.join(able)}" if able else "no solver here can"


__all__ = [
    "SOLVERS",
    "Context",
    "Solver",
    "Supports",
    "check",
    "make_solver",
    "parse_setting",
    "solver_class",
]

"""The registry of solvers: an explicit tuple, one line each, and those of other packages."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ccviz.errors import ParameterError
from ccviz.plugins import Registry
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, Solver, Supports, parse_setting
from ccviz.solvers.bh_kmeans import BhKMeans
from ccviz.solvers.blp_kmeans import BlpKMeans
from ccviz.solvers.ccl import Ccl
from ccviz.solvers.colgen.solver import Colgen
from ccviz.solvers.cop_kmeans import CopKMeans
from ccviz.solvers.dils.solver import Dils
from ccviz.solvers.divide_and_bound import Divide
from ccviz.solvers.hg_means import HgMeans
from ccviz.solvers.ipc_kmeans import IpcKMeans
from ccviz.solvers.kmeans import KMeans
from ccviz.solvers.lp_box.solver import LpBox
from ccviz.solvers.pccc import Pccc
from ccviz.solvers.pck_means import PckMeans
from ccviz.solvers.post_process import PostProcess
from ccviz.solvers.ppc import Ppc
from ccviz.solvers.rbba.solver import Rbba
from ccviz.solvers.s_mdeclust import SMdeClust
from ccviz.solvers.sdp.solver import Sdp
from ccviz.solvers.spectral import Spectral
from ccviz.solvers.vqe.cvqe import Cvqe
from ccviz.solvers.vqe.lcvqe import Lcvqe

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
)


def _refuse(added: object) -> str:
    return "" if isinstance(added, type) and issubclass(added, Solver) else "it is no solver class"


SOLVERS: Registry[type[Solver]] = Registry("ccviz.solvers", _OWN, _refuse)


def solver_class(name: str) -> type[Solver]:
    """Return the solver class of a name.

    Raises
    ------
    ParameterError
        If there is none; the sentence lists the names.
    """
    for solver in SOLVERS:
        if solver.name == name:
            return solver
    names = ", ".join(solver.name for solver in SOLVERS)
    raise ParameterError(f"there is no solver {name!r}; there are {names}.")


def make_solver(name: str, **settings: Any) -> Solver:
    """Return a solver with some of its parameters set.

    Raises
    ------
    ParameterError
        If the solver or a parameter does not exist, or a value is out of range.
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
    """Raise if a problem asks for what a solver cannot do; the sentence names those that can.

    Raises
    ------
    UnsupportedError
    """
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

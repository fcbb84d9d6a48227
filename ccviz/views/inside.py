"""The tabs *Inside the solver*, by the solvers that have them."""

from __future__ import annotations

from typing import Any

from ccviz.events import (
    ColumnsPriced,
    CutsAdded,
    GenerationEnded,
    NodeOpened,
    PartBounded,
    PartsCut,
    RelaxationSolved,
    ResidualsUpdated,
)
from ccviz.plugins import Registry
from ccviz.views.figures.matrix import MatrixFigure
from ccviz.views.figures.solvers import (
    BinaryFigure,
    CutsFigure,
    DiversityFigure,
    DualsFigure,
    MasterFigure,
    PartsFigure,
    PopulationFigure,
    PricingFigure,
    ResidualsFigure,
)
from ccviz.views.frames.exact import ColumnsLog, CutsLog, PartsLog, RelaxationLog, ResidualsLog
from ccviz.views.frames.heuristic import SEARCHED, PopulationLog
from ccviz.views.lab.inspection import Inspection, View
from ccviz.views.panels.inside import TreePanel, figures

# --- Column generation: the master, pricing, and the duals ----------------------------------------


_COLUMNS = View(
    "columns",
    "Columns",
    frozenset({ColumnsPriced}),
    figures(
        (MasterFigure, lambda at: at.log(ColumnsLog).frame()),
        (PricingFigure, lambda at: at.log(ColumnsLog).frame()),
        (DualsFigure, lambda at: at.log(ColumnsLog).duals()),
    ),
    logs=(ColumnsLog,),
)


# --- The parts that many points were cut into, and how near each is to its bound ------------------


_PARTS = View(
    "parts",
    "Parts",
    frozenset({PartsCut, PartBounded}),
    figures((PartsFigure, lambda at: at.log(PartsLog).frame())),
    logs=(PartsLog,),
)


# --- A population by generation: its objectives, and how far its members differ -------------------


_POPULATION = View(
    "population",
    "Population",
    frozenset({GenerationEnded}),
    figures(
        (PopulationFigure, lambda at: at.log(PopulationLog).frame()),
        (DiversityFigure, lambda at: at.log(PopulationLog).frame()),
        words=SEARCHED,
    ),
    logs=(PopulationLog,),
)


# --- The relaxation's matrix, and the cuts that tighten it ----------------------------------------


def _matrix(at: Inspection) -> Any:
    labels = at.run.incumbent.labels if at.run and at.run.incumbent else None
    return at.log(RelaxationLog).frame(labels, at.node)


_RELAXATION = View(
    "relaxation",
    "Relaxation",
    frozenset({RelaxationSolved, CutsAdded}),
    figures((MatrixFigure, _matrix), (CutsFigure, lambda at: at.log(CutsLog).frame(at.node))),
    logs=(RelaxationLog, CutsLog),
)


# --- The residuals of a splitting, and how far its variables are from 0 and 1 ---------------------


_RESIDUALS = View(
    "residuals",
    "Residuals",
    frozenset({ResidualsUpdated}),
    figures(
        (ResidualsFigure, lambda at: at.log(ResidualsLog).frame()),
        (BinaryFigure, lambda at: at.log(ResidualsLog).relaxed()),
    ),
    logs=(ResidualsLog,),
)


# --- The search tree, and the details of a node ---------------------------------------------------


_TREE = View("tree", "Tree", frozenset({NodeOpened}), TreePanel)


# --- Every view of a solver's inner life: an explicit tuple, and the views of other packages ------


_OWN: tuple[View, ...] = (
    _TREE,
    _RELAXATION,
    _COLUMNS,
    _RESIDUALS,
    _POPULATION,
    _PARTS,
)


def _refuse(added: object) -> str:
    if not isinstance(added, View):
        return "it is no view"
    about: dict[str, Any] = vars(added)
    if not (isinstance(about["name"], str) and isinstance(about["title"], str)):
        return "its name or title is no text"
    kinds = [*about["events"], *about["logs"]]
    if not (callable(about["panel"]) and all(isinstance(kind, type) for kind in kinds)):
        return "its panel cannot be called, or its events and logs are no classes"
    return ""


CATALOGUE: Registry[View] = Registry("ccviz.views", _OWN, _refuse)

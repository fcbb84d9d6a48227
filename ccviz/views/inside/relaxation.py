"""The relaxation's matrix, and the cuts that tighten it."""

from __future__ import annotations

from typing import Any

from ccviz.events import CutsAdded, RelaxationSolved
from ccviz.views.figures.cuts import CutsFigure
from ccviz.views.figures.matrix import MatrixFigure
from ccviz.views.frames.cuts import CutsLog
from ccviz.views.frames.matrix import RelaxationLog
from ccviz.views.lab.inspection import Inspection
from ccviz.views.lab.view import View
from ccviz.views.panels.figures import figures


def _matrix(at: Inspection) -> Any:
    labels = at.run.incumbent.labels if at.run and at.run.incumbent else None
    return at.log(RelaxationLog).frame(labels, at.node)


VIEW = View(
    "relaxation",
    "Relaxation",
    frozenset({RelaxationSolved, CutsAdded}),
    figures((MatrixFigure, _matrix), (CutsFigure, lambda at: at.log(CutsLog).frame(at.node))),
    logs=(RelaxationLog, CutsLog),
)

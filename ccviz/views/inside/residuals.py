"""The residuals of a splitting, and how far its variables are from 0 and 1."""

from __future__ import annotations

from ccviz.events import ResidualsUpdated
from ccviz.views.figures.binary import BinaryFigure
from ccviz.views.figures.residuals import ResidualsFigure
from ccviz.views.frames.residuals import ResidualsLog
from ccviz.views.lab.view import View
from ccviz.views.panels.figures import figures

VIEW = View(
    "residuals",
    "Residuals",
    frozenset({ResidualsUpdated}),
    figures(
        (ResidualsFigure, lambda at: at.log(ResidualsLog).frame()),
        (BinaryFigure, lambda at: at.log(ResidualsLog).relaxed()),
    ),
    logs=(ResidualsLog,),
)

"""A population by generation: its objectives, and how far its members differ."""

from __future__ import annotations

from ccviz.events import GenerationEnded
from ccviz.views.figures.diversity import DiversityFigure
from ccviz.views.figures.population import PopulationFigure
from ccviz.views.frames.population import SEARCHED, PopulationLog
from ccviz.views.lab.view import View
from ccviz.views.panels.figures import figures

VIEW = View(
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

"""The parts that many points were cut into, and how near each is to its bound."""

from __future__ import annotations

from ccviz.events import PartBounded, PartsCut
from ccviz.views.figures.parts import PartsFigure
from ccviz.views.frames.parts import PartsLog
from ccviz.views.lab.view import View
from ccviz.views.panels.figures import figures

VIEW = View(
    "parts",
    "Parts",
    frozenset({PartsCut, PartBounded}),
    figures((PartsFigure, lambda at: at.log(PartsLog).frame())),
    logs=(PartsLog,),
)

"""Column generation: the master, pricing, and the duals."""

from __future__ import annotations

from ccviz.events import ColumnsPriced
from ccviz.views.figures.duals import DualsFigure
from ccviz.views.figures.master import MasterFigure
from ccviz.views.figures.pricing import PricingFigure
from ccviz.views.frames.columns import ColumnsLog
from ccviz.views.lab.view import View
from ccviz.views.panels.figures import figures

VIEW = View(
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

"""Figures of the tabs *Inside the solver*."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import (
    CDSView,
    HoverTool,
    IndexFilter,
    LinearColorMapper,
    LogColorMapper,
)

from ccviz.views.figures.base import (
    ImageFigure,
    Series,
    SeriesFigure,
    add_corners,
    apply_theme,
    columns_of,
    empty,
    legend_above,
    plain_figure,
    refill,
    stand_on_zero,
    sync,
)
from ccviz.views.figures.matrix import shades
from ccviz.views.frames.exact import (
    KINDS,
    LEAST_GAP,
    Columns,
    Cuts,
    Duals,
    Mosaic,
    Relaxed,
    caption,
)
from ccviz.views.frames.heuristic import Population
from ccviz.views.palette import CUTS, Look

# --- The relaxed assignment turning binary: a column a cluster, a row a block ---------------------


class BinaryFigure(ImageFigure):
    """Draws `Relaxed` assignments."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            "assignment",
            LinearColorMapper(low=0, high=255),
            x_axis_label="cluster",
            y_axis_label="blocks, ordered by cluster",
        )
        self.plot.xaxis.ticker = np.empty(0).tolist()
        self.apply_theme(look)

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        apply_theme(self.plot, look)
        self._mapper.palette = shades(look.paper, look.ink)

    def show(self, frame: Relaxed | None) -> None:
        """Draw a frame, or nothing."""
        if frame is None:
            self._put(None)
            return
        k = frame.image.shape[1]
        if self._put(frame.image, frame.blocks, k):
            self.plot.xaxis.ticker = [j + 0.5 for j in range(k)]
            self.plot.xaxis.major_label_overrides = {j + 0.5: str(j) for j in range(k)}


# --------------------------------------------------------------------------------------------------
# Violated inequalities by round, stacked by kind, with the number of active cuts as a line.


_CUT_FIELDS = ("at", "node", "round", *KINDS, "dropped", "active", "lower_bound")


class CutsFigure:
    """Draws `Cuts`."""

    def __init__(self, look: Look) -> None:
        self.plot = plain_figure("cuts", x_axis_label="round", y_axis_label="violated inequalities")
        self._source = empty(*_CUT_FIELDS)
        bars = self.plot.vbar_stack(
            list(KINDS),
            x="at",
            width=0.85,
            source=self._source,
            color=list(CUTS),
            legend_label=["pair", "triangle", "clique", "sums"],
            line_color=None,
        )
        self._active = self.plot.line(
            "at", "active", source=self._source, line_width=2, legend_label="active cuts"
        )
        legend_above(self.plot)
        stand_on_zero(self.plot, [*bars, self._active], top=1)
        self.plot.axis.ticker.min_interval = 1
        self.plot.add_tools(HoverTool(renderers=bars, tooltips=_CUT_TOOLTIPS))
        self.apply_theme(look)

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        apply_theme(self.plot, look)
        self._active.glyph.line_color = look.ink

    def show(self, frame: Cuts) -> None:
        """Draw a frame."""
        sync(self._source, columns_of(frame, _CUT_FIELDS))


_CUT_TOOLTIPS = [
    ("node, round", "@node, @round"),
    ("pair, triangle, clique, sums", "@pair, @triangle, @clique, @rows"),
    ("dropped, active", "@dropped, @active"),
    ("lower bound", "@lower_bound{0,0.000}"),
]


# --- The objective over the iterations of a heuristic, which has no bound to show -----------------


class DescentFigure(SeriesFigure):
    """Draws `ccviz.views.frames.heuristic.Descent`."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            "objective",
            "at",
            [
                Series("best", "least so far", "lower", "dashed"),
                Series("objective", "this iteration", "upper"),
            ],
            x_label="iteration",
            tooltips=[
                ("iteration", "@at{0}"),
                ("objective", "@objective{0,0.000}"),
                ("least so far", "@best{0,0.000}"),
            ],
        )
        self._corners = empty("x", "y")
        self.plot.y_range.renderers = [add_corners(self.plot, self._corners)]

    def show(self, frame: Any) -> None:
        """Draw a frame; the vertical axis covers the heights of the frame."""
        if frame.heights is not None:
            refill(self._corners, x=np.repeat(frame.at[-1], 2), y=np.array(frame.heights))
        super().show(frame)


# --- How different the members of a population are, by generation ---------------------------------


class DiversityFigure(SeriesFigure):
    """Draws the diversity of `ccviz.views.frames.heuristic.Population`."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            "diversity",
            "generation",
            [Series("diversity", "diversity", "mark")],
            x_label="generation",
            y_label="diversity",
            tooltips=[("generation", "@generation"), ("diversity", "@diversity{0.0000}")],
        )
        stand_on_zero(self.plot, list(self._lines.values()), top=0.01)
        self.plot.xaxis.ticker.min_interval = 1


# --- The prices of blocks: what the master would pay to have each one covered ---------------------


class DualsFigure:
    """Draws `Duals` as bars, the dearest first."""

    def __init__(self, look: Look) -> None:
        self.plot = plain_figure("duals", x_axis_label="blocks by price", y_axis_label="dual")
        self._source = empty("at", "block", "price")
        self._bars = self.plot.vbar(
            x="at", top="price", width=0.9, line_color=None, source=self._source
        )
        tooltips = [("block", "@block"), ("dual", "@price{0,0.0000}")]
        self.plot.add_tools(HoverTool(renderers=[self._bars], tooltips=tooltips))
        self.plot.xgrid.visible = False
        self.apply_theme(look)

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        apply_theme(self.plot, look)
        self._bars.glyph.fill_color = look.upper

    def show(self, frame: Duals) -> None:
        """Draw a frame."""
        at = np.arange(len(frame.block), dtype=np.float64)
        sync(self._source, {"at": at, "block": frame.block, "price": frame.price})


# --- The master of a column generation and the bound that pricing proves, round by round ----------


class MasterFigure(SeriesFigure):
    """Draws `ccviz.views.frames.exact.Columns`: how master and bound close in on each other."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            "master",
            "at",
            [
                Series("master", "master objective", "upper"),
                Series("lower_bound", "lower bound", "lower"),
            ],
            x_label="pricing round",
            tooltips=[
                ("round", "@at, node @node"),
                ("master", "@master{0,0.000}"),
                ("lower bound", "@lower_bound{0,0.000}"),
                ("columns", "@columns added, @pool in all"),
            ],
            extra=("node", "columns", "pool"),
        )
        self.plot.xaxis.ticker.min_interval = 1


# --- The mosaic of parts: the smaller a part's gap, the darker its tile ---------------------------


class PartsFigure(ImageFigure):
    """Draws `Mosaic` frames."""

    def __init__(self, look: Look) -> None:
        mapper = LogColorMapper(low=LEAST_GAP, high=0.1)
        super().__init__("parts", mapper, [("gap", "@image{0.0e+0}")], match_aspect=True)
        self.plot.axis.visible = False
        self.apply_theme(look)

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        apply_theme(self.plot, look)
        self._mapper.palette = shades(look.lower, look.grid)
        self._mapper.nan_color = look.paper
        self._title.text_color = look.faint

    def show(self, frame: Mosaic | None) -> None:
        """Draw a frame, or nothing."""
        if frame is None:
            self._put(None)
            self._title.text = "the points are not cut into parts yet"
            return
        self._put(frame.gap, *frame.gap.shape)
        self._title.text = caption(frame)


# --- A population: every member's objective by generation, and a line from loser to winner --------


_SHORT = ("generation", "best", "mean")
_MEMBERS = ("member_generation", "objective", "member", "fresh")
_AS_GOOD = 1e-4
"""Relative difference to the best objective below which others look equal on the axis."""
_LINES = ("from_generation", "from_objective", "to_generation", "to_objective")


class PopulationFigure:
    """Draws `Population` frames."""

    def __init__(self, look: Look) -> None:
        self.plot = plain_figure(
            "population", x_axis_label="generation", y_axis_label="what the search lowers"
        )
        self._short, self._lines = empty(*_SHORT), empty(*_LINES)
        self._members = empty(*_MEMBERS, "size")
        self._replaced = self.plot.segment(
            *_LINES, source=self._lines, line_alpha=0.6, legend_label="replaced"
        )
        self._dots = self.plot.scatter(
            "member_generation",
            "objective",
            size="size",
            fill_alpha=0.6,
            line_color=None,
            source=self._members,
            legend_label="member",
        )
        self._curves = {
            name: self.plot.line(
                "generation", name, source=self._short, line_width=2.5, legend_label=name
            )
            for name in ("best", "mean")
        }
        self._curves["mean"].glyph.line_dash = "dashed"
        self._room = empty("x", "y")
        add_corners(self.plot, self._room)
        legend_above(self.plot)
        tooltips = [
            ("generation", "@member_generation, member @member"),
            ("objective", "@objective{0,0.0000}"),
            ("new", "@fresh"),
        ]
        self.plot.add_tools(HoverTool(renderers=[self._dots], tooltips=tooltips, limit=1))
        self.plot.xaxis.ticker.min_interval = 1
        self.apply_theme(look)

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        apply_theme(self.plot, look)
        self._dots.glyph.fill_color = look.faint
        self._replaced.glyph.line_color = look.mark
        self._curves["best"].glyph.line_color = look.upper
        self._curves["mean"].glyph.line_color = look.lower

    def show(self, frame: Population) -> None:
        """Draw a frame."""
        sync(self._short, columns_of(frame, _SHORT))
        sync(self._lines, columns_of(frame, _LINES))
        # Corners about the best member: where all are as good, rounding fills no axis.
        best, at = frame.best[-1:], np.repeat(frame.generation[-1:], 2)
        margin = _AS_GOOD * np.abs(best)
        sync(self._room, {"x": at, "y": np.concatenate([best - margin, best + margin])})
        size = np.where(frame.fresh, 7.0, 4.0)
        sync(self._members, columns_of(frame, _MEMBERS) | {"size": size})


# --- Pricing: how much the best missing column would save, and who found it -----------------------


_PRICING_FIELDS = ("at", "node", "columns", "pool", "reduced_cost", "exact")


class PricingFigure:
    """Draws the reduced costs of `Columns`; squares are exact rounds, which can end the pricing."""

    def __init__(self, look: Look) -> None:
        self.plot = plain_figure(
            "pricing",
            x_axis_label="pricing round",
            y_axis_label="−reduced cost",
            y_axis_type="log",
        )
        self._source = empty(*_PRICING_FIELDS)
        self._line = self.plot.line(
            "at", "reduced_cost", source=self._source, line_width=1, line_alpha=0.5
        )
        self._views = {exact: IndexFilter([]) for exact in (False, True)}
        self._dots = {
            exact: self.plot.scatter(
                "at",
                "reduced_cost",
                source=self._source,
                view=CDSView(filter=self._views[exact]),
                marker="square" if exact else "circle",
                size=8 if exact else 5,
                legend_label="exact" if exact else "heuristic",
            )
            for exact in (False, True)
        }
        legend_above(self.plot)
        self.plot.add_tools(
            HoverTool(renderers=list(self._dots.values()), tooltips=_PRICING_TOOLTIPS, limit=1)
        )
        self.plot.xaxis.ticker.min_interval = 1
        self.apply_theme(look)

    def apply_theme(self, look: Look) -> None:
        """Take the colours of a theme."""
        apply_theme(self.plot, look)
        self._line.glyph.line_color = look.faint
        for exact, color in ((False, look.upper), (True, look.lower)):
            self._dots[exact].glyph.update(fill_color=color, line_color=color)

    def show(self, frame: Columns) -> None:
        """Draw a frame."""
        sync(self._source, columns_of(frame, _PRICING_FIELDS))
        for exact, chosen in self._views.items():
            chosen.indices = np.flatnonzero(frame.exact == exact).tolist()


_PRICING_TOOLTIPS = [
    ("round", "@at, node @node"),
    ("reduced cost", "−@reduced_cost{0.000000}"),
    ("columns", "@columns added, @pool in all"),
]


# --- Primal and dual residuals of a splitting method, on a logarithmic axis -----------------------


class ResidualsFigure(SeriesFigure):
    """Draws `ccviz.views.frames.exact.Residuals`."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            "residuals",
            "iteration",
            [
                Series("primal", "primal residual", "upper"),
                Series("dual", "dual residual", "lower"),
                Series("rho", "ρ", "faint", "dotted"),
            ],
            x_label="iteration",
            log=True,
            tooltips=[
                ("iteration", "@iteration"),
                ("primal, dual", "@primal{0.0e+0}, @dual{0.0e+0}"),
                ("ρ", "@rho{0.0e+0}"),
                ("off 0 and 1", "@fractional{0.000}"),
                ("broken links", "@violations"),
            ],
            extra=("fractional", "violations"),
        )

"""Pictures of runs: HoloViews overlays and layouts that save themselves for a paper."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import holoviews as hv
from holoviews.core.options import Store
from holoviews.plotting.bokeh import LayoutPlot, OverlayPlot

from ccviz.distribution import install_command
from ccviz.errors import CcvizError


class _Saved:
    """What can be saved as PDF, SVG or PNG."""

    def save(self, path: str | Path, width: float | None = None, dpi: int = 300) -> None:
        """Write the picture for print, drawn by Matplotlib, without a browser.

        Parameters
        ----------
        path : path
            Its suffix, ``.pdf``, ``.svg`` or ``.png``, is the format.
        width : float, optional
            Inches; by default 3.4 a picture, as wide as a column, and 6.9 at most.
        dpi : int
            Of PNG, and of pictures within the others.

        Raises
        ------
        CcvizError
            If the suffix is another one, Matplotlib is not installed, or the file cannot be
            written.
        """
        try:
            printing = import_module("ccviz.views.notebook.printing")
        except ModuleNotFoundError as missing:
            if (missing.name or "").startswith("ccviz"):
                raise
            raise CcvizError(
                f"files for print need {missing.name}, which is not installed: "
                f"{install_command('notebooks')}."
            ) from None
        printing.save(self, Path(path), width, dpi)


class Figure(_Saved, hv.Overlay):
    """A picture: ``*`` draws another one over it, ``+`` puts it beside."""

    def __mul__(self, other: Any) -> Any:
        both = super().__mul__(other)
        return Figure(list(both)) if type(both) is hv.Overlay else both

    def __add__(self, other: Any) -> Figures:
        return Figures([self, other])


class Figures(_Saved, hv.Layout):
    """Pictures side by side; ``cols`` says how many in a row."""

    def __add__(self, other: Any) -> Figures:
        return Figures([*self, *(other if isinstance(other, hv.Layout) else [other])])


Store.register({Figure: OverlayPlot, Figures: LayoutPlot}, "bokeh")

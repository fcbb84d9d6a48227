"""Performance profiles (Dolan and More 2002) as a picture."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
from bokeh.embed import file_html
from bokeh.layouts import gridplot
from bokeh.palettes import Colorblind8
from bokeh.plotting import figure
from bokeh.resources import INLINE
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def profile(values: dict[str, FloatArray], taus: FloatArray) -> dict[str, FloatArray]:
    """Return each method's share of problems on which it is within each factor of the best.

    `values` (p,): A method's value on each problem, smaller is better; inf where it failed.
    """
    table = np.stack(list(values.values()))
    best = table.min(axis=0)
    ratio = np.where(np.isfinite(table), table / np.maximum(best, np.finfo(float).tiny), np.inf)
    return {
        name: (row[None, :] <= taus[:, None] * (1 + 1e-9)).mean(axis=1)
        for name, row in zip(values, ratio, strict=True)
    }


def draw(panels: list[tuple[str, dict[str, FloatArray], float]], target: Path) -> None:
    """Write one profile a panel, side by side, as a picture.

    The page is drawn by Bokeh and photographed in Chromium.
    """
    plots = [_panel(metric, values, most) for metric, values, most in panels]
    html = file_html(gridplot([plots], toolbar_location=None), INLINE, title=target.stem)
    photograph(html, target, 420 * len(plots) + 20, 400)


def _panel(metric: str, values: dict[str, FloatArray], most: float) -> figure:
    taus = np.geomspace(1.0, most, 2000)
    plot = figure(
        width=420,
        height=380,
        title=metric,
        x_axis_type="log" if most > 2 else "linear",
        x_axis_label="within this factor of the best",
        y_axis_label="share of the problems",
        y_range=(-0.02, 1.02),
    )
    for (name, shares), colour in zip(profile(values, taus).items(), Colorblind8 * 2, strict=False):
        plot.step(taus, shares, mode="after", color=colour, line_width=2, legend_label=name)
    if most > 2:
        plot.xaxis.ticker = [tick for tick in (1, 2, 5, 10, 20, 50, 100, 1000) if tick <= most]
    plot.legend.location = "bottom_right"
    plot.legend.background_fill_alpha = 0.7
    return plot


def photograph(html: str, target: Path, width: int, height: int) -> None:
    """Let Chromium draw a page and keep the picture."""
    from playwright.sync_api import sync_playwright

    browser_path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_content(html)
        page.wait_for_selector("canvas")
        page.wait_for_timeout(500)
        page.screenshot(path=target)
        browser.close()

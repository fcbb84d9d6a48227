"""A button that saves a figure as SVG, beside Bokeh's own that saves PNG."""

from __future__ import annotations

from typing import Any

from bokeh.models import CustomAction, CustomJS

_SAVE = """
const view = Bokeh.index.find_one(plot)
view.export("svg").to_blob().then((blob) => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = `${plot.name}.svg`
  link.click()
  URL.revokeObjectURL(link.href)
})
"""
_ICON = (
    "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'>"
    "<text x='0' y='17' font-size='11' font-family='sans-serif' font-weight='bold' "
    "fill='gray'>SVG</text></svg>"
)


def add_svg_button(plot: Any) -> None:
    """Let a figure be saved as SVG; the browser draws it, so that it works without a server."""
    callback = CustomJS(args={"plot": plot}, code=_SAVE)
    plot.add_tools(CustomAction(description="Save as SVG", icon=_ICON, callback=callback))

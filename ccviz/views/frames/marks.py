"""What a node of the tree looks like, by its state: marker, colour and words."""

from __future__ import annotations

from ccviz.views.frames.states import STATES

# Okabe and Ito's colours, and a shape each: neither alone has to carry the meaning.
MARKS = {
    "open": ("circle", "#56b4e9", STATES["open"].label),
    "branched": ("circle_dot", "#8a97a6", STATES["branched"].label),
    "bound": ("square", "#e69f00", STATES["bound"].label),
    "infeasible": ("x", "#d55e00", STATES["infeasible"].label),
    "integral": ("diamond", "#009e73", STATES["integral"].label),
    "incumbent": ("star", "#f0e442", "incumbent found here"),
    "folded": ("inverted_triangle", "#cc79a7", "folded subtree"),
}
"""Marker, colour and words of what a node may be."""

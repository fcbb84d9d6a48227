"""Colours: clusters that colour-blind people can distinguish, links, states, light and dark."""

from __future__ import annotations

from dataclasses import dataclass, replace

# Okabe and Ito (2008), without black, in an order that keeps neighbours far apart; then the
# muted scheme of Paul Tol, lighter and darker, for more clusters than can be distinguished.
_CLUSTERS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a900",
    "#332288", "#88ccee", "#117733", "#ddcc77", "#882255", "#44aa99", "#aa4499", "#999933",
    "#cc6677", "#6699cc", "#004488", "#994455", "#997700",
)  # fmt: skip

CUTS = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7")
"""Pair, triangle, clique, sums: the kinds of cuts."""


def cluster_colors(k: int) -> list[str]:
    """Return k colours, repeated when k is larger than the palette."""
    return [_CLUSTERS[j % len(_CLUSTERS)] for j in range(k)]


@dataclass(frozen=True)
class Look:
    """The colours of figures on a light or dark page.

    ``mark`` is for what a person chose. It is not the page's accent, which is too near a cluster's.
    """

    ink: str
    faint: str
    grid: str
    paper: str
    unassigned: str
    must_link: str
    cannot_link: str
    broken: str
    mark: str
    upper: str
    lower: str
    text: int = 12
    """Size of the words on figures, in pixels."""


LIGHT = Look(
    ink="#1d2733",
    faint="#667485",
    grid="#e6eaef",
    paper="#ffffff",
    unassigned="#a9b4c0",
    must_link="#1d2733",
    cannot_link="#c2410c",
    broken="#dc2626",
    mark="#7c3aed",
    upper="#0072b2",
    lower="#d55e00",
)
DARK = Look(
    ink="#e7ecf2",
    faint="#93a1b1",
    grid="#2b3643",
    paper="#161d26",
    unassigned="#66727f",
    must_link="#e7ecf2",
    cannot_link="#fb923c",
    broken="#f87171",
    mark="#c4a5fd",
    upper="#56b4e9",
    lower="#e69f00",
)


_LARGE = 18


def look(dark: bool, large: bool = False) -> Look:
    """Return the colours of the page's theme, and the size of its words for a room or a screen."""
    colors = DARK if dark else LIGHT
    return replace(colors, text=_LARGE) if large else colors
